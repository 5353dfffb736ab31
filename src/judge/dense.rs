//! A small sparse matrix, eliminated as a dense one on the CPU.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::DoubleDouble;
use super::answer::{converted, exceeds, largest, relative};
use super::extended_range::ExtendedRange;
use super::scaled::{condition_of_any, is_in_range};
use super::thresholds::VAGUE_CONDITION;
use crate::cpu::exponent;
use crate::error::{Error, Result};
use crate::quasi_tridiagonal::Csr;
use crate::real::{Real, Wide};

/// The unit of roundoff of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// Steps of refinement at most, and steps that gain nothing.
const MOST_STEPS: usize = 40;
const MOST_STALE: usize = 2;

/// Rows that a processor takes at the least.
const ROWS_PER_TASK: usize = 32;

/// A matrix with rows and columns scaled by powers of two to largest entries of about 1.
#[derive(Debug)]
pub(crate) struct Dense {
    entries: Entries,
    /// In f64, unless that has not the range for it.
    narrow: Option<Result<Elimination<f64, f64>>>,
    /// Made where the condition is vague in f64.
    wide: OnceLock<Result<Elimination<DoubleDouble, f64>>>,
    /// Made where f64 has not the range.
    extended: OnceLock<Result<(Entries, OfAnyRange)>>,
}

type OfAnyRange = Elimination<ExtendedRange<DoubleDouble>, ExtendedRange<f64>>;

/// The entries as given, row by row, with the powers of two of their rows and columns.
#[derive(Debug)]
struct Entries {
    rows: Vec<Vec<(usize, f64)>>,
    row_powers: Vec<i32>,
    column_powers: Vec<i32>,
}

impl Entries {
    fn new<T: Real>(matrix: &Csr<T>) -> Self {
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
        Self { rows, row_powers, column_powers }
    }

    fn n(&self) -> usize {
        self.rows.len()
    }

    /// The entries of a row, scaled.
    fn row<W: Wide>(&self, i: usize) -> impl Iterator<Item = (usize, W)> {
        let scaled = move |&(column, value): &(usize, f64)| {
            let power = i64::from(self.row_powers[i]) + i64::from(self.column_powers[column]);
            (column, W::from(value).times_power(power))
        };
        self.rows[i].iter().map(scaled)
    }

    fn is_in_range(&self) -> bool {
        let sizes =
            (0..self.n()).flat_map(|i| self.row::<ExtendedRange<f64>>(i)).filter_map(|(_, entry)| entry.exponent());
        is_in_range(sizes.min().unwrap_or(0), &self.column_powers)
    }

    /// With columns divided by a vector, and rows then by what they sum up: where `v` is that of [`condition_of_any`], elimination is stable
    /// whatever the units.
    fn rescaled<S: Wide>(&self, v: &[S]) -> Self {
        let power = |size: Option<i64>| size.unwrap_or(0) as i32;
        let row = |i: usize| self.row::<S>(i).fold(S::ZERO, |sum, (column, entry)| sum + entry.abs() * v[column]);
        let row_powers = (0..self.n()).map(|i| self.row_powers[i] - power(row(i).exponent())).collect();
        let column_powers = self.column_powers.iter().zip(v).map(|(own, v)| own + power(v.exponent())).collect();
        Self { rows: self.rows.clone(), row_powers, column_powers }
    }

    /// Unknowns in the caller's units, of those in the columns'.
    fn weighted<W: Wide>(&self, y: &[W]) -> impl Iterator<Item = W> {
        y.iter().zip(&self.column_powers).map(|(y, power)| y.times_power((*power).into()))
    }
}

/// The triangles of a scaled matrix, and its inverse.
#[derive(Debug)]
struct Elimination<W, S> {
    n: usize,
    /// L without its ones and U, in the order of exchanged rows.
    triangles: Vec<W>,
    order: Vec<usize>,
    /// |A^-1|, row by row.
    inverse: Vec<S>,
    /// The least condition by any scaling, and the scaling vector.
    condition_of_any: f64,
    v: Vec<S>,
}

impl<W: Wide, S: Wide> Elimination<W, S> {
    /// Gaussian elimination with partial pivoting, and n solves for the inverse: 8/3 n^3 operations.
    ///
    /// # Errors
    /// [`Error::Singular`].
    fn new(entries: &Entries) -> Result<Self> {
        let n = entries.n();
        let mut triangles = vec![W::ZERO; n * n];
        for i in 0..n {
            entries.row(i).for_each(|(column, value)| triangles[i * n + column] = value);
        }
        let sizes: Vec<S> = triangles.iter().map(|entry| converted::<W, S>(entry.abs())).collect();
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
        let mut made = Self { n, triangles, order, inverse: vec![], condition_of_any: 0.0, v: vec![] };
        let unit = |j: usize| (0..n).map(|i| if i == j { W::ONE } else { W::ZERO }).collect::<Vec<_>>();
        let columns: Vec<_> =
            (0..n).into_par_iter().with_min_len(ROWS_PER_TASK).map(|j| made.solved(&unit(j))).collect();
        made.inverse =
            (0..n).flat_map(|i| columns.iter().map(move |column| converted::<W, S>(column[i].abs()))).collect();
        let amplified = |g: &[S]| Ok(made.amplified(g));
        (made.condition_of_any, made.v) =
            condition_of_any(vec![S::ONE; n], W::UNIT_ROUNDOFF, |v| times(&sizes, v), amplified)?;
        Ok(made)
    }

    /// Whether the arithmetic tells the matrix from a singular one.
    fn is_clear(&self) -> bool {
        !exceeds(self.condition_of_any * W::UNIT_ROUNDOFF, VAGUE_CONDITION)
    }

    /// |A^-1| g.
    fn amplified(&self, g: &[S]) -> Vec<S> {
        times(&self.inverse, g)
    }

    /// A^-1 rhs.
    fn solved(&self, rhs: &[W]) -> Vec<W> {
        let n = self.n;
        let mut y: Vec<W> = self.order.iter().map(|&row| rhs[row]).collect();
        let less = |from: W, row: &[W], known: &[W]| row.iter().zip(known).fold(from, |left, (&a, &y)| left - a * y);
        for i in 0..n {
            y[i] = less(y[i], &self.triangles[i * n..i * n + i], &y[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.triangles[i * n..(i + 1) * n];
            y[i] = less(y[i], &row[i + 1..], &y[i + 1..]) / row[i];
        }
        y
    }
}

/// A matrix that is not negative, row by row, times a vector.
fn times<S: Wide>(matrix: &[S], v: &[S]) -> Vec<S> {
    let row = |row: &[S]| row.iter().zip(v).fold(S::ZERO, |sum, (a, v)| sum + *a * *v);
    matrix.chunks(v.len().max(1)).map(row).collect()
}

/// The unknowns, with their estimated forward error and the matrix's condition.
#[derive(Debug)]
pub(crate) struct Found {
    pub x: Vec<f64>,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated.
    pub error: f64,
    /// Skeel's cond(A, x).
    pub condition: f64,
    /// || |A| |x| || / ||b|| of rows of one size: rounding x leaves a relative residual of up to this many units of roundoff.
    pub cancellation: f64,
}

impl Dense {
    /// Eliminates in f64: 0.3 s for 512 rows.
    pub fn new<T: Real>(matrix: &Csr<T>) -> Self {
        let entries = Entries::new(matrix);
        let narrow = entries.is_in_range().then(|| Elimination::new(&entries));
        Self { entries, narrow, wide: OnceLock::new(), extended: OnceLock::new() }
    }

    /// Solves, and refines with residuals in double-double arithmetic. If f64 leaves the condition vague, eliminates in double-double
    /// arithmetic, once per matrix: 10 to 30 times as long. If f64 has not the range, each number has an exponent of its own: 3 to 5 times as
    /// long again.
    ///
    /// # Errors
    /// [`Error::Singular`]; [`Error::NearlySingular`] for a matrix that double-double arithmetic does not tell from a singular one.
    pub fn solve<T: Real>(&self, rhs: &[f64]) -> Result<Found> {
        let entries = &self.entries;
        match &self.narrow {
            Some(Ok(narrow)) if narrow.is_clear() => Ok(refined::<f64, f64, DoubleDouble>(entries, narrow, rhs)),
            Some(_) => {
                let wide = self.wide.get_or_init(|| Elimination::new(entries));
                refined_clear::<T, _, _>(entries, wide.as_ref().map_err(Clone::clone)?, rhs)
            }
            None => {
                let extended = self.extended.get_or_init(|| {
                    let first = OfAnyRange::new(entries)?;
                    let rescaled = entries.rescaled(&first.v);
                    let second = Elimination::new(&rescaled)?;
                    Ok((rescaled, second))
                });
                let (entries, extended) = extended.as_ref().map_err(Clone::clone)?;
                refined_clear::<T, _, _>(entries, extended, rhs)
            }
        }
    }
}

/// Of a matrix that the arithmetic tells from a singular one.
fn refined_clear<T: Real, W: Wide, S: Wide>(entries: &Entries, made: &Elimination<W, S>, rhs: &[f64]) -> Result<Found> {
    match made.is_clear() {
        true => Ok(refined::<W, S, W>(entries, made, rhs)),
        false => Err(Error::NearlySingular { system: 0, condition: made.condition_of_any, precision: T::PRECISION }),
    }
}

/// With residuals in arithmetic of R.
fn refined<W: Wide, S: Wide, R: Wide>(entries: &Entries, elimination: &Elimination<W, S>, rhs: &[f64]) -> Found {
    let n = entries.n();
    let rows = || rhs.iter().zip(&entries.row_powers).map(|(b, row)| (*b, i64::from(*row)));
    let power = -rows().filter_map(|(b, row)| b.exponent().map(|own| own + row)).max().unwrap_or(0);
    let b: Vec<_> = rows().map(|(b, row)| R::from(b).times_power(row + power)).collect();
    // b - A y and |A| |y|.
    let left = |y: &[R]| -> (Vec<R>, Vec<R>) {
        let row = |i: usize| {
            entries.row::<R>(i).fold((b[i], R::ZERO), |(left, size), (column, entry)| {
                let product = entry * y[column];
                (left - product, size + product.abs())
            })
        };
        (0..n).map(row).unzip()
    };
    let norm = |y: &[R]| largest(entries.weighted(y));
    let mut y = vec![R::ZERO; n];
    let (mut best, mut last, mut stale) = (y.clone(), f64::INFINITY, 0);
    for _ in 0..MOST_STEPS {
        let residual: Vec<_> = left(&y).0.into_iter().map(converted::<R, W>).collect();
        let step: Vec<_> = elimination.solved(&residual).into_iter().map(converted::<W, R>).collect();
        y = y.iter().zip(&step).map(|(y, step)| *y + *step).collect();
        let size = relative(norm(&step), norm(&y));
        // A wrong beginning needs a step that is larger than the one before.
        match size <= 0.5 * last {
            true => (best, last, stale) = (y.clone(), size, 0),
            false => stale += 1,
        }
        if last <= UNIT || stale > MOST_STALE {
            break;
        }
    }
    let y = best;
    let (_, sizes) = left(&y);
    let narrow: Vec<_> = sizes.iter().map(|size| converted::<R, S>(*size)).collect();
    let amplified = largest(entries.weighted(&elimination.amplified(&narrow)));
    let condition = relative(amplified, converted::<R, S>(norm(&y)));
    let cancellation = relative(largest(sizes), largest(b.iter().copied()));
    let x = entries.weighted(&y).map(|x| x.times_power(-power).to_f64()).collect();
    // A row's residual rounds once per entry and once for its right-hand side.
    let roundings = entries.rows.iter().map(|row| row.len() + 1).max().unwrap_or(0) as f64;
    let error = last + UNIT + roundings * R::UNIT_ROUNDOFF * condition;
    Found { x, error, condition, cancellation }
}
