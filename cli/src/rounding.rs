//! The error from rounding a file's numbers to the solve's precision.

use trisolve::{Real, Scalar};

use crate::Failure;

/// A larger forward error leaves no digit of the solution.
pub const MOST_FORWARD_ERROR: f64 = 0.1;

/// Whether T holds the number.
pub fn is_exact<T: Real>(value: f64) -> bool {
    T::from_f64(value).to_f64() == value
}

/// The largest absolute value.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0f64, |most, value| most.max(value.abs()))
}

/// The larger of two errors; NaN counts as the largest.
pub fn larger(one: f64, other: f64) -> f64 {
    if one.is_nan() || one > other { one } else { other }
}

/// The largest distance of the values from the exact ones, relative to the largest exact one. Values outside the range do not
/// count, unless the exact one is inside or has the other sign: then the distance is infinite.
pub fn distance<T: Real>(values: &[T], exact: &[f64]) -> f64 {
    let is_lost = |(value, exact): (&T, &f64)| {
        !Scalar::is_finite(*value)
            && (Scalar::is_finite(T::from_f64(*exact)) || (value.to_f64() < 0.0) != (*exact < 0.0))
    };
    if values.iter().zip(exact).any(is_lost) {
        return f64::INFINITY;
    }
    let finite = values.iter().zip(exact).filter(|(value, exact)| Scalar::is_finite(**value) && exact.is_finite());
    let (off, size) = finite.fold((0f64, 0f64), |(off, size), (value, exact)| {
        (off.max((value.to_f64() - exact).abs()), size.max(exact.abs()))
    });
    if off == 0.0 { 0.0 } else { off / size }
}

/// Refuses sequences that have no digit left once the given numbers are rounded to T. `place` names the file, if any; `what`
/// names the computed sequences.
pub fn check_digits<T: Real>(place: &str, what: &str, forward_error: f64) -> Result<(), Failure> {
    match forward_error <= MOST_FORWARD_ERROR {
        true => Ok(()),
        false => Err(Failure::Solver(format!(
            "{place}rounding the numbers given to {} leaves no digit of the {what} (forward error about {forward_error:.0e}); use \
             --precision f64",
            T::PRECISION
        ))),
    }
}
