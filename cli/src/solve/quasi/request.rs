//! The request to solve a quasi-tridiagonal system.

use trisolve::matrix_market::Entries;
use trisolve::quasi_tridiagonal::Algorithm;

use super::iteration::Iteration;
use crate::PrecisionName;
use crate::input_file::InputPath;
use crate::or_cpu::OrCpu;
use crate::output_file::OutputPath;

/// A system from files, and how to solve it.
pub struct Request<'a> {
    pub matrix: (&'a InputPath, &'a Entries),
    pub rhs: Option<&'a InputPath>,
    pub algorithm: OrCpu<Algorithm>,
    pub iteration: &'a Iteration,
    pub policy: Option<&'a str>,
    pub precision: PrecisionName,
    pub output: Option<&'a OutputPath>,
    pub device: Option<&'a str>,
    pub json: bool,
    /// Whether the report says where the time went.
    pub timing: bool,
}
