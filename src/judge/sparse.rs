//! A sparse matrix, eliminated on the CPU.

use std::sync::OnceLock;

use super::answer::{converted, exceeds, larger, largest, relative};
use super::balance::balancing;
use super::dense_factors::DenseFactors;
use super::extended_range::ExtendedRange;
use super::scaled::{condition_of_any, is_in_range, probed};
use super::sparse_factors::SparseFactors;
use super::thresholds::{MOST_FORWARD_ERROR, VAGUE_CONDITION};
use crate::arithmetic::exponent;
use crate::cpu::estimated_norm;
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::real::DoubleDouble;
use crate::real::{Real, Wide};

/// The unit of roundoff of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// Steps of refinement at most, and steps that gain nothing.
const MOST_STEPS: usize = 40;
const MOST_STALE: usize = 2;

/// The last step of refinement, at most, in units of what roundings of the residual come to.
const MOST_STAGNANT: f64 = 64.0;

/// Up to this number of rows a matrix is eliminated as a dense one: 3 n^3 operations, 0.3 s and 4 MB at the most.
const DENSE_ROWS: usize = 512;

/// A matrix with rows and columns scaled by powers of two to largest entries of about 1.
#[derive(Debug)]
pub(crate) struct Eliminated {
    entries: Entries,
    /// Elimination in f64, unless the range of f64 is too small.
    narrow: Option<Result<Elimination<f64, f64>>>,
    /// Elimination in f64 with balanced entries, tried where `narrow` is not enough. `None` if it fails or the range is too small.
    balanced: OnceLock<Option<(Entries, Elimination<f64, f64>)>>,
    /// Elimination in double-double arithmetic with the better scaling, tried where both are not enough.
    wide: OnceLock<Result<Elimination<DoubleDouble, f64>>>,
    /// Elimination if the range of f64 is too small.
    extended: OnceLock<Result<(Entries, OfAnyRange)>>,
}

type OfAnyRange = Elimination<ExtendedRange<DoubleDouble>, ExtendedRange<f64>>;

/// The entries as given, row by row, with the powers of two of their rows and columns.
#[derive(Debug)]
pub(super) struct Entries {
    matrix: Csr<f64>,
    row_powers: Vec<i32>,
    column_powers: Vec<i32>,
}

impl Entries {
    pub(super) fn new<T: Real>(matrix: &Csr<T>) -> Self {
        let matrix = matrix.widened();
        let n = matrix.rows();
        let size = |entries: &mut dyn Iterator<Item = Option<i32>>| -entries.flatten().max().unwrap_or(0);
        let row_powers: Vec<_> =
            (0..n).map(|row| size(&mut matrix.row(row).map(|(_, value)| exponent(value)))).collect();
        let mut column_sizes = vec![None; n];
        for (row, power) in row_powers.iter().enumerate() {
            for (column, value) in matrix.row(row) {
                column_sizes[column] = column_sizes[column].max(exponent(value).map(|size| size + power));
            }
        }
        let column_powers: Vec<_> = column_sizes.into_iter().map(|size| -size.unwrap_or(0)).collect();
        Self { matrix, row_powers, column_powers }
    }

    /// Scaled by [`balancing`], for matrices whose entries change their size from row to row.
    fn balanced(&self) -> Self {
        let matrix = self.matrix.clone();
        let [row_powers, column_powers] = balancing(&matrix);
        Self { matrix, row_powers, column_powers }
    }

    pub(super) fn n(&self) -> usize {
        self.matrix.rows()
    }

    /// The entries of a row, scaled.
    pub(super) fn row<W: Wide>(&self, i: usize) -> impl Iterator<Item = (usize, W)> {
        self.matrix.row(i).map(move |(column, value)| {
            let power = i64::from(self.row_powers[i]) + i64::from(self.column_powers[column]);
            (column, W::from(value).times_power(power))
        })
    }

    /// |A| v.
    fn sizes<W: Wide>(&self, v: &[W]) -> Vec<W> {
        let row = |i| self.row::<W>(i).fold(W::ZERO, |sum, (column, entry)| sum + entry.abs() * v[column]);
        (0..self.n()).map(row).collect()
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
        let sizes = self.sizes(v);
        let row_powers = self.row_powers.iter().zip(&sizes).map(|(own, size)| own - power(size.exponent())).collect();
        let column_powers = self.column_powers.iter().zip(v).map(|(own, v)| own + power(v.exponent())).collect();
        Self { matrix: self.matrix.clone(), row_powers, column_powers }
    }

    /// Unknowns in the caller's units, from unknowns in the columns' units.
    fn weighted<W: Wide>(&self, y: &[W]) -> impl Iterator<Item = W> {
        y.iter().zip(&self.column_powers).map(|(y, power)| y.times_power((*power).into()))
    }
}

/// A factored matrix.
#[derive(Debug)]
struct Elimination<W, S> {
    factors: Factors<W, S>,
    /// The least condition by any scaling, and the scaling vector.
    condition_of_any: f64,
    v: Vec<S>,
    /// How far roundings grew: the largest of |L| |U| v / (|A| v), times the most subtractions from a row. Roundings of equal terms have one
    /// sign.
    growth: f64,
}

#[derive(Debug)]
enum Factors<W, S> {
    Dense(DenseFactors<W, S>),
    Sparse(SparseFactors<W>),
}

impl<W: Wide, S: Wide> Elimination<W, S> {
    /// # Errors
    /// [`Error::Singular`]; [`Error::Unsupported`] for a matrix that fills up.
    fn new(entries: &Entries) -> Result<Self> {
        let factors = match entries.n() <= DENSE_ROWS {
            true => Factors::Dense(DenseFactors::new(entries)?),
            false => Factors::Sparse(SparseFactors::new(entries)?),
        };
        let mut made = Self { factors, condition_of_any: 0.0, v: vec![], growth: 0.0 };
        let amplified = |g: &[S]| made.amplified(g);
        (made.condition_of_any, made.v) =
            condition_of_any(vec![S::ONE; entries.n()], W::UNIT_ROUNDOFF, |v| entries.sizes(v), amplified)?;
        let (grown, subtractions) = match &made.factors {
            Factors::Dense(factors) => (factors.grown(&made.v), entries.n()),
            Factors::Sparse(factors) => (factors.grown(&made.v), factors.subtractions()),
        };
        let sizes = entries.sizes(&made.v);
        let growth = grown.iter().zip(&sizes).map(|(grown, size)| relative(*grown, *size)).fold(1.0, larger);
        made.growth = growth * subtractions.max(1) as f64;
        Ok(made)
    }

    /// The condition by any scaling, times the growth of roundings.
    fn amplification(&self) -> f64 {
        self.condition_of_any * self.growth
    }

    /// Whether the arithmetic distinguishes the matrix from a singular one.
    fn is_clear(&self) -> bool {
        !exceeds(self.amplification() * W::UNIT_ROUNDOFF, VAGUE_CONDITION)
    }

    /// A^-1 rhs.
    fn solved(&self, rhs: &[W]) -> Vec<W> {
        match &self.factors {
            Factors::Dense(factors) => factors.solved(rhs),
            Factors::Sparse(factors) => factors.solved(rhs),
        }
    }

    /// |A^-1| g; of sparse factors about that.
    fn amplified(&self, g: &[S]) -> Result<Vec<S>> {
        match &self.factors {
            Factors::Dense(factors) => Ok(factors.amplified(g)),
            Factors::Sparse(factors) => probed(g, |g| {
                let wide: Vec<W> = g.iter().map(|g| converted::<S, W>(*g)).collect();
                Ok(factors.solved(&wide).into_iter().map(converted::<W, S>).collect())
            }),
        }
    }

    /// || |A^-1| g || / size in the caller's units; of sparse factors estimated by solves.
    fn amplified_norm(&self, entries: &Entries, g: &[S], size: S) -> Result<f64> {
        let factors = match &self.factors {
            Factors::Dense(factors) => {
                return Ok(relative(largest(entries.weighted(&factors.amplified(g))), size));
            }
            Factors::Sparse(factors) => factors,
        };
        let (g, size): (Vec<W>, W) = (g.iter().map(|g| converted::<S, W>(*g)).collect(), converted::<S, W>(size));
        if size == W::ZERO {
            return Ok(0.0);
        }
        let transposed = |x: &[f64]| {
            let x: Vec<_> = x.iter().map(|x| W::from(*x) / size).collect();
            let found = factors.solved_transposed(&entries.weighted(&x).collect::<Vec<_>>());
            Ok(found.iter().zip(&g).map(|(y, g)| (*y * *g).to_f64()).collect())
        };
        let plain = |x: &[f64]| {
            let right: Vec<_> = x.iter().zip(&g).map(|(x, g)| W::from(*x) * *g).collect();
            Ok(entries.weighted(&factors.solved(&right)).map(|x| (x / size).to_f64()).collect())
        };
        estimated_norm(entries.n(), transposed, plain)
    }
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

impl Eliminated {
    /// Eliminates in f64: at most 0.3 s as a dense matrix, for 512 rows.
    pub fn new<T: Real>(matrix: &Csr<T>) -> Self {
        let entries = Entries::new(matrix);
        let narrow = entries.is_in_range().then(|| Elimination::new(&entries));
        Self { entries, narrow, balanced: OnceLock::new(), wide: OnceLock::new(), extended: OnceLock::new() }
    }

    /// Solves, and refines with residuals in double-double arithmetic. If f64 is not enough, eliminates again, once per matrix: with
    /// balanced entries; if this fails too, in double-double arithmetic, which takes 10 to 30 times as long. If the range of f64 is not
    /// enough, each number has an exponent of its own: 3 to 5 times as long again.
    ///
    /// # Errors
    /// [`Error::Singular`]; [`Error::NearlySingular`] for a matrix that double-double arithmetic does not tell from a singular one;
    /// [`Error::Unsupported`] for one of more than 512 rows that fills up.
    pub fn solve<T: Real>(&self, rhs: &[f64]) -> Result<Found> {
        let entries = &self.entries;
        match &self.narrow {
            Some(Ok(narrow)) if narrow.is_clear() => match refined::<f64, f64, DoubleDouble>(entries, narrow, rhs) {
                Err(Error::Breakdown { .. }) => self.by_any_range::<T>(rhs),
                // Not refined: entries grew in elimination.
                Ok(found) if exceeds(found.error, MOST_FORWARD_ERROR) => self.by_balanced::<T>(rhs),
                found => found,
            },
            Some(Err(error @ Error::Unsupported { .. })) => Err(error.clone()),
            Some(_) => self.by_balanced::<T>(rhs),
            None => self.by_any_range::<T>(rhs),
        }
    }

    fn by_any_range<T: Real>(&self, rhs: &[f64]) -> Result<Found> {
        let extended = self.extended.get_or_init(|| {
            let first = OfAnyRange::new(&self.entries)?;
            let rescaled = self.entries.rescaled(&first.v);
            let second = Elimination::new(&rescaled)?;
            Ok((rescaled, second))
        });
        let (entries, extended) = extended.as_ref().map_err(Clone::clone)?;
        refined_clear::<T, _, _>(entries, extended, rhs)
    }

    fn by_balanced<T: Real>(&self, rhs: &[f64]) -> Result<Found> {
        let balanced = self.balanced.get_or_init(|| {
            let entries = self.entries.balanced();
            let made = entries.is_in_range().then(|| Elimination::new(&entries))?.ok()?;
            Some((entries, made))
        });
        let Some((entries, made)) = balanced else { return self.by_wide::<T>(&self.entries, rhs) };
        if made.is_clear()
            && let Ok(found) = refined::<f64, f64, DoubleDouble>(entries, made, rhs)
            && !exceeds(found.error, MOST_FORWARD_ERROR)
        {
            return Ok(found);
        }
        let better = match &self.narrow {
            Some(Ok(narrow)) if !exceeds(narrow.amplification(), made.amplification()) => &self.entries,
            _ => entries,
        };
        self.by_wide::<T>(better, rhs)
    }

    /// `entries` are the same in each call: `wide` keeps their elimination.
    fn by_wide<T: Real>(&self, entries: &Entries, rhs: &[f64]) -> Result<Found> {
        let wide = self.wide.get_or_init(|| Elimination::new(entries));
        match refined_clear::<T, _, _>(entries, wide.as_ref().map_err(Clone::clone)?, rhs) {
            Err(Error::Breakdown { .. }) => self.by_any_range::<T>(rhs),
            found => found,
        }
    }
}

/// Of a matrix that the arithmetic tells from a singular one.
fn refined_clear<T: Real, W: Wide, S: Wide>(entries: &Entries, made: &Elimination<W, S>, rhs: &[f64]) -> Result<Found> {
    match made.is_clear() {
        true => refined::<W, S, W>(entries, made, rhs),
        false => Err(Error::NearlySingular { system: 0, condition: made.amplification(), precision: T::PRECISION }),
    }
}

/// With residuals in arithmetic of R.
///
/// # Errors
/// [`Error::Breakdown`] if numbers fall below the range of R on the way, and may come back.
fn refined<W: Wide, S: Wide, R: Wide>(
    entries: &Entries,
    elimination: &Elimination<W, S>,
    rhs: &[f64],
) -> Result<Found> {
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
    let amplified = |g: &[R], y: &[R]| {
        let g: Vec<_> = g.iter().map(|g| converted::<R, S>(g.abs())).collect();
        elimination.amplified_norm(entries, &g, converted::<R, S>(norm(y)))
    };
    let mut y = vec![R::ZERO; n];
    let (mut best, mut last, mut stale) = (y.clone(), f64::INFINITY, 0);
    // || |A^-1| |b - A y| || / ||y||: a step that cancels may be short, though y is far off.
    let mut off = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let residual = left(&y).0;
        if last <= UNIT {
            off = amplified(&residual, &y)?;
            if off <= UNIT {
                break;
            }
            last = f64::INFINITY;
        }
        let residual: Vec<_> = residual.into_iter().map(converted::<R, W>).collect();
        let step: Vec<_> = elimination.solved(&residual).into_iter().map(converted::<W, R>).collect();
        y = y.iter().zip(&step).map(|(y, step)| *y + *step).collect();
        let size = relative(norm(&step), norm(&y));
        // A wrong beginning needs a step that is larger than the one before.
        match size <= 0.5 * last {
            true => (best, last, stale) = (y.clone(), size, 0),
            false => stale += 1,
        }
        if stale > MOST_STALE {
            break;
        }
    }
    let y = best;
    let (residual, sizes) = left(&y);
    if exceeds(off, UNIT) {
        off = amplified(&residual, &y)?;
    }
    if norm(&y) != R::ZERO && exceeds(amplified(&vec![R::TINY; n], &y)?, UNIT) {
        return Err(Error::Breakdown { system: 0, row: 0 });
    }
    let condition = amplified(&sizes, &y)?;
    let cancellation = relative(largest(sizes), largest(b.iter().copied()));
    let x = entries.weighted(&y).map(|x| x.times_power(-power).to_f64()).collect();
    // A row's residual rounds once per entry and once for its right-hand side.
    let roundings = (0..n).map(|i| entries.matrix.row(i).count() + 1).max().unwrap_or(0) as f64;
    let error = last + off + UNIT + roundings * R::UNIT_ROUNDOFF * condition;
    // Refinement ends where residuals have no digits left. Steps that stop getting shorter before are far from the solution.
    let reached = MOST_STAGNANT * (UNIT + roundings * R::UNIT_ROUNDOFF * condition.max(elimination.condition_of_any));
    let error = if exceeds(last, reached) { f64::INFINITY } else { error };
    Ok(Found { x, error, condition, cancellation })
}
