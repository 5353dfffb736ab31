//! Linear recurrences, one value after the other.

use super::Norm;
use crate::arithmetic::quotient;
use crate::error::{Error, Result};
use crate::real::Scalar;

/// w\[i\] = s\[i\] w\[i-1\] + t\[i\], with `initial` as the value before the first; in reverse
/// w\[i\] = s\[i\] w\[i+1\] + t\[i\]. A factor of 0 starts anew, whatever came before.
///
/// # Errors
/// [`Error::Shape`] for no rows, [`Error::Length`] where s and t differ in length.
pub fn recurrence<S: Scalar>(s: &[S], t: &[S], initial: S, reverse: bool) -> Result<Vec<S>> {
    if s.is_empty() {
        return Err(Error::Shape("n is 0; it must be at least 1".into()));
    }
    if t.len() != s.len() {
        return Err(Error::Length { vector: "t", expected: s.len().to_string(), found: t.len() });
    }
    let mut w = t.to_vec();
    let mut before = initial;
    let mut step = |i: usize| {
        w[i] = if s[i] == S::ZERO { t[i] } else { s[i] * before + t[i] };
        before = w[i];
    };
    match reverse {
        false => (0..s.len()).for_each(&mut step),
        true => (0..s.len()).rev().for_each(&mut step),
    }
    Ok(w)
}

/// ||w\[i\] - s\[i\] w\[i-1\] - t\[i\]|| / ||w|| in 2-norms, accumulated in f64, of sequences one behind the
/// other: each its initial value, and (s, t, w) of its rows in the order of the recurrence. Rows at or behind
/// a value past the range have no difference to take.
pub fn recurrence_residual<R: Iterator<Item = [f64; 3]>>(sequences: impl Iterator<Item = (f64, R)>) -> f64 {
    let (mut off, mut size) = (Norm::default(), Norm::default());
    for (mut before, rows) in sequences {
        for [s, t, w] in rows {
            if w.is_finite() && before.is_finite() {
                off.add(w - s * before - t);
                size.add(w);
            }
            before = w;
        }
    }
    quotient(off.total(), size.total())
}
