//! Judge of linear recurrences: bounds the error of the values, and computes better ones if needed.
//!
//! The error bound obeys e\[i\] = |s\[i\]| e\[i-1\] + r\[i\], with r\[i\] the residual and rounding error of row i. The inverse of
//! the bidiagonal matrix has products of |s| as absolute entries, so the bound is |A^-1| r, as small as Skeel's condition allows.

use std::marker::PhantomData;

use pulp::{Arch, Simd, WithSimd};

use super::answer::{Answer, UNDERFLOW, exceeds, is_normal, larger};
use super::bounded::Bounded;
use super::extended_range::ExtendedRange;
use super::substitution::Summed;
use super::thresholds::{AS_GOOD, GOOD_BOUND, MOST_FORWARD_ERROR, RECURRENCE_ROUNDINGS};
use crate::arithmetic::quotient;
use crate::error::{Error, Result};
use crate::precision::Precision;
use crate::real::DoubleDouble;
use crate::real::{Real, Scalar, Wide};

/// Half of a unit in the last place of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// One sequence in the order of its rows.
pub(crate) struct Sequence<T, C> {
    /// Its number in the batch, for errors.
    pub system: usize,
    pub n: usize,
    /// The value before the first row.
    pub initial: T,
    /// s and t of a row.
    pub coefficients: C,
}

/// Values in wider arithmetic.
struct Reference {
    /// Rounded to f64; infinite beyond its range.
    w: Vec<f64>,
    /// ||w^ - w|| / ||w||, a bound.
    error: f64,
    /// Whether all values in the range of T are 0.
    is_zero: bool,
}

impl<T: Real, C: Fn(usize) -> [T; 2]> Sequence<T, C> {
    /// Judges the values of a device, or computes them. A value past the range of T is infinite, and right so.
    ///
    /// # Errors
    /// [`Error::NoDigits`], [`Error::Underflow`].
    pub fn judge(&self, device: Option<impl Fn(usize) -> T>) -> Result<Answer<Vec<T>>> {
        let unit = T::UNIT_ROUNDOFF;
        if let Some(bound) = device.as_ref().and_then(|w| self.bound(w))
            && bound <= GOOD_BOUND * unit
        {
            return Ok(Answer { better: None, forward_error: bound.max(unit) });
        }
        let plain = match T::PRECISION {
            Precision::F32 => Arch::new().dispatch(Plain::<T, C, f64>(self, PhantomData)),
            Precision::F64 => Arch::new().dispatch(Plain::<T, C, DoubleDouble>(self, PhantomData)),
        };
        let Reference { w, error, is_zero } = plain.unwrap_or_else(|| {
            let reference = self.reference::<T::Wide>();
            match T::PRECISION == Precision::F32 && exceeds(reference.error, unit) {
                true => self.reference::<DoubleDouble>(),
                false => reference,
            }
        });
        let (system, precision) = (self.system, T::PRECISION);
        if exceeds(error, MOST_FORWARD_ERROR) {
            let advice = "the recurrence magnifies roundings; take shorter sequences, or scale the coefficients";
            return Err(Error::NoDigits { system, forward_error: error, precision, advice: advice.into() });
        }
        let narrow: Vec<_> = w.iter().map(|&w| T::from_f64(w)).collect();
        let in_range = |step: usize| narrow[step].is_finite();
        let size = (0..self.n).filter(|&step| in_range(step)).fold(0.0, |most, step| larger(most, w[step]));
        let is_below = if size == 0.0 { !is_zero } else { !is_normal::<T>(size) };
        if is_below {
            return Err(Error::Underflow { largest: size, precision });
        }
        if let Some(device) = device {
            let off = (0..self.n).fold(0.0, |most, step| match in_range(step) {
                true => larger(most, device(step).to_f64() - w[step]),
                false if device(step) == narrow[step] => most,
                false => f64::INFINITY,
            });
            let distance = quotient(off, size);
            if distance <= AS_GOOD * unit + error {
                return Ok(Answer { better: None, forward_error: distance.max(unit) + error });
            }
        }
        Ok(Answer { better: Some(narrow), forward_error: unit + error })
    }

    /// A bound of the forward error of values, from the residual of each row; `None` where a value is not finite, or all are below
    /// the normal range.
    fn bound(&self, w: impl Fn(usize) -> T) -> Option<f64> {
        let (mut before, mut error, mut most, mut size) = (self.initial.to_f64(), 0.0, 0.0, 0.0f64);
        for step in 0..self.n {
            let [s, t] = (self.coefficients)(step).map(T::to_f64);
            let own = w(step).to_f64();
            if !own.is_finite() {
                return None;
            }
            let product = s * before;
            let left = (own - product - t).abs();
            let roundings = RECURRENCE_ROUNDINGS * UNIT * (product.abs() + t.abs() + own.abs());
            let magnified = if s == 0.0 { 0.0 } else { s.abs() * error };
            let underflow = if s != 0.0 && (before != 0.0 || error != 0.0) { UNDERFLOW } else { 0.0 };
            error = magnified + left + roundings + underflow;
            most = larger(most, error);
            size = size.max(own.abs());
            before = own;
        }
        let is_known = if size == 0.0 { most == 0.0 } else { is_normal::<T>(size) };
        is_known.then(|| quotient(most, size)).filter(|bound| !bound.is_nan())
    }

    /// One value after the other, in the range that W and the bound of errors need.
    fn reference<W: Wide>(&self) -> Reference {
        let mut state = Bounded::<W>::from(self.initial.to_f64());
        let mut is_zero = true;
        let (mut w, mut off, mut size, mut beyond) = (Vec::with_capacity(self.n), 0.0, 0.0f64, 0.0);
        for step in 0..self.n {
            let [s, t] = (self.coefficients)(step).map(|value| Bounded::from(value.to_f64()));
            state = s * state + t;
            let Bounded { value, error } = state;
            let narrow = value.to_f64();
            match T::from_f64(narrow).is_finite() {
                true => {
                    is_zero &= value == ExtendedRange::ZERO;
                    size = size.max(narrow.abs());
                    off = larger(off, error.to_f64());
                }
                false => beyond = larger(beyond, (error / value.narrow().abs()).to_f64()),
            }
            w.push(narrow);
        }
        Reference { w, error: larger(quotient(off, size), beyond), is_zero }
    }
}

/// One value after the other in the range of f64, which takes a tenth of the time. `None` if values leave the range of T, or if the bound of
/// their error exceeds the roundoff of T.
struct Plain<'a, T, C, W>(&'a Sequence<T, C>, PhantomData<W>);

impl<T: Real, C: Fn(usize) -> [T; 2], W: Summed> WithSimd for Plain<'_, T, C, W> {
    type Output = Option<Reference>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<Reference> {
        let Self(Sequence { n, initial, coefficients, .. }, _) = self;
        let size_of = |value: W| value.to_f64().abs();
        let (mut before, mut error) = (W::from(initial.to_f64()), 0.0);
        let (mut w, mut off, mut size, mut is_in_range) = (Vec::with_capacity(*n), 0.0f64, 0.0f64, true);
        for step in 0..*n {
            let [s, t] = coefficients(step).map(T::to_f64);
            let product = s.abs() * size_of(before);
            // The rounding errors of a product and a sum. Where s is 0, what came before does not count.
            let underflow = if s != 0.0 && (before != W::ZERO || error != 0.0) { UNDERFLOW } else { 0.0 };
            before = W::total(W::minus(W::from(t).begin(), -s, before.parts()));
            let own = size_of(before);
            error = s.abs() * error + W::UNIT_ROUNDOFF * (product + own) + underflow;
            let value = before.to_f64();
            is_in_range &= Scalar::is_finite(T::from_f64(value));
            size = size.max(own);
            off = off.max(error);
            w.push(value);
        }
        let error = quotient(off, size);
        (is_in_range && error <= T::UNIT_ROUNDOFF).then_some(Reference { w, error, is_zero: size == 0.0 })
    }
}
