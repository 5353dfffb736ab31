//! A tridiagonal or periodic matrix with rows and columns of one size, solved and measured in f64.

use super::answer::{exceeds, larger, largest};
use super::extended_range::ExtendedRange;
use super::thresholds::{RESIDUAL_ROUNDINGS, VAGUE_CONDITION};
use crate::arithmetic::{RandomBits, exponent, quotient, times_power};
use crate::cpu::{self, Equilibrated, Pivots};
use crate::error::{Error, Result};
use crate::real::DoubleDouble;
use crate::real::{Real, Wide};

/// The unit of roundoff of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// Rows up to which a doubt is worth some ten solves more.
pub(super) const SMALL: usize = 4096;

/// Steps of the power method for the condition, at most; a step brings a size from one row to the next.
const MOST_POWERS: usize = 12;
const MOST_POWERS_OF_SMALL: usize = 60;

/// Right-hand sides of random numbers that probe |A^-1|.
const RANDOM_PROBES: usize = 2;

/// Steps of refinement at most. Each step but the last at least halves the correction.
const MOST_STEPS: usize = 40;

/// The least power of two of a scaled entry with which elimination stays in the range of f64: products of four such entries do.
const LEAST_POWER: i64 = -200;

/// The most powers of two between the scales of two columns with which underflow does not count: an unknown that is large as the caller
/// scales it is then not near underflow in the scale of its column.
const MOST_BETWEEN_COLUMNS: i64 = 500;

/// Whether elimination in f64 and in double-double arithmetic stays in the range of f64 where this matters.
pub(super) fn is_in_range(least_power: i64, columns: &[i32]) -> bool {
    let [most, least] = [columns.iter().max(), columns.iter().min()].map(|of| of.map_or(0, |of| i64::from(*of)));
    most - least <= MOST_BETWEEN_COLUMNS && least_power >= LEAST_POWER
}

/// An upper bound of the spectral radius of B = |A^-1| |A|. That is the least condition by any scaling of rows and columns (Bauer,
/// "Optimally scaled matrices", 1963), so no unknown hides an ill-conditioned block from it by being small.
///
/// For any v > 0, max (B v)\[i\] / v\[i\] is such a bound (Collatz, Wielandt). Iterates v from the one given until the bound is clear in
/// arithmetic of this `unit`; returns the bound and the last v. As accurate as `amplified`.
///
/// # Errors
/// Those of `amplified`, |A^-1| g.
pub(super) fn condition_of_any<W: Wide>(
    mut v: Vec<W>,
    unit: f64,
    sizes: impl Fn(&[W]) -> Vec<W>,
    amplified: impl Fn(&[W]) -> Result<Vec<W>>,
) -> Result<(f64, Vec<W>)> {
    let mut least = f64::INFINITY;
    for _ in 0..if v.len() <= SMALL { MOST_POWERS_OF_SMALL } else { MOST_POWERS } {
        let w = amplified(&sizes(&v))?;
        let ratio = largest(w.iter().zip(&v).map(|(w, v)| (*w / *v).to_f64()));
        least = f64::min(least, ratio);
        let size = largest(w.iter().copied());
        if least * unit <= VAGUE_CONDITION || !size.is_finite() {
            break;
        }
        v = w.iter().map(|w| w.abs() / size).map(|v| if v < W::TINY { W::TINY } else { v }).collect();
    }
    Ok((least, v))
}

/// About |A^-1| g, by solves for g times random numbers: signs alone may cancel in a direction that few rows make up.
pub(super) fn probed<W: Wide>(g: &[W], solved: impl Fn(&[W]) -> Result<Vec<W>>) -> Result<Vec<W>> {
    // The seed depends on the matrix: an estimate is reproducible, and no fixed vector misses the same direction of every matrix.
    let mut random_bits = RandomBits(g.len() as u64);
    random_bits.absorb(g.iter().map(|g| g.to_f64()));
    let mut most = vec![W::ZERO; g.len()];
    let mut include = |probe: &[W]| -> Result<()> {
        most.iter_mut().zip(solved(probe)?).for_each(|(most, y)| *most = larger(*most, y));
        Ok(())
    };
    include(g)?;
    for _ in 0..RANDOM_PROBES {
        include(&g.iter().map(|g| *g * W::from(random_bits.next_signed_size())).collect::<Vec<_>>())?;
    }
    Ok(most)
}

/// A matrix with entries of size 1.
pub(super) struct Scaled {
    matrix: Equilibrated,
    inverse: Inverse,
    /// The largest of the columns' powers.
    most: i32,
    is_in_range: bool,
    /// See [`condition_of_any`].
    condition_of_any: f64,
}

/// How |A^-1| is found.
enum Inverse {
    Narrow(Pivots<f64>),
    /// Where pivots leave the range of f64, as behind zeros: 5 times as long.
    AnyRange(Pivots<ExtendedRange<f64>>),
    /// By solves, of a periodic matrix.
    Estimated,
}

/// A right-hand side with its rows scaled as the matrix's, and all of it by a power of two, to a largest entry of about 1.
pub(super) struct ScaledRhs {
    values: Vec<f64>,
    power: i32,
}

/// Unknowns in the columns' units, with the forward error in the caller's.
pub(super) struct Found {
    pub y: Vec<f64>,
    pub error: f64,
}

fn in_any_range(values: &[f64]) -> Vec<ExtendedRange<f64>> {
    values.iter().map(|value| ExtendedRange::from(*value)).collect()
}

impl Inverse {
    /// Of an open matrix.
    fn of([lower, diag, upper]: [&[f64]; 3]) -> Self {
        let narrow = Pivots::new(lower, diag, upper);
        match narrow.are_in_range() {
            true => Self::Narrow(narrow),
            false => Self::AnyRange(Pivots::new(&in_any_range(lower), &in_any_range(diag), &in_any_range(upper))),
        }
    }

    /// |A^-1| g of an open matrix; infinite past the range of f64.
    fn absolute(&self, [lower, diag, upper]: [&[f64]; 3], g: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::Narrow(pivots) => Some(pivots.absolute_inverse(lower, diag, upper, g)),
            Self::AnyRange(pivots) => {
                let [lower, diag, upper, g] = [lower, diag, upper, g].map(in_any_range);
                Some(pivots.absolute_inverse(&lower, &diag, &upper, &g).into_iter().map(Wide::to_f64).collect())
            }
            Self::Estimated => None,
        }
    }
}

impl Scaled {
    pub fn new([lower, diag, upper]: &[Vec<f64>; 3], periodic: bool) -> Self {
        let matrix = Equilibrated::new(lower, diag, upper);
        let inverse = match periodic {
            true => Inverse::Estimated,
            false => Inverse::of([&matrix.lower, &matrix.diag, &matrix.upper]),
        };
        let most = matrix.columns.iter().copied().max().unwrap_or(0);
        let is_in_range = is_in_range(matrix.least_power.into(), &matrix.columns);
        let mut made = Self { matrix, inverse, most, is_in_range, condition_of_any: f64::INFINITY };
        if is_in_range {
            made.condition_of_any = made.estimate().unwrap_or(f64::INFINITY);
        }
        made
    }

    fn estimate(&self) -> Result<f64> {
        let [lower, diag, upper] = self.diagonals();
        let amplified = |g: &[f64]| match self.inverse.absolute([lower, diag, upper], g) {
            Some(found) => Ok(found),
            None => probed(g, |g| cpu::ring_gtsv(lower, diag, upper, g)),
        };
        Ok(condition_of_any(vec![1.0; diag.len()], UNIT, |v| self.sizes(v), amplified)?.0)
    }

    /// Whether f64 distinguishes the matrix from a singular one, for any unknowns.
    pub fn is_clear(&self) -> bool {
        self.is_in_range && !exceeds(self.condition_of_any * UNIT, VAGUE_CONDITION)
    }

    /// See [`is_in_range`].
    pub fn is_in_range(&self) -> bool {
        self.is_in_range
    }

    pub fn powers(&self) -> &Equilibrated {
        &self.matrix
    }

    pub fn right<T: Real>(&self, rhs: &[T]) -> ScaledRhs {
        let sizes = rhs.iter().zip(&self.matrix.rows);
        let largest = sizes.filter_map(|(d, row)| exponent(d.to_f64()).map(|size| size + row)).max();
        let power = -largest.unwrap_or(0);
        let values = rhs.iter().zip(&self.matrix.rows).map(|(d, row)| times_power(d.to_f64(), row + power)).collect();
        ScaledRhs { values, power }
    }

    /// An unknown in its column's units, from the caller's.
    pub fn unknown(&self, rhs: &ScaledRhs, i: usize, x: f64) -> f64 {
        times_power(x, rhs.power - self.matrix.columns[i])
    }

    /// An unknown in the caller's units.
    pub fn value(&self, rhs: &ScaledRhs, i: usize, y: f64) -> f64 {
        times_power(y, self.matrix.columns[i] - rhs.power)
    }

    /// The weight of an unknown in the caller's maximum norm, relative to the largest.
    pub fn weight(&self, i: usize) -> f64 {
        times_power(1.0, self.matrix.columns[i] - self.most)
    }

    fn diagonals(&self) -> [&[f64]; 3] {
        let Equilibrated { lower, diag, upper, .. } = &self.matrix;
        [lower, diag, upper]
    }

    /// || |A^-1| g || / ||y|| in the caller's maximum norm.
    fn amplified(&self, g: &[f64], y: &[f64]) -> Result<f64> {
        let [lower, diag, upper] = self.diagonals();
        let largest = match self.inverse.absolute([lower, diag, upper], g) {
            Some(found) => self.norm(&found),
            None => cpu::inverse_norm([lower, diag, upper], |i| self.weight(i), g)?,
        };
        Ok(quotient(largest, self.norm(y)))
    }

    /// The caller's maximum norm, in units of the largest column.
    fn norm(&self, y: &[f64]) -> f64 {
        // NaN stays.
        let larger = |most: f64, size: f64| if size > most || size.is_nan() { size } else { most };
        y.iter().enumerate().fold(0.0, |most, (i, y)| larger(most, y.abs() * self.weight(i)))
    }

    /// The terms of a row of A y.
    fn terms(&self, y: &[f64], i: usize) -> [(f64, f64); 3] {
        let ([lower, diag, upper], n) = (self.diagonals(), y.len());
        [(diag[i], y[i]), (lower[i], y[(i + n - 1) % n]), (upper[i], y[(i + 1) % n])]
    }

    /// Skeel's condition cond(A, x) = || |A^-1| |A| |x| || / ||x||.
    ///
    /// # Errors
    /// Those of elimination, of a periodic matrix.
    pub fn condition(&self, y: &[f64]) -> Result<f64> {
        self.amplified(&self.sizes(y), y)
    }

    /// |A| |y|.
    fn sizes(&self, y: &[f64]) -> Vec<f64> {
        (0..y.len()).map(|i| self.terms(y, i).iter().map(|(a, y)| (a * y).abs()).sum()).collect()
    }

    /// b - A y of a row, and |A| |y| + |b|.
    fn row(&self, rhs: &ScaledRhs, y: &[f64], i: usize) -> [f64; 2] {
        let b = rhs.values[i];
        let [rest, size] = [b, b.abs()];
        self.terms(y, i).iter().fold([rest, size], |[rest, size], (a, y)| [rest - a * y, size + (a * y).abs()])
    }

    /// A bound of an answer's forward error: || |A^-1| (|b - A y| + roundings and underflow of that) || / ||y|| in the caller's maximum
    /// norm (as LAPACK's gtrfs reports it).
    ///
    /// # Errors
    /// Those of elimination, of a periodic matrix.
    pub fn forward_error(&self, rhs: &ScaledRhs, y: &[f64]) -> Result<f64> {
        let left = |i: usize| {
            let [rest, size] = self.row(rhs, y, i);
            rest.abs() + RESIDUAL_ROUNDINGS * UNIT * size + f64::TINY
        };
        self.amplified(&(0..y.len()).map(left).collect::<Vec<_>>(), y)
    }

    /// The componentwise backward error max |b - A y| / (|A| |y| + |b|) (Oettli and Prager 1964): by how much of their size entries have
    /// to change so that y solves the system. Units of rows and columns do not matter to it.
    pub fn backward_error(&self, rhs: &ScaledRhs, y: &[f64]) -> f64 {
        (0..y.len()).fold(0.0, |most: f64, i| {
            let [rest, size] = self.row(rhs, y, i);
            let error = quotient(rest.abs(), size);
            if error > most || error.is_nan() { error } else { most }
        })
    }

    /// b - A y, in double-double arithmetic and rounded once.
    fn residual(&self, rhs: &ScaledRhs, y: &[f64]) -> Vec<f64> {
        let row = |i: usize| {
            let products = self.terms(y, i).map(|(a, y)| DoubleDouble::product(a, y));
            products.into_iter().fold(DoubleDouble::new(rhs.values[i]), |left, product| left - product).to_f64()
        };
        (0..y.len()).map(row).collect()
    }

    /// By elimination with exchanges; with a bound of the error.
    ///
    /// # Errors
    /// [`Error::Singular`], [`Error::Breakdown`].
    pub fn solved(&self, rhs: &ScaledRhs) -> Result<Found> {
        let [lower, diag, upper] = self.diagonals();
        let y = cpu::ring_gtsv(lower, diag, upper, &rhs.values)?;
        let error = self.forward_error(rhs, &y)?;
        Ok(Found { y, error })
    }

    /// An answer refined with residuals in double-double arithmetic until a step gains less than a bit (Demmel et al., "Error
    /// bounds from extra-precise iterative refinement", 2006: then the last step's size tells the error).
    ///
    /// # Errors
    /// [`Error::Breakdown`] if numbers leave the range.
    pub fn refined(&self, rhs: &ScaledRhs, mut y: Vec<f64>) -> Result<Found> {
        let mut last = [f64::INFINITY; 2];
        for _ in 0..MOST_STEPS {
            // Elimination of this matrix succeeded before. If it fails now, the scaling by the unknowns left the range.
            let step = self.correction(rhs, &y).map_err(|_| Error::Breakdown { system: 0, row: 0 })?;
            let sizes = [quotient(self.norm(&step), self.norm(&y)), self.backward_error(rhs, &y)];
            let gains = sizes.iter().zip(&last).any(|(size, last)| *size <= 0.5 * last);
            if !gains {
                // The answer is as far off as this step is long.
                last[0] = larger(last[0], sizes[0]);
                break;
            }
            y.iter_mut().zip(&step).for_each(|(y, step)| *y += step);
            last = sizes;
            if sizes.iter().all(|size| *size <= UNIT) {
                break;
            }
        }
        // Errors that steps do not show: the residuals round and underflow.
        let roundings = RESIDUAL_ROUNDINGS * <DoubleDouble as Wide>::UNIT_ROUNDOFF;
        let hidden: Vec<_> = self.sizes(&y).iter().map(|size| roundings * size + f64::TINY).collect();
        let hidden = self.amplified(&hidden, &y)?;
        Ok(Found { y, error: last[0] + UNIT + hidden })
    }

    /// A step of refinement: the solution for the residual.
    ///
    /// Divides each row by |A| |y| + |b|, and scales each column by the largest power of two that keeps scaled entries near 1.
    /// With this scaling, elimination with exchanges is stable row by row (Skeel, "Scaling for numerical stability in Gaussian
    /// elimination", 1979), whatever the units.
    fn correction(&self, rhs: &ScaledRhs, y: &[f64]) -> Result<Vec<f64>> {
        let ([lower, diag, upper], n) = (self.diagonals(), y.len());
        let size_of = |value: f64| exponent(value).unwrap_or(i32::MIN / 4);
        let rows: Vec<i32> = (0..n).map(|i| exponent(self.row(rhs, y, i)[1]).unwrap_or(0)).collect();
        let mut columns = vec![i32::MAX / 4; n];
        for i in 0..n {
            for (entry, j) in [(lower[i], (i + n - 1) % n), (diag[i], i), (upper[i], (i + 1) % n)] {
                columns[j] = columns[j].min(rows[i] - size_of(entry));
            }
        }
        let scaled = |entries: &[f64], from: usize| -> Vec<f64> {
            let entry = |i: usize| times_power(entries[i], columns[(i + from) % n] - rows[i]);
            (0..n).map(entry).collect()
        };
        let (lower, diag, upper) = (scaled(lower, n - 1), scaled(diag, 0), scaled(upper, 1));
        let residual = self.residual(rhs, y);
        let residual: Vec<_> = residual.iter().zip(&rows).map(|(r, row)| times_power(*r, -row)).collect();
        let step = cpu::ring_gtsv(&lower, &diag, &upper, &residual)?;
        Ok(step.iter().zip(&columns).map(|(step, column)| times_power(*step, *column)).collect())
    }
}
