//! Judge of filtered sequences: bounds the error of the outputs, and computes better ones if needed.

use super::cascade::Cascade;
use super::error_bound::{Sensitivity, SequenceSizes, silent_error};
use super::silence::is_silent;
use crate::arithmetic::quotient;
use crate::cpu;
use crate::error::{Error, Result};
use crate::judge::answer::{self, Answer, exceeds, is_moderate, is_normal, larger, largest};
use crate::judge::bounded::Bounded;
use crate::judge::thresholds::{AS_GOOD, GOOD_BOUND, MOST_FORWARD_ERROR};
use crate::precision::Precision;
use crate::real::DoubleDouble;
use crate::real::{Real, Scalar, Wide};

/// One sequence in the order of its rows.
pub(crate) struct Sequence<'a, T> {
    /// Its number in the batch, for errors.
    pub system: usize,
    pub x: &'a [T],
    /// The state before the first row.
    pub initial: &'a [T],
    /// The device's outputs and final state, if it was asked.
    pub device: Option<[&'a [T]; 2]>,
}

/// Judges the outputs of one sequence, or computes them; better outputs come with their final state.
///
/// # Errors
/// [`Error::NoDigits`], [`Error::Overflow`], [`Error::Underflow`].
pub(crate) fn judge<T: Real>(
    filter: &Cascade,
    sensitivity: &Sensitivity,
    sequence: &Sequence<'_, T>,
) -> Result<Answer<(Vec<T>, Vec<T>)>> {
    let wide = |values: &'_ [T]| values.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
    let (x, initial) = (wide(sequence.x), wide(sequence.initial));
    // A state past the range is no continuation, whatever the outputs are.
    let device = sequence.device.filter(|[_, state]| state.iter().all(|z| z.is_finite()));
    if let Some([y, state]) = device {
        let (y, last) = (wide(y), wide(state));
        let bound = sensitivity
            .of_device::<T>(filter, SequenceSizes { x: &x, y: &y, initial: &initial, last: &last, between: None });
        let size = largest(y.iter().copied());
        // The device may take subnormal coefficients for 0.
        let mut numbers = filter.sections().iter().flat_map(|section| section.b().iter().chain(section.a()));
        let has_normal = numbers.all(|c| is_normal::<T>(c.abs()));
        let keeps_digits = has_normal && is_normal::<T>(size) && (size > 0.0 || largest(x.iter().copied()) == 0.0);
        if keeps_digits && bound <= GOOD_BOUND * T::UNIT_ROUNDOFF {
            return Ok(Answer { better: None, forward_error: bound.max(T::UNIT_ROUNDOFF) });
        }
    }
    let mut found = None;
    // Smaller products lose digits that the bounds assume.
    let mut given = filter.sections().iter().map(|section| section.given());
    if [&x[..], &initial].into_iter().all(is_moderate::<f64>) && given.all(|(b, a)| is_moderate(b) && is_moderate(a)) {
        if T::PRECISION == Precision::F32 {
            let of = in_wide::<T, f64>(filter, sequence, |y| *y)?;
            found = with_rounding::<f64>(filter, sensitivity, [&x, &initial], of)
                .filter(|found| found.error <= T::UNIT_ROUNDOFF);
        }
        if found.is_none() {
            let of = in_wide::<T, DoubleDouble>(filter, sequence, |y| y.to_f64())?;
            found = with_rounding::<DoubleDouble>(filter, sensitivity, [&x, &initial], of)
                .filter(|found| !exceeds(found.error, MOST_FORWARD_ERROR) && largest(found.y.iter().copied()) > 0.0);
        }
    }
    let found = match found {
        Some(found) => found,
        None => bounded(filter, sensitivity, sequence)?,
    };
    let Reference { y, state, error: mut own, is_zero, state_is_zero } = found;
    if is_zero && is_silent(filter, &x, &initial) {
        let unit = <DoubleDouble as Wide>::UNIT_ROUNDOFF;
        own = silent_error(filter, unit, [&x, &state]);
    }
    let (system, precision) = (sequence.system, T::PRECISION);
    let no_digits = |forward_error: f64| {
        let mut advice = "filter in shorter blocks, starting each from the previous block's final state".to_owned();
        if filter.alone().is_some() {
            advice += ", or use a cascade of second-order sections";
        }
        Err(Error::NoDigits { system, forward_error, precision, advice })
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
    if if size == 0.0 { !is_zero } else { !is_normal::<T>(size) } {
        return Err(Error::Underflow { largest: size, precision });
    }
    // Beside outputs of 0, only the final state counts.
    let state_size = largest(state.iter().copied());
    if size == 0.0 && if state_size == 0.0 { !state_is_zero } else { !is_normal::<T>(state_size) } {
        return Err(Error::Underflow { largest: state_size, precision });
    }
    if let Some([device, final_state]) = device {
        let off = |found: &[T], exact: &[f64]| largest(found.iter().zip(exact).map(|(z, exact)| z.to_f64() - exact));
        let of_state = quotient(off(final_state, &state), size.max(state_size));
        let distance = larger(quotient(off(device, &y), size), of_state);
        if distance <= AS_GOOD * T::UNIT_ROUNDOFF + own {
            return Ok(Answer { better: None, forward_error: distance.max(T::UNIT_ROUNDOFF) + own });
        }
    }
    let narrow = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect::<Vec<_>>();
    Ok(Answer { better: Some((narrow(y), narrow(state))), forward_error: T::UNIT_ROUNDOFF + own })
}

/// Outputs and final state in wider arithmetic.
struct Reference {
    y: Vec<f64>,
    state: Vec<f64>,
    /// The estimated forward error, of the final state as well.
    error: f64,
    /// Whether all outputs are 0.
    is_zero: bool,
    /// Whether the final state is 0.
    state_is_zero: bool,
}

fn signal<T: Real, W: From<f64>>(values: &[T]) -> Vec<W> {
    values.iter().map(|value| W::from(value.to_f64())).collect()
}

fn wide<W: From<f64>>(values: &[f64]) -> Vec<W> {
    values.iter().map(|&value| W::from(value)).collect()
}

/// Outputs and final state, and the largest outputs of the sections before the last one.
struct Wider<W> {
    y: Vec<W>,
    state: Vec<W>,
    between: Vec<f64>,
}

/// Row by row, with the coefficients as given.
fn in_wide<T: Real, W: Scalar + From<f64>>(
    filter: &Cascade,
    sequence: &Sequence<'_, T>,
    size: impl Fn(&W) -> f64,
) -> Result<Wider<W>> {
    let mut state = signal::<T, W>(sequence.initial);
    let (mut y, mut between) = (signal(sequence.x), vec![]);
    let mut own = &mut state[..];
    for (at, section) in filter.sections().iter().enumerate() {
        if at > 0 {
            between.push(largest(y.iter().map(&size)));
        }
        let (b, a) = section.given();
        let (here, rest) = own.split_at_mut(section.order());
        y = cpu::filter(&wide(b), &wide(a), &y, here, false)?;
        own = rest;
    }
    Ok(Wider { y, state, between })
}

/// With the estimate that the filter's sensitivity gives; `None` if signals between sections may have lost digits.
fn with_rounding<W: Wide>(
    filter: &Cascade,
    sensitivity: &Sensitivity,
    sequence: [&[f64]; 2],
    wider: Wider<W>,
) -> Option<Reference> {
    is_moderate(&wider.between).then(|| estimated(filter, sensitivity, sequence, wider))
}

/// With this estimate.
fn estimated<W: Wide>(
    filter: &Cascade,
    sensitivity: &Sensitivity,
    [x, initial]: [&[f64]; 2],
    Wider { y, state, between }: Wider<W>,
) -> Reference {
    let [is_zero, state_is_zero] = [&y, &state].map(|of| of.iter().all(|value| *value == W::ZERO));
    let [y, state] = [y, state].map(|of| of.into_iter().map(Wide::to_f64).collect::<Vec<_>>());
    let sizes = SequenceSizes { x, y: &y, initial, last: &state, between: Some(&between) };
    let error = sensitivity.of_roundings(filter, W::UNIT_ROUNDOFF, sizes);
    Reference { y, state, error, is_zero, state_is_zero }
}

/// In numbers of any size, with the smaller of this estimate and the bound of each output.
fn bounded<T: Real>(filter: &Cascade, sensitivity: &Sensitivity, sequence: &Sequence<'_, T>) -> Result<Reference> {
    let Wider { y, state, between } =
        in_wide::<T, Bounded<DoubleDouble>>(filter, sequence, |y| y.value.narrow().to_f64())?;
    let sizes = |of: &[Bounded<DoubleDouble>]| largest(of.iter().map(|of| of.value.narrow()));
    let errors = |of: &[Bounded<DoubleDouble>]| largest(of.iter().map(|of| of.error));
    let of_state = answer::relative(errors(&state), answer::larger(sizes(&y), sizes(&state)));
    let relative = answer::larger(answer::relative(errors(&y), sizes(&y)), of_state);
    let values = |of: Vec<Bounded<DoubleDouble>>| of.into_iter().map(|of| of.value).collect::<Vec<_>>();
    let (x, initial) = (signal(sequence.x), signal(sequence.initial));
    let wider = Wider { y: values(y), state: values(state), between };
    let mut found = estimated(filter, sensitivity, [&x, &initial], wider);
    if exceeds(found.error, relative) {
        found.error = relative;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::Coefficients;
    use super::*;

    #[test]
    fn outputs_that_are_nan_are_replaced() {
        let filter = Coefficients::new(&[0.5, 0.25], &[1.0, -0.25]).expect("a filter");
        let filter = Cascade::from(&filter);
        let sensitivity = Sensitivity::new::<f32>(&filter, 3);
        let (x, initial) = ([0.0, 0.0, 1.0f32], [0.0f32]);
        let mut state = [0.0];
        let exact = cpu::filter(&[0.5, 0.25], &[1.0, -0.25], &x, &mut state, false).expect("outputs");
        for row in 0..x.len() {
            let mut y = exact.clone();
            y[row] = f32::NAN;
            let sequence = Sequence { system: 0, x: &x, initial: &initial, device: Some([&y, &state]) };
            let found = judge(&filter, &sensitivity, &sequence).expect("better outputs");
            assert_eq!(found.better, Some((exact.clone(), state.to_vec())), "row {row}");
        }
    }
}
