//! Sparse matrices.

use super::reader::Entries;
use super::triangular::check_square;
use crate::csr::Csr;
use crate::error::{Error, Result};

/// All entries of a square matrix, row by row.
///
/// # Errors
/// [`Error::Parse`] for a matrix that is not square; [`Error::EmptyRow`] where a row has no entry; [`Error::Shape`] for more than 32 bits
/// can count.
pub fn sparse(all: &Entries) -> Result<Csr<f64>> {
    check_square(all)?;
    // With fewer entries than rows one of the first entries + 1 has none: found without memory for all rows.
    if all.entries.len() < all.rows {
        let occupied: std::collections::HashSet<_> = all.entries.iter().map(|entry| entry.0).collect();
        let row = (0..all.rows).find(|row| !occupied.contains(row)).unwrap_or(0);
        return Err(Error::EmptyRow { row });
    }
    Csr::from_triplets(all.rows, all.entries.iter().map(|&(row, column, value, _)| (row, column, value)))
}
