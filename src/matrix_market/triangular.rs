//! Triangular matrices.

use super::reader::Entries;
use super::tridiagonal::dense;
use crate::error::{Error, Result};
use crate::triangular::Uplo;

/// Which triangle has all entries; the lower one of a diagonal matrix, and none where both have some.
pub fn triangle(all: &Entries) -> Option<Uplo> {
    let any = |is_there: fn(usize, usize) -> bool| {
        all.entries.iter().any(|&(row, column, value, _)| value != 0.0 && is_there(row, column))
    };
    match (any(|row, column| row > column), any(|row, column| row < column)) {
        (_, false) => Some(Uplo::Lower),
        (false, true) => Some(Uplo::Upper),
        (true, true) => None,
    }
}

/// Whether a matrix has as many rows as columns.
///
/// # Errors
/// [`Error::Parse`] where it has not.
pub fn check_square(all: &Entries) -> Result<()> {
    if all.rows == all.columns {
        return Ok(());
    }
    let message = format!("the matrix is {} x {}; a system needs a square one", all.rows, all.columns);
    Err(Error::Parse { path: all.path.clone(), line: all.sizes_line, message })
}

/// All entries of a square matrix, column by column; those listed twice add up.
///
/// # Errors
/// [`Error::Parse`] for a matrix that is not square, or too large to be held with all its zeros.
pub fn square(all: &Entries) -> Result<Vec<f64>> {
    check_square(all)?;
    dense(all, "entries of a dense matrix")
}

/// All entries of a matrix with at most as many columns as rows, column by column (rows x columns values); those listed twice add up.
///
/// # Errors
/// [`Error::Parse`] for a matrix with more columns than rows, or with rows and no columns, or too large to be held with all its zeros.
pub fn trapezoid(all: &Entries) -> Result<Vec<f64>> {
    if all.columns > all.rows || all.columns == 0 && all.rows > 0 {
        let message = format!("the matrix is {} x {}; a trapezoid has 1 to {0} columns", all.rows, all.columns);
        return Err(Error::Parse { path: all.path.clone(), line: all.sizes_line, message });
    }
    dense(all, "entries of a dense matrix")
}
