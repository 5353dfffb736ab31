//! The judge: decides for every family what is returned and what is an error.
//!
//! # What a returned answer guarantees
//!
//! Each host solve estimates the *forward error* of its answer, ||x^ - x|| / ||x|| in the maximum norm, where x is the exact
//! solution of the numbers as given and x^ is the answer; for a batch the largest. If the estimate exceeds
//! [`MOST_FORWARD_ERROR`](thresholds::MOST_FORWARD_ERROR), the solve is an error. `solve_reported` returns the estimate.
//!
//! # How
//!
//! 1. **Cheap tests, always**: status words of the device, and a bound of the forward error: from the answer's residual, from
//!    dominance, or (filters) from the coefficients and the sizes of the signals.
//! 2. **If the bound is too large**, the CPU solves the system again in wider arithmetic ([`Real::Wide`](crate::Real::Wide):
//!    f64 for f32, [`DoubleDouble`](crate::DoubleDouble) for f64), or in f64 refined with double-double residuals, and bounds the error of that
//!    answer; where that leaves the range of f64, in double-double numbers with an exponent of their own. Quasi-tridiagonal matrices
//!    that fill up in elimination take further device solves.
//! 3. The CPU's answer replaces the device's if it is better; an algorithm that the caller named, other than `pivoting`, keeps the device's
//!    answer or fails.
//! 4. If the data determine no digit in the solve's precision, the solve returns an error of its own kind. It is also an error if 32 digits
//!    do not distinguish the matrix from a singular one. The measure for this is the least condition number for any scaling, the spectral
//!    radius of |A^-1| |A|.

pub(crate) mod answer;
mod balance;
pub(crate) mod bounded;
mod dense_factors;
pub(crate) mod extended_range;
pub(crate) mod lanes;
pub(crate) mod moebius;
pub(crate) mod recurrence;
mod scaled;
pub(crate) mod sparse;
mod sparse_factors;
pub(crate) mod substitution;
pub(crate) mod thresholds;
pub(crate) mod triangular;
pub(crate) mod tridiagonal;
mod wide_matrix;
