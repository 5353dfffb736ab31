//! Judge of linear recurrences: bounds the error of the values, and computes better ones if needed.
//!
//! The error bound obeys e\[i\] = |s\[i\]| e\[i-1\] + r\[i\], with r\[i\] the residual and rounding error of row i. The inverse of
//! the bidiagonal matrix has products of |s| as absolute entries, so the bound is |A^-1| r, as small as Skeel's condition allows.

use std::marker::PhantomData;

use pulp::{Arch, Simd, WithSimd};

use super::answer::{Answer, UNDERFLOW, exceeds, is_normal, larger};
use super::bounded::Bounded;
use super::extended_range::ExtendedRange;
use super::lanes::{LANES, Rows, Slices, run, state_of};
use super::substitution::{InLanes, Summed};
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
            Precision::F32 => Arch::new().dispatch(InOrder::<T, C, f64>(self, PhantomData)),
            Precision::F64 => Arch::new().dispatch(InOrder::<T, C, DoubleDouble>(self, PhantomData)),
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

/// The rows of a recurrence of T in W, in the range of f64: a tenth of the time that numbers of any size take.
struct Values<T, W>(PhantomData<(T, W)>);

/// The value; G and R, the error by that of the start (times its size) and by roundings; the largest such errors, and the largest value; and 1 if a
/// value leaves the range of T.
type State<W> = (<W as Summed>::Parts, (f64, f64), (f64, f64, f64), f64);

#[inline(always)]
fn size_of<W: Summed>(value: W::Parts) -> f64 {
    W::whole(value).to_f64().abs()
}

#[inline(always)]
fn either(one: f64, other: f64) -> f64 {
    if one > other { one } else { other }
}

impl<T: Real, W: Summed> Rows<2> for Values<T, W> {
    type State = State<W>;

    #[inline(always)]
    fn next(
        &self,
        (before, (by_start, by_rounding), (most, most_rounding, size), beyond): State<W>,
        row: [f64; 2],
    ) -> State<W> {
        let [s, t] = row;
        let old = size_of::<W>(before);
        // Where s is 0, what came before does not count.
        let underflow = if (s != 0.0) & ((old != 0.0) | (by_start + by_rounding != 0.0)) { UNDERFLOW } else { 0.0 };
        let value = W::total(W::minus(W::from(t).begin(), -s, before)).parts();
        let own = size_of::<W>(value);
        let s = s.abs();
        let by_start = s * by_start;
        // The rounding errors of a product and a sum.
        let by_rounding = s * by_rounding + W::UNIT_ROUNDOFF * (s * old + own) + underflow;
        let largest = (either(by_start, most), either(by_rounding, most_rounding), either(own, size));
        (value, (by_start, by_rounding), largest, if own <= T::PRECISION.largest() { beyond } else { 1.0 })
    }

    #[inline(always)]
    fn value((value, ..): State<W>) -> f64 {
        W::whole(value).to_f64()
    }
}

/// The factor and the summand of several rows.
struct Map<W>(PhantomData<W>);

impl<W: Summed> Rows<2> for Map<W> {
    type State = (W::Parts, W::Parts);

    #[inline(always)]
    fn next(&self, (factor, summand): Self::State, [s, t]: [f64; 2]) -> Self::State {
        let next = |of: W::Parts, more: f64| W::total(W::minus(W::from(more).begin(), -s, of)).parts();
        (next(factor, 0.0), next(summand, t))
    }

    fn value(_: Self::State) -> f64 {
        0.0
    }
}

fn begun<T: Real, W: Summed>(initial: T) -> State<W> {
    (W::from(initial.to_f64()).parts(), (0.0, 0.0), (0.0, 0.0, 0.0), 0.0)
}

/// The largest error of values beside the largest value, if the error is good, and no value leaves the range of T.
fn bound<T: Real, W: Summed>((_, (_, last), (_, most, size), beyond): State<W>) -> Option<f64> {
    let error = quotient(most, size);
    // Where an error is NaN, so is the last.
    (beyond == 0.0 && last.is_finite() && error <= T::UNIT_ROUNDOFF).then_some(error)
}

/// One value after the other; `None` without a good bound.
struct InOrder<'a, T, C, W>(&'a Sequence<T, C>, PhantomData<W>);

impl<T: Real, C: Fn(usize) -> [T; 2], W: Summed> WithSimd for InOrder<'_, T, C, W> {
    type Output = Option<Reference>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<Reference> {
        let Self(Sequence { n, initial, coefficients, .. }, _) = self;
        let (mut state, mut w) = (begun::<T, W>(*initial), Vec::with_capacity(*n));
        for step in 0..*n {
            state = Values::<T, W>(PhantomData).next(state, coefficients(step).map(T::to_f64));
            w.push(Values::<T, W>::value(state));
        }
        let (_, _, (.., size), _) = state;
        bound::<T, W>(state).map(|error| Reference { w, error, is_zero: size == 0.0 })
    }
}

impl<T: Real, C: Fn(usize) -> [T; 2]> Sequence<T, C> {
    /// Computes the values of sequences with equally many rows, up to [`LANES`] of them, side by side.
    ///
    /// # Errors
    /// As [`Sequence::judge`], per sequence.
    pub fn solve_together(sequences: &[Self]) -> Vec<Result<Answer<Vec<T>>>> {
        match T::PRECISION {
            Precision::F32 => Self::together::<f64>(sequences),
            Precision::F64 => Self::together::<DoubleDouble>(sequences),
        }
    }

    fn together<W: Summed>(sequences: &[Self]) -> Vec<Result<Answer<Vec<T>>>> {
        let mut states = begun::<T, W>(T::ZERO).all();
        let mut counts = [0; LANES];
        for (lane, sequence) in sequences.iter().enumerate() {
            State::<W>::set(&mut states, lane, begun::<T, W>(sequence.initial));
            counts[lane] = sequence.n;
        }
        let mut w = counts.map(|count| vec![T::ZERO; count]);
        let entries = |lane: usize, step: usize| (sequences[lane].coefficients)(step);
        let store = |lane: usize, step: usize, value: f64| w[lane][step] = T::from_f64(value);
        run(&Values::<T, W>(PhantomData), counts, entries, store, &mut states);
        let of_lane = |(lane, (w, sequence)): (usize, (Vec<T>, &Self))| {
            let state @ (_, _, (.., size), _) = State::<W>::get(&states, lane);
            match bound::<T, W>(state).filter(|_| is_normal::<T>(size)) {
                Some(error) => Ok(Answer::rounded::<T>((w, error))),
                None => sequence.judge(None::<fn(usize) -> T>),
            }
        };
        w.into_iter().zip(sequences).enumerate().map(of_lane).collect()
    }
}

impl<T: Real, C: Fn(usize) -> [T; 2] + Sync> Sequence<T, C> {
    /// Computes the values, of long sequences by slices on all cores.
    ///
    /// # Errors
    /// As [`Sequence::judge`].
    pub fn solve(&self) -> Result<Answer<Vec<T>>> {
        let sliced = Slices::new(self.n).and_then(|slices| {
            slices.on_cores(|| match T::PRECISION {
                Precision::F32 => self.sliced::<f64>(slices),
                Precision::F64 => self.sliced::<DoubleDouble>(slices),
            })
        });
        match sliced {
            Some(found) => Ok(Answer::rounded::<T>(found)),
            None => self.judge(None::<fn(usize) -> T>),
        }
    }

    fn sliced<W: Summed>(&self, slices: Slices) -> Option<(Vec<T>, f64)> {
        let maps = slices.composed(&Map::<W>(PhantomData), (W::ONE.parts(), W::ZERO.parts()), &self.coefficients);
        let first = begun::<T, W>(self.initial);
        let mut states = vec![first.all(); maps.len()];
        let mut starts = vec![W::whole(first.0)];
        for at in 1..slices.len() {
            let (factor, summand) = state_of::<Map<W>, 2>(&maps, at - 1);
            let start = W::whole(factor) * starts[at - 1] + W::whole(summand);
            State::<W>::set(&mut states[at / LANES], at % LANES, (start.parts(), (1.0, 0.0), (0.0, 0.0, 0.0), 0.0));
            starts.push(start);
        }
        let w = slices.solved(&Values::<T, W>(PhantomData), &mut states, &self.coefficients);
        let (mut error, mut most, mut size) = (0.0, 0.0, 0f64);
        for at in 0..slices.len() {
            let (end, (by_start, by_rounding), largest, beyond) = state_of::<Values<T, W>, 2>(&states, at);
            if beyond != 0.0 {
                return None;
            }
            most = larger(most, largest.0 * error + largest.1);
            size = size.max(largest.2);
            error = by_start * error + by_rounding;
            if let Some(&next) = starts.get(at + 1) {
                let end = W::whole(end);
                let sizes = end.to_f64().abs() + next.to_f64().abs();
                error += (end - next).to_f64().abs() + W::UNIT_ROUNDOFF * sizes;
            }
            // NaN stays.
            most = larger(most, error * 0.0);
        }
        let error = quotient(most, size);
        (error <= T::UNIT_ROUNDOFF && is_normal::<T>(size)).then_some((w, error))
    }
}
