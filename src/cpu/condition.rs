//! Estimates norms of inverses.

use super::ring_gtsv;
use crate::arithmetic::RandomBits;
use crate::error::Result;

/// Rounds of the estimator. More than three rarely change the estimate (Higham).
const ROUNDS: usize = 5;

/// Estimates the infinity norm of W A^-1 G, with nonnegative diagonal matrices W and G: the largest entry of |W A^-1| g.
///
/// Hager's estimate: a lower bound, nearly always within a factor of 3 (Higham, "Accuracy and Stability of Numerical Algorithms",
/// algorithm 15.1 and its extra vector). Costs up to 11 eliminations. The slices are those of
/// [`periodic_gtsv`](fn@super::periodic_gtsv); with corners of 0 the matrix is tridiagonal.
///
/// # Errors
/// [`Error::Singular`](crate::Error::Singular), [`Error::Breakdown`](crate::Error::Breakdown).
pub(crate) fn inverse_norm(
    [lower, diag, upper]: [&[f64]; 3],
    weights: impl Fn(usize) -> f64,
    g: &[f64],
) -> Result<f64> {
    let n = diag.len();
    let mut below = upper.to_vec();
    below.rotate_right(1);
    let mut above = lower.to_vec();
    above.rotate_left(1);
    // G A^-T W and W A^-1 G.
    let transposed = |x: &[f64]| -> Result<Vec<f64>> {
        let weighted: Vec<_> = x.iter().enumerate().map(|(i, x)| weights(i) * x).collect();
        let mut y = ring_gtsv(&below, diag, &above, &weighted)?;
        y.iter_mut().zip(g).for_each(|(y, g)| *y *= g);
        Ok(y)
    };
    let plain = |x: &[f64]| -> Result<Vec<f64>> {
        let weighted: Vec<_> = x.iter().zip(g).map(|(x, g)| g * x).collect();
        let mut y = ring_gtsv(lower, diag, upper, &weighted)?;
        y.iter_mut().enumerate().for_each(|(i, y)| *y *= weights(i));
        Ok(y)
    };
    estimated_norm(n, transposed, plain)
}

/// Random vectors that search for the largest row.
const RANDOM_STARTS: usize = 2;

/// Estimates the infinity norm of an n x n matrix B from its products: `transposed` multiplies by B^T, `plain` by B.
///
/// Hager's estimate as in [`inverse_norm`], from its usual start and from rows that products with random vectors find. A matrix can be made
/// that hides a large row from the usual start, but none that hides it from random vectors.
///
/// # Errors
/// Those of the products.
pub(crate) fn estimated_norm(
    n: usize,
    mut transposed: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    mut plain: impl FnMut(&[f64]) -> Result<Vec<f64>>,
) -> Result<f64> {
    // A product past the range of f64 leaves infinity or NaN.
    let norm = |x: &[f64]| {
        let sum = x.iter().map(|x| x.abs()).sum::<f64>();
        if sum.is_nan() { f64::INFINITY } else { sum }
    };
    let steepest = |z: &[f64]| {
        z.iter().enumerate().fold((0, 0f64), |best, (i, z)| match z.is_nan() {
            true => (i, f64::INFINITY),
            false if z.abs() > best.1 => (i, z.abs()),
            false => best,
        })
    };
    let row = |at: usize| {
        let mut x = vec![0.0; n];
        x[at] = 1.0;
        x
    };
    let mut x = vec![1.0 / n as f64; n];
    let (mut largest, mut random_bits) = (0f64, RandomBits(n as u64));
    for _ in 0..ROUNDS {
        let y = transposed(&x)?;
        largest = largest.max(norm(&y));
        // The matrix is the seed: the estimate is reproducible, and no matrix can be made for known random numbers.
        random_bits.absorb(y.iter().copied());
        let signs: Vec<f64> = y.iter().map(|y| y.signum()).collect();
        let z = plain(&signs)?;
        let along: f64 = z.iter().zip(&x).map(|(z, x)| z * x).sum();
        let (at, steepest) = steepest(&z);
        if steepest.is_infinite() {
            return Ok(steepest);
        }
        if steepest <= along {
            break;
        }
        x = row(at);
    }
    for _ in 0..RANDOM_STARTS {
        // Numbers in (-1, 1): random signs alone may cancel.
        let numbers: Vec<f64> = (0..n).map(|_| random_bits.next() as i64 as f64 / 2f64.powi(63)).collect();
        let (at, size) = steepest(&plain(&numbers)?);
        if size.is_infinite() {
            return Ok(size);
        }
        largest = largest.max(norm(&transposed(&row(at))?));
    }
    let alternating = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let extra: Vec<f64> = (0..n).map(|i| alternating(i) * (1.0 + i as f64 / (n.max(2) - 1) as f64)).collect();
    Ok(largest.max(2.0 * norm(&transposed(&extra)?) / (3 * n) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I + t C, where C 1 = 0, C^T 1 = 0, and C^T is orthogonal to the extra vector: from its own starts, Hager's estimate is 1.
    #[test]
    fn a_large_row_does_not_hide() {
        let (n, t) = (8, 1e12);
        // Of the extra vector, entries 4 to 6 are in proportion to 11, -12 and 13.
        let (u, v) = ([0.0, 0.0, 0.0, 0.0, 25.0, -2.0, -23.0, 0.0], [1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let product = |by: [[f64; 8]; 2], x: &[f64]| -> Vec<f64> {
            let along: f64 = by[1].iter().zip(x).map(|(a, x)| a * x).sum();
            (0..n).map(|i| x[i] + t * by[0][i] * along).collect()
        };
        let found = estimated_norm(n, |x| Ok(product([v, u], x)), |x| Ok(product([u, v], x))).unwrap();
        assert!((50.0 * t / 3.0..=50.0 * t * 1.01).contains(&found), "{found:e}");
    }

    #[test]
    fn of_matrices_whose_inverse_is_known() {
        // The second difference: norm of the inverse (n + 1)^2 / 8 for odd n.
        for n in [1usize, 3, 51, 1001] {
            let diag = vec![2.0; n];
            let mut off = [vec![-1.0; n], vec![-1.0; n]];
            (off[0][0], off[1][n - 1]) = (0.0, 0.0);
            let exact = ((n + 1) * (n + 1)) as f64 / 8.0;
            let found = inverse_norm([&off[0], &diag, &off[1]], |_| 1.0, &vec![1.0; n]).unwrap();
            assert!((exact / 3.0..=exact * 1.01).contains(&found), "{n}: {found}, not {exact}");
        }
        // Of a ring, with weights: the inverse of a cyclic shift is one.
        let zeros = [0.0; 4];
        let found = inverse_norm([&[1.0; 4], &zeros, &zeros], |i| i as f64, &[1.0, 1.0, 1.0, 5.0]).unwrap();
        assert_eq!(found, 10.0);
    }
}
