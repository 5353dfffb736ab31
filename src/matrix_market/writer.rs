//! The writer.

use std::io::{self, Write};

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
