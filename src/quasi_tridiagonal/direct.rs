//! Elimination on the CPU: the way out where no iteration converges, and the reference that answers are judged by.

use super::csr::Csr;
use crate::error::{Error, Result};
use crate::judge::answer::{narrowed, vanish};
use crate::judge::dense::{Dense, Found};
use crate::judge::thresholds::{MOST_FORWARD_ERROR, MOST_ROUNDED_RESIDUAL, UNSURE_CONDITION, most_condition};
use crate::real::Real;

/// Rows up to which a matrix is eliminated on the CPU, as a dense one: 3 n^3 operations, 0.3 s for so many, and 4 MB.
pub const DIRECT_ROWS: usize = 512;

/// A solution from the CPU with what is known of it.
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

/// Solves one system of up to [`DIRECT_ROWS`] rows by dense elimination with partial pivoting in f64 on the CPU, rows and columns scaled
/// by powers of two, refined with residuals in double-double arithmetic, and rounded. f64 matrices with a condition above 0.01 / u are
/// eliminated in double-double arithmetic, which takes 10 to 30 times as long.
///
/// # Errors
/// [`Error::Unsupported`] for more rows; [`Error::Length`]; [`Error::NonFiniteInput`]; [`Error::Singular`];
/// [`Error::NearlySingular`]; [`Error::Overflow`] and [`Error::Underflow`] for unknowns that leave the range of T.
pub fn solve_directly<T: Real>(matrix: &Csr<T>, rhs: &[T]) -> Result<DirectSolution<T>> {
    if matrix.rows() > DIRECT_ROWS {
        return Err(Error::Unsupported {
            what: format!("elimination of {} rows", matrix.rows()),
            hint: format!("it takes up to {DIRECT_ROWS}; iterate"),
        });
    }
    matrix.check_vector("rhs", rhs.len())?;
    if let Some(row) = rhs.iter().position(|value| !value.is_finite()) {
        return Err(Error::NonFiniteInput { vector: "rhs", system: 0, row });
    }
    let wide: Vec<_> = rhs.iter().map(|value| value.to_f64()).collect();
    let Found { x, error, condition, .. } = determined::<T>(Dense::new(matrix).solve::<T>(&wide)?, &wide)?;
    Ok(DirectSolution { x: narrowed(0, &x)?, forward_error: error + T::UNIT_ROUNDOFF, condition })
}

/// What elimination found, if the matrix determines it.
///
/// # Errors
/// [`Error::NearlySingular`]; [`Error::Underflow`] where all unknowns are below the range of f64.
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
