//! The measures of a solution.

use crate::real::Real;

/// 2-norms of d - A x, of |A| |x| + |d| and of d, accumulated in f64. An eighth of each, so that no
/// sum overflows.
fn norms<T: Real>(lower: &[T], diag: &[T], upper: &[T], x: &[T], rhs: &[T], excess: bool) -> [f64; 3] {
    let n = diag.len();
    let mut norms = [0f64; 3];
    for i in 0..n {
        let a = if i > 0 { lower[i].to_f64() } else { 0.0 };
        let c = if i + 1 < n { upper[i].to_f64() } else { 0.0 };
        let terms = |b: f64, d: f64| {
            let left = if i > 0 { a * x[i - 1].to_f64() } else { 0.0 };
            let right = if i + 1 < n { c * x[i + 1].to_f64() } else { 0.0 };
            [d, -(b * x[i].to_f64()), -left, -right].map(|term| 0.125 * term)
        };
        let terms = match excess {
            true => terms(diag[i].to_f64() + a.abs() + c.abs(), rhs[i].to_f64()),
            false => terms(diag[i].to_f64(), rhs[i].to_f64()),
        };
        let sum: f64 = terms.iter().sum();
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        for (norm, value) in norms.iter_mut().zip([sum, size, terms[0]]) {
            *norm = norm.hypot(value);
        }
    }
    norms
}

/// 0 for a zero numerator, whatever it is a share of.
pub(crate) fn quotient(above: f64, below: f64) -> f64 {
    if above == 0.0 { 0.0 } else { above / below }
}

/// ||d - A x|| / ||d|| in 2-norms, accumulated in f64, of one system of n rows; 0 for a zero
/// residual. `excess` says that `diag` holds the excess over |lower| + |upper|.
///
/// # Panics
/// If a slice is shorter than `diag`.
pub fn relative_residual<T: Real>(lower: &[T], diag: &[T], upper: &[T], x: &[T], rhs: &[T], excess: bool) -> f64 {
    let [residual, _, right] = norms(lower, diag, upper, x, rhs, excess);
    quotient(residual, right)
}

/// ||d - A x|| / || |A| |x| + |d| || in 2-norms, as [`relative_residual`] otherwise: how far,
/// relatively, the system has to be changed for x to solve it exactly.
///
/// # Panics
/// If a slice is shorter than `diag`.
pub fn backward_error<T: Real>(lower: &[T], diag: &[T], upper: &[T], x: &[T], rhs: &[T], excess: bool) -> f64 {
    let [residual, size, _] = norms(lower, diag, upper, x, rhs, excess);
    quotient(residual, size)
}
