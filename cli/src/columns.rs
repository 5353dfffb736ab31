//! The numbers of options and files in the solve's precision.

use trisolve::{Precision, Real, Scalar};

use crate::Failure;
use crate::input_file::InputPath;

/// A number in an option. Refuses numbers other than 0 that f64 rounds to 0, as files do.
pub fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    match value == 0.0 && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        true => Err(format!("{text} is below the range of f64; write 0, or scale the numbers")),
        false => Ok(value),
    }
}

/// Rounds a number to T. Refuses NaN and numbers outside the range of T.
pub fn narrow<T: Real>(what: &str, value: f64) -> Result<T, Failure> {
    let narrowed = T::from_f64(value);
    if value.is_nan() {
        return Err(Failure::Input(format!("{what}: found NaN; give a number")));
    }
    if value != 0.0 && value.abs() < T::PRECISION.least_normal() {
        let below = format!("{what}: {value:e} is below the range of {}; {}", T::PRECISION, other_range::<T>("up"));
        return Err(Failure::Input(below));
    }
    if Scalar::is_finite(narrowed) {
        return Ok(narrowed);
    }
    let advice = if value.is_finite() { format!("; {}", other_range::<T>("down")) } else { String::new() };
    Err(Failure::Input(format!("{what}: {value:e} is past the range of {}{advice}", T::PRECISION)))
}

/// The advice for a number outside the range.
pub fn other_range<T: Real>(direction: &str) -> String {
    let scale = format!("scale the system {direction}");
    match T::PRECISION {
        Precision::F32 => format!("use --precision f64, or {scale}"),
        Precision::F64 => scale,
    }
}

/// Rounds the values of a file with `rows` rows to T. A value below the range is accepted, unless all of its column are.
pub fn narrow_all<T: Real>(path: &InputPath, values: &[f64], rows: usize) -> Result<Vec<T>, Failure> {
    let least = T::PRECISION.least_normal();
    let is_small = |column: &[f64]| column.iter().all(|value| value.abs() < least);
    let small: Vec<_> = values.chunks(rows.max(1)).map(is_small).collect();
    let named = |(at, value): (usize, &f64)| {
        if !small[at / rows.max(1)] && value.abs() < least {
            return Ok(T::from_f64(*value));
        }
        narrow(&format!("{}, row {}", path.display(), at % rows.max(1) + 1), *value)
    };
    values.iter().enumerate().map(named).collect()
}
