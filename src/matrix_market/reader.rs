//! The reader.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::{IntErrorKind, ParseIntError};
use std::path::Path;

use super::sums::summed;
use crate::error::{Error, Result};

/// How a file lists its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Row, column and value of each entry; others are zero.
    Coordinate,
    /// All values, column by column.
    Array,
}

/// (row, column, value, line in the file), counted from 0 but for the line.
pub type Entry = (usize, usize, f64, u64);

/// A matrix as listed, with symmetric entries listed twice; zeros of an array are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries {
    /// The file's name, for messages.
    pub path: String,
    /// How the file lists them.
    pub format: Format,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// The line of the sizes, counted from 1.
    pub sizes_line: u64,
    /// One of each place: those that the file lists several times are added up.
    pub entries: Vec<Entry>,
}

/// Reads a file.
///
/// # Errors
/// [`Error::File`] where it cannot be read, [`Error::Parse`] with the line where it is not
/// well-formed.
pub fn read(path: &Path) -> Result<Entries> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| Error::File { path: name.clone(), message: e.to_string() })?;
    read_from(BufReader::new(file), &name)
}

/// Lines that are neither empty nor comments, with their numbers.
struct Lines<R> {
    source: R,
    path: String,
    number: u64,
}

/// No sensible line is longer; a file without line ends must not fill the memory.
const LONGEST_LINE: u64 = 4096;

/// Text of the file for a message: quoted, and shortened where it is long.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

impl<R: BufRead> Lines<R> {
    fn error(&self, message: impl Into<String>) -> Error {
        Error::Parse { path: self.path.clone(), line: self.number.max(1), message: message.into() }
    }

    /// The next line as it is, or `None` at the end.
    fn raw(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        // One byte more than a line may have tells a longest line from a longer one.
        let read = std::io::Read::take(&mut self.source, LONGEST_LINE + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(|e| Error::File { path: self.path.clone(), message: e.to_string() })?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if read as u64 > LONGEST_LINE {
            return Err(self.error(format!("a line of more than {LONGEST_LINE} bytes")));
        }
        // Comments may be in any encoding; elsewhere the replacement is no number.
        Ok(Some(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(other) => String::from_utf8_lossy(other.as_bytes()).into_owned(),
        }))
    }

    /// The next line with something on it.
    fn data(&mut self) -> Result<Option<String>> {
        while let Some(line) = self.raw()? {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('%') {
                return Ok(Some(line.to_owned()));
            }
        }
        Ok(None)
    }

    fn size(&self, word: &str, what: &str) -> Result<usize> {
        word.parse().map_err(|e: ParseIntError| match e.kind() {
            IntErrorKind::PosOverflow => self.error(format!("{what}, {}, is too large", quoted(word))),
            _ => self.error(format!("{what} should be a whole number, found {}", quoted(word))),
        })
    }

    fn value(&self, word: &str, integer: bool) -> Result<f64> {
        let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
        if integer && !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.error(format!("an integer file has the value {}", quoted(word))));
        }
        // Fortran writes exponents with D.
        let value: f64 = word
            .replace(['d', 'D'], "e")
            .parse()
            .map_err(|_| self.error(format!("a value should be a number, found {}", quoted(word))))?;
        if !value.is_finite() {
            return Err(self.error(format!("the value {} is not a finite f64", quoted(word))));
        }
        let mantissa = digits.split(['e', 'E', 'd', 'D']).next().unwrap_or_default();
        if value == 0.0 && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
            return Err(self.error(format!("the value {} is below the range of f64", quoted(word))));
        }
        Ok(value)
    }
}

/// What the first line says.
struct Header {
    format: Format,
    integer: bool,
    symmetric: bool,
}

fn header<R: BufRead>(lines: &mut Lines<R>) -> Result<Header> {
    let line = lines.raw()?.unwrap_or_default().trim().to_owned();
    let first = line.to_lowercase();
    let words: Vec<_> = first.split_whitespace().collect();
    let [banner, object, format, field, symmetry] = words[..] else {
        return Err(lines.error(
            "the first line should be \"%%MatrixMarket matrix coordinate|array real|integer general|symmetric\"",
        ));
    };
    if banner != "%%matrixmarket" || object != "matrix" {
        let found = quoted(&line);
        return Err(lines.error(format!("the first line should start with \"%%MatrixMarket matrix\", found {found}")));
    }
    let format = match format {
        "coordinate" => Format::Coordinate,
        "array" => Format::Array,
        other => return Err(lines.error(format!("the format is {}; coordinate and array can be read", quoted(other)))),
    };
    let integer = match field {
        "real" | "double" => false,
        "integer" => true,
        "complex" => return Err(lines.error("the matrix is complex; only real and integer ones can be solved")),
        "pattern" => return Err(lines.error("the matrix is a pattern without values; real or integer is needed")),
        other => return Err(lines.error(format!("the field is {}; real and integer can be read", quoted(other)))),
    };
    let symmetric = match symmetry {
        "general" => false,
        "symmetric" => true,
        other => {
            return Err(lines.error(format!("the symmetry is {}; general and symmetric can be read", quoted(other))));
        }
    };
    Ok(Header { format, integer, symmetric })
}

/// Reads from any source; `path` names it in messages.
///
/// # Errors
/// As [`read`].
pub fn read_from(source: impl BufRead, path: &str) -> Result<Entries> {
    let mut lines = Lines { source, path: path.to_owned(), number: 0 };
    let header = header(&mut lines)?;
    let Some(sizes) = lines.data()? else {
        return Err(lines.error("the file ends before its sizes"));
    };
    let sizes_line = lines.number;
    let words: Vec<_> = sizes.split_whitespace().collect();
    let (rows, columns, listed) = match (header.format, &words[..]) {
        (Format::Coordinate, [rows, columns, count]) => (
            lines.size(rows, "the number of rows")?,
            lines.size(columns, "the number of columns")?,
            lines.size(count, "the number of entries")?,
        ),
        (Format::Array, [rows, columns]) => {
            let (rows, columns) =
                (lines.size(rows, "the number of rows")?, lines.size(columns, "the number of columns")?);
            let all = if header.symmetric {
                // rows (rows + 1) / 2, the even factor halved first.
                let (half, odd) = if rows % 2 == 0 { (rows / 2, rows + 1) } else { (rows / 2 + 1, rows) };
                half.checked_mul(odd)
            } else {
                rows.checked_mul(columns)
            };
            (rows, columns, all.ok_or_else(|| lines.error("more entries than can be counted"))?)
        }
        (Format::Coordinate, _) => {
            let found = quoted(&sizes);
            return Err(lines.error(format!("the sizes should be \"rows columns entries\", found {found}")));
        }
        (Format::Array, _) => {
            let found = quoted(&sizes);
            return Err(lines.error(format!("the sizes should be \"rows columns\", found {found}")));
        }
    };
    if rows == 0 || columns == 0 {
        return Err(lines.error(format!(
            "the matrix is empty ({rows} rows, {columns} columns): give at least one row and one column"
        )));
    }
    if header.symmetric && rows != columns {
        return Err(lines.error(format!("a symmetric matrix should be square, this is {rows} x {columns}")));
    }
    let (path, format) = (path.to_owned(), header.format);
    let mut all = Entries { path, format, rows, columns, sizes_line, entries: Vec::new() };
    match header.format {
        Format::Coordinate => coordinates(&mut lines, &header, listed, &mut all)?,
        Format::Array => array(&mut lines, &header, listed, &mut all)?,
    }
    if let Some(more) = lines.data()? {
        return Err(lines.error(format!("{listed} entries are declared, but there is more: {}", quoted(&more))));
    }
    all.entries = summed(std::mem::take(&mut all.entries)).map_err(|(row, column, _, line)| Error::Parse {
        path: all.path.clone(),
        line,
        message: format!("the values of entry ({}, {}) add up past the range of f64", row + 1, column + 1),
    })?;
    Ok(all)
}

fn push(all: &mut Entries, row: usize, column: usize, value: f64, line: u64, symmetric: bool) {
    all.entries.push((row, column, value, line));
    if symmetric && row != column {
        all.entries.push((column, row, value, line));
    }
}

fn coordinates<R: BufRead>(lines: &mut Lines<R>, header: &Header, listed: usize, all: &mut Entries) -> Result<()> {
    for found in 0..listed {
        let Some(line) = lines.data()? else {
            return Err(lines.error(format!("{listed} entries are declared, but the file ends after {found}")));
        };
        let words: Vec<_> = line.split_whitespace().collect();
        let [row, column, value] = words[..] else {
            return Err(lines.error(format!("an entry should be \"row column value\", found {}", quoted(&line))));
        };
        let (row, column) = (lines.size(row, "a row")?, lines.size(column, "a column")?);
        if row == 0 || row > all.rows || column == 0 || column > all.columns {
            return Err(lines.error(format!(
                "entry ({row}, {column}) lies outside the matrix of {} x {} (indices count from 1)",
                all.rows, all.columns
            )));
        }
        if header.symmetric && column > row {
            return Err(lines.error(format!(
                "entry ({row}, {column}) of a symmetric file lies above the diagonal; only the lower triangle is listed"
            )));
        }
        let value = lines.value(value, header.integer)?;
        push(all, row - 1, column - 1, value, lines.number, header.symmetric);
    }
    Ok(())
}

fn array<R: BufRead>(lines: &mut Lines<R>, header: &Header, listed: usize, all: &mut Entries) -> Result<()> {
    let mut found = 0;
    for column in 0..all.columns {
        let first = if header.symmetric { column } else { 0 };
        for row in first..all.rows {
            let Some(line) = lines.data()? else {
                return Err(lines.error(format!("{listed} values are declared, but the file ends after {found}")));
            };
            if line.contains(char::is_whitespace) {
                return Err(lines.error(format!("an array file has one value a line, found {}", quoted(&line))));
            }
            let value = lines.value(&line, header.integer)?;
            found += 1;
            if value != 0.0 {
                push(all, row, column, value, lines.number, header.symmetric);
            }
        }
    }
    Ok(())
}
