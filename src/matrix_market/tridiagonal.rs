//! What a file's matrix is: tridiagonal, or a block of right-hand sides.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::reader::{Entries, Format};
use crate::error::{Error, Result};

/// A tridiagonal matrix of n rows, by its diagonals of n entries; the unused corners are 0. Of a [`periodic`] one, `lower` of
/// the first row is the entry in its last column, and `upper` of the last row that in its first.
#[derive(Debug, Clone, PartialEq)]
pub struct Tridiagonal {
    /// Entries left of the diagonal.
    pub lower: Vec<f64>,
    /// The diagonal.
    pub diag: Vec<f64>,
    /// Entries right of the diagonal.
    pub upper: Vec<f64>,
}

fn parse(all: &Entries, line: u64, message: String) -> Error {
    Error::Parse { path: all.path.clone(), line, message }
}

/// The matrix by its diagonals; zeros elsewhere are no entries.
///
/// # Errors
/// [`Error::Parse`] for a matrix that is not square, or for the first entry off the three
/// diagonals; [`Error::Singular`] where a row has no entry.
pub fn tridiagonal(all: &Entries) -> Result<Tridiagonal> {
    diagonals(all, false)
}

/// As [`tridiagonal`], for a matrix that may have entries in its two corners as well: periodic, or cyclic. Those of one or
/// two rows have none.
///
/// # Errors
/// As [`tridiagonal`].
pub fn periodic(all: &Entries) -> Result<Tridiagonal> {
    diagonals(all, true)
}

fn diagonals(all: &Entries, corners: bool) -> Result<Tridiagonal> {
    let n = all.rows;
    if n != all.columns {
        return Err(parse(
            all,
            all.sizes_line,
            format!("the matrix is {} x {}; a system needs a square one", n, all.columns),
        ));
    }
    let kept = || all.entries.iter().filter(|entry| entry.2 != 0.0);
    let in_corner = |row: usize, column: usize| corners && n > 2 && row.abs_diff(column) == n - 1;
    let beside = |row: usize, column: usize| row.abs_diff(column) > 1 && !in_corner(row, column);
    if let Some(&(row, column, _, line)) = kept().find(|&&(row, column, ..)| beside(row, column)) {
        let (what, and) = if corners { ("cyclic", " and the corners") } else { ("tridiagonal", "") };
        let message =
            format!("the matrix is not {what}: entry ({}, {}) lies off the three diagonals{and}", row + 1, column + 1);
        return Err(parse(all, line, message));
    }
    // With fewer entries than rows a row has none. It is found without memory for all rows,
    // however many are declared: one of the first entries + 1.
    if kept().count() < n {
        let occupied: HashSet<_> = kept().map(|entry| entry.0).collect();
        let row = (0..n).find(|row| !occupied.contains(row)).unwrap_or(0);
        return Err(Error::Singular { system: 0, row });
    }
    let mut matrix = Tridiagonal { lower: vec![0.0; n], diag: vec![0.0; n], upper: vec![0.0; n] };
    let mut occupied = vec![false; n];
    for &(row, column, value, _) in kept() {
        let order = column.cmp(&row);
        // The last column is before the first row's diagonal, around the ring.
        let order = if in_corner(row, column) { order.reverse() } else { order };
        let diagonal = match order {
            Ordering::Less => &mut matrix.lower,
            Ordering::Equal => &mut matrix.diag,
            Ordering::Greater => &mut matrix.upper,
        };
        diagonal[row] = value;
        occupied[row] = true;
    }
    match occupied.iter().position(|&occupied| !occupied) {
        Some(row) => Err(Error::Singular { system: 0, row }),
        None => Ok(matrix),
    }
}

/// A matrix as columns one behind the other.
///
/// # Errors
/// [`Error::Parse`] where it has not `rows` rows, or declares far more columns than it fills.
pub fn columns(all: &Entries, rows: usize) -> Result<Vec<f64>> {
    if all.rows != rows {
        let message = format!("the right-hand side has {} rows, the matrix {rows}", all.rows);
        return Err(parse(all, all.sizes_line, message));
    }
    dense(all, "right-hand sides")
}

/// All entries, column by column, of what the file has `what` of.
pub(super) fn dense(all: &Entries, what: &str) -> Result<Vec<f64>> {
    let rows = all.rows;
    // A coordinate file's size alone asks for memory.
    const MOST: usize = 1 << 31;
    const MOST_EMPTY: usize = 1 << 24;
    let mostly_empty = all.format == Format::Coordinate && all.entries.len() < all.columns;
    let (most, why) = match mostly_empty {
        true => (MOST_EMPTY, " where columns are empty"),
        false => (MOST, ""),
    };
    let len = rows.saturating_mul(all.columns);
    if len > most {
        let message = format!("{rows} x {} {what} are more than the {most} entries taken{why}", all.columns);
        return Err(parse(all, all.sizes_line, message));
    }
    let mut values = vec![0.0; len];
    for &(row, column, value, _) in &all.entries {
        values[column * rows + row] = value;
    }
    Ok(values)
}
