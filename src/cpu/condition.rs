//! Whether a matrix determines its solution in a precision at all.

use super::carried::excess_of;
use super::periodic::extremes;
use super::ring_gtsv;
use super::scaling::{equilibrate, equilibrate_columns_first};
use crate::error::Error;
use crate::real::Real;

/// Rounds of the estimator; more than three hardly ever change anything (Higham).
const ROUNDS: usize = 5;

/// Condition numbers above a tenth of 1 / roundoff leave x no digit.
pub(crate) const NO_DIGIT: f64 = 0.1;

/// How well a matrix determines its solutions: of its rows and columns scaled so that their largest entries are 1, and in f64,
/// whatever the precision of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Conditioning {
    /// The condition number in the infinity norm: how many times larger than roundings relative errors of a solution may be.
    /// An estimate (Hager's), hardly ever by more than a factor of 3 too small; infinite for a singular matrix.
    pub condition: f64,
    /// The smallest pivot of elimination with partial pivoting; 0 for a singular matrix.
    pub smallest_pivot: f64,
    /// The row whose unknown is eliminated by it, from 0.
    pub smallest_pivot_row: usize,
    /// The largest entry that elimination leaves, relatively to the matrix's largest, which is 1; NaN for a singular matrix.
    pub growth: f64,
}

/// Conditions up to this are nobody's reason to refuse.
const LARGE: f64 = 1e4;

/// That of one matrix. Slices as in [`periodic_gtsv`](fn@super::periodic_gtsv).
pub(crate) fn conditioning(lower: &[f64], diag: &[f64], upper: &[f64]) -> Conditioning {
    let condition = condition(lower, diag, upper);
    let [mut lower, mut diag, mut upper] = [lower, diag, upper].map(<[f64]>::to_vec);
    equilibrate(&mut lower, &mut diag, &mut upper);
    let extremes = match extremes(&lower, &diag, &upper) {
        Ok(found) => found,
        Err(Error::Singular { row, .. }) => ((row, 0.0), f64::NAN),
        Err(_) => ((0, f64::NAN), f64::NAN),
    };
    let ((smallest_pivot_row, smallest_pivot), growth) = extremes;
    Conditioning { condition, smallest_pivot, smallest_pivot_row, growth }
}

/// The infinity-norm condition number of one matrix with its rows and columns scaled, computed in f64:
/// Hager's estimate of the inverse's norm, a lower bound and nearly always within a factor of 3
/// (Higham, Accuracy and Stability of Numerical Algorithms, algorithm 15.1, and its extra vector).
/// Infinite where elimination with pivoting finds a zero pivot. Slices as in [`periodic_gtsv`](fn@super::periodic_gtsv).
pub(crate) fn condition(lower: &[f64], diag: &[f64], upper: &[f64]) -> f64 {
    let scaled = |scale: fn(&mut [f64], &mut [f64], &mut [f64])| {
        let [mut lower, mut diag, mut upper] = [lower, diag, upper].map(<[f64]>::to_vec);
        scale(&mut lower, &mut diag, &mut upper);
        let norm =
            lower.iter().zip(&diag).zip(&upper).map(|((a, b), c)| a.abs() + b.abs() + c.abs()).fold(0.0, f64::max);
        inverse_norm(&lower, &diag, &upper).map_or(f64::INFINITY, |inverse| norm * inverse)
    };
    let condition = scaled(equilibrate);
    // It may be the units' after all.
    if condition > LARGE { condition.min(scaled(equilibrate_columns_first)) } else { condition }
}

/// The infinity norm of the inverse: the 1-norm of the transpose's inverse.
fn inverse_norm(lower: &[f64], diag: &[f64], upper: &[f64]) -> Result<f64, Error> {
    let n = diag.len();
    let mut below = upper.to_vec();
    below.rotate_right(1);
    let mut above = lower.to_vec();
    above.rotate_left(1);
    let transposed = |x: &[f64]| ring_gtsv(&below, diag, &above, x);
    let norm = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
    let mut x = vec![1.0 / n as f64; n];
    let mut largest = 0f64;
    for _ in 0..ROUNDS {
        let y = transposed(&x)?;
        largest = largest.max(norm(&y));
        let signs: Vec<f64> = y.iter().map(|y| y.signum()).collect();
        let z = ring_gtsv(lower, diag, upper, &signs)?;
        let along: f64 = z.iter().zip(&x).map(|(z, x)| z * x).sum();
        let (at, steepest) = z.iter().enumerate().fold((0, 0f64), |best, (i, z)| match z.abs() > best.1 {
            true => (i, z.abs()),
            false => best,
        });
        if steepest <= along {
            break;
        }
        x = vec![0.0; n];
        x[at] = 1.0;
    }
    let alternating = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let extra: Vec<f64> = (0..n).map(|i| alternating(i) * (1.0 + i as f64 / (n.max(2) - 1) as f64)).collect();
    Ok(largest.max(2.0 * norm(&transposed(&extra)?) / (3 * n) as f64))
}

/// [`Error::NearlySingular`] for a matrix whose condition leaves no digit of x in `T`; `least` is that which does, in units of
/// 1 / roundoff.
pub(crate) fn determined<T: Real>(system: usize, [lower, diag, upper]: [&[f64]; 3], least: f64) -> Result<(), Error> {
    let condition = condition(lower, diag, upper);
    match condition * T::UNIT_ROUNDOFF > least {
        true => Err(Error::NearlySingular { system, condition, precision: T::PRECISION }),
        false => Ok(()),
    }
}

/// Whether no row's off-diagonals outweigh its diagonal, nor is it all zeros: then the algorithms that carry the
/// dominance keep x's digits, whatever the condition.
pub(crate) fn is_dominant(lower: &[f64], diag: &[f64], upper: &[f64]) -> bool {
    let rows = lower.iter().zip(diag).zip(upper);
    rows.into_iter().all(|((lower, diag), upper)| *diag != 0.0 && excess_of(*lower, *diag, *upper) >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_and_growth() {
        // Rows scaled: (1 1), (1 1 + 1e-8): the second pivot is 1e-8 but for scaling.
        let found = conditioning(&[0.0, 2.0], &[3.0, 2.0 + 2e-8], &[3.0, 0.0]);
        assert!((found.smallest_pivot / 1e-8 - 1.0).abs() < 1e-6 && found.smallest_pivot_row == 1, "{found:?}");
        assert!((1e8..1e9).contains(&found.condition) && (0.9..1.1).contains(&found.growth), "{found:?}");
        let singular = conditioning(&[0.0, 1.0, 1.0], &[1.0; 3], &[1.0, 0.0, 0.0]);
        assert_eq!((singular.smallest_pivot, singular.smallest_pivot_row), (0.0, 2), "{singular:?}");
        // Around a ring.
        let ring = conditioning(&[-1.0; 5], &[2.0 + 1e-9; 5], &[-1.0; 5]);
        assert!(ring.condition > 1e8 && ring.smallest_pivot < 1e-8, "{ring:?}");
    }

    #[test]
    fn of_columns_in_other_units() {
        let n = 5;
        let units: Vec<f64> = [30, 2, -17, -28, -25].map(|power| f64::from(power).exp2()).into();
        let column = |entry: f64, i: usize| entry * units[i % n];
        let lower: Vec<_> = (0..n).map(|i| if i > 0 { column(-1.0, i - 1) } else { 0.0 }).collect();
        let upper: Vec<_> = (0..n).map(|i| if i + 1 < n { column(-1.0, i + 1) } else { 0.0 }).collect();
        let diag: Vec<_> = (0..n).map(|i| column(4.0, i)).collect();
        let found = condition(&lower, &diag, &upper);
        assert!((1.0..10.0).contains(&found), "{found}");
    }

    #[test]
    fn of_matrices_whose_condition_is_known() {
        // The second difference: norm 4, norm of the inverse (n + 1)^2 / 8 for odd n.
        for n in [1usize, 3, 51, 1001] {
            let diag = vec![2.0; n];
            let mut off = [vec![-1.0; n], vec![-1.0; n]];
            (off[0][0], off[1][n - 1]) = (0.0, 0.0);
            let size = if n == 1 { 2.0 } else { 4.0 };
            let exact = size * ((n + 1) * (n + 1)) as f64 / 8.0;
            let found = condition(&off[0], &diag, &off[1]);
            assert!((exact / 3.0..=exact * 1.01).contains(&found), "{n}: {found}, not {exact}");
        }
        // Units of rows and columns do not matter.
        let scaled = condition(&[0.0, -1.0, -1e9], &[2.5, 2.5e9, 2.5], &[-1e9, -1.0, 0.0]);
        assert!(scaled < 100.0, "{scaled}");
        // Rows of any size are one matrix.
        assert_eq!(condition(&[0.0; 3], &[1e-200, 1.0, 1e200], &[0.0; 3]), 1.0);
        assert_eq!(condition(&[0.0; 2], &[1.0, 0.0], &[0.0; 2]), f64::INFINITY);
    }
}
