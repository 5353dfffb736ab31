//! The error from rounding a file's numbers to the solve's precision.

use trisolve::{Real, Scalar};

/// Whether T holds the number.
pub fn is_exact<T: Real>(value: f64) -> bool {
    T::from_f64(value).to_f64() == value
}

/// The largest distance of values from the exact ones, relative to the largest of these. Values that leave the range do not count.
pub fn distance<T: Real>(values: &[T], exact: &[f64]) -> f64 {
    let finite = values.iter().zip(exact).filter(|(value, exact)| Scalar::is_finite(**value) && exact.is_finite());
    let (off, size) = finite.fold((0f64, 0f64), |(off, size), (value, exact)| {
        (off.max((value.to_f64() - exact).abs()), size.max(exact.abs()))
    });
    if off == 0.0 { 0.0 } else { off / size }
}
