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

/// Scales rows and columns of a matrix, in turns, so that their largest entries are 1: what is left of its condition is not a
/// matter of units. Corners are 0, but of periodic matrices.
pub(crate) fn equilibrate(lower: &mut [f64], diag: &mut [f64], upper: &mut [f64]) {
    scale_rows(lower, diag, upper);
    scale_columns(lower, diag, upper);
    scale_rows(lower, diag, upper);
}

/// The same from the columns on: where their units differ much, rows scaled first are scaled by one of their entries.
pub(crate) fn equilibrate_columns_first(lower: &mut [f64], diag: &mut [f64], upper: &mut [f64]) {
    scale_columns(lower, diag, upper);
    scale_rows(lower, diag, upper);
    scale_columns(lower, diag, upper);
}

fn scale_rows(lower: &mut [f64], diag: &mut [f64], upper: &mut [f64]) {
    for ((lower, own), upper) in lower.iter_mut().zip(diag).zip(upper) {
        scale_to_one([lower, own, upper]);
    }
}

fn scale_columns(lower: &mut [f64], diag: &mut [f64], upper: &mut [f64]) {
    let n = diag.len();
    for (i, own) in diag.iter_mut().enumerate() {
        scale_to_one([&mut lower[(i + 1) % n], own, &mut upper[(i + n - 1) % n]]);
    }
}

fn scale_to_one(entries: [&mut f64; 3]) {
    let largest = entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    if largest > 0.0 {
        entries.into_iter().for_each(|entry| *entry /= largest);
    }
}
