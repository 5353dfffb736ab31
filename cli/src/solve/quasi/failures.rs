//! Errors of quasi-tridiagonal solves, in the terms of the file.

use trisolve::{Error, Precision};

use crate::Failure;
use crate::file_errors::empty_row;
use crate::input_file::InputPath;

/// An error of the solve, in the terms of the file.
pub fn explain(error: Error, file: &InputPath) -> Failure {
    let path = file.display();
    match error {
        Error::EmptyRow { row } => empty_row(file, row),
        Error::Singular { row, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular: elimination with pivoting finds no pivot in row {} (counted from 1)",
            row + 1
        )),
        error @ (Error::NearlySingular { .. } | Error::NoDigits { .. } | Error::Unverified { .. }) => {
            Failure::Solver(format!("{path}: {error}"))
        }
        Error::ZeroOnDiagonal { row, method } => Failure::Solver(format!(
            "{path}: the diagonal is 0 in row {} (counted from 1), and {method} divides by it; reorder the rows, or on the \
             device use --algorithm gmres or bicgstab with --preconditioner none",
            row + 1
        )),
        Error::NotConverged { method, outcome, iterations, residual, advice, broken_rows, first_broken } => {
            let first_broken = first_broken.map(|row| row + 1);
            let error =
                Error::NotConverged { method, outcome, iterations, residual, advice, broken_rows, first_broken };
            Failure::Solver(format!("{path}: {error}"))
        }
        Error::Narrowed { row, what, precision } => Failure::Input(format!(
            "{path}, row {} (counted from 1): {what} the range of {precision}; {}scale the system",
            row + 1,
            if precision == Precision::F32 { "use --precision f64 (without --mixed), or " } else { "" }
        )),
        Error::NonFiniteInput { vector, row, .. } => {
            Failure::Input(format!("{path}: {vector} is not finite in row {} (counted from 1)", row + 1))
        }
        Error::Overflow { row, precision, .. } => Failure::Solver(format!(
            "{path}: the solution leaves the range of {precision} at row {} (counted from 1); scale the right-hand side \
             down{}",
            row + 1,
            if precision == Precision::F32 { ", or use --precision f64" } else { "" }
        )),
        other => other.into(),
    }
}
