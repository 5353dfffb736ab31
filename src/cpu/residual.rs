//! The measure of a solution.

use crate::real::Real;

/// ||d - A x|| / ||d|| in 2-norms, accumulated in f64, of one system of n rows; 0 for a zero
/// residual. `excess` says that `diag` holds the excess over |lower| + |upper|.
///
/// # Panics
/// If a slice is shorter than `diag`.
pub fn relative_residual<T: Real>(lower: &[T], diag: &[T], upper: &[T], x: &[T], rhs: &[T], excess: bool) -> f64 {
    let n = diag.len();
    let (mut residual, mut right) = (0f64, 0f64);
    for i in 0..n {
        let a = if i > 0 { lower[i].to_f64() } else { 0.0 };
        let c = if i + 1 < n { upper[i].to_f64() } else { 0.0 };
        let b = diag[i].to_f64() + if excess { a.abs() + c.abs() } else { 0.0 };
        let mut sum = rhs[i].to_f64() - b * x[i].to_f64();
        if i > 0 {
            sum -= a * x[i - 1].to_f64();
        }
        if i + 1 < n {
            sum -= c * x[i + 1].to_f64();
        }
        residual = residual.hypot(sum);
        right = right.hypot(rhs[i].to_f64());
    }
    if residual == 0.0 { 0.0 } else { residual / right }
}
