//! What a file's matrix is: tridiagonal, or a block of right-hand sides.

use std::collections::HashSet;

use super::reader::Entries;
use crate::error::{Error, Result};

/// A tridiagonal matrix of n rows, by its diagonals of n entries; the unused corners are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Tridiagonal {
    /// Entries left of the diagonal.
    pub lower: Vec<f64>,
    /// The diagonal.
    pub diag: Vec<f64>,
    /// Entries right of the diagonal.
    pub upper: Vec<f64>,
}

/// The matrix by its diagonals; entries listed twice add up, zeros elsewhere are no entries.
///
/// # Errors
/// [`Error::Parse`] for a matrix that is not square, or for the first entry off the three
/// diagonals; [`Error::Singular`] where there are fewer entries than rows.
pub fn tridiagonal(all: &Entries) -> Result<Tridiagonal> {
    let parse = |line, message| Error::Parse { path: all.path.clone(), line, message };
    let n = all.rows;
    if n != all.columns {
        return Err(parse(1, format!("the matrix is {} x {}; a system needs a square one", n, all.columns)));
    }
    let kept = || all.entries.iter().filter(|entry| entry.2 != 0.0);
    if let Some(&(row, column, _, line)) = kept().find(|&&(row, column, ..)| row.abs_diff(column) > 1) {
        return Err(parse(
            line,
            format!("the matrix is not tridiagonal: entry ({}, {}) lies off the three diagonals", row + 1, column + 1),
        ));
    }
    // A row without entries is found before memory for all rows is taken, however many are
    // declared: with fewer entries than rows, one of the first entries + 1 rows has none.
    let filled: HashSet<_> = kept().map(|entry| entry.0).take(n).collect();
    if filled.len() < n {
        let occupied: HashSet<_> = kept().map(|entry| entry.0).collect();
        if let Some(row) = (0..n).find(|row| !occupied.contains(row)) {
            return Err(Error::Singular { system: 0, row });
        }
    }
    let mut matrix = Tridiagonal { lower: vec![0.0; n], diag: vec![0.0; n], upper: vec![0.0; n] };
    for &(row, column, value, _) in kept() {
        let diagonal = match column as isize - row as isize {
            -1 => &mut matrix.lower,
            0 => &mut matrix.diag,
            _ => &mut matrix.upper,
        };
        diagonal[row] += value;
    }
    Ok(matrix)
}

/// A matrix as columns one behind the other.
///
/// # Errors
/// [`Error::Parse`] where it has not `rows` rows; [`Error::Limit`] where it is far larger than
/// what the file lists.
pub fn columns(all: &Entries, rows: usize) -> Result<Vec<f64>> {
    if all.rows != rows {
        return Err(Error::Parse {
            path: all.path.clone(),
            line: 1,
            message: format!("the right-hand side has {} rows, the matrix {rows}", all.rows),
        });
    }
    const MOST: usize = 1 << 31;
    let len = rows.saturating_mul(all.columns);
    if len > MOST {
        return Err(Error::Limit {
            what: format!("{} right-hand sides of {rows} rows", all.columns),
            needed: len as u64,
            limit: "entries of all right-hand sides",
            available: MOST as u64,
        });
    }
    let mut values = vec![0.0; len];
    for &(row, column, value, _) in &all.entries {
        values[column * rows + row] += value;
    }
    Ok(values)
}
