//! Rows and columns of comparable size, by powers of two, which round nothing.

use crate::arithmetic::{exponent, times_power};

/// Rows and columns whose largest entries differ by less than this power of two stay as they are to each other.
const NEAR: i32 = 8;

/// Enough for the whole range of f64: each round halves the logarithm of the remaining ratio.
const ROUNDS: usize = 14;

/// A tridiagonal or, where the corners `lower[0]` and `upper[n-1]` are not 0, periodic matrix with entries of comparable size: with
/// the caller's A, the entries are 2^rows\[i\] A\[i\]\[j\] 2^columns\[j\].
pub(crate) struct Equilibrated {
    pub lower: Vec<f64>,
    pub diag: Vec<f64>,
    pub upper: Vec<f64>,
    pub rows: Vec<i32>,
    pub columns: Vec<i32>,
    /// The power of two of the least entry but 0, scaled; that of the largest is about 0.
    pub least_power: i32,
}

impl Equilibrated {
    /// By Ruiz's iteration ("A scaling algorithm to equilibrate both rows and columns norms in matrices", 2001): rows and
    /// columns at once, each divided by the root of its largest entry, until all are about 1. Where all are of one size from
    /// the beginning, by a single power.
    pub fn new(lower: &[f64], diag: &[f64], upper: &[f64]) -> Self {
        let n = diag.len();
        let [a, b, c] = [lower, diag, upper].map(|entries| entries.iter().map(|&e| exponent(e)).collect::<Vec<_>>());
        let (mut rows, mut columns) = (vec![0; n], vec![0; n]);
        for round in 0..ROUNDS {
            let (mut largest_rows, mut largest_columns) = (vec![None; n], vec![None; n]);
            for i in 0..n {
                for (entry, j) in [(a[i], (i + n - 1) % n), (b[i], i), (c[i], (i + 1) % n)] {
                    let size = entry.map(|entry| entry + rows[i] + columns[j]);
                    largest_rows[i] = largest_rows[i].max(size);
                    largest_columns[j] = largest_columns[j].max(size);
                }
            }
            let all = || largest_rows.iter().chain(&largest_columns).copied().flatten();
            let (Some(least), Some(most)) = (all().min(), all().max()) else { break };
            if round == 0 && most - least < NEAR {
                rows.fill(-most);
                break;
            }
            if (least, most) == (0, 0) {
                break;
            }
            // Halves are rounded away from 0, lest a power of one stays.
            let half = |size: Option<i32>| size.map_or(0, |size| (size + size.signum()) / 2);
            rows.iter_mut().zip(largest_rows).for_each(|(row, size)| *row -= half(size));
            columns.iter_mut().zip(largest_columns).for_each(|(column, size)| *column -= half(size));
        }
        let sizes = |of: &[Option<i32>], from: usize| {
            let scaled = |i: usize| of[i].map(|size| size + rows[i] + columns[(i + from) % n]);
            (0..n).filter_map(scaled).min()
        };
        let least_power = [sizes(&a, n - 1), sizes(&b, 0), sizes(&c, 1)].into_iter().flatten().min().unwrap_or(0);
        let scaled = |entries: &[f64], from: usize| -> Vec<f64> {
            let power = |i: usize| rows[i] + columns[(i + from) % n];
            entries.iter().enumerate().map(|(i, &entry)| times_power(entry, power(i))).collect()
        };
        let (lower, diag, upper) = (scaled(lower, n - 1), scaled(diag, 0), scaled(upper, 1));
        Self { lower, diag, upper, rows, columns, least_power }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_do_not_matter() {
        let n = 7;
        let units = [300, -290, 17, -500, 0, 410, -3];
        let entry = |k: i32, i: usize, j: usize| times_power(f64::from(k), units[i] - units[j]);
        let all = |k: i32, from: usize| (0..n).map(|i| entry(k, i, (i + from) % n)).collect::<Vec<_>>();
        let (mut lower, diag, mut upper) = (all(-1, n - 1), all(3, 0), all(-1, 1));
        (lower[0], upper[n - 1]) = (0.0, 0.0);
        let scaled = Equilibrated::new(&lower, &diag, &upper);
        for i in 0..n {
            let largest =
                [scaled.lower[i], scaled.diag[i], scaled.upper[i]].map(f64::abs).into_iter().fold(0.0, f64::max);
            assert!((0.25..4.0).contains(&largest), "row {i}: {largest}");
        }
    }

    #[test]
    fn powers_of_any_size() {
        assert_eq!(times_power(3.0, -1074), 3.0 * 5e-324);
        assert_eq!(times_power(5e-324, 1074), 1.0);
        assert_eq!(times_power(5e-324, 2097), 2f64.powi(1023));
        assert_eq!(exponent(5e-324), Some(-1074));
        assert_eq!([exponent(1.0), exponent(0.75), exponent(0.0)], [Some(0), Some(-1), None]);
    }
}
