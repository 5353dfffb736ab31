//! A small sparse matrix, eliminated as a dense one on the CPU.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::DoubleDouble;
use super::answer::{exceeds, largest};
use super::scaled::condition_of_any;
use super::thresholds::VAGUE_CONDITION;
use crate::cpu::{exponent, quotient, times_power};
use crate::error::{Error, Result};
use crate::quasi_tridiagonal::Csr;
use crate::real::{Real, Wide};

/// Half of a unit in the last place of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// Steps of refinement at most.
const MOST_STEPS: usize = 40;

/// Rows that a processor takes at the least.
const ROWS_PER_TASK: usize = 32;

/// A matrix with rows and columns scaled by powers of two to largest entries of about 1.
#[derive(Debug)]
pub(crate) struct Dense {
    n: usize,
    /// The entries as given, row by row.
    rows: Vec<Vec<(usize, f64)>>,
    row_powers: Vec<i32>,
    column_powers: Vec<i32>,
    /// All entries, scaled, row by row.
    scaled: Vec<f64>,
    narrow: Result<Elimination<f64>>,
    /// Made where the condition is vague in f64.
    wide: OnceLock<Result<Elimination<DoubleDouble>>>,
}

/// The triangles of a scaled matrix, and its inverse.
#[derive(Debug)]
struct Elimination<W> {
    n: usize,
    /// L without its ones and U, in the order of exchanged rows.
    triangles: Vec<W>,
    order: Vec<usize>,
    /// |A^-1|, row by row.
    inverse: Vec<f64>,
    /// See [`condition_of_any`].
    condition: f64,
}

impl<W: Wide> Elimination<W> {
    /// Gaussian elimination with partial pivoting, and n solves for the inverse: 8/3 n^3 operations.
    ///
    /// # Errors
    /// [`Error::Singular`].
    fn new(n: usize, entries: &[f64]) -> Result<Self> {
        let mut triangles: Vec<W> = entries.iter().map(|&entry| W::from(entry)).collect();
        let mut order: Vec<_> = (0..n).collect();
        for step in 0..n {
            let best = (step..n).fold(step, |best, i| {
                if triangles[i * n + step].abs() > triangles[best * n + step].abs() { i } else { best }
            });
            if best != step {
                let (upper, lower) = triangles.split_at_mut(best * n);
                upper[step * n..(step + 1) * n].swap_with_slice(&mut lower[..n]);
                order.swap(step, best);
            }
            let pivot = triangles[step * n + step];
            if pivot == W::ZERO || !pivot.is_finite() {
                return Err(Error::Singular { system: 0, row: order[step] });
            }
            let (upper, lower) = triangles.split_at_mut((step + 1) * n);
            let above = &upper[step * n..];
            lower.par_chunks_mut(n).with_min_len(ROWS_PER_TASK).for_each(|row| {
                let factor = row[step] / pivot;
                row[step] = factor;
                if factor != W::ZERO {
                    for (own, &above) in row[step + 1..].iter_mut().zip(&above[step + 1..]) {
                        *own = *own - factor * above;
                    }
                }
            });
        }
        let mut made = Self { n, triangles, order, inverse: vec![], condition: 0.0 };
        let unit = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<_>>();
        let columns: Vec<_> =
            (0..n).into_par_iter().with_min_len(ROWS_PER_TASK).map(|j| made.solved(&unit(j))).collect();
        made.inverse = (0..n).flat_map(|i| columns.iter().map(move |column| column[i].abs())).collect();
        let times = |matrix: &[f64], v: &[f64]| -> Vec<f64> {
            matrix.chunks(n.max(1)).map(|row| row.iter().zip(v).map(|(a, v)| (a * v).abs()).sum()).collect()
        };
        let amplified = |g: &[f64]| Ok(times(&made.inverse, g));
        made.condition = condition_of_any(n, W::UNIT_ROUNDOFF, |v| times(entries, v), amplified)?;
        Ok(made)
    }

    /// Whether the arithmetic tells the matrix from a singular one.
    fn is_clear(&self) -> bool {
        !exceeds(self.condition * W::UNIT_ROUNDOFF, VAGUE_CONDITION)
    }

    /// A^-1 rhs, rounded to f64.
    fn solved(&self, rhs: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut y: Vec<W> = self.order.iter().map(|&row| W::from(rhs[row])).collect();
        let less = |from: W, row: &[W], known: &[W]| row.iter().zip(known).fold(from, |left, (&a, &y)| left - a * y);
        for i in 0..n {
            y[i] = less(y[i], &self.triangles[i * n..i * n + i], &y[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.triangles[i * n..(i + 1) * n];
            y[i] = less(y[i], &row[i + 1..], &y[i + 1..]) / row[i];
        }
        y.into_iter().map(Wide::to_f64).collect()
    }
}

/// Unknowns with what is known of them.
#[derive(Debug)]
pub(crate) struct Found {
    pub x: Vec<f64>,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated.
    pub error: f64,
    /// Skeel's cond(A, x).
    pub condition: f64,
    /// || |A| |x| || / ||b|| of rows of one size: how many times larger than roundings of x the relative residual is that they leave.
    pub cancellation: f64,
}

impl Dense {
    /// Eliminates in f64: 0.3 s for 512 rows.
    pub fn new<T: Real>(matrix: &Csr<T>) -> Self {
        let n = matrix.rows();
        let rows: Vec<Vec<_>> =
            (0..n).map(|row| matrix.row(row).map(|(column, value)| (column, value.to_f64())).collect()).collect();
        let size = |entries: &mut dyn Iterator<Item = Option<i32>>| -entries.flatten().max().unwrap_or(0);
        let row_powers: Vec<_> = rows.iter().map(|row| size(&mut row.iter().map(|entry| exponent(entry.1)))).collect();
        let mut column_sizes = vec![None; n];
        for (row, power) in rows.iter().zip(&row_powers) {
            for &(column, value) in row {
                column_sizes[column] = column_sizes[column].max(exponent(value).map(|size| size + power));
            }
        }
        let column_powers: Vec<_> = column_sizes.into_iter().map(|size| -size.unwrap_or(0)).collect();
        let mut scaled = vec![0.0; n * n];
        for (i, row) in rows.iter().enumerate() {
            for &(column, value) in row {
                scaled[i * n + column] = times_power(value, row_powers[i] + column_powers[column]);
            }
        }
        let narrow = Elimination::new(n, &scaled);
        Self { n, rows, row_powers, column_powers, scaled, narrow, wide: OnceLock::new() }
    }

    /// |A^-1| g in the caller's units, relative to the largest of x; g in those of scaled rows.
    fn amplified(&self, inverse: &[f64], g: &[f64], x: &[f64]) -> f64 {
        let row = |i: usize| {
            let sum: f64 = inverse[i * self.n..(i + 1) * self.n].iter().zip(g).map(|(a, g)| a * g).sum();
            times_power(sum, self.column_powers[i])
        };
        quotient(largest((0..self.n).map(row)), largest(x.iter().copied()))
    }

    /// b - A x and |A| |x| of rows scaled, the former in double-double arithmetic.
    fn residual(&self, rhs: &[f64], x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let row = |i: usize| {
            let (mut left, mut size) = (DoubleDouble::new(times_power(rhs[i], self.row_powers[i])), 0.0);
            for &(column, value) in &self.rows[i] {
                let entry = times_power(value, self.row_powers[i]);
                left = left - DoubleDouble::product(entry, x[column]);
                size += (entry * x[column]).abs();
            }
            (left.to_f64(), size)
        };
        (0..self.n).map(row).unzip()
    }

    /// Solves, and refines with residuals in double-double arithmetic. Where f64 leaves the condition vague, eliminates in double-double
    /// arithmetic, once per matrix: 10 to 30 times the time.
    ///
    /// # Errors
    /// [`Error::Singular`]; [`Error::NearlySingular`] for a matrix that double-double arithmetic does not tell from a singular one.
    pub fn solve<T: Real>(&self, rhs: &[f64]) -> Result<Found> {
        if let Ok(narrow) = &self.narrow
            && narrow.is_clear()
        {
            return Ok(self.refined(narrow, rhs));
        }
        let wide = self.wide.get_or_init(|| Elimination::new(self.n, &self.scaled));
        let wide = wide.as_ref().map_err(Clone::clone)?;
        match wide.is_clear() {
            true => Ok(self.refined(wide, rhs)),
            false => Err(Error::NearlySingular { system: 0, condition: wide.condition, precision: T::PRECISION }),
        }
    }

    fn refined<W: Wide>(&self, elimination: &Elimination<W>, rhs: &[f64]) -> Found {
        let mut x = vec![0.0; self.n];
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (residual, _) = self.residual(rhs, &x);
            let step: Vec<_> = elimination
                .solved(&residual)
                .iter()
                .zip(&self.column_powers)
                .map(|(y, p)| times_power(*y, *p))
                .collect();
            let next: Vec<_> = x.iter().zip(&step).map(|(x, step)| x + step).collect();
            let size = quotient(largest(step), largest(next.iter().copied()));
            if size.is_nan() || size > 0.5 * last {
                break;
            }
            (x, last) = (next, size);
            if size <= UNIT {
                break;
            }
        }
        let (_, sizes) = self.residual(rhs, &x);
        let condition = self.amplified(&elimination.inverse, &sizes, &x);
        let right = rhs.iter().zip(&self.row_powers).map(|(b, power)| times_power(*b, *power));
        let cancellation = quotient(largest(sizes), largest(right));
        Found { x, error: last + UNIT, condition, cancellation }
    }
}
