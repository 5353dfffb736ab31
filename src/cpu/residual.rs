//! The measures of a solution.

use crate::arithmetic::quotient;
use crate::real::Real;

/// 2-norms, accumulated in f64.
struct Norms {
    /// Of d - A x and of d.
    plain: [f64; 2],
    /// Of d - A x and |A| |x| + |d|, each row divided by its largest coefficient.
    scaled: [f64; 2],
}

/// An eighth of each norm, so that no sum overflows.
fn norms<T: Real>([lower, diag, upper]: [&[T]; 3], x: &[T], rhs: &[T], excess: bool, periodic: bool) -> Norms {
    let n = diag.len();
    let mut norms = Norms { plain: [0.0; 2], scaled: [0.0; 2] };
    for i in 0..n {
        let (has_left, has_right) = (i > 0 || periodic, i + 1 < n || periodic);
        let a = if has_left { lower[i].to_f64() } else { 0.0 };
        let c = if has_right { upper[i].to_f64() } else { 0.0 };
        let b = if excess { diag[i].to_f64() + a.abs() + c.abs() } else { diag[i].to_f64() };
        let left = if has_left { a * x[(i + n - 1) % n].to_f64() } else { 0.0 };
        let right = if has_right { c * x[(i + 1) % n].to_f64() } else { 0.0 };
        let terms = [rhs[i].to_f64(), -(b * x[i].to_f64()), -left, -right].map(|term| 0.125 * term);
        let sum: f64 = terms.iter().sum();
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        let largest = a.abs().max(b.abs()).max(c.abs());
        // A row of zeros is not divided.
        let largest = if largest == 0.0 { 1.0 } else { largest };
        for (norm, value) in norms.plain.iter_mut().zip([sum, terms[0]]) {
            *norm = norm.hypot(value);
        }
        for (norm, value) in norms.scaled.iter_mut().zip([sum, size]) {
            *norm = norm.hypot(value / largest);
        }
    }
    norms
}

/// Accuracy measures of a solution.
pub(crate) struct Measures {
    pub relative_residual: f64,
    pub backward_error: f64,
}

/// Of one system, by its three vectors.
pub(crate) fn measures<T: Real>(matrix: [&[T]; 3], x: &[T], rhs: &[T], excess: bool, periodic: bool) -> Measures {
    let Norms { plain: [residual, right], scaled: [scaled, size] } = norms(matrix, x, rhs, excess, periodic);
    let relative_residual = quotient(residual, right);
    Measures {
        relative_residual,
        // If rows divided by their coefficients underflow, so does x.
        backward_error: if size == 0.0 { relative_residual } else { quotient(scaled, size) },
    }
}

/// ||d - A x|| / ||d|| in 2-norms, accumulated in f64, of one system of n rows; 0 for a zero
/// residual. `excess` says that `diag` holds the excess over |lower| + |upper|.
///
/// # Panics
/// If a slice is shorter than `diag`.
pub fn relative_residual<T: Real>(lower: &[T], diag: &[T], upper: &[T], x: &[T], rhs: &[T], excess: bool) -> f64 {
    measures([lower, diag, upper], x, rhs, excess, false).relative_residual
}

/// ||d - A x|| / || |A| |x| + |d| || in 2-norms, each row divided by its largest coefficient, as
/// [`relative_residual`] otherwise: how far, relatively, the system has to be changed for x to solve it
/// exactly.
///
/// # Panics
/// If a slice is shorter than `diag`.
pub fn backward_error<T: Real>(lower: &[T], diag: &[T], upper: &[T], x: &[T], rhs: &[T], excess: bool) -> f64 {
    measures([lower, diag, upper], x, rhs, excess, false).backward_error
}
