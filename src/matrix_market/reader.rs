//! The reader.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::lines::Lines;
use super::numbers::{quoted, size, value};
use super::records::records;
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

/// Bytes that a core parses at a time: they, their entries and their share of a block stay in its cache.
const PART_BYTES: usize = 1 << 17;

/// Reads from any source; `path` names it in messages.
///
/// # Errors
/// As [`read`].
pub fn read_from(source: impl BufRead, path: &str) -> Result<Entries> {
    read_in_parts(source, path, PART_BYTES)
}

/// As [`read_from`], in parts of so many bytes.
fn read_in_parts(source: impl BufRead, path: &str, part_bytes: usize) -> Result<Entries> {
    let mut lines = Lines { source, path: path.to_owned(), number: 0, part_bytes };
    let header = header(&mut lines)?;
    let Some(sizes) = lines.data()? else {
        return Err(lines.error("the file ends before its sizes"));
    };
    let sizes_line = lines.number;
    let words: Vec<_> = sizes.split_whitespace().collect();
    let size = |word: &str, what: &str| size(word, what).map_err(|message| lines.error(message));
    let (rows, columns, listed) = match (header.format, &words[..]) {
        (Format::Coordinate, [rows, columns, count]) => (
            size(rows, "the number of rows")?,
            size(columns, "the number of columns")?,
            size(count, "the number of entries")?,
        ),
        (Format::Array, [rows, columns]) => {
            let (rows, columns) = (size(rows, "the number of rows")?, size(columns, "the number of columns")?);
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
    let (found, what) = match header.format {
        Format::Coordinate => (coordinates(&mut lines, &header, listed, &mut all)?, "entries"),
        Format::Array => (array(&mut lines, &header, listed, &mut all)?, "values"),
    };
    if found < listed {
        return Err(lines.error(format!("{listed} {what} are declared, but the file ends after {found}")));
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

fn coordinates<R: BufRead>(lines: &mut Lines<R>, header: &Header, listed: usize, all: &mut Entries) -> Result<usize> {
    let size = (all.rows, all.columns);
    let parse = |line: &str| {
        // ASCII spaces are found faster. Where the words between them are numbers, the line has no other spaces.
        let found = coordinate(line, line.split_ascii_whitespace(), header, size);
        found.or_else(|_| coordinate(line, line.split_whitespace(), header, size))
    };
    records(lines, listed, parse, |(row, column, value), line| {
        push(all, row, column, value, line, header.symmetric);
    })
}

fn array<R: BufRead>(lines: &mut Lines<R>, header: &Header, listed: usize, all: &mut Entries) -> Result<usize> {
    let parse = |line: &str| match line.contains(char::is_whitespace) {
        true => Err(format!("an array file has one value a line, found {}", quoted(line))),
        false => value(line, header.integer),
    };
    let (mut row, mut column) = (0, 0);
    records(lines, listed, parse, |value, line| {
        if value != 0.0 {
            push(all, row, column, value, line, header.symmetric);
        }
        row += 1;
        if row == all.rows {
            column += 1;
            row = if header.symmetric { column } else { 0 };
        }
    })
}

/// The entry of a line that has these words.
fn coordinate<'a>(
    line: &str,
    mut words: impl Iterator<Item = &'a str>,
    header: &Header,
    (rows, columns): (usize, usize),
) -> std::result::Result<(usize, usize, f64), String> {
    let words = [words.next(), words.next(), words.next(), words.next()];
    let [Some(row), Some(column), Some(word), None] = words else {
        return Err(format!("an entry should be \"row column value\", found {}", quoted(line)));
    };
    let (row, column) = (size(row, "a row")?, size(column, "a column")?);
    if row == 0 || row > rows || column == 0 || column > columns {
        return Err(format!(
            "entry ({row}, {column}) lies outside the matrix of {rows} x {columns} (indices count from 1)"
        ));
    }
    if header.symmetric && column > row {
        return Err(format!(
            "entry ({row}, {column}) of a symmetric file lies above the diagonal; only the lower triangle is listed"
        ));
    }
    Ok((row - 1, column - 1, value(word, header.integer)?))
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::*;

    const COORDINATES: &str = "%%MatrixMarket matrix coordinate real symmetric\n% about\n4 4 7\n1 1 1.5\n\n2 1 -2e-3\n2 2 1\n% between\n3 3 1\n\
                               2 1 7\n  4\t3\u{a0}0.25 \r\n4 4 1d1\n% end\n\n";
    const ARRAY: &str = "%%MatrixMarket matrix array real general\n3 2\n1\n0\n% between\n-2.5\n\n4\r\n 5\n6e0";

    /// Reads a text in one part, and checks that parts of every size give the same.
    #[track_caller]
    fn in_parts_of_any_size(text: &[u8]) -> Result<Entries> {
        let whole = read_in_parts(text, "A.mtx", text.len().max(1));
        for part_bytes in 1..text.len() {
            assert_eq!(read_in_parts(text, "A.mtx", part_bytes), whole, "{part_bytes} bytes per part");
        }
        whole
    }

    #[test]
    fn parts_of_any_size_have_the_same_entries() {
        let all = in_parts_of_any_size(COORDINATES.as_bytes()).unwrap();
        assert_eq!(all.entries.len(), 8);
        let all = in_parts_of_any_size(ARRAY.as_bytes()).unwrap();
        let lines: Vec<_> = all.entries.iter().map(|&(.., value, line)| (value, line)).collect();
        assert_eq!(lines, [(1.0, 3), (-2.5, 6), (4.0, 8), (5.0, 9), (6.0, 10)]);
    }

    #[test]
    fn parts_of_any_size_have_the_same_first_error() {
        for text in [COORDINATES, ARRAY] {
            let lines: Vec<_> = text.split_inclusive('\n').collect();
            // A faulty line, a record too many, or one too few at each place, also with a fault behind it.
            for at in 2..=lines.len() {
                let (before, behind) = (lines[..at].concat(), lines[at..].concat());
                for wrong in ["one\n", "%\u{df}\n1 1 1 1\n", "2\n", "2 2 1\n", ""] {
                    let _ = in_parts_of_any_size(format!("{before}{wrong}{behind}").as_bytes());
                    let _ = in_parts_of_any_size(format!("{before}{wrong}{behind}one\n").as_bytes());
                }
                let _ = in_parts_of_any_size(before.as_bytes());
            }
        }
        let text = format!("{ARRAY}\n%{}\n7\n", "x".repeat(super::super::lines::LONGEST_LINE));
        let error = in_parts_of_any_size(text.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::Parse { line: 11, .. }), "{error:?}");
    }

    /// A source that fails.
    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }

    #[test]
    fn what_precedes_a_failure_of_the_source_is_judged_first() {
        let read = |text: &str, part_bytes| {
            let source = BufReader::with_capacity(3, text.as_bytes().chain(Broken));
            read_in_parts(source, "A.mtx", part_bytes).unwrap_err()
        };
        for part_bytes in 1..ARRAY.len() {
            assert!(matches!(read(ARRAY, part_bytes), Error::File { .. }));
            let error = read(&ARRAY.replace("4\r", "four"), part_bytes);
            assert!(matches!(error, Error::Parse { line: 8, .. }), "{error:?}");
        }
    }
}
