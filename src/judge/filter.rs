//! Judge of filtered sequences: bounds the error of the outputs, and computes better ones if needed.

use super::DoubleDouble;
use super::answer::{Answer, exceeds, is_normal, largest};
use super::thresholds::{AS_GOOD, GOOD_BOUND, MOST_FORWARD_ERROR};
use crate::cpu::{self, quotient};
use crate::error::{Error, Result};
use crate::filter::{Coefficients, Sensitivity};
use crate::gpu::wgsl::Precision;
use crate::real::{Real, Wide};

/// One sequence in the order of its rows.
pub(crate) struct Sequence<'a, T> {
    /// Its number in the batch, for errors.
    pub system: usize,
    pub x: &'a [T],
    /// The state before the first row.
    pub initial: &'a [T],
    /// What the device returned, if it was asked.
    pub y: Option<&'a [T]>,
}

/// Judges the outputs of one sequence, or computes them: better ones come with their final state.
///
/// # Errors
/// [`Error::NoDigits`], [`Error::Overflow`].
pub(crate) fn judge<T: Real>(
    coefficients: &Coefficients,
    sensitivity: &Sensitivity,
    sequence: &Sequence<'_, T>,
) -> Result<Answer<(Vec<T>, Vec<T>)>> {
    let wide = |values: &'_ [T]| values.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
    let (x, initial) = (wide(sequence.x), wide(sequence.initial));
    if let Some(y) = sequence.y {
        let sequence = [&x[..], &wide(y), &initial];
        let bound = sensitivity.rounding(T::UNIT_ROUNDOFF, sequence) + sensitivity.rounded_coefficients(sequence);
        let size = largest(sequence[1].iter().copied());
        // Below, products have lost digits that the bound counts on.
        let keeps_digits = is_normal::<T>(size) && (size > 0.0 || largest(x.iter().copied()) == 0.0);
        if keeps_digits && bound <= GOOD_BOUND * T::UNIT_ROUNDOFF {
            return Ok(Answer { better: None, forward_error: bound.max(T::UNIT_ROUNDOFF) });
        }
    }
    let mut found = None;
    if T::PRECISION == Precision::F32 {
        let reference = in_wide::<T, f64>(coefficients, sequence)?;
        let own = sensitivity.rounding(<f64 as Wide>::UNIT_ROUNDOFF, [&x, &reference.0, &initial]);
        if own <= T::UNIT_ROUNDOFF {
            found = Some((reference, own));
        }
    }
    let ((y, state), own) = match found {
        Some(found) => found,
        None => {
            let reference = in_wide::<T, DoubleDouble>(coefficients, sequence)?;
            let sequence = [&x[..], &reference.0, &initial];
            let own = sensitivity.rounding(<DoubleDouble as Wide>::UNIT_ROUNDOFF, sequence);
            (reference, own)
        }
    };
    let (system, precision) = (sequence.system, T::PRECISION);
    let no_digits = |forward_error: f64| {
        let advice = "filter in shorter blocks, starting each from the previous block's final state, or use a chain of second-order sections";
        Err(Error::NoDigits { system, forward_error, precision, advice: advice.into() })
    };
    let past_range = |value: &f64| !T::from_f64(*value).is_finite();
    let first = y.iter().position(past_range).or_else(|| state.iter().any(past_range).then(|| y.len() - 1));
    if let Some(row) = first {
        return Err(Error::Overflow { system, row, precision });
    }
    if exceeds(own, MOST_FORWARD_ERROR) {
        return no_digits(own);
    }
    let size = largest(y.iter().copied());
    if !is_normal::<T>(size) {
        return Err(Error::Underflow { largest: size, precision });
    }
    if let Some(device) = sequence.y {
        let off = largest(device.iter().zip(&y).map(|(device, y)| device.to_f64() - y));
        let distance = quotient(off, largest(y.iter().copied()));
        if distance <= AS_GOOD * T::UNIT_ROUNDOFF + own {
            return Ok(Answer { better: None, forward_error: distance.max(T::UNIT_ROUNDOFF) + own });
        }
    }
    let narrow = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect::<Vec<_>>();
    Ok(Answer { better: Some((narrow(y), narrow(state))), forward_error: T::UNIT_ROUNDOFF + own })
}

/// Outputs and final state, row after row in wider arithmetic, with the coefficients as given.
fn in_wide<T: Real, W: Wide>(coefficients: &Coefficients, sequence: &Sequence<'_, T>) -> Result<(Vec<f64>, Vec<f64>)> {
    let wide = |values: &[f64]| values.iter().map(|&value| W::from(value)).collect::<Vec<_>>();
    let of_signal = |values: &[T]| values.iter().map(|value| W::from(value.to_f64())).collect::<Vec<_>>();
    let (b, a) = coefficients.given();
    let mut state = of_signal(sequence.initial);
    let y = cpu::filter(&wide(b), &wide(a), &of_signal(sequence.x), &mut state, false)?;
    let narrow = |values: Vec<W>| values.into_iter().map(Wide::to_f64).collect();
    Ok((narrow(y), narrow(state)))
}
