//! IIR filters, one row after the other.

use crate::error::{Error, Result};
use crate::real::Scalar;

/// y\[n\] = b\[0\] x\[n\] + z\[0\], then z\[i\] = b\[i+1\] x\[n\] - a\[i+1\] y\[n\] + z\[i+1\] with z\[k\] = 0, all over
/// a\[0\]: a filter of any order k = max(len(b), len(a)) - 1 in transposed direct form II. `state` holds the k numbers of z: on entry
/// those before the first row (in reverse, the last), on return those behind the last row (in reverse, the first).
///
/// # Errors
/// [`Error::Shape`] for no rows, [`Error::Length`] for no coefficients or a state of another length,
/// [`Error::Options`] where a\[0\] is 0.
pub fn filter<S: Scalar>(b: &[S], a: &[S], x: &[S], state: &mut [S], reverse: bool) -> Result<Vec<S>> {
    if x.is_empty() {
        return Err(Error::Shape("n is 0; it must be at least 1".into()));
    }
    for (vector, coefficients) in [("the numerator b", b), ("the denominator a", a)] {
        if coefficients.is_empty() {
            return Err(Error::Length { vector, expected: "at least 1".into(), found: 0 });
        }
    }
    if a[0] == S::ZERO {
        return Err(Error::Options("a[0] is 0: it is what the output is divided by".into()));
    }
    let order = b.len().max(a.len()) - 1;
    if state.len() != order {
        return Err(Error::Length { vector: "the state", expected: order.to_string(), found: state.len() });
    }
    let normal =
        |given: &[S]| -> Vec<S> { (0..=order).map(|i| given.get(i).map_or(S::ZERO, |&value| value / a[0])).collect() };
    let (b, a) = (normal(b), normal(a));
    let mut y = x.to_vec();
    let mut step = |n: usize| {
        y[n] = b[0] * x[n] + state.first().copied().unwrap_or(S::ZERO);
        for i in 0..order {
            let next = state.get(i + 1).copied().unwrap_or(S::ZERO);
            state[i] = b[i + 1] * x[n] - a[i + 1] * y[n] + next;
        }
    };
    match reverse {
        false => (0..x.len()).for_each(&mut step),
        true => (0..x.len()).rev().for_each(&mut step),
    }
    Ok(y)
}

/// The residual ||y\[n\] - b\[0\] x\[n\] - z\[0\]|| / ||y|| over all sequences, in 2-norms accumulated in f64. A sequence is its
/// initial state and the (x, y) of its rows in the filter's order; the states after it follow from these y. `b` and `a` have the same
/// length, and a\[0\] = 1.
pub fn filter_residual<R: Iterator<Item = [f64; 2]>>(
    b: &[f64],
    a: &[f64],
    sequences: impl Iterator<Item = (Vec<f64>, R)>,
) -> f64 {
    let (mut off, mut size) = (super::Norm::default(), super::Norm::default());
    for (mut state, rows) in sequences {
        state.resize(b.len().max(2), 0.0);
        for [x, y] in rows {
            off.add(y - b[0] * x - state[0]);
            size.add(y);
            for (i, (b, a)) in b.iter().zip(a).enumerate().skip(1) {
                state[i - 1] = b * x - a * y + state[i];
            }
        }
    }
    crate::arithmetic::quotient(off.total(), size.total())
}
