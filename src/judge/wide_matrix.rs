//! Solves a tridiagonal or periodic matrix in wide arithmetic and measures its condition: for matrices that f64 cannot tell from singular
//! ones, and for entries that differ by more than the range of f64.

use super::answer::{exceeds, larger, largest, relative};
use super::scaled::{condition_of_any, probed};
use super::thresholds::{NORM_ESTIMATE_BELOW, RESIDUAL_ROUNDINGS, VAGUE_CONDITION};
use crate::cpu::{self, Equilibrated};
use crate::error::{Error, Result};
use crate::real::Wide;

/// The most refinement steps from one start.
const MOST_STEPS: usize = 8;

/// The largest error of x of a good attempt.
const GOOD_ERROR: f64 = 1e-12;

/// Refinement ends after a step this small relative to the unknowns: x is returned in f64.
const SMALL_STEP: f64 = 1e-24;

/// A matrix whose rows and columns are scaled by powers of two. No scaled entry leaves the range of W.
pub(super) struct WideMatrix<W> {
    /// Lower, main and upper diagonal.
    diagonals: [Vec<W>; 3],
    /// Exponents of the powers of two that multiply the caller's rows and columns.
    rows: Vec<i64>,
    columns: Vec<i64>,
}

/// The solution for one right-hand side.
pub(super) struct WideAnswer {
    /// In the caller's units; infinite or 0 past the range of f64.
    pub x: Vec<f64>,
    /// The row of the largest unknown.
    pub largest_row: usize,
    /// ||x^ - x|| / ||x||, estimated.
    pub error: f64,
    /// Skeel's cond(A, x).
    pub condition: f64,
    /// The spectral radius of |A^-1| |A|, or a bound of it, if the bound shows that W resolves the matrix: see [`condition_of_any`].
    pub condition_of_any: f64,
    /// || |A| |x| || / ||b||, with each row divided by its largest entry. Rounding x causes a relative residual of up to this many units of
    /// roundoff.
    pub cancellation: f64,
}

/// The residual b - A y, and |A| |y| + |b|, per row.
#[derive(Clone)]
struct Left<W> {
    of: Vec<W>,
    sizes: Vec<W>,
}

impl<W: Wide> Left<W> {
    /// Whether each row's residual is no larger than rounding errors make it.
    fn is_rounding(&self) -> bool {
        !exceeds(self.backward_error(), RESIDUAL_ROUNDINGS * W::UNIT_ROUNDOFF)
    }

    /// The largest |b - A y| / (|A| |y| + |b|).
    fn backward_error(&self) -> f64 {
        largest(self.of.iter().zip(&self.sizes).map(|(left, size)| relative(*left, *size)))
    }
}

impl<W: Wide> WideMatrix<W> {
    /// Scales the caller's diagonals by the powers of two that equilibrate the same matrix in f64.
    pub fn new(diagonals: [Vec<W>; 3], powers: &Equilibrated) -> Self {
        let n = powers.rows.len();
        let [rows, columns] = [&powers.rows, &powers.columns].map(|of| of.iter().map(|&power| power.into()).collect());
        Self { diagonals, rows: vec![0; n], columns: vec![0; n] }.rescaled(rows, columns)
    }

    /// Multiplies rows and columns by further powers of two.
    fn rescaled(&self, rows: Vec<i64>, columns: Vec<i64>) -> Self {
        let n = self.n();
        let scaled = |entries: &Vec<W>, from: usize| -> Vec<W> {
            (0..n).map(|i| entries[i].times_power(rows[i] + columns[(i + from) % n])).collect()
        };
        let [lower, diag, upper] = &self.diagonals;
        let diagonals = [scaled(lower, n - 1), scaled(diag, 0), scaled(upper, 1)];
        let sum = |one: &[i64], other: &[i64]| one.iter().zip(other).map(|(one, other)| one + other).collect();
        Self { diagonals, rows: sum(&self.rows, &rows), columns: sum(&self.columns, &columns) }
    }

    /// Divides each row by its entry of `sizes`, |A| |y|, then each column by its largest entry. Elimination with row exchanges is then
    /// stable in every row (Skeel, "Scaling for numerical stability in Gaussian elimination", 1979).
    fn scaled_by(&self, sizes: &[W]) -> Self {
        let rows: Vec<i64> = sizes.iter().map(|size| -size.exponent().unwrap_or(0)).collect();
        let mut most = vec![None::<i64>; self.n()];
        for (i, row) in rows.iter().enumerate() {
            for (entry, j) in self.row(i) {
                most[j] = most[j].max(entry.exponent().map(|size| size + row));
            }
        }
        self.rescaled(rows, most.into_iter().map(|most| -most.unwrap_or(0)).collect())
    }

    /// Undoes the scaling of columns, then divides each row by its largest entry.
    fn scaled_by_rows(&self) -> Self {
        let columns: Vec<_> = self.columns.iter().map(|power| -power).collect();
        let row = |i: usize| {
            let size = |(entry, j): (W, usize)| entry.exponent().map(|size| size + columns[j]);
            -self.row(i).into_iter().filter_map(size).max().unwrap_or(0)
        };
        self.rescaled((0..self.n()).map(row).collect(), columns)
    }

    fn n(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, i: usize) -> [(W, usize); 3] {
        let ([lower, diag, upper], n) = (&self.diagonals, self.n());
        [(diag[i], i), (lower[i], (i + n - 1) % n), (upper[i], (i + 1) % n)]
    }

    /// Unknowns in the caller's units.
    fn weighted<'b>(&'b self, y: &'b [W]) -> impl Iterator<Item = W> + 'b {
        y.iter().zip(&self.columns).map(|(y, column)| y.times_power(*column))
    }

    /// Scales a right-hand side as the rows, and then by one power of two that makes its largest entry about 1. Also returns that power.
    fn right(&self, rhs: &[f64]) -> (Vec<W>, i64) {
        let rows = || rhs.iter().zip(&self.rows).map(|(b, row)| (*b, *row));
        let power = -rows().filter_map(|(b, row)| b.exponent().map(|own| own + row)).max().unwrap_or(0);
        (rows().map(|(b, row)| W::from(b).times_power(row + power)).collect(), power)
    }

    /// |A| |y|.
    fn sizes(&self, y: &[W]) -> Vec<W> {
        (0..self.n()).map(|i| self.row(i).iter().fold(W::ZERO, |sum, &(a, j)| sum + (a * y[j]).abs())).collect()
    }

    /// A positive vector: |y| relative to its largest entry. An unknown that cancels to 0 counts as large as its neighbours. One that
    /// underflows becomes the smallest number of W: a larger one would dominate rows whose other unknowns underflow too.
    fn vector_like(&self, y: &[W]) -> Vec<W> {
        let (n, most) = (self.n(), largest(y.iter().copied()));
        if most == W::ZERO {
            return vec![W::ONE; n];
        }
        let size = |i: usize| {
            let own = y[i].abs();
            let size = if own == W::ZERO { larger(y[(i + n - 1) % n].abs(), y[(i + 1) % n]) } else { own } / most;
            if size < W::TINY { W::TINY } else { size }
        };
        (0..n).map(size).collect()
    }

    fn left(&self, b: &[W], y: &[W]) -> Left<W> {
        let row = |i: usize| {
            self.row(i).iter().fold((b[i], b[i].abs()), |(left, size), &(a, j)| {
                let product = a * y[j];
                (left - product, size + product.abs())
            })
        };
        let (of, sizes) = (0..self.n()).map(row).unzip();
        Left { of, sizes }
    }

    fn solve(&self, b: &[W]) -> Result<Vec<W>> {
        let [lower, diag, upper] = &self.diagonals;
        cpu::ring_gtsv(lower, diag, upper, b)
    }

    /// Solves with this matrix by eliminating `other`, the same matrix in another scaling.
    fn solve_by(&self, other: &Self, b: &[W]) -> Result<Vec<W>> {
        let own = |powers: &[i64], own: &[i64], i: usize| powers[i] - own[i];
        let b: Vec<_> = b.iter().enumerate().map(|(i, b)| b.times_power(own(&other.rows, &self.rows, i))).collect();
        let y = other.solve(&b)?;
        Ok(y.iter().enumerate().map(|(j, y)| y.times_power(own(&other.columns, &self.columns, j))).collect())
    }

    /// Refines y until its residual is that of rounding errors or a step is at most [`SMALL_STEP`], else for [`MOST_STEPS`] steps. A step
    /// may be larger than the one before, if y began far off; so the y before the smallest step is returned, with its residual.
    fn refined(&self, b: &[W], mut y: Vec<W>) -> Result<(Vec<W>, Left<W>)> {
        let mut best: Option<(f64, Vec<W>, Left<W>)> = None;
        for _ in 0..MOST_STEPS {
            let left = self.left(b, &y);
            if left.is_rounding() {
                return Ok((y, left));
            }
            // Elimination of this matrix succeeded before. If it fails now, the scaling by the unknowns left the range.
            let step = self.solve_by(&self.scaled_by(&left.sizes), &left.of);
            let step = step.map_err(|_| Error::Breakdown { system: 0, row: 0 })?;
            let next: Vec<_> = y.iter().zip(&step).map(|(y, step)| *y + *step).collect();
            let size = relative(largest(self.weighted(&step)), largest(self.weighted(&next)));
            if best.as_ref().is_none_or(|(least, ..)| exceeds(*least, size)) {
                best = Some((size, y, left));
            }
            y = next;
            if size <= SMALL_STEP {
                break;
            }
        }
        let last = self.left(b, &y);
        Ok(match best {
            Some((size, y, left)) if exceeds(size, SMALL_STEP) => (y, left),
            _ => (y, last),
        })
    }

    /// Solves by elimination and refinement. If that is not good and `is_thorough`, tries another scaling, then another order of rows.
    ///
    /// # Errors
    /// [`Error::Singular`], [`Error::Breakdown`].
    pub fn solved(&self, rhs: &[f64], is_thorough: bool) -> Result<WideAnswer> {
        let first = self.attempt(rhs);
        let is_good = |found: &Result<WideAnswer>| match found {
            Ok(answer) => answer.error <= GOOD_ERROR && answer.condition_of_any * W::UNIT_ROUNDOFF <= VAGUE_CONDITION,
            Err(_) => false,
        };
        if is_good(&first) || first.is_ok() && !is_thorough {
            return first;
        }
        // The digits that elimination loses depend on the scaling of columns and on the order of rows.
        let by_rows = || self.scaled_by_rows().attempt(rhs);
        let turned = || {
            let turned: Vec<_> = self.order().map(|i| rhs[i]).collect();
            let mut answer = self.turned().attempt(&turned)?;
            let mut x = vec![0.0; self.n()];
            self.order().zip(&answer.x).for_each(|(i, value)| x[i] = *value);
            answer.x = x;
            answer.largest_row = self.order().nth(answer.largest_row).unwrap_or_default();
            Ok(answer)
        };
        let others: [&dyn Fn() -> Result<WideAnswer>; 2] = [&by_rows, &turned];
        others.iter().map(|attempt| attempt()).find(is_good).unwrap_or(first)
    }

    /// Another order of rows: from the last to the first; in a periodic system, from the middle one on.
    fn order(&self) -> impl Iterator<Item = usize> {
        let n = self.n();
        let is_open = self.is_open();
        (0..n).map(move |i| if is_open { n - 1 - i } else { (i + n / 2) % n })
    }

    fn is_open(&self) -> bool {
        let [lower, _, upper] = &self.diagonals;
        lower[0] == W::ZERO && upper[self.n() - 1] == W::ZERO
    }

    /// The same rows in that order.
    fn turned(&self) -> Self {
        let [lower, diag, upper] = &self.diagonals;
        let [lower, upper] = if self.is_open() { [upper, lower] } else { [lower, upper] };
        let diagonals = [lower, diag, upper].map(|values| self.order().map(|i| values[i]).collect());
        let [rows, columns] = [&self.rows, &self.columns].map(|powers| self.order().map(|i| powers[i]).collect());
        Self { diagonals, rows, columns }
    }

    /// # Errors
    /// [`Error::Singular`]; [`Error::Breakdown`] also if numbers fall below the range of W on the way, and may come back.
    fn attempt(&self, rhs: &[f64]) -> Result<WideAnswer> {
        let (b, power) = self.right(rhs);
        let (y, left) = self.refined(&b, self.solve(&b)?)?;
        let v = self.vector_like(&y);
        // The norm of A^-1 |A| v relative to v.
        let amplified = |g: &[W]| {
            let scaled = self.scaled_by(g);
            probed(g, |g| self.solve_by(&scaled, g))
        };
        let (condition_of_any, v) = condition_of_any(v, W::UNIT_ROUNDOFF, |v| self.sizes(v), amplified)?;
        let best = self.scaled_by(&self.sizes(&v));
        let sizes = self.sizes(&y);
        let roundings = RESIDUAL_ROUNDINGS * W::UNIT_ROUNDOFF;
        let rest: Vec<_> =
            left.of.iter().zip(&left.sizes).map(|(left, size)| left.abs() + W::from(roundings) * *size).collect();
        let hidden = self.amplified_by(&best, &y, &vec![W::TINY; self.n()])?;
        if exceeds(hidden, <f64 as Wide>::UNIT_ROUNDOFF) {
            return Err(Error::Breakdown { system: 0, row: 0 });
        }
        let [condition, error] = [&sizes, &rest].map(|g| self.amplified_by(&best, &y, g));
        let error = NORM_ESTIMATE_BELOW * error? + <f64 as Wide>::UNIT_ROUNDOFF;
        let x = self.weighted(&y).map(|x| x.times_power(-power).to_f64()).collect();
        let cancellation = self.cancellation(&b, &sizes);
        let larger = |most: (usize, W), (row, x): (usize, W)| if x.abs() > most.1 { (row, x.abs()) } else { most };
        let (largest_row, _) = self.weighted(&y).enumerate().fold((0, W::ZERO), larger);
        Ok(WideAnswer { x, largest_row, error, condition: condition?, condition_of_any, cancellation })
    }

    /// || |A^-1| g || / ||y|| in the caller's units, estimated by solves with a rescaled matrix.
    ///
    /// # Errors
    /// Those of elimination.
    fn amplified_by(&self, best: &Self, y: &[W], g: &[W]) -> Result<f64> {
        let size = largest(self.weighted(y));
        if size == W::ZERO {
            return Ok(0.0);
        }
        let rows = best.rows.iter().zip(&self.rows);
        let g: Vec<_> = g.iter().zip(rows).map(|(g, (best, own))| g.times_power(best - own)).collect();
        best.inverse_norm(size, &g)
    }

    /// || |A^-1| g || / size in the caller's units, estimated.
    ///
    /// # Errors
    /// Those of elimination.
    fn inverse_norm(&self, size: W, g: &[W]) -> Result<f64> {
        let [lower, diag, upper] = &self.diagonals;
        let (mut below, mut above) = (upper.clone(), lower.clone());
        below.rotate_right(1);
        above.rotate_left(1);
        let transposed = |x: &[f64]| -> Result<Vec<f64>> {
            let x: Vec<_> = x.iter().map(|x| W::from(*x) / size).collect();
            let found = cpu::ring_gtsv(&below, diag, &above, &self.weighted(&x).collect::<Vec<_>>())?;
            Ok(found.iter().zip(g).map(|(y, g)| (*y * *g).to_f64()).collect())
        };
        let plain = |x: &[f64]| -> Result<Vec<f64>> {
            let right: Vec<_> = x.iter().zip(g).map(|(x, g)| W::from(*x) * *g).collect();
            let found = self.solve(&right)?;
            Ok(self.weighted(&found).map(|x| (x / size).to_f64()).collect())
        };
        cpu::estimated_norm(self.n(), transposed, plain)
    }

    fn cancellation(&self, b: &[W], sizes: &[W]) -> f64 {
        let largest_entry = |i: usize| -> W {
            let caller = self.row(i).map(|(entry, j)| entry.times_power(-self.columns[j]));
            largest(caller)
        };
        let entries: Vec<_> = (0..self.n()).map(largest_entry).collect();
        let divided = |values: &[W]| {
            largest(
                values
                    .iter()
                    .zip(&entries)
                    .map(|(value, entry)| if *value == W::ZERO { W::ZERO } else { *value / *entry }),
            )
        };
        relative(divided(sizes), divided(b))
    }

    /// Unknowns in the columns' units, from the caller's times a power of two.
    fn unknowns(&self, x: impl Iterator<Item = f64>, power: i64) -> Vec<W> {
        x.zip(&self.columns).map(|(x, column)| W::from(x).times_power(power - *column)).collect()
    }

    /// The componentwise backward error of unknowns in the caller's units (Oettli and Prager 1964).
    pub fn backward_error(&self, rhs: &[f64], x: impl Iterator<Item = f64>) -> f64 {
        let (b, power) = self.right(rhs);
        self.left(&b, &self.unknowns(x, power)).backward_error()
    }

    /// Skeel's cond(A, x) of unknowns in the caller's units.
    ///
    /// # Errors
    /// Those of elimination.
    pub fn condition_of(&self, x: impl Iterator<Item = f64>) -> Result<f64> {
        let y = self.unknowns(x, 0);
        let (sizes, best) = (self.sizes(&y), self.scaled_by(&self.sizes(&self.vector_like(&y))));
        self.amplified_by(&best, &y, &sizes).or_else(|_| {
            let turned = |values: &[W]| self.order().map(|i| values[i]).collect::<Vec<_>>();
            self.turned().amplified_by(&best.turned(), &turned(&y), &turned(&sizes))
        })
    }
}
