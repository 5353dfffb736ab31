//! Judge of triangular systems: bounds an answer's forward error, and computes a better answer if needed.
//!
//! With the comparison matrix M (|diag| on the diagonal, -|t| beside it), |T^-1| <= M^-1: one substitution with M bounds the error of x
//! by the residual of each row (Higham, "Accuracy and Stability of Numerical Algorithms", chapter 8). Where M^-1 is far above
//! |T^-1|, an estimate of the latter takes its place.

use std::cell::LazyCell;

use super::answer::{Answer, UNDERFLOW, exceeds, is_moderate, is_normal, larger, largest, narrowed, relative, vanish};
use super::extended_range::ExtendedRange;
use super::substitution::{Substitution, Summed, substitute};
use super::thresholds::{AS_GOOD, GOOD_BOUND_OF_SUMS, MOST_FORWARD_ERROR, NORM_ESTIMATE_BELOW, ROUNDINGS_OF_SUMS};
use crate::arithmetic::quotient;
use crate::cpu::{Triangle, estimated_norm};
use crate::error::{Error, Result};
use crate::precision::Precision;
use crate::real::{DoubleDouble, Real, Scalar, Wide};

/// The unit of roundoff of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// x of a right-hand side.
struct Solve<F>(F);

impl<W: Summed, F: Fn(usize) -> W + Sync> Substitution for Solve<F> {
    type Sum = W::Sum;
    type Unknown = W::Parts;
    #[inline(always)]
    fn begin(&self, row: usize) -> W::Sum {
        (self.0)(row).begin()
    }
    #[inline(always)]
    fn add(sum: W::Sum, entry: f64, x: W::Parts) -> W::Sum {
        W::minus(sum, entry, x)
    }
    #[inline(always)]
    fn joined(one: W::Sum, other: W::Sum) -> W::Sum {
        W::joined(one, other)
    }
    #[inline(always)]
    fn end(&self, _: usize, _: usize, sum: W::Sum, diagonal: f64) -> W::Parts {
        (W::total(sum) / W::from(diagonal)).parts()
    }
    #[inline(always)]
    fn nothing() -> W::Sum {
        W::ZERO.begin()
    }
    #[inline(always)]
    fn unknown() -> W::Parts {
        W::ZERO.parts()
    }
}
/// A substitution that gives x.
trait Solving: Substitution {
    /// What errors of x are computed in.
    type Error: Summed<Narrow = Self::Error>;
    fn x(unknown: Self::Unknown) -> Self::Error;
    /// |b - T x| of a row, with the sum over its other entries.
    fn residual(&self, row: usize, sum: Self::Sum, diagonal: f64) -> Self::Error;
}

impl<W: Summed, F: Fn(usize) -> W + Sync> Solving for Solve<F> {
    type Error = W::Narrow;
    #[inline(always)]
    fn x(unknown: W::Parts) -> W::Narrow {
        W::narrow(unknown)
    }
    /// Rounding only: not evaluated.
    #[inline(always)]
    fn residual(&self, _: usize, _: W::Sum, _: f64) -> W::Narrow {
        W::Narrow::ZERO
    }
}

/// x as it is given, with its residual.
struct Given<'a, S> {
    x: &'a [S],
    /// Zeros if there is none.
    rhs: Option<&'a [f64]>,
}

impl<S: Wide> Substitution for Given<'_, S> {
    type Sum = S;
    type Unknown = S;
    #[inline(always)]
    fn begin(&self, row: usize) -> S {
        self.rhs.map_or(S::ZERO, |rhs| S::from(rhs[row]))
    }
    #[inline(always)]
    fn add(sum: S, entry: f64, x: S) -> S {
        sum - S::from(entry) * x
    }
    #[inline(always)]
    fn joined(one: S, other: S) -> S {
        one + other
    }
    #[inline(always)]
    fn end(&self, row: usize, _: usize, _: S, _: f64) -> S {
        self.x[row]
    }
    #[inline(always)]
    fn nothing() -> S {
        S::ZERO
    }
    #[inline(always)]
    fn unknown() -> S {
        S::ZERO
    }
}

impl<S: Summed<Narrow = S>> Solving for Given<'_, S> {
    type Error = S;
    #[inline(always)]
    fn x(unknown: S) -> S {
        unknown
    }
    #[inline(always)]
    fn residual(&self, row: usize, sum: S, diagonal: f64) -> S {
        (sum - S::from(diagonal) * self.x[row]).abs()
    }
}

/// Bounds of the errors of x by substitution with the comparison matrix, in arithmetic that has the range for it, together with the
/// substitution that gives x: entries are read once.
struct Errors<'a, X> {
    x: X,
    /// `None` when the condition is computed, which has no right-hand side.
    rhs: Option<&'a [f64]>,
    /// Of a sum's roundings.
    unit: f64,
    /// What underflow takes from a product or a quotient, at most.
    underflow: f64,
}

/// 1 for a number that is not 0: its products may be, by underflow.
fn one_if(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}

impl<X: Solving> Substitution for Errors<'_, X> {
    /// Of x; |b| + |T| |x|; |T| times the errors; above 0 if one of the products' factors are both not 0.
    type Sum = (X::Sum, X::Error, X::Error, f64);
    /// x; its error; |b| + |T| |x| of the row; 1 if x or its error is not 0.
    type Unknown = (X::Unknown, X::Error, X::Error, f64);
    #[inline(always)]
    fn begin(&self, row: usize) -> Self::Sum {
        let b = self.rhs.map_or(0.0, |rhs| rhs[row]);
        (self.x.begin(row), X::Error::from(b.abs()), X::Error::ZERO, one_if(b != 0.0))
    }
    #[inline(always)]
    fn add((sum, size, error, any): Self::Sum, entry: f64, (x, x_error, _, is_any): Self::Unknown) -> Self::Sum {
        let absolute = X::Error::from(entry).abs();
        let size = size + absolute * X::x(x).abs();
        (X::add(sum, entry, x), size, error + absolute * x_error, any + entry.abs() * is_any)
    }
    #[inline(always)]
    fn joined(one: Self::Sum, other: Self::Sum) -> Self::Sum {
        (X::joined(one.0, other.0), one.1 + other.1, one.2 + other.2, one.3 + other.3)
    }
    #[inline(always)]
    fn end(&self, row: usize, terms: usize, (sum, size, error, any): Self::Sum, diagonal: f64) -> Self::Unknown {
        let wide = <X::Error as From<f64>>::from;
        let unknown = self.x.end(row, terms, sum, diagonal);
        let (x, absolute) = (X::x(unknown), wide(diagonal).abs());
        let size = size + absolute * x.abs();
        let terms = terms as f64 + 2.0;
        // Of x's product and of its error's, and of the quotient.
        let underflow = if any != 0.0 || x != X::Error::ZERO { self.underflow } else { 0.0 };
        let own = self.x.residual(row, sum, diagonal)
            + wide(ROUNDINGS_OF_SUMS * terms.sqrt() * self.unit) * size
            + wide(2.0 * terms * underflow);
        let error = (own + error) / absolute + wide(underflow);
        (unknown, error, size, one_if(x != X::Error::ZERO || error != X::Error::ZERO))
    }
    #[inline(always)]
    fn nothing() -> Self::Sum {
        (X::nothing(), X::Error::ZERO, X::Error::ZERO, 0.0)
    }
    #[inline(always)]
    fn unknown() -> Self::Unknown {
        (X::unknown(), X::Error::ZERO, X::Error::ZERO, 0.0)
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
            let given = Given { x, rhs: Some(&right) };
            let errors = Errors { x: given, rhs: Some(&right), unit: UNIT, underflow: UNDERFLOW };
            let bound = quotient(largest(substitute(triangle, &errors).iter().map(|(_, error, ..)| error)), size);
            if bound <= GOOD_BOUND_OF_SUMS * unit {
                return Ok(Answer { better: None, forward_error: bound.max(unit) });
            }
        }
    }
    let is_moderate = LazyCell::new(|| has_moderate_entries(triangle, rhs));
    let in_double_double = || reference::<T, DoubleDouble>(triangle, &right, UNDERFLOW, || *is_moderate);
    let (mut x, mut error) = match T::PRECISION {
        Precision::F32 => reference::<T, f64>(triangle, &right, UNDERFLOW, || *is_moderate),
        Precision::F64 => in_double_double(),
    };
    if T::PRECISION == Precision::F32 && exceeds(error, unit) {
        (x, error) = in_double_double();
    }
    if exceeds(error, MOST_FORWARD_ERROR) || exceeds(error, unit) && !*is_moderate {
        (x, error) = reference::<T, ExtendedRange<DoubleDouble>>(triangle, &right, 0.0, || true);
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

fn condition_in<T: Real, S: Summed<Narrow = S>>(triangle: &Triangle<'_, T>, x: &[T]) -> f64 {
    let x: Vec<_> = x.iter().map(|x| S::from(x.to_f64())).collect();
    let size = largest(x.iter().copied());
    if size == S::ZERO {
        return 0.0;
    }
    let errors = Errors { x: Given { x: &x, rhs: None }, rhs: None, unit: 0.0, underflow: 0.0 };
    let sizes: Vec<_> = substitute(triangle, &errors).iter().map(|(_, _, size, _)| size).collect();
    amplified(triangle, &sizes, size)
}

/// Whether products of entries and right-hand sides keep their digits in double-double arithmetic: those of f32 do.
fn has_moderate_entries<T: Real>(triangle: &Triangle<'_, T>, rhs: &[T]) -> bool {
    if T::PRECISION == Precision::F32 {
        return true;
    }
    let n = triangle.n();
    let line = |at: usize| {
        let beside = if triangle.is_lower() == triangle.has_contiguous_columns() { at + 1..n } else { 0..at };
        is_moderate(&[triangle.entry(at, at)]) && triangle.line(at).is_none_or(|line| is_moderate(&line[beside]))
    };
    is_moderate(rhs) && (0..n).all(line)
}

/// x in arithmetic of W, rounded to f64, with a bound of ||x^ - x|| / ||x|| in the same range. An estimate takes the place of a bound that
/// is far above it; `estimates` says whether W has the range for it.
fn reference<T: Real, W: Summed>(
    triangle: &Triangle<'_, T>,
    rhs: &[f64],
    underflow: f64,
    estimates: impl Fn() -> bool,
) -> (Vec<f64>, f64) {
    let solve = Solve(|row: usize| W::from(rhs[row]));
    let bounded = substitute(triangle, &Errors { x: solve, rhs: Some(rhs), unit: W::UNIT_ROUNDOFF, underflow });
    let narrow = bounded.iter().map(|(x, ..)| W::whole(x).to_f64()).collect();
    let size = largest(bounded.iter().map(|(x, ..)| W::narrow(x)));
    if !size.is_finite() {
        return (narrow, f64::INFINITY);
    }
    let mut error = relative(largest(bounded.iter().map(|(_, error, ..)| error)), size);
    if exceeds(error, T::UNIT_ROUNDOFF) && estimates() {
        let terms = triangle.n() as f64 + 2.0;
        let unit = W::Narrow::from(ROUNDINGS_OF_SUMS * terms.sqrt() * W::UNIT_ROUNDOFF);
        let row = |i: usize| {
            let (_, _, size, _) = bounded.get(i);
            let diagonal = triangle.entry(i, i).to_f64().abs();
            unit * size + W::Narrow::from(terms + diagonal) * W::Narrow::from(underflow)
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
fn amplified<T: Real, S: Summed>(triangle: &Triangle<'_, T>, g: &[S], size: S) -> f64 {
    let transposed = triangle.transposed();
    let plain = |x: &[f64]| -> Vec<f64> {
        let y = substitute(triangle, &Solve(|row: usize| g[row] * S::from(x[row])));
        y.iter().map(|y| (S::whole(y) / size).to_f64()).collect()
    };
    let across = |x: &[f64]| -> Vec<f64> {
        let y = substitute(&transposed, &Solve(|row: usize| S::from(x[row])));
        y.iter().zip(g).map(|(y, g)| (S::whole(y) * *g / size).to_f64()).collect()
    };
    estimated_norm(triangle.n(), |x| Ok(across(x)), |x| Ok(plain(x))).unwrap_or(f64::INFINITY)
}
