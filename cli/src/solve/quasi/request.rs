//! The request to solve a quasi-tridiagonal system.

use trisolve::matrix_market::Entries;
use trisolve::quasi_tridiagonal::Algorithm;

use super::iteration::Iteration;
use crate::PrecisionName;
use crate::input_file::InputPath;
use crate::output_file::OutputPath;
use crate::place::PlaceArguments;

/// A system from files, and how to solve it.
pub struct Request<'a> {
    pub matrix: (&'a InputPath, &'a Entries),
    pub rhs: Option<&'a InputPath>,
    pub algorithm: Algorithm,
    pub iteration: &'a Iteration,
    pub policy: Option<&'a str>,
    pub precision: PrecisionName,
    pub output: Option<&'a OutputPath>,
    pub place: &'a PlaceArguments,
    pub json: bool,
    /// Whether the report says where the time went.
    pub timing: bool,
}
