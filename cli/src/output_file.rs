//! Output files: each appears complete, or not at all.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Display, Path, PathBuf, is_separator};

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use trisolve::quasi_tridiagonal::Csr;
use trisolve::{Error, Real, matrix_market};

use crate::formats::{gzip, npy, plain};
use crate::input_file::STANDARD;
use crate::{Failure, interrupts};

/// An output file on the command line; `-` is standard output.
#[derive(Clone)]
pub struct OutputPath(PathBuf);

/// How numbers are written.
#[derive(Clone, Copy)]
struct NumberFormat {
    layout: Layout,
    /// With gzip.
    is_packed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    MatrixMarket,
    Npy,
    /// Columns with this between them.
    Plain(char),
}

impl From<PathBuf> for OutputPath {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl ValueParserFactory for OutputPath {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;
    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self)
    }
}

impl OutputPath {
    pub fn is_standard(&self) -> bool {
        self.0 == Path::new(STANDARD)
    }

    /// The name in messages.
    pub fn display(&self) -> Display<'_> {
        if self.is_standard() { Path::new("standard output").display() } else { self.0.display() }
    }

    /// The file; `None` for standard output.
    pub fn file(&self) -> Option<&Path> {
        (!self.is_standard()).then_some(&self.0)
    }

    /// The name's ending, in lower case.
    pub fn ending(&self) -> String {
        ending(&self.0)
    }

    /// Whether another output would replace this one.
    pub fn collides(&self, other: &Self) -> bool {
        let place = |path: &Self| std::path::absolute(&path.0).ok();
        // Devices and pipes take one output after the other.
        let is_replaced = self.is_standard() || !self.0.exists() || self.0.is_file();
        is_replaced && place(self).is_some_and(|own| place(other) == Some(own))
    }

    /// Refuses the endings of formats for vectors.
    pub fn check_for_matrix(&self) -> Result<(), Failure> {
        match self.number_format().layout {
            Layout::MatrixMarket => Ok(()),
            _ => Err(Failure::Input(format!(
                "{}: this ending is for vectors; a matrix is written as Matrix Market: name the file .mtx or .mtx.gz",
                self.display()
            ))),
        }
    }

    fn number_format(&self) -> NumberFormat {
        let is_packed = self.ending() == "gz";
        let layout =
            match &ending(if is_packed { Path::new(self.0.file_stem().unwrap_or_default()) } else { &self.0 })[..] {
                "npy" => Layout::Npy,
                "txt" => Layout::Plain(' '),
                "csv" => Layout::Plain(','),
                _ => Layout::MatrixMarket,
            };
        NumberFormat { layout, is_packed }
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// An output file. It is opened beside its place before the work and moved there after the work.
pub struct OutputFile {
    path: PathBuf,
    target: Target,
    format: NumberFormat,
}

enum Target {
    Standard,
    Replace {
        file: tempfile::NamedTempFile,
        permissions: Option<Permissions>,
    },
    /// A device or a pipe.
    Into(File),
    /// An existing file in a folder where no file can be created.
    Over(File),
}

/// Links that are followed before they count as a circle.
const MOST_LINKS: usize = 16;

impl OutputFile {
    pub fn open(named: &OutputPath) -> Result<Self, Failure> {
        let format = named.number_format();
        let Some(path) = named.file() else {
            return Ok(Self { path: Path::new("standard output").into(), target: Target::Standard, format });
        };
        let failed = |error: io::Error| {
            let reason = match error.kind() {
                ErrorKind::NotFound => "its folder does not exist".to_owned(),
                ErrorKind::PermissionDenied => "permission denied for the file, or for a new file in its folder".into(),
                _ => error.to_string(),
            };
            Failure::from(Error::File {
                path: path.display().to_string(),
                message: format!("cannot be written: {reason}"),
            })
        };
        let place = behind_links(path).map_err(failed)?;
        let existing = match std::fs::metadata(&place) {
            Ok(data) => Some(data),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        // This neither truncates nor creates anything.
        let open = || OpenOptions::new().write(true).open(&place).map_err(failed);
        let permissions = match existing {
            Some(data) if data.is_file() => {
                open()?;
                Some(data.permissions())
            }
            Some(_) => {
                let target = Target::Into(open()?);
                return Ok(Self { path: place, target, format });
            }
            None if path.as_os_str().as_encoded_bytes().last().is_some_and(|&end| is_separator(end.into())) => {
                return Err(failed(ErrorKind::IsADirectory.into()));
            }
            None => None,
        };
        let folder = match place.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let target = match temporary().tempfile_in(folder) {
            Ok(file) => {
                interrupts::remove_when_interrupted(file.path());
                Target::Replace { file, permissions }
            }
            Err(_) if permissions.is_some() => Target::Over(open()?),
            Err(error) => return Err(failed(error)),
        };
        Ok(Self { path: place, target, format })
    }

    /// Writes a text.
    pub fn write_text(self, text: &str) -> Result<(), Failure> {
        self.write(|target| target.write_all(text.as_bytes()))
    }

    /// Writes vectors, column by column, in the format of the name's ending.
    pub fn write_vectors<T: Real>(self, rows: usize, values: &[T]) -> Result<(), Failure> {
        let NumberFormat { layout, is_packed } = self.format;
        self.write_packed(is_packed, |target| match layout {
            Layout::MatrixMarket => matrix_market::write_array(target, rows, values),
            Layout::Npy => npy::write(target, rows, values),
            Layout::Plain(separator) => plain::write(target, separator, rows, values),
        })
    }

    /// Writes a matrix.
    pub fn write_matrix(self, matrix: &Csr<f64>) -> Result<(), Failure> {
        let is_packed = self.format.is_packed;
        self.write_packed(is_packed, |target| matrix_market::write_coordinate(target, matrix))
    }

    fn write_packed(
        self,
        is_packed: bool,
        contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.write(|target| if is_packed { gzip::write(target, contents) } else { contents(target) })
    }

    /// Writes rows as CSV.
    pub fn write_csv<R: serde::Serialize>(self, rows: impl IntoIterator<Item = R>) -> Result<(), Failure> {
        self.write(|target| {
            let mut writer = csv::Writer::from_writer(target);
            rows.into_iter().try_for_each(|row| writer.serialize(row)).map_err(io::Error::from)?;
            writer.flush()
        })
    }

    /// Writes the contents, then moves the file into its place.
    pub fn write(self, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let path = self.path.display().to_string();
        let failed = |error: io::Error| Failure::Solver(format!("{path}: {error}"));
        match self.target {
            Target::Standard => match buffered(io::stdout().lock(), contents) {
                // A closed pipe is no error.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                written => written.map_err(failed),
            },
            Target::Into(file) => buffered(&file, contents).map_err(failed),
            Target::Over(file) => {
                let mut all = vec![];
                contents(&mut all).map_err(failed)?;
                write_over(&file, &all).map_err(failed)
            }
            Target::Replace { file, permissions } => {
                buffered(file.as_file(), contents).map_err(failed)?;
                if let Some(permissions) = permissions {
                    file.as_file().set_permissions(permissions).map_err(failed)?;
                }
                file.persist(&self.path).map_err(|e| failed(e.error))?;
                Ok(())
            }
        }
    }
}

fn buffered(file: impl Write, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut target = BufWriter::new(file);
    contents(&mut target)?;
    target.flush()
}

/// Writes over a file's contents. The file first grows to the size it needs. If the disk is full, it shrinks back, and the old
/// contents stay intact.
fn write_over(mut file: &File, contents: &[u8]) -> io::Result<()> {
    let before = file.metadata()?.len();
    let more = contents.len().saturating_sub(usize::try_from(before).unwrap_or(usize::MAX));
    file.seek(SeekFrom::End(0))?;
    if let Err(error) = io::copy(&mut io::repeat(0).take(more as u64), &mut file).and_then(|_| file.sync_data()) {
        file.set_len(before)?;
        return Err(error);
    }
    file.rewind()?;
    file.write_all(contents)?;
    file.set_len(contents.len() as u64)
}

/// The place that a path leads to. A link stays and keeps its target, even a target that does not exist yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    match std::fs::metadata(path) {
        Ok(data) if data.is_file() => return path.canonicalize(),
        Ok(_) => return Ok(path.to_owned()),
        Err(_) => {}
    }
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            // Not a link, or the target does not exist yet.
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("a circle of links"))
}

/// Temporary files with the permissions of ordinary new files; tempfile's default is private.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".trisolve-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}
