//! Judge of Moebius recurrences: bounds the error of the values, and computes better ones if needed.
//!
//! A value is a direction v = (p, q), w = p / q. A row maps v to M v and multiplies the cross product v x v' of two directions by
//! det(M). So each row multiplies the error bound by |det(M)|, and adds its own roundings, units of |M| |v|. Values above the range
//! of T become infinite and values below it 0; both count as correct. A direction whose smaller part underflows, although a later row may
//! bring its value back, is computed anew in numbers of any size (`extended.rs`).
//!
//! The *error of a value* is its chordal distance in the units of its row: with sigma = (|a w| + |b|) / (|c w| + |d|) of the value
//! w before, |w^ - w| / sigma / sqrt((1 + (w / sigma)^2) (1 + (w^ / sigma)^2)). It is half of the relative error or less; small
//! also where numerators cancel and where w passes infinity, if w is accurate relative to the size of its terms.

mod extended;
mod plain;
mod row;

use row::{
    MOST_SHORTER, Mapped, area, collapsed, difference, direction, distance, distance_near, has_exact_direction,
    hides_a_term, is_exact, is_exact_image, may_vanish, scaled_column, value_of,
};

use super::answer::{Answer, UNDERFLOW, exceeds, larger};
use super::thresholds::{AS_GOOD, GOOD_BOUND, MOEBIUS_ROUNDINGS, MOST_FORWARD_ERROR};
use crate::arithmetic::{exponent, times_power};
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
    /// a, b, c and d of a row.
    pub coefficients: C,
}

/// Values in wider arithmetic.
struct Reference<W> {
    pub values: Vec<Value<W>>,
    /// The largest error of a value, a bound.
    pub error: f64,
}

/// A direction, with the size of its terms.
#[derive(Clone, Copy)]
struct Value<W> {
    pub direction: [W; 2],
    pub sizes: [f64; 2],
    /// The nearest f64.
    pub w: f64,
}

impl<T: Real, C: Fn(usize) -> [T; 4] + Sync> Sequence<T, C> {
    /// Computes the values, of long sequences by slices on all cores.
    ///
    /// # Errors
    /// As [`Sequence::judge`].
    pub fn solve(&self) -> Result<Answer<Vec<T>>> {
        match self.plain_sliced() {
            Some(plain) => Ok(Answer::rounded::<T>(plain)),
            None => self.judge(None::<fn(usize) -> T>),
        }
    }
}

/// The largest distance between a value and its row's image of the previous value at which the area between them tells the distance.
const MOST_RESIDUAL: f64 = 0.01;

impl<W: Wide> Value<W> {
    fn narrow(&self) -> [f64; 2] {
        self.direction.map(Wide::to_f64)
    }

    /// What T makes of a value that is past its range or below it, whatever an error of its direction: infinity or 0.
    pub fn out_of_range<T: Real>(&self, error: f64) -> Option<f64> {
        let [p, q] = self.narrow().map(f64::abs);
        // One of the two is at least 1.
        let (most, least) = (T::PRECISION.largest(), T::PRECISION.least_normal());
        if p >= 1.0 && q + error < 1.0 / most {
            return Some(self.w);
        }
        (q >= 1.0 && p + error < least).then_some(0.0)
    }
}

impl<T: Real, C: Fn(usize) -> [T; 4]> Sequence<T, C> {
    /// Judges the values of a device, or computes them.
    ///
    /// # Errors
    /// [`Error::Indeterminate`], [`Error::NoDigits`].
    pub fn judge(&self, device: Option<impl Fn(usize) -> T>) -> Result<Answer<Vec<T>>> {
        let unit = T::UNIT_ROUNDOFF;
        if let Some(bound) = device.as_ref().and_then(|w| self.bound(w))
            && bound <= GOOD_BOUND * unit
        {
            return Ok(Answer { better: None, forward_error: bound.max(unit) });
        }
        if device.is_none()
            && let Some(plain) = self.plain()
        {
            return Ok(Answer::rounded::<T>(plain));
        }
        self.judge_widely(device)
    }

    /// In arithmetic that finds all values that the coefficients determine.
    fn judge_widely(&self, device: Option<impl Fn(usize) -> T>) -> Result<Answer<Vec<T>>> {
        let unit = T::UNIT_ROUNDOFF;
        if T::PRECISION == Precision::F32
            && let Ok(Some(reference)) = self.reference::<f64>()
            && reference.error <= unit
        {
            return self.beside(&reference, device);
        }
        let reference = self.reference::<DoubleDouble>()?;
        self.beside(&reference.map_or_else(|| self.extended_reference(), Ok)?, device)
    }

    /// Computes the values of sequences with equally many rows, up to [`LANES`](super::lanes::LANES) of them, side by side.
    ///
    /// # Errors
    /// As [`Sequence::judge`], per sequence.
    pub fn solve_together(sequences: &[Self]) -> Vec<Result<Answer<Vec<T>>>> {
        let plain = Self::plain_together(sequences).into_iter().zip(sequences);
        plain
            .map(|(plain, sequence)| match plain {
                Some(plain) => Ok(Answer::rounded::<T>(plain)),
                None => sequence.judge_widely(None::<fn(usize) -> T>),
            })
            .collect()
    }

    fn no_digits(&self, forward_error: f64) -> Error {
        let advice = "the recurrence magnifies roundings; take shorter sequences".into();
        Error::NoDigits { system: self.system, forward_error, precision: T::PRECISION, advice }
    }

    /// A row that maps the computed direction to 0 / 0; `is_exact`: the direction and the mapping are exact.
    fn no_value(&self, row: usize, is_exact: bool) -> Error {
        match is_exact {
            true => Error::Indeterminate { system: self.system, row },
            false => self.no_digits(f64::INFINITY),
        }
    }

    /// The device's values if they are as good, else the reference's.
    fn beside<W: Wide>(
        &self,
        Reference { values, error }: &Reference<W>,
        device: Option<impl Fn(usize) -> T>,
    ) -> Result<Answer<Vec<T>>> {
        let (unit, error) = (T::UNIT_ROUNDOFF, *error);
        if exceeds(error, MOST_FORWARD_ERROR) {
            return Err(self.no_digits(error));
        }
        if let Some(device) = device {
            let off = values.iter().enumerate().fold(0.0, |most, (step, value)| {
                let own = device(step).to_f64();
                if own.is_nan() {
                    return f64::INFINITY;
                }
                if let Some(limit) = value.out_of_range::<T>(0.0) {
                    // Below the normal range devices may have 0.
                    let is_as_near = if limit == 0.0 { own.abs() < T::PRECISION.least_normal() } else { own == limit };
                    return if is_as_near { most } else { f64::INFINITY };
                }
                let (narrow, own) = (value.narrow(), direction(own));
                let area = area(value.direction, own.map(W::from)).to_f64();
                larger(most, distance(area, narrow, own, value.sizes))
            });
            if off <= AS_GOOD * unit + error {
                return Ok(Answer { better: None, forward_error: off.max(unit) + error });
            }
        }
        let better = values.iter().map(|value| T::from_f64(value.w)).collect();
        Ok(Answer { better: Some(better), forward_error: unit + error })
    }

    /// A bound of the error of values, from the residual of each row; `None` if a value is NaN.
    fn bound(&self, w: impl Fn(usize) -> T) -> Option<f64> {
        let (mut before, mut error, mut most) = (direction(self.initial.to_f64()), 0.0, 0.0);
        let mut off = [0.0; 2];
        let mut is_before_exact = has_exact_direction(self.initial.to_f64());
        for step in 0..self.n {
            let entries = (self.coefficients)(step);
            let mapped = Mapped::new(entries, before)?;
            let hides = hides_a_term(entries, before, is_before_exact) || may_vanish(entries, &mapped, error);
            let shorter = mapped.shorter(entries, off);
            if mapped.underflows || hides || exceeds(shorter, MOST_SHORTER) {
                return None;
            }
            let own = w(step).to_f64();
            if own.is_nan() {
                return None;
            }
            is_before_exact = is_exact_image(own, entries, before, mapped.direction, is_before_exact);
            let own = direction(own);
            // So that the mapped direction has the length of the value's own.
            let scale = 1.0 / mapped.direction[0].abs().max(mapped.direction[1].abs());
            let sizes = mapped.sizes.map(|size| scale * size);
            let roundings = MOEBIUS_ROUNDINGS * UNIT * (sizes[0] * own[1].abs() + sizes[1] * own[0].abs()) + UNDERFLOW;
            let added = (scale * area(mapped.direction, own)).abs() + roundings;
            error = (scale * scale * mapped.magnified(error) + added) / (1.0 - shorter);
            // The device's value may be far from what its row makes of the value before.
            let residual =
                distance(scale * area(mapped.direction, own), mapped.direction.map(|part| scale * part), own, sizes);
            if exceeds(residual, MOST_RESIDUAL) {
                return None;
            }
            let distance = distance_near(error, own, sizes);
            most = larger(most, distance);
            off = difference(distance, own, sizes);
            before = own;
        }
        Some(most).filter(|bound| !bound.is_nan())
    }

    /// One direction after the other. `None` if a part of one may have lost digits to underflow.
    fn reference<W: Wide>(&self) -> Result<Option<Reference<W>>> {
        let mut before = direction(self.initial.to_f64()).map(W::from);
        if Scalar::is_finite(self.initial) && self.initial.to_f64().abs() > 1.0 {
            // Without the rounding of an inverse.
            let power = -exponent(self.initial.to_f64()).unwrap_or(0);
            before = [self.initial.to_f64(), 1.0].map(|part| W::from(times_power(part, power)));
        }
        let (mut values, mut error, mut most) = (Vec::with_capacity(self.n), 0.0, 0.0);
        let mut off = [0.0; 2];
        for step in 0..self.n {
            let narrow = before.map(Wide::to_f64);
            let entries = (self.coefficients)(step);
            let Some(mapped) = Mapped::new(entries, before) else {
                let is_certain = error == 0.0 && is_exact(entries, before);
                return Err(self.no_value(step, is_certain || entries == [T::ZERO; 4]));
            };
            if mapped.underflows {
                return Ok(None);
            }
            let Mapped { direction, sizes, .. } = mapped;
            let collapsed = collapsed(entries, direction);
            let direction = match collapsed {
                None => direction,
                Some(column) => match scaled_column(column) {
                    Some(column) => column.map(W::from),
                    None => return Ok(None),
                },
            };
            let shorter = if collapsed.is_some() { 0.0 } else { mapped.shorter(entries, off) };
            let [p, q] = direction.map(|part| part.to_f64().abs());
            let roundings = match is_exact(entries, before) {
                true => 0.0,
                false => MOEBIUS_ROUNDINGS * W::UNIT_ROUNDOFF * (sizes[0] * q + sizes[1] * p),
            };
            let hides = hides_a_term(entries, before, error == 0.0);
            if hides || collapsed.is_some() && may_vanish(entries, &mapped, error) || exceeds(shorter, MOST_SHORTER) {
                most = f64::INFINITY;
            }
            let magnified = (mapped.magnified(error) + roundings) / (1.0 - shorter.min(MOST_SHORTER));
            error = if collapsed.is_some() { 0.0 } else { magnified };
            // The sign of a w + b; from infinity on, of a.
            let sign = direction[0].to_f64() * if narrow[1] == 0.0 { 1.0 } else { narrow[1].signum() };
            let value = Value { direction, sizes, w: value_of(direction, sign) };
            let distance = distance_near(error, value.narrow(), sizes);
            if value.out_of_range::<T>(error).is_none() {
                most = larger(most, distance);
            }
            off = difference(distance, value.narrow(), sizes);
            values.push(value);
            // From infinity on a row goes to a / c; a value past the range of directions keeps its sign.
            let [_, _, c, d] = entries.map(|entry| entry == T::ZERO);
            let has_terms = !(c || narrow[0] == 0.0) || !(d || narrow[1] == 0.0);
            let is_infinite = direction[1] == W::ZERO && narrow[1] != 0.0 && (sizes[1] > 0.0 || !has_terms);
            before = if is_infinite { [W::ONE, W::ZERO] } else { direction };
        }
        Ok(Some(Reference { values, error: most }))
    }
}
