//! Judge of triangular systems: bounds an answer's forward error, and computes a better answer if needed.
//!
//! With the comparison matrix M (|diag| on the diagonal, -|t| beside it), |T^-1| <= M^-1: one substitution with M bounds the error of x
//! by the residual of each row (Higham, "Accuracy and Stability of Numerical Algorithms", chapter 8). Where M^-1 is far above
//! |T^-1|, an estimate of the latter takes its place.

use std::cell::LazyCell;

use rayon::prelude::*;

use super::answer::{
    Answer, UNDERFLOW, converted, exceeds, is_moderate, is_normal, larger, largest, narrowed, relative, vanish,
};
use super::extended_range::ExtendedRange;
use super::thresholds::{AS_GOOD, GOOD_BOUND_OF_SUMS, MOST_FORWARD_ERROR, NORM_ESTIMATE_BELOW, ROUNDINGS_OF_SUMS};
use crate::arithmetic::quotient;
use crate::cpu::{Triangle, estimated_norm};
use crate::error::{Error, Result};
use crate::precision::Precision;
use crate::real::DoubleDouble;
use crate::real::{Real, Wide};

/// The unit of roundoff of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// Columns that are taken together, and rows beside them that a thread takes.
const PANEL: usize = 64;
const ROWS: usize = 1024;

/// A substitution: the sum per row over known unknowns, and the result per row.
trait Substitution: Sync {
    /// Of a row, over the unknowns known so far.
    type Sum: Copy + Send;
    /// The result of a row.
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

/// Bounds of the errors of x by substitution with the comparison matrix, in arithmetic that has the range for it.
struct Errors<'a, S> {
    /// `None` when the condition is computed, which has no right-hand side.
    rhs: Option<&'a [f64]>,
    /// x was computed by substitution: its residual is rounding only, and not evaluated.
    is_solved: bool,
    x: &'a [S],
    /// Of a sum's roundings.
    unit: f64,
    /// What underflow takes from a product or a quotient, at most.
    underflow: f64,
}

#[derive(Clone, Copy)]
struct Gathered<S> {
    left: S,
    size: S,
    error: S,
    terms: u32,
    /// Whether some number is not 0: its product may be, by underflow.
    is_any: bool,
}

#[derive(Clone, Copy)]
struct Bounded<S> {
    x: S,
    error: S,
    /// |b| + |T| |x| of the row.
    size: S,
}

impl<S: Wide> Substitution for Errors<'_, S> {
    type Sum = Gathered<S>;
    type Unknown = Bounded<S>;
    fn begin(&self, row: usize) -> Gathered<S> {
        let b = self.rhs.map_or(S::ZERO, |rhs| S::from(rhs[row]));
        Gathered { left: b, size: b.abs(), error: S::ZERO, terms: 2, is_any: b != S::ZERO }
    }
    fn add(&self, sum: &mut Gathered<S>, entry: f64, Bounded { x, error, .. }: Bounded<S>) {
        sum.is_any |= entry != 0.0 && (x != S::ZERO || error != S::ZERO);
        let entry = S::from(entry);
        let product = entry * x;
        sum.left = sum.left - product;
        sum.size = sum.size + product.abs();
        sum.error = sum.error + entry.abs() * error;
        sum.terms += 1;
    }
    fn end(&self, row: usize, sum: Gathered<S>, diagonal: f64) -> Bounded<S> {
        let Gathered { mut left, mut size, error, terms, is_any } = sum;
        let (x, diagonal) = (self.x[row], S::from(diagonal));
        let product = diagonal * x;
        left = left - product;
        size = size + product.abs();
        let left = if self.is_solved { S::ZERO } else { left.abs() };
        let terms = f64::from(terms);
        // Of x's product and of its error's, and of the quotient.
        let underflow = if is_any || x != S::ZERO { self.underflow } else { 0.0 };
        let own =
            left + S::from(ROUNDINGS_OF_SUMS * terms.sqrt() * self.unit) * size + S::from(2.0 * terms * underflow);
        Bounded { x, error: (own + error) / diagonal.abs() + S::from(underflow), size }
    }
}

/// Judges the device's answer for a right-hand side, or computes one if there is none.
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
            let errors = Errors { rhs: Some(&right), is_solved: false, x, unit: UNIT, underflow: UNDERFLOW };
            let bounded = substitute(triangle, &errors);
            let bound = quotient(largest(bounded.iter().map(|bounded| bounded.error)), size);
            if bound <= GOOD_BOUND_OF_SUMS * unit {
                return Ok(Answer { better: None, forward_error: bound.max(unit) });
            }
        }
    }
    let is_moderate = LazyCell::new(|| has_moderate_entries(triangle, rhs));
    let (mut x, mut error) = reference::<T, T::Wide, f64>(triangle, &right, UNDERFLOW, || *is_moderate);
    if T::PRECISION == Precision::F32 && exceeds(error, unit) {
        (x, error) = reference::<T, DoubleDouble, f64>(triangle, &right, UNDERFLOW, || *is_moderate);
    }
    if exceeds(error, MOST_FORWARD_ERROR) || exceeds(error, unit) && !*is_moderate {
        (x, error) = reference::<T, ExtendedRange<DoubleDouble>, ExtendedRange<f64>>(triangle, &right, 0.0, || true);
    }
    if let Some(row) = x.iter().position(|x| !x.is_finite()) {
        return Err(Error::Overflow { system, row, precision: T::PRECISION });
    }
    if vanish(rhs, &x) {
        return Err(Error::Underflow { largest: 0.0, precision: T::PRECISION });
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

/// Skeel's cond(T, x) = || |T^-1| |T| |x| || / ||x|| in the maximum norm, estimated.
pub(crate) fn condition<T: Real>(triangle: &Triangle<'_, T>, x: &[T]) -> f64 {
    let condition = condition_in::<T, f64>(triangle, x);
    match condition.is_finite() {
        true => condition,
        false => condition_in::<T, ExtendedRange<f64>>(triangle, x),
    }
}

fn condition_in<T: Real, S: Wide>(triangle: &Triangle<'_, T>, x: &[T]) -> f64 {
    let x: Vec<_> = x.iter().map(|x| S::from(x.to_f64())).collect();
    let size = largest(x.iter().copied());
    if size == S::ZERO {
        return 0.0;
    }
    let bounded = substitute(triangle, &Errors { rhs: None, is_solved: true, x: &x, unit: 0.0, underflow: 0.0 });
    let sizes: Vec<_> = bounded.iter().map(|bounded| bounded.size).collect();
    amplified(triangle, &sizes, size)
}

/// Whether products of entries and right-hand sides keep their digits in double-double arithmetic: those of f32 do.
fn has_moderate_entries<T: Real>(triangle: &Triangle<'_, T>, rhs: &[T]) -> bool {
    if T::PRECISION == Precision::F32 {
        return true;
    }
    let n = triangle.n();
    let row = |i: usize| {
        let columns = if triangle.is_lower() { 0..i + 1 } else { i..n };
        is_moderate(&columns.map(|j| triangle.entry(i, j)).collect::<Vec<_>>())
    };
    is_moderate(rhs) && (0..n).all(row)
}

/// x in arithmetic of W, rounded to f64, with a bound of ||x^ - x|| / ||x|| in arithmetic of S. An estimate takes the place of a bound that
/// is far above it; `estimates` says whether S has the range for it.
fn reference<T: Real, W: Wide, S: Wide>(
    triangle: &Triangle<'_, T>,
    rhs: &[f64],
    underflow: f64,
    estimates: impl Fn() -> bool,
) -> (Vec<f64>, f64) {
    let x = substitute(triangle, &Solve(&|row: usize| W::from(rhs[row])));
    let narrow = x.iter().map(|x| x.to_f64()).collect();
    let x: Vec<S> = x.into_iter().map(converted).collect();
    let size = largest(x.iter().copied());
    if !size.is_finite() {
        return (narrow, f64::INFINITY);
    }
    let bounded =
        substitute(triangle, &Errors { rhs: Some(rhs), is_solved: true, x: &x, unit: W::UNIT_ROUNDOFF, underflow });
    let mut error = relative(largest(bounded.iter().map(|bounded| bounded.error)), size);
    if exceeds(error, T::UNIT_ROUNDOFF) && estimates() {
        let terms = triangle.n() as f64 + 2.0;
        let unit = S::from(ROUNDINGS_OF_SUMS * terms.sqrt() * W::UNIT_ROUNDOFF);
        let row = |i: usize| {
            let diagonal = S::from(triangle.entry(i, i).to_f64()).abs();
            unit * bounded[i].size + (S::from(terms) + diagonal) * S::from(underflow)
        };
        let roundings: Vec<_> = (0..triangle.n()).map(row).collect();
        let estimate = NORM_ESTIMATE_BELOW * amplified(triangle, &roundings, size);
        // Of the two the smaller; NaN is neither.
        if exceeds(error, estimate) {
            error = estimate;
        }
    }
    (narrow, error)
}

/// || |T^-1| g || / size, estimated.
fn amplified<T: Real, S: Wide>(triangle: &Triangle<'_, T>, g: &[S], size: S) -> f64 {
    let transposed = triangle.transposed();
    let narrow = |y: Vec<S>| y.into_iter().map(|y| (y / size).to_f64()).collect::<Vec<_>>();
    let plain = |x: &[f64]| narrow(substitute(triangle, &Solve(&|row: usize| g[row] * S::from(x[row]))));
    let across = |x: &[f64]| {
        let y = substitute(&transposed, &Solve(&|row: usize| S::from(x[row])));
        narrow(y.into_iter().zip(g).map(|(y, g)| y * *g).collect())
    };
    estimated_norm(triangle.n(), |x| Ok(across(x)), |x| Ok(plain(x))).unwrap_or(f64::INFINITY)
}
