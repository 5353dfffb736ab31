//! Bounds of errors: of one filter in direct form, and of a cascade.
//!
//! The outputs of a section are the inputs of the next. An error of a section's outputs is amplified by each later section by at most the sum of its absolute
//! impulse response. Kernels compose the states of all sections in one basis (`basis.rs`), which is upper triangular: numbers of a later section do not mix with
//! larger ones of an earlier section. So it does not matter which section has the gain.

use super::Coefficients;
use super::cascade::Cascade;
use super::sensitivity::SectionSensitivity;
use crate::arithmetic::quotient;
use crate::judge::answer::{larger, largest};
use crate::real::Real;

/// Roundings of a number of the final state: of products and sums, and of the coefficients.
const STATE_ROUNDINGS: f64 = 4.0;

/// How far a filter propagates additions to its states.
#[derive(Debug, Clone)]
pub(crate) struct Sensitivity {
    sections: Vec<SectionSensitivity>,
    /// Of a cascade, the size of each section's outputs for inputs of size 1 to the first: the largest of the responses to an impulse and to a step, and the
    /// root of the impulse response's squares.
    responses: Vec<f64>,
}

/// Rows over which these responses are computed.
const ROWS: usize = 1 << 16;

/// A sequence in the order of its rows.
#[derive(Clone, Copy)]
pub(super) struct SequenceSizes<'a> {
    pub x: &'a [f64],
    pub y: &'a [f64],
    /// The states before the first row and after the last.
    pub initial: &'a [f64],
    pub last: &'a [f64],
    /// The largest outputs of the sections before the last one, if they are known.
    pub between: Option<&'a [f64]>,
}

impl Sensitivity {
    /// For arithmetic in T over `rows` rows; costs as [`SectionSensitivity::new`] per section.
    pub fn new<T: Real>(filter: &Cascade, rows: usize) -> Self {
        if let Some(alone) = filter.alone() {
            return Self { sections: vec![SectionSensitivity::new::<T>(alone, rows)], responses: vec![] };
        }
        // Only the largest outputs of sections are known, and not at which row.
        let sections = filter.sections().iter().map(|section| SectionSensitivity::undamped::<T>(section, rows));
        Self { sections: sections.collect(), responses: responses(filter, rows.min(ROWS)) }
    }

    /// That of a filter in direct form.
    pub(super) fn alone(&self) -> Option<&SectionSensitivity> {
        match &self.sections[..] {
            [alone] => Some(alone),
            _ => None,
        }
    }

    /// [`Cascade::rounding_noise`].
    pub fn noise<T: Real>(&self) -> f64 {
        if let Some(alone) = self.alone() {
            return alone.noise::<T>();
        }
        let (mut input, mut errors) = (1.0, 0.0);
        for (section, &output) in self.sections.iter().zip(&self.responses) {
            errors = section.gain() * errors + section.noise_of::<T>([input, output]);
            input = output;
        }
        let noise = quotient(errors, input);
        if noise.is_nan() { f64::INFINITY } else { noise }
    }

    /// Bounds the error of a device's outputs in T, relative to the largest, and that of the final state, relative to the largest output or number of the
    /// state; returns the larger.
    pub(super) fn of_device<T: Real>(&self, filter: &Cascade, sizes: SequenceSizes<'_>) -> f64 {
        self.bound(filter, T::UNIT_ROUNDOFF, sizes, SectionSensitivity::device_bound::<T>)
    }

    /// The same by roundings alone, of arithmetic with this unit of roundoff.
    pub(super) fn of_roundings(&self, filter: &Cascade, unit: f64, sizes: SequenceSizes<'_>) -> f64 {
        self.bound(filter, unit, sizes, |section, sequence| section.rounding(unit, sequence))
    }

    /// With the bound of a section's outputs relative to the largest, from its inputs, outputs and initial state.
    fn bound(
        &self,
        filter: &Cascade,
        unit: f64,
        SequenceSizes { x, y, mut initial, last, between }: SequenceSizes<'_>,
        of_section: impl Fn(&SectionSensitivity, [&[f64]; 3]) -> f64,
    ) -> f64 {
        if let Some((alone, coefficients)) = self.alone().zip(filter.alone()) {
            let own = of_section(alone, [x, y, initial]);
            return larger(own, state_error(coefficients, unit, [x, y, last], own));
        }
        let [largest_y, largest_last] = [y, last].map(|values| largest(values.iter().copied()));
        let mut input = largest(x.iter().copied());
        let (mut errors, mut of_states) = (0.0, 0.0);
        let count = self.sections.len();
        for (at, (section, coefficients)) in self.sections.iter().zip(filter.sections()).enumerate() {
            let (before, rest) = initial.split_at(coefficients.order());
            let output = match between {
                _ if at + 1 == count => largest_y,
                Some(between) => between[at],
                None => section.largest_output(input, before),
            };
            let own = absolute(of_section(section, [&[input], &[output], before]), output);
            let of_inputs = coefficients.b()[1..].iter().map(|b| b.abs()).sum::<f64>() * errors;
            errors = section.gain() * errors + own;
            let of_state = state_errors(coefficients, unit, [input, output], errors) + of_inputs;
            of_states = larger(of_states, of_state);
            (input, initial) = (output, rest);
        }
        larger(quotient(errors, largest_y), quotient(of_states, larger(largest_y, largest_last)))
    }
}

/// [`Sensitivity::responses`].
fn responses(filter: &Cascade, rows: usize) -> Vec<f64> {
    let count = filter.sections().len();
    let (mut sizes, mut levels, mut squares) = (vec![0f64; count], vec![0f64; count], vec![0f64; count]);
    let (mut z, mut outputs) = (vec![0.0; filter.order()], Vec::with_capacity(count));
    for row in 0..rows {
        outputs.clear();
        filter.row(&mut z, if row == 0 { 1.0 } else { 0.0 }, &mut outputs);
        for (at, y) in outputs.iter().enumerate() {
            levels[at] += y;
            squares[at] += y * y;
            sizes[at] = larger(larger(sizes[at], *y), levels[at]);
        }
    }
    sizes.into_iter().zip(squares).map(|(size, squares)| larger(size, squares.sqrt())).collect()
}

/// Bounds the error of a filter whose outputs are all exactly 0, from the largest input: that of the first section's state, relative to the largest number of the
/// final state. Later sections have neither inputs nor states.
pub(super) fn silent_error(filter: &Cascade, unit: f64, [x, last]: [&[f64]; 2]) -> f64 {
    let [x, last] = [x, last].map(|values| largest(values.iter().copied()));
    quotient(state_errors(&filter.sections()[0], unit, [x, 0.0], 0.0), last)
}

/// An error relative to a size.
fn absolute(relative: f64, size: f64) -> f64 {
    if relative == 0.0 {
        0.0
    } else if size == 0.0 {
        f64::INFINITY
    } else {
        relative * size
    }
}

/// Bounds how far the final state is off, relative to the largest output or number of the state, where outputs are off by `own`. The last
/// row's products round. Errors of earlier outputs grow by the largest |a_k| / C(order, k), at least 1: for poles in the unit circle,
/// |a_k| <= C(order, k), and their errors are assumed to cancel.
pub(super) fn state_error(coefficients: &Coefficients, unit: f64, [x, y, state]: [&[f64]; 3], own: f64) -> f64 {
    let [x, y, state] = [x, y, state].map(|values| largest(values.iter().copied()));
    quotient(state_errors(coefficients, unit, [x, y], own * y), y.max(state))
}

/// The same, absolute, for outputs that are off by `errors`.
fn state_errors(coefficients: &Coefficients, unit: f64, [x, y]: [f64; 2], errors: f64) -> f64 {
    let (b, a) = (&coefficients.b()[1..], &coefficients.a()[1..]);
    let products = b.iter().zip(a).map(|(b, a)| b.abs() * x + a.abs() * y);
    let mut binomial = 1.0;
    let growth = a.iter().zip(1..).fold(1.0, |most: f64, (a, k)| {
        binomial *= (coefficients.order() + 1 - k) as f64 / k as f64;
        most.max(a.abs() / binomial)
    });
    STATE_ROUNDINGS * unit * products.sum::<f64>() + growth * errors
}
