//! Input files, told by their contents, whatever their names are.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Display, Path, PathBuf};

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use trisolve::Error;
use trisolve::matrix_market::{self, Entries, Format};

use crate::Failure;
use crate::formats::{Columns, gzip, npy, plain};

/// The name of standard input and of standard output on the command line.
pub const STANDARD: &str = "-";

/// An input file on the command line; `-` is standard input.
#[derive(Clone)]
pub struct InputPath(PathBuf);

/// How an array of numbers is read as a matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ArrayMeaning {
    /// Lower diagonal, diagonal and upper diagonal of a tridiagonal matrix, in three columns.
    Diagonals,
    /// All entries.
    Dense,
}

enum Contents {
    MatrixMarket(Entries),
    Npy(Columns),
    Plain(Columns),
}

/// Leading bytes that identify the format.
const HEAD: u64 = 512;

/// Formats that cannot be read, by their first bytes.
const OTHERS: [(&[u8], &str); 6] = [
    (b"PK\x03\x04", "a zip archive, as numpy.savez writes"),
    (b"\x89HDF", "HDF5"),
    (b"MATLAB", "a MATLAB file"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
];

impl From<PathBuf> for InputPath {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl ValueParserFactory for InputPath {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;
    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self)
    }
}

impl InputPath {
    pub fn is_standard(&self) -> bool {
        self.0 == Path::new(STANDARD)
    }

    /// Whether there is something to read.
    pub fn exists(&self) -> bool {
        self.is_standard() || self.0.exists()
    }

    /// The name in messages.
    pub fn display(&self) -> Display<'_> {
        if self.is_standard() { Path::new("standard input").display() } else { self.0.display() }
    }

    /// Reads a matrix. Arrays of numbers have a meaning as a matrix.
    pub fn read_matrix(&self, meaning: ArrayMeaning) -> Result<Entries, Failure> {
        let (kind, found) = match self.read()? {
            Contents::MatrixMarket(entries) => return Ok(entries),
            Contents::Npy(found) => ("NumPy array", found),
            Contents::Plain(found) => ("plain columns", found),
        };
        let refused = |message: String| Failure::Input(format!("{}: {message}", self.display()));
        let (rows, columns) = (found.rows, found.columns);
        let entries: Vec<_> = match meaning {
            ArrayMeaning::Dense => {
                let place = |(at, &value): (usize, &f64)| (at % rows, at / rows, value, 0);
                found.values.iter().enumerate().map(place).filter(|entry| entry.2 != 0.0).collect()
            }
            ArrayMeaning::Diagonals if columns != 3 => {
                return Err(refused(format!(
                    "found {kind} of {rows} x {columns}; a matrix is accepted as Matrix Market, or as n x 3 values (lower diagonal, \
                     diagonal, upper diagonal) if it is tridiagonal"
                )));
            }
            ArrayMeaning::Diagonals if rows == 3 => {
                return Err(refused(format!(
                    "found {kind} of 3 x 3: these may be all entries or three diagonals; write the matrix as Matrix Market"
                )));
            }
            ArrayMeaning::Diagonals => diagonals(&found).map_err(refused)?,
        };
        let columns = if meaning == ArrayMeaning::Diagonals { rows } else { columns };
        let path = self.display().to_string();
        Ok(Entries { path, format: Format::Array, rows, columns, sizes_line: 0, entries })
    }

    /// Reads right-hand sides for a matrix of `rows` rows, column by column.
    pub fn read_right_hand_sides(&self, rows: usize) -> Result<Vec<f64>, Failure> {
        match self.read()? {
            Contents::MatrixMarket(entries) => Ok(matrix_market::columns(&entries, rows)?),
            Contents::Npy(found) | Contents::Plain(found) if found.rows == rows => Ok(found.values),
            Contents::Npy(found) | Contents::Plain(found) => Err(Failure::Input(format!(
                "{}: the right-hand side has {} rows, the matrix {rows}",
                self.display(),
                found.rows
            ))),
        }
    }

    /// Reads dense columns, one per sequence.
    pub fn read_sequences(&self) -> Result<Columns, Failure> {
        let entries = match self.read()? {
            Contents::MatrixMarket(entries) => entries,
            Contents::Npy(columns) | Contents::Plain(columns) => return Ok(columns),
        };
        if entries.format != Format::Array {
            return Err(Failure::Input(format!(
                "{}: not a dense file; sequences need the header `%%MatrixMarket matrix array real general`, or a NumPy array, or plain \
                 columns of numbers",
                self.display()
            )));
        }
        let (rows, columns) = (entries.rows, entries.columns);
        Ok(Columns { rows, columns, values: matrix_market::columns(&entries, rows)? })
    }

    fn read(&self) -> Result<Contents, Failure> {
        let failed = |error: io::Error| {
            Failure::from(Error::File { path: self.display().to_string(), message: error.to_string() })
        };
        let refused = |message: String| Failure::Input(format!("{}: {message}", self.display()));
        let source: Box<dyn BufRead> = match self.is_standard() {
            true => Box::new(io::stdin().lock()),
            false => Box::new(BufReader::new(File::open(&self.0).map_err(failed)?)),
        };
        let (mut head, mut source) = with_head(source).map_err(failed)?;
        let is_packed = head.starts_with(gzip::MAGIC);
        if is_packed {
            (head, source) = with_head(Box::new(gzip::contents(source))).map_err(failed)?;
        }
        let name = self.display().to_string();
        match &head[..] {
            [] if is_packed => Err(refused("the gzip file is empty inside; give at least one number".into())),
            [] => Err(refused("the file is empty; give at least one number".into())),
            head if head.starts_with(gzip::MAGIC) => {
                Err(refused("gzip data within gzip data; unpack the file once".into()))
            }
            head if head.starts_with(npy::MAGIC) => Ok(Contents::Npy(npy::read(source).map_err(refused)?)),
            // `%%MatrixMarket`. Its reader refuses other lines that begin so.
            head if head.trim_ascii_start().starts_with(b"%") => {
                Ok(Contents::MatrixMarket(matrix_market::read_from(source, &name)?))
            }
            head if head.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace()) => {
                Ok(Contents::Plain(plain::read(source, &name)?))
            }
            head => {
                let other = OTHERS.iter().find(|(magic, _)| head.starts_with(magic));
                let found =
                    other.map_or_else(|| format!("bytes {:02x?}", &head[..head.len().min(8)]), |other| other.1.into());
                Err(refused(format!(
                    "found {found}; convert the file to Matrix Market, NumPy's .npy, plain columns of numbers, or gzip of these"
                )))
            }
        }
    }
}

/// A source, and its first bytes.
fn with_head(mut source: Box<dyn BufRead>) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let mut head = vec![];
    source.by_ref().take(HEAD).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(source))))
}

/// The entries of a tridiagonal matrix in three columns. Corners other than 0 make it cyclic.
fn diagonals(found: &Columns) -> Result<Vec<(usize, usize, f64, u64)>, String> {
    let n = found.rows;
    let [lower, diag, upper] = [0, 1, 2].map(|column| &found.values[column * n..][..n]);
    if n < 3 && (lower[0] != 0.0 || upper[n - 1] != 0.0) {
        return Err(format!(
            "the first value of the lower diagonal is {}, and the last one of the upper diagonal is {}, but a matrix of fewer than 3 \
             rows has no corners; write 0 for both",
            lower[0],
            upper[n - 1]
        ));
    }
    let row = |row| {
        [((row + n - 1) % n, lower[row]), (row, diag[row]), ((row + 1) % n, upper[row])].map(|(c, v)| (row, c, v, 0))
    };
    Ok((0..n).flat_map(row).filter(|entry| entry.2 != 0.0).collect())
}
