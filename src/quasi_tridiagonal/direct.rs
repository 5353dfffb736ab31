//! Elimination on the CPU: for matrices on which no iteration converges, and as the judge's reference.

use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::judge::answer::{narrowed, vanish};
use crate::judge::sparse::{Eliminated, Found};
use crate::judge::thresholds::{MOST_FORWARD_ERROR, MOST_ROUNDED_RESIDUAL, UNSURE_CONDITION, most_condition};
use crate::real::Real;

/// A solution from the CPU with its accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DirectSolution<T> {
    /// The unknowns.
    pub x: Vec<T>,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated, against the exact solution of the numbers as given.
    pub forward_error: f64,
    /// Skeel's condition cond(A, x) = || |A^-1| |A| |x| || / ||x|| in the maximum norm.
    pub condition: f64,
}

/// Solves for one or several right-hand sides, one after the other, by elimination in f64 on the CPU: rows and columns are scaled by powers
/// of two, answers refined with residuals in double-double arithmetic, and rounded. f64 matrices with a condition number above 0.01 / u are
/// eliminated in double-double arithmetic, which takes 10 to 30 times as long.
///
/// Matrices of up to 512 rows are eliminated as dense ones with partial pivoting, in 0.3 s. Larger matrices are eliminated as sparse ones
/// with pivots by Markowitz (1957), if this takes no more than 2^28 operations and 2^22 entries of the factors, about a second.
///
/// The estimates are the largest of all right-hand sides; errors name the right-hand side as the system.
///
/// # Errors
/// [`Error::Unsupported`] for a matrix that takes more; [`Error::Length`]; [`Error::NonFiniteInput`]; [`Error::Singular`];
/// [`Error::NearlySingular`]; [`Error::Overflow`] and [`Error::Underflow`] for unknowns that leave the range of T.
pub fn solve_directly<T: Real>(matrix: &Csr<T>, rhs: &[T]) -> Result<DirectSolution<T>> {
    let n = matrix.rows();
    if n == 0 || rhs.is_empty() || !rhs.len().is_multiple_of(n) {
        matrix.check_vector("rhs", rhs.len())?;
    }
    if let Some(at) = rhs.iter().position(|value| !value.is_finite()) {
        return Err(Error::NonFiniteInput { vector: "rhs", system: at / n, row: at % n });
    }
    let eliminated = Eliminated::new(matrix);
    let mut all = DirectSolution { x: Vec::with_capacity(rhs.len()), forward_error: 0.0, condition: 0.0 };
    for (column, rhs) in rhs.chunks(n.max(1)).enumerate() {
        let wide: Vec<_> = rhs.iter().map(|value| value.to_f64()).collect();
        let found = eliminated.solve::<T>(&wide).and_then(|found| determined::<T>(found, &wide));
        let Found { x, error, condition, .. } = found.map_err(|error| error.of_system(column))?;
        all.x.extend(narrowed::<T>(column, &x)?);
        all.forward_error = all.forward_error.max(error + T::UNIT_ROUNDOFF);
        all.condition = all.condition.max(condition);
    }
    Ok(all)
}

/// Solves by elimination, after other methods failed with this error; returns that error for matrices which [`solve_directly`] leaves to
/// iterations.
pub(super) fn eliminated_after<T: Real>(error: Error, matrix: &Csr<T>, rhs: &[T]) -> Result<DirectSolution<T>> {
    match solve_directly(matrix, rhs) {
        Err(Error::Unsupported { .. }) => Err(error),
        direct => direct,
    }
}

/// The result of elimination, if the matrix determines x.
///
/// # Errors
/// [`Error::NearlySingular`]; [`Error::Underflow`] if all unknowns are below the range of f64.
pub(crate) fn determined<T: Real>(found: Found, rhs: &[f64]) -> Result<Found> {
    let Found { error, condition, cancellation, .. } = found;
    if vanish(rhs, &found.x) {
        return Err(Error::Underflow { largest: 0.0, precision: T::PRECISION });
    }
    let unit = T::UNIT_ROUNDOFF;
    let solves = condition * unit <= UNSURE_CONDITION || cancellation * unit <= MOST_ROUNDED_RESIDUAL;
    match solves && condition <= most_condition::<T>() && error <= MOST_FORWARD_ERROR {
        true => Ok(found),
        false => Err(Error::NearlySingular { system: 0, condition, precision: T::PRECISION }),
    }
}
