//! The numbers that decide what is returned, refined or refused, for every family, with their derivation.
//!
//! u is the unit of roundoff of the solve's precision: 2^-24 in f32, 2^-53 in f64.

use crate::real::Real;

/// The largest estimated forward error of an answer that is returned: one decimal digit is left if the estimate holds.
pub(crate) const MOST_FORWARD_ERROR: f64 = 0.1;

/// Up to this bound of the forward error, in units of u, the device's answer is returned and no reference answer is computed. The
/// bounds overestimate errors, typically 10 to 100 times.
pub(crate) const GOOD_BOUND: f64 = 1000.0;

/// The same for rows that are sums of n terms: their roundings grow like sqrt(n), in the device's answer and in the bound.
pub(crate) const GOOD_BOUND_OF_SUMS: f64 = 1e4;

/// Roundings of a sum of n terms, in sqrt(n) units of the sum of their sizes: signs of roundings are random enough (Higham and Mary, "A new
/// approach to probabilistic rounding error analysis", 2019). The factor 4 leaves room above what is likely; it is no strict bound.
pub(crate) const ROUNDINGS_OF_SUMS: f64 = 4.0;

/// How far an estimated norm of an inverse may be below the norm (Higham, "Accuracy and Stability of Numerical Algorithms", 15.3).
pub(crate) const NORM_ESTIMATE_BELOW: f64 = 3.0;

/// Roundings of a row of a linear recurrence, a product and a sum, and of the residual's second sum, in units of |s w| + |t| + |w|.
pub(crate) const RECURRENCE_ROUNDINGS: f64 = 4.0;

/// Roundings of a row of a Moebius recurrence, in units of |M| |v|: two products and a sum in each part, as many of the area between two
/// directions, and that of a value's inverse.
pub(crate) const MOEBIUS_ROUNDINGS: f64 = 8.0;

/// As [`GOOD_BOUND`], for tridiagonal systems that dominance does not judge. Lower, because partitions with exchanges lose digits
/// that the CPU's answer keeps: with 64 in place of 16, errors of 1e-6 passed in f32.
pub(crate) const GOOD_BOUND_EXCHANGED: f64 = 16.0;

/// Up to this distance from the CPU's answer, in units of roundoff, the device's answer is returned: refinement gains
/// nothing that counts.
pub(crate) const AS_GOOD: f64 = 8.0;

/// Up to this value, the bound is reported as the forward error of an iterated solution without further solves: the tolerance
/// dominates the error.
pub(crate) const GOOD_ITERATED_BOUND: f64 = 1e-2;

/// Up to this forward error, an iterated answer is returned as it is. Above it, the answer of elimination is returned or, where the error is
/// a bound from solves with probing right-hand sides, the answer is refined.
pub(crate) const GOOD_ITERATED_ERROR: f64 = 1e-3;

/// The most solves with the residual as right-hand side that refine an iterated solution, and the most solves per probing
/// right-hand side.
pub(crate) const MOST_CORRECTIONS: usize = 4;

/// Right-hand sides that probe how much a matrix of an iterated solution amplifies errors. Their entries have random signs and sizes: of a
/// direction that few rows make up, one of them leaves out all but a share d with a chance of about d. Ten times the estimated error is then
/// exceeded with a chance of about (1 / (10 `NORM_ESTIMATE_BELOW`))^3 = 4e-5 if the error has just this direction. Of a direction that all n
/// rows make up, they have a share of about 1 / sqrt(n): the estimate is multiplied by sqrt(n).
pub(crate) const PROBES: usize = 3;

/// A probing solve of n rows has converged if the residual of each row is at most this, divided by sqrt(n), times the probe's number in that
/// row: an error in a direction that all rows make up is that small in each row. Equal rows with different right-hand
/// sides leave half of the difference: the chance that a singular matrix passes all probes is at most (2 x 0.01 / 0.5)^3 = 6e-5, and
/// smaller the more rows depend on each other.
pub(crate) const PROBE_RESIDUAL: f64 = 0.01;

/// The largest forward error, in units of cond(A, x) u, of a tridiagonal algorithm whose answer is not replaced (all but `auto` and
/// `pivoting`). Above it, the solve returns `Error::Inaccurate`. If dominance judges, cond counts as 1, and the roundings
/// that the algorithm makes over its rows are allowed if they are more; [`MOST_FORWARD_ERROR`] caps the product.
pub(crate) const NAMED_LOSS: f64 = 100.0;

/// The largest estimated rounding error, relative to the largest output, of a filter that `bind` accepts.
pub const MOST_FILTER_NOISE: f64 = 0.01;

/// How far the bound of a filter's roundings is above what they come to: 10 to 30 times for low-passes of order 2 and 4, cut-offs of 0.3 to
/// 0.003, constant, sine and random signals.
pub(crate) const BOUND_ABOVE_ROUNDINGS: f64 = 16.0;

/// Rounding error of a filter with composed states, in units of the sequential filter's error. Two changes of basis and one product
/// with a power of the matrix add at most as much as the rows do.
pub(crate) const COMPOSED_ROUNDINGS: f64 = 2.0;

/// Errors of the algorithms that carry the dominance, in units of |A^-1| |d| u for a matrix with positive diagonal and no positive
/// off-diagonals: each of the tree's log2(n) levels adds relative roundings, which partly cancel. Measured: 8 units at 2^24 random rows; 32
/// leaves a factor of 4. Where the dominance is weak everywhere, roundings of one sign add up along the rows: see
/// [`ROUNDINGS_PER_ROW`].
pub(crate) const CARRIED_ROUNDINGS: f64 = 32.0;

/// Roundings per row, which add to [`CARRIED_ROUNDINGS`] for as many rows as a rounding reaches. A search by hill climbing over layers of
/// periodic couplings, weakly dominant and anchored at one end, found at most 2.8 per row (`thomas`), 2.5 (`cr`) and 2.2 (`wang-mou`): errors
/// of 5.4, 4.8 and 4.2 times the estimate. Rows (-1 2 -1): at most 0.2 per row.
///
/// A rounding reaches n rows, or max M^-1 |b| if that is less: M is the comparison matrix and b the diagonal.
pub(crate) const ROUNDINGS_PER_ROW: f64 = 0.5;

/// A complement of dominance that falls below this, times the least normal number of a precision, may be wrong there.
pub(crate) const LEAST_COMPLEMENT: f64 = (1u64 << 30) as f64;

/// Roundings of a residual's row that three products and three sums make, and two sums more of a diagonal that is given by its
/// excess, in units of |A| |x| + |d|. `shaders/tridiagonal/residual.wgsl` has the same number.
pub(crate) const RESIDUAL_ROUNDINGS: f64 = 6.0;

/// Above this cond(A, x) u, the matrix may be nonsingular only because its entries were rounded; the judge then also tests
/// [`MOST_ROUNDED_RESIDUAL`]. At 0.1 one digit is left; the factor 1.5 allows for an estimated condition.
pub(crate) const UNSURE_CONDITION: f64 = 0.15;

/// Above [`UNSURE_CONDITION`], the largest residual, relative to the right-hand side, that rounding x to the solve's precision may
/// leave. If it is larger, the judge reports the matrix as singular to working precision.
pub(crate) const MOST_ROUNDED_RESIDUAL: f64 = 0.1;

/// Above this value of `condition_of_any` times the unit of roundoff of the judge's arithmetic (f64 or double-double), that arithmetic
/// does not tell the matrix from a singular one. For dense and sparse matrices, the growth of entries in elimination multiplies
/// this: exactly singular matrices passed without it.
pub(crate) const VAGUE_CONDITION: f64 = 0.01;

/// The largest condition cond(A, x) (Skeel's) of a matrix that is solved, in units of 1 / u.
///
/// The judge computes in f64 for f32, and in double-double arithmetic for f64, which have 29 and 53 bits more: at 100 / u that answer still
/// has an error of 2e-7 and less. There, other entries that round to the same numbers would give another x, but the entries given do
/// determine it.
pub(crate) fn most_condition<T: Real>() -> f64 {
    100.0 / T::UNIT_ROUNDOFF
}
