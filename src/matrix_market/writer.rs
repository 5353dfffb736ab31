//! The writer: lines are formatted on all cores, and written in order.

use std::io::{self, Write};

use rayon::prelude::*;

use crate::csr::Csr;
use crate::real::Real;

/// Rows that one core formats at a time.
const PART: usize = 1 << 12;

/// Parts that are formatted before they are written.
const PARTS: usize = 32;

/// Writes `values`, column by column, in array format, with the digits that read back exactly.
///
/// # Errors
/// What the target says.
pub fn write_array<T: Real>(mut target: impl Write, rows: usize, values: &[T]) -> io::Result<()> {
    writeln!(target, "%%MatrixMarket matrix array real general")?;
    writeln!(target, "{rows} {}", values.len() / rows.max(1))?;
    write_rows(target, values.len(), |text, at| writeln!(text, "{:e}", values[at]))
}

/// Writes a sparse matrix, row by row, in coordinate format, with the digits that read back exactly.
///
/// # Errors
/// What the target says.
pub fn write_coordinate<T: Real>(mut target: impl Write, matrix: &Csr<T>) -> io::Result<()> {
    let rows = matrix.rows();
    writeln!(target, "%%MatrixMarket matrix coordinate real general")?;
    writeln!(target, "{rows} {rows} {}", matrix.entries())?;
    write_rows(target, rows, |text, row| {
        matrix.row(row).try_for_each(|(column, value)| writeln!(text, "{} {} {value:e}", row + 1, column + 1))
    })
}

/// Writes the text of `count` rows; `format` appends that of one.
fn write_rows(
    mut target: impl Write,
    count: usize,
    format: impl Fn(&mut Vec<u8>, usize) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let mut texts = vec![Vec::new(); PARTS];
    for block in (0..count).step_by(PARTS * PART) {
        texts.par_iter_mut().enumerate().try_for_each(|(part, text)| {
            text.clear();
            let first = count.min(block + part * PART);
            (first..count.min(first + PART)).try_for_each(|row| format(text, row))
        })?;
        texts.iter().try_for_each(|text| target.write_all(text))?;
    }
    target.flush()
}
