//! Solves on the CPU.

use super::verify::{Judged, Verdict};
use crate::cpu;
use crate::csr::Csr;
use crate::error::Result;
use crate::real::Real;

/// A solution from the CPU with its accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The unknowns.
    pub x: Vec<T>,
    /// The relative residual after each sweep; the first is before any sweep.
    pub history: Vec<f64>,
    /// As [`Solution::forward_error`](super::Solution::forward_error).
    pub forward_error: f64,
    /// As [`Solution::condition`](super::Solution::condition).
    pub condition: Option<f64>,
}

/// One system by [`cpu::gauss_seidel`], judged as device solves are.
///
/// # Errors
/// Those of [`cpu::gauss_seidel`]; [`Error::Singular`](crate::Error::Singular),
/// [`Error::NearlySingular`](crate::Error::NearlySingular), [`Error::NoDigits`](crate::Error::NoDigits),
/// [`Error::Unverified`](crate::Error::Unverified).
pub fn solve_on_cpu<T: Real>(
    matrix: &Csr<T>,
    rhs: &[T],
    tolerance: f64,
    max_iterations: usize,
) -> Result<CpuSolution<T>> {
    let sweep = |rhs: &[T]| cpu::gauss_seidel(matrix, rhs, tolerance, max_iterations);
    let (mut x, history) = sweep(rhs)?;
    let mut correct = |rhs: &[T]| sweep(rhs).map(|(x, _)| x);
    let Verdict { forward_error, condition } = Judged::new(matrix.clone()).verdict(rhs, &mut x, &mut correct)?;
    Ok(CpuSolution { x, history, forward_error, condition })
}
