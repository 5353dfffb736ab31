//! The request to solve a quasi-tridiagonal system.

use std::path::Path;

use trisolve::matrix_market::Entries;
use trisolve::quasi_tridiagonal::Algorithm;

use super::iteration::Iteration;
use crate::PrecisionName;
use crate::or_cpu::OrCpu;

/// A system from files, and how to solve it.
pub struct Request<'a> {
    pub matrix: (&'a Path, &'a Entries),
    pub rhs: Option<&'a Path>,
    pub algorithm: OrCpu<Algorithm>,
    pub iteration: &'a Iteration,
    pub policy: Option<&'a str>,
    pub precision: PrecisionName,
    pub output: Option<&'a Path>,
    pub device: Option<&'a str>,
    pub json: bool,
}
