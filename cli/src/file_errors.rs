//! Errors in the terms of a file: its name, and rows that count from 1 as its indices do.

use trisolve::Precision;

use crate::Failure;
use crate::input_file::InputPath;

/// The solution overflows in a row.
pub fn overflow(path: &InputPath, row: usize, precision: Precision) -> Failure {
    Failure::Solver(format!(
        "{}: the solution overflows {precision} in row {} (counted from 1); scale the right-hand side down{}",
        path.display(),
        row + 1,
        if precision == Precision::F32 { ", or use --precision f64" } else { "" }
    ))
}

/// A row has no entries.
pub fn empty_row(path: &InputPath, row: usize) -> Failure {
    Failure::Solver(format!(
        "{}: the matrix is singular: row {} (counted from 1) has no entries",
        path.display(),
        row + 1
    ))
}
