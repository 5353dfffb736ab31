//! Solves on the CPU.

use super::system::System;
use crate::error::Result;
use crate::judge::tridiagonal::Answer;
use crate::real::Real;

/// A solution from the CPU with its accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The unknowns.
    pub x: Vec<T>,
    /// As [`Solution::forward_error`](super::Solution::forward_error).
    pub forward_error: f64,
    /// As [`Solution::condition`](super::Solution::condition).
    pub condition: Option<f64>,
}

/// Solves one system of `rhs.len()` rows on the CPU. Dominant systems: Thomas's algorithm with the dominance carried
/// ([`cpu::thomas_carried`](crate::cpu::thomas_carried)), in [`Real::Wide`](crate::Real::Wide). All others: elimination with row exchanges
/// ([`cpu::gtsv`](crate::cpu::gtsv), [`cpu::periodic_gtsv`](crate::cpu::periodic_gtsv)) in f64, rows and columns scaled by powers
/// of two, refined with residuals in double-double arithmetic; f64 systems with a condition above 0.01 / u are eliminated in
/// double-double arithmetic. Some 60 ns per row in f32 and 400 in f64.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length), [`Error::Shape`](crate::Error::Shape),
/// [`Error::NonFiniteInput`](crate::Error::NonFiniteInput), [`Error::Singular`](crate::Error::Singular),
/// [`Error::NearlySingular`](crate::Error::NearlySingular), [`Error::Overflow`](crate::Error::Overflow),
/// [`Error::Underflow`](crate::Error::Underflow).
pub fn solve_on_cpu<T: Real>(system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
    solve_on_cpu_reported(system, rhs).map(|solution| solution.x)
}

/// As [`solve_on_cpu`], with the accuracy.
///
/// # Errors
/// As [`solve_on_cpu`].
pub fn solve_on_cpu_reported<T: Real>(system: &System<'_, T>, rhs: &[T]) -> Result<CpuSolution<T>> {
    let shape = system.single(rhs);
    shape.validate()?;
    system.form().check(&shape)?;
    system.check_lengths(&shape, rhs)?;
    system.check_finite(&shape, rhs)?;
    let Answer { x, forward_error, condition } = system.judge(&shape, 0).judge(rhs, None)?;
    // Without a device answer, the judge always returns its own.
    Ok(CpuSolution { x: x.unwrap_or_default(), forward_error, condition })
}
