//! Solves on the CPU.

use super::direct::{DirectSolution, eliminated_after};
use super::verify::{Judged, Verdict};
use crate::cpu;
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::real::Real;

/// A solution from the CPU with its accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The unknowns.
    pub x: Vec<T>,
    /// The relative residual after each sweep; the first is before any sweep. Of elimination, its own alone.
    pub history: Vec<f64>,
    /// [`Outcome::Converged`], or [`Outcome::Eliminated`] if Gauss-Seidel failed.
    pub outcome: Outcome,
    /// As [`Solution::forward_error`](super::Solution::forward_error).
    pub forward_error: f64,
    /// As [`Solution::condition`](super::Solution::condition).
    pub condition: Option<f64>,
}

/// One system by [`cpu::gauss_seidel`], judged as device solves are. If that does not converge, divides by a zero, or gives an answer whose
/// digits nothing proves, by [`solve_directly`](super::solve_directly).
///
/// # Errors
/// [`Error::Options`], [`Error::Length`], [`Error::NonFiniteInput`]; [`Error::NotConverged`] and [`Error::ZeroOnDiagonal`] if elimination would
/// take too much memory; [`Error::Singular`], [`Error::NearlySingular`],
/// [`Error::NoDigits`], [`Error::Unverified`], [`Error::Overflow`], [`Error::Underflow`].
pub fn solve_on_cpu<T: Real>(
    matrix: &Csr<T>,
    rhs: &[T],
    tolerance: f64,
    max_iterations: usize,
) -> Result<CpuSolution<T>> {
    let sweep = |rhs: &[T]| cpu::gauss_seidel(matrix, rhs, tolerance, max_iterations);
    let iterated = || {
        let (mut x, history) = sweep(rhs)?;
        let mut correct = |rhs: &[T]| sweep(rhs).map(|(x, _)| x);
        let Verdict { forward_error, condition } = Judged::new(matrix.clone()).verdict(rhs, &mut x, &mut correct)?;
        Ok(CpuSolution { x, history, outcome: Outcome::Converged, forward_error, condition })
    };
    match iterated() {
        Err(
            error @ (Error::NotConverged { .. }
            | Error::NoDigits { .. }
            | Error::Unverified { .. }
            | Error::ZeroOnDiagonal { .. }),
        ) => {
            let DirectSolution { x, forward_error, condition } = eliminated_after(error, matrix, rhs)?;
            let history = vec![matrix.relative_residual(&x, rhs)?];
            Ok(CpuSolution { x, history, outcome: Outcome::Eliminated, forward_error, condition: Some(condition) })
        }
        found => found,
    }
}
