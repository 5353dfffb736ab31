//! Moebius recurrences, one value after the other.

use crate::error::{Error, Result};
use crate::real::Scalar;

/// w\[i\] = (a\[i\] w\[i-1\] + b\[i\]) / (c\[i\] w\[i-1\] + d\[i\]), with `initial` as the value before the first; in reverse w\[i\]
/// follows from w\[i+1\]. If the denominator is 0 the value is infinite, and the next row continues from a/c. 4 operations and a division
/// per row; another division after values above 1: the row uses their inverse, so that products of large values stay in range.
///
/// # Errors
/// [`Error::Shape`] for no rows, [`Error::Length`] where vectors differ in length, [`Error::Indeterminate`] for 0/0.
pub fn moebius<S: Scalar>(a: &[S], b: &[S], c: &[S], d: &[S], initial: S, reverse: bool) -> Result<Vec<S>> {
    let n = a.len();
    if n == 0 {
        return Err(Error::Shape("n is 0; it must be at least 1".into()));
    }
    for (vector, found) in [("b", b.len()), ("c", c.len()), ("d", d.len())] {
        if found != n {
            return Err(Error::Length { vector, expected: n.to_string(), found });
        }
    }
    let mut w = vec![S::ZERO; n];
    let mut before = initial;
    for step in 0..n {
        let i = if reverse { n - 1 - step } else { step };
        let (p, q) = match before.is_finite() {
            true if before.abs() <= S::ONE => (a[i] * before + b[i], c[i] * before + d[i]),
            true => {
                let inverse = S::ONE / before;
                (a[i] + b[i] * inverse, c[i] + d[i] * inverse)
            }
            false => (a[i], c[i]),
        };
        if p == S::ZERO && q == S::ZERO {
            return Err(Error::Indeterminate { system: 0, row: i });
        }
        w[i] = p / q;
        before = w[i];
    }
    Ok(w)
}
