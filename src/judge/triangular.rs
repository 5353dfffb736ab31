//! Judge of triangular systems: bounds an answer's forward error, and computes a better answer if needed.
//!
//! With the comparison matrix M (|diag| on the diagonal, -|t| beside it), |T^-1| <= M^-1: one substitution with M bounds the error of x
//! by the residual of each row (Higham, "Accuracy and Stability of Numerical Algorithms", chapter 8). Where M^-1 is far above
//! |T^-1|, an estimate of the latter takes its place.

use rayon::prelude::*;

use super::DoubleDouble;
use super::answer::{Answer, exceeds, is_normal, larger, largest, narrowed};
use super::thresholds::{AS_GOOD, GOOD_BOUND_OF_SUMS, MOST_FORWARD_ERROR, NORM_ESTIMATE_BELOW, ROUNDINGS_OF_SUMS};
use crate::cpu::{Triangle, estimated_norm, quotient};
use crate::error::{Error, Result};
use crate::gpu::wgsl::Precision;
use crate::real::{Real, Wide};

/// Half of a unit in the last place of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// What underflow takes from a product of f64, at most.
const UNDERFLOW: f64 = 5e-324;

/// Columns that are taken together, and rows beside them that a thread takes.
const PANEL: usize = 64;
const ROWS: usize = 1024;

/// A substitution: what a row gathers of the unknowns before, and what comes of it.
trait Substitution: Sync {
    /// What a row has gathered.
    type Sum: Copy + Send;
    /// What is known of an unknown.
    type Unknown: Copy + Send + Sync;
    fn begin(&self, row: usize) -> Self::Sum;
    fn add(&self, sum: &mut Self::Sum, entry: f64, unknown: Self::Unknown);
    fn end(&self, row: usize, sum: Self::Sum, diagonal: f64) -> Self::Unknown;
}

/// Takes the unknowns in their order, a panel of columns at once; the rows beside it on all processors.
fn substitute<T: Real, S: Substitution>(triangle: &Triangle<'_, T>, by: &S) -> Vec<S::Unknown> {
    let n = triangle.n();
    // In the order of substitution.
    let at = |step: usize| if triangle.is_lower() { step } else { n - 1 - step };
    let entry = |row: usize, column: usize| triangle.entry(at(row), at(column)).to_f64();
    let mut sums: Vec<_> = (0..n).map(|row| by.begin(at(row))).collect();
    let mut known: Vec<S::Unknown> = Vec::with_capacity(n);
    for start in (0..n).step_by(PANEL) {
        let stop = (start + PANEL).min(n);
        for (row, sum) in sums.iter_mut().enumerate().take(stop).skip(start) {
            for (column, &unknown) in known.iter().enumerate().skip(start) {
                by.add(sum, entry(row, column), unknown);
            }
            known.push(by.end(at(row), *sum, entry(row, row)));
        }
        let panel = &known[start..stop];
        sums[stop..].par_chunks_mut(ROWS).enumerate().for_each(|(chunk, sums)| {
            let first = stop + chunk * ROWS;
            if triangle.has_contiguous_columns() {
                for (column, &unknown) in panel.iter().enumerate() {
                    for (row, sum) in sums.iter_mut().enumerate() {
                        by.add(sum, entry(first + row, start + column), unknown);
                    }
                }
            } else {
                for (row, sum) in sums.iter_mut().enumerate() {
                    for (column, &unknown) in panel.iter().enumerate() {
                        by.add(sum, entry(first + row, start + column), unknown);
                    }
                }
            }
        });
    }
    if !triangle.is_lower() {
        known.reverse();
    }
    known
}

/// x of a right-hand side.
struct Solve<'a, F>(&'a F);

impl<W: Wide, F: Fn(usize) -> W + Sync> Substitution for Solve<'_, F> {
    type Sum = W;
    type Unknown = W;
    fn begin(&self, row: usize) -> W {
        (self.0)(row)
    }
    fn add(&self, sum: &mut W, entry: f64, x: W) {
        *sum = *sum - W::from(entry) * x;
    }
    fn end(&self, _: usize, sum: W, diagonal: f64) -> W {
        sum / W::from(diagonal)
    }
}

/// Bounds of the errors of x by substitution with the comparison matrix.
struct Errors<'a> {
    /// None: x solves the system but for roundings.
    rhs: Option<&'a [f64]>,
    x: &'a [f64],
    /// Of a sum's roundings.
    unit: f64,
}

#[derive(Clone, Copy)]
struct Gathered {
    left: f64,
    size: f64,
    error: f64,
    terms: u32,
}

#[derive(Clone, Copy)]
struct Bounded {
    x: f64,
    error: f64,
    /// |b| + |T| |x| of the row.
    size: f64,
}

impl Substitution for Errors<'_> {
    type Sum = Gathered;
    type Unknown = Bounded;
    fn begin(&self, row: usize) -> Gathered {
        let b = self.rhs.map_or(0.0, |rhs| rhs[row]);
        Gathered { left: b, size: b.abs(), error: 0.0, terms: 2 }
    }
    fn add(&self, sum: &mut Gathered, entry: f64, Bounded { x, error, .. }: Bounded) {
        let product = entry * x;
        sum.left -= product;
        sum.size += product.abs();
        sum.error += entry.abs() * error;
        sum.terms += 1;
    }
    fn end(&self, row: usize, sum: Gathered, diagonal: f64) -> Bounded {
        let Gathered { mut left, mut size, error, terms } = sum;
        let x = self.x[row];
        let product = diagonal * x;
        left -= product;
        size += product.abs();
        let left = if self.rhs.is_some() { left.abs() } else { 0.0 };
        let terms = f64::from(terms);
        let underflow = if size > 0.0 || error > 0.0 { terms * UNDERFLOW } else { 0.0 };
        let own = left + ROUNDINGS_OF_SUMS * terms.sqrt() * self.unit * size + underflow;
        Bounded { x, error: (own + error) / diagonal.abs(), size }
    }
}

/// Judges the answer for a right-hand side, or finds one.
///
/// # Errors
/// [`Error::NoDigits`], [`Error::Overflow`], [`Error::Underflow`].
pub(crate) fn judge<T: Real>(
    system: usize,
    triangle: &Triangle<'_, T>,
    rhs: &[T],
    device: Option<&[T]>,
) -> Result<Answer<Vec<T>>> {
    let unit = T::UNIT_ROUNDOFF;
    let wide = |values: &[T]| values.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
    let right = wide(rhs);
    let device = device.map(wide);
    if let Some(x) = &device {
        let size = largest(x.iter().copied());
        if size.is_finite() && is_normal::<T>(size) {
            let bounded = substitute(triangle, &Errors { rhs: Some(&right), x, unit: UNIT });
            let bound = quotient(largest(bounded.iter().map(|bounded| bounded.error)), size);
            if bound <= GOOD_BOUND_OF_SUMS * unit {
                return Ok(Answer { better: None, forward_error: bound.max(unit) });
            }
        }
    }
    let (mut x, mut error) = reference::<T, T::Wide>(triangle, &right);
    if T::PRECISION == Precision::F32 && exceeds(error, unit) {
        (x, error) = reference::<T, DoubleDouble>(triangle, &right);
    }
    if let Some(row) = x.iter().position(|x| !x.is_finite()) {
        return Err(Error::Overflow { system, row, precision: T::PRECISION });
    }
    if exceeds(error, MOST_FORWARD_ERROR) {
        let advice = "the matrix amplifies rounding errors until no digit is left (its diagonal may be small relative to its other entries); scale rows and columns";
        return Err(Error::NoDigits { system, forward_error: error, precision: T::PRECISION, advice: advice.into() });
    }
    if let Some(device) = device {
        let off = device.iter().zip(&x).fold(0.0, |most, (device, x)| larger(most, device - x));
        let distance = quotient(off, largest(x.iter().copied()));
        if distance <= AS_GOOD * unit + error && is_normal::<T>(largest(device)) {
            return Ok(Answer { better: None, forward_error: distance.max(unit) + error });
        }
    }
    Ok(Answer { better: Some(narrowed(system, &x)?), forward_error: unit + error })
}

/// x in wider arithmetic, rounded to f64, with a bound of ||x^ - x|| / ||x||.
fn reference<T: Real, W: Wide>(triangle: &Triangle<'_, T>, rhs: &[f64]) -> (Vec<f64>, f64) {
    let x = substitute(triangle, &Solve(&|row: usize| W::from(rhs[row])));
    let x: Vec<_> = x.into_iter().map(Wide::to_f64).collect();
    let size = largest(x.iter().copied());
    if !size.is_finite() {
        return (x, f64::INFINITY);
    }
    let bounded = substitute(triangle, &Errors { rhs: None, x: &x, unit: W::UNIT_ROUNDOFF });
    let mut error = quotient(largest(bounded.iter().map(|bounded| bounded.error)), size);
    if exceeds(error, T::UNIT_ROUNDOFF) {
        let terms = triangle.n() as f64 + 2.0;
        let roundings: Vec<_> = bounded
            .iter()
            .zip(rhs)
            .map(|(bounded, b)| ROUNDINGS_OF_SUMS * terms.sqrt() * W::UNIT_ROUNDOFF * (bounded.size + b.abs()))
            .collect();
        let estimate = NORM_ESTIMATE_BELOW * quotient(amplified(triangle, &roundings), size);
        // Of the two the smaller; NaN is neither.
        if exceeds(error, estimate) {
            error = estimate;
        }
    }
    (x, error)
}

/// || |T^-1| g ||, estimated.
fn amplified<T: Real>(triangle: &Triangle<'_, T>, g: &[f64]) -> f64 {
    let transposed = triangle.transposed();
    let plain = |x: &[f64]| substitute(triangle, &Solve(&|row: usize| g[row] * x[row]));
    let across = |x: &[f64]| {
        let mut y = substitute(&transposed, &Solve(&|row: usize| x[row]));
        y.iter_mut().zip(g).for_each(|(y, g)| *y *= g);
        y
    };
    estimated_norm(triangle.n(), |x| Ok(across(x)), |x| Ok(plain(x))).unwrap_or(f64::INFINITY)
}
