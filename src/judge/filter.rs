//! The last word on a filtered sequence: how far its outputs are from the exact ones, and better ones where there are.

use super::DoubleDouble;
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

/// What is known of a sequence.
pub(crate) struct Answer<T> {
    /// Outputs and final state; `None`: the device's are right.
    pub better: Option<(Vec<T>, Vec<T>)>,
    /// ||y^ - y|| / ||y|| in the maximum norm, estimated.
    pub forward_error: f64,
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    // NaN stays.
    values.fold(0.0, |most: f64, value| if value.abs() > most || value.is_nan() { value.abs() } else { most })
}

/// Judges the outputs of one sequence, or computes them.
///
/// # Errors
/// [`Error::NoDigits`], [`Error::Overflow`].
pub(crate) fn judge<T: Real>(
    coefficients: &Coefficients,
    sensitivity: &Sensitivity,
    sequence: &Sequence<'_, T>,
) -> Result<Answer<T>> {
    let wide = |values: &'_ [T]| values.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
    let (x, initial) = (wide(sequence.x), wide(sequence.initial));
    if let Some(y) = sequence.y {
        let sequence = [&x[..], &wide(y), &initial];
        let bound = sensitivity.rounding(T::UNIT_ROUNDOFF, sequence) + sensitivity.rounded_coefficients(sequence);
        let size = largest(sequence[1].iter().copied());
        // Below, products have lost digits that the bound counts on.
        let is_normal = size == 0.0 && largest(x.iter().copied()) == 0.0 || size >= T::PRECISION.least_normal();
        if is_normal && bound <= GOOD_BOUND * T::UNIT_ROUNDOFF {
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
        let advice = "filter fewer rows, in blocks each from the final state of the one before, or take a chain of second-order sections";
        Err(Error::NoDigits { system, forward_error, precision, advice: advice.into() })
    };
    if own.is_nan() || own > MOST_FORWARD_ERROR {
        return no_digits(own);
    }
    let size = largest(y.iter().copied());
    if size > 0.0 && size < T::PRECISION.least_normal() {
        return Err(Error::Underflow { largest: size, precision });
    }
    if let Some(row) = (!state.iter().all(|&z| T::from_f64(z).is_finite())).then(|| y.len() - 1) {
        return Err(Error::Overflow { system, row, precision });
    }
    if let Some(device) = sequence.y {
        let off = largest(device.iter().zip(&y).map(|(device, y)| device.to_f64() - y));
        let distance = quotient(off, largest(y.iter().copied()));
        if distance <= AS_GOOD * T::UNIT_ROUNDOFF + own {
            return Ok(Answer { better: None, forward_error: distance.max(T::UNIT_ROUNDOFF) + own });
        }
    }
    let narrow = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect::<Vec<_>>();
    let (y, state) = (narrow(y), narrow(state));
    match y.iter().position(|y| !y.is_finite()) {
        Some(row) => Err(Error::Overflow { system, row, precision }),
        None => Ok(Answer { better: Some((y, state)), forward_error: T::UNIT_ROUNDOFF + own }),
    }
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
