//! Errors of the direct solve, in the terms of the file and of the command line.

use trisolve::tridiagonal::Algorithm;
use trisolve::{Error, Place, Precision};

use super::super::arguments::{AnyAlgorithm, Arguments, DiagonalName};
use crate::file_errors::{empty_row, overflow};
use crate::{Failure, PrecisionName};

/// An error while the entries of the file were arranged by rows.
pub fn explain_reading(error: Error, arguments: &Arguments) -> Failure {
    match error {
        Error::Singular { row, .. } => empty_row(&arguments.matrix, row),
        other => explain(other, arguments, false),
    }
}

/// An error of the solve. `is_rounded`: the file's numbers were rounded.
pub fn explain(error: Error, arguments: &Arguments, is_rounded: bool) -> Failure {
    let path = arguments.matrix.display();
    let precision_name = arguments.precision.name();
    match error {
        Error::Singular { row, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular in {precision_name}: elimination with pivoting finds no pivot in row {} (counted \
             from 1){}",
            row + 1,
            if is_rounded {
                "; the file's numbers were rounded to f32; --precision f64 may find a solution"
            } else {
                ""
            },
        )),
        Error::NearlySingular { condition, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular to working precision: its condition number is about {condition:.0e}, which leaves no \
             digit of the solution in {precision_name}{}",
            if is_rounded && condition < 1e15 {
                "; the file's numbers were rounded to f32; --precision f64 may give correct digits"
            } else {
                ""
            },
        )),
        Error::Inaccurate { forward_error, .. } => Failure::Solver(format!(
            "{path}: small pivots destroyed the accuracy (forward error about {forward_error:.0e}){}",
            advice(arguments),
        )),
        Error::Breakdown { row, .. } => Failure::Solver(format!(
            "{path}: the solution is not finite from row {} (counted from 1) on: a pivot is zero, or a number overflows{}",
            row + 1,
            advice(arguments),
        )),
        Error::Overflow { row, precision, .. } => overflow(&arguments.matrix, row, precision),
        Error::NonFiniteInput { vector, row, .. } => Failure::Input(format!(
            "{path}, row {} (counted from 1): {vector} is past the range of {precision_name}{}",
            row + 1,
            if arguments.precision.precision() == Precision::F32 {
                "; use --precision f64, or scale the system"
            } else {
                ""
            }
        )),
        other => other.into(),
    }
}

/// The options to try after elimination failed.
fn advice(arguments: &Arguments) -> &'static str {
    use AnyAlgorithm::{Auto, Tridiagonal};
    match (arguments.algorithm, arguments.diagonal, arguments.precision) {
        (_, DiagonalName::Excess, PrecisionName::F32) => "; --precision f64 has a wider range",
        (_, DiagonalName::Excess, PrecisionName::F64) => "; with --diagonal excess no algorithm exchanges rows",
        (Auto | Tridiagonal(Algorithm::Auto | Algorithm::Pivoting), _, PrecisionName::F32) => {
            "; --precision f64 has more digits and a wider range"
        }
        (Auto | Tridiagonal(Algorithm::Auto | Algorithm::Pivoting), _, PrecisionName::F64) => {
            match arguments.place.place() {
                Place::Cpu => "",
                _ => "; --place cpu eliminates row by row, which is more stable",
            }
        }
        (_, DiagonalName::Value, _) => "; --algorithm auto exchanges rows where necessary",
    }
}
