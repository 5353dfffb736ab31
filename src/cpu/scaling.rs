//! Rows and columns of comparable size.

use super::ring_gtsv;
use crate::error::Result;
use crate::real::Real;

/// [`gtsv`](fn@super::gtsv) on rows scaled to 1, or [`periodic_gtsv`](fn@super::periodic_gtsv) if the corners are not 0.
pub(crate) fn scaled_gtsv<T: Real>(lower: &[T], diag: &[T], upper: &[T], rhs: &[T]) -> Result<Vec<T>> {
    let [mut lower, mut diag, mut upper, mut rhs] = [lower, diag, upper, rhs].map(<[T]>::to_vec);
    rows_to_one(&mut lower, &mut diag, &mut upper, &mut rhs);
    ring_gtsv(&lower, &diag, &upper, &rhs)
}

/// Scales the rows of one system by powers of two, which round nothing, so that their largest entries are
/// about 1 (as far as a power of the precision reaches): pivots are then chosen, and multipliers formed, as
/// if all rows were of one unit. A row whose right-hand side would overflow stays as it is.
fn rows_to_one<T: Real>(lower: &mut [T], diag: &mut [T], upper: &mut [T], rhs: &mut [T]) {
    let n = diag.len();
    let farthest = if T::PRECISION == crate::Precision::F32 { 100.0 } else { 1000.0 };
    for i in 0..n {
        let largest = [lower[i], diag[i], upper[i]].map(|entry| entry.to_f64().abs()).into_iter().fold(0.0, f64::max);
        if largest == 0.0 || !largest.is_finite() {
            continue;
        }
        let factor = T::from_f64((-largest.log2().floor()).clamp(-farthest, farthest).exp2());
        if !(factor * rhs[i]).is_finite() {
            continue;
        }
        for entry in [&mut lower[i], &mut diag[i], &mut upper[i], &mut rhs[i]] {
            *entry = factor * *entry;
        }
    }
}

/// Scales the rows, then the columns, then the rows of a matrix once more so that their largest entries
/// are 1: what is left of its condition is not a matter of units. Corners are 0, but of
/// periodic matrices.
pub(crate) fn equilibrate(lower: &mut [f64], diag: &mut [f64], upper: &mut [f64]) {
    let n = diag.len();
    let rows = |lower: &mut [f64], diag: &mut [f64], upper: &mut [f64]| {
        for i in 0..n {
            let largest = lower[i].abs().max(diag[i].abs()).max(upper[i].abs());
            if largest > 0.0 {
                for entry in [&mut lower[i], &mut diag[i], &mut upper[i]] {
                    *entry /= largest;
                }
            }
        }
    };
    rows(lower, diag, upper);
    for (i, own) in diag.iter_mut().enumerate() {
        let (above, below) = ((i + n - 1) % n, (i + 1) % n);
        let largest = upper[above].abs().max(own.abs()).max(lower[below].abs());
        if largest > 0.0 {
            for entry in [own, &mut upper[above], &mut lower[below]] {
                *entry /= largest;
            }
        }
    }
    rows(lower, diag, upper);
}
