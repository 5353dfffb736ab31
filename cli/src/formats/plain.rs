//! Plain columns of numbers: a row per line, separated by blanks or by commas; `#` begins a comment.

use std::io::{self, BufRead, Write};

use trisolve::matrix_market::number;
use trisolve::{Error, Real};

use super::Columns;

/// Reads the numbers; `path` names the source in messages.
pub fn read(mut source: impl BufRead, path: &str) -> Result<Columns, Error> {
    let (mut values, mut columns, mut first_line) = (vec![], 0, 0);
    let mut bytes = vec![];
    for line in 1.. {
        bytes.clear();
        let read = source.read_until(b'\n', &mut bytes);
        if read.map_err(|error| Error::File { path: path.into(), message: error.to_string() })? == 0 {
            break;
        }
        let refused = |message: String| Error::Parse { path: path.into(), line, message };
        // Comments may be in any encoding; elsewhere the replacement is no number.
        let text = String::from_utf8_lossy(&bytes);
        // Some programs begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').filter(|_| line == 1).unwrap_or(&text);
        let text = text.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let before = values.len();
        let mut take = |word: &str| number(word.trim()).map(|value| values.push(value));
        match text.contains(',') {
            true => text.split(',').try_for_each(&mut take),
            false => text.split_whitespace().try_for_each(&mut take),
        }
        .map_err(|message| {
            let read_as =
                if columns == 0 { " (read as plain columns of numbers; a heading begins with #)" } else { "" };
            refused(message + read_as)
        })?;
        let found = values.len() - before;
        if columns == 0 {
            (columns, first_line) = (found, line);
        }
        if found != columns {
            return Err(refused(format!(
                "numbers in this row: {found}, in line {first_line}: {columns}; give every row the same number of them"
            )));
        }
    }
    match columns {
        0 => Err(Error::File { path: path.into(), message: "no numbers, only comments; give at least one row".into() }),
        _ => Ok(Columns::of_rows(columns, values)),
    }
}

/// Writes `values`, which are column by column, with the digits that read back exactly.
pub fn write<T: Real>(mut target: impl Write, separator: char, rows: usize, values: &[T]) -> io::Result<()> {
    for row in 0..rows {
        for (column, value) in values.iter().skip(row).step_by(rows).enumerate() {
            if column > 0 {
                write!(target, "{separator}")?;
            }
            write!(target, "{value:e}")?;
        }
        writeln!(target)?;
    }
    Ok(())
}
