//! The writer.

use std::io::{self, Write};

use crate::csr::Csr;
use crate::real::Real;

/// Writes `values`, column by column, in array format, with the digits that read back exactly.
///
/// # Errors
/// What the target says.
pub fn write_array<T: Real>(mut target: impl Write, rows: usize, values: &[T]) -> io::Result<()> {
    writeln!(target, "%%MatrixMarket matrix array real general")?;
    writeln!(target, "{rows} {}", values.len() / rows.max(1))?;
    for value in values {
        writeln!(target, "{value:e}")?;
    }
    target.flush()
}

/// Writes a sparse matrix, row by row, in coordinate format, with the digits that read back exactly.
///
/// # Errors
/// What the target says.
pub fn write_coordinate<T: Real>(mut target: impl Write, matrix: &Csr<T>) -> io::Result<()> {
    let rows = matrix.rows();
    writeln!(target, "%%MatrixMarket matrix coordinate real general")?;
    writeln!(target, "{rows} {rows} {}", matrix.entries())?;
    for row in 0..rows {
        for (column, value) in matrix.row(row) {
            writeln!(target, "{} {} {value:e}", row + 1, column + 1)?;
        }
    }
    target.flush()
}
