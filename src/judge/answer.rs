//! Common parts of the families' judges: an answer with its estimate, norms, and rounding to the solve's precision.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::precision::Precision;
use crate::real::{Real, Scalar, Wide};

/// Most that underflow changes a product or a quotient in f64 or double-double arithmetic; the latter takes up to four operations in f64.
pub(crate) const UNDERFLOW: f64 = 4.0 * 5e-324;

/// The judge's answer and its estimated forward error.
#[derive(Debug)]
pub(crate) struct Answer<X> {
    /// `None`: keep the device's answer.
    pub better: Option<X>,
    /// The estimated forward error.
    pub forward_error: f64,
}

impl<X> Answer<X> {
    /// Values computed with this bound of their error, and rounded to T.
    pub fn rounded<T: Real>((values, error): (X, f64)) -> Self {
        Self { better: Some(values), forward_error: T::UNIT_ROUNDOFF + error }
    }
}

impl<X> Answer<Vec<X>> {
    /// For sequences whose values are all there is.
    pub fn alone(self) -> Answer<(Vec<X>, ())> {
        Answer { better: self.better.map(|values| (values, ())), forward_error: self.forward_error }
    }
}

/// The maximum norm; NaN where a value is NaN.
pub(crate) fn largest<W: Wide>(values: impl IntoIterator<Item = W>) -> W {
    values.into_iter().fold(W::ZERO, larger)
}

/// The larger of a maximum so far and a value's size; NaN stays.
pub(crate) fn larger<W: Wide>(most: W, value: W) -> W {
    let is_more = most.partial_cmp(&value.abs()).is_some_and(Ordering::is_lt);
    let is_nan = value.partial_cmp(&value).is_none();
    if is_nan || is_more { value.abs() } else { most }
}

/// A quotient of sizes; 0 / 0 is 0.
pub(crate) fn relative<W: Wide>(above: W, below: W) -> f64 {
    if above == W::ZERO { 0.0 } else { (above / below).to_f64() }
}

/// A number in the digits of f64 and the range of S.
pub(crate) fn converted<W: Wide, S: Wide>(value: W) -> S {
    let power = value.exponent().unwrap_or(0);
    S::from(value.times_power(-power).to_f64()).times_power(power)
}

/// Whether an error is above a limit; NaN is above all.
pub(crate) fn exceeds(error: f64, limit: f64) -> bool {
    error.is_nan() || error > limit
}

/// Numbers of this size keep their digits in T.
pub(crate) fn is_normal<T: Real>(size: f64) -> bool {
    size == 0.0 || (T::PRECISION.least_normal()..f64::INFINITY).contains(&size)
}

/// The least and the largest size of entries whose products and quotients stay in the normal range of T.
pub(crate) fn moderate<T: Real>() -> [f64; 2] {
    match T::PRECISION {
        Precision::F32 => [2f64.powi(-30), 2f64.powi(30)],
        Precision::F64 => [2f64.powi(-300), 2f64.powi(300)],
    }
}

/// More numbers are read by several cores.
const PARALLEL: usize = 1 << 16;

/// Whether the sizes of these numbers exclude harmful underflow in elimination. Corners and padding that are NaN do not count.
pub(crate) fn is_moderate<T: Real>(values: &[T]) -> bool {
    let [least, most] = moderate::<T>().map(T::from_f64);
    // No early exit, so that the compiler vectorises the loop.
    let are_moderate = |values: &[T]| {
        !values.iter().fold(false, |beyond, value| {
            let size = Scalar::abs(*value);
            beyond | (size != T::ZERO) & ((size < least) | (size > most))
        })
    };
    match values.len() > PARALLEL {
        true => values.par_chunks(PARALLEL).all(are_moderate),
        false => are_moderate(values),
    }
}

/// Whether a largest unknown of this size is far from both ends of the range: underflow is negligible beside it, and sums of its products
/// with moderate entries do not overflow.
pub(crate) fn is_mid_range<T: Real>(size: f64) -> bool {
    match T::PRECISION {
        Precision::F32 => (2f64.powi(-40)..=2f64.powi(90)).contains(&size),
        Precision::F64 => (2f64.powi(-300)..=2f64.powi(700)).contains(&size),
    }
}

/// Whether neither underflow nor overflow costs digits of an answer whose largest unknown has this size.
pub(crate) fn keeps_digits<T: Real>(size: f64, rhs: &[T]) -> bool {
    is_mid_range::<T>(size) || size == 0.0 && rhs.iter().all(|d| *d == T::ZERO)
}

/// Whether all unknowns are 0 although the right-hand side is not.
pub(crate) fn vanish<T: Real>(rhs: &[T], x: &[f64]) -> bool {
    x.iter().all(|x| *x == 0.0) && rhs.iter().any(|d| *d != T::ZERO)
}

/// Unknowns rounded to T.
///
/// # Errors
/// [`Error::Overflow`] if one is past the range of T, [`Error::Underflow`] if the largest is not 0 and below the normal range of T.
pub(crate) fn narrowed<T: Real>(system: usize, x: &[f64]) -> Result<Vec<T>> {
    let precision = T::PRECISION;
    let narrow: Vec<_> = x.iter().map(|&x| T::from_f64(x)).collect();
    if let Some(row) = narrow.iter().position(|x| !x.is_finite()) {
        return Err(Error::Overflow { system, row, precision });
    }
    let largest = largest(x.iter().copied());
    match is_normal::<T>(largest) {
        true => Ok(narrow),
        false => Err(Error::Underflow { largest, precision }),
    }
}
