//! Dense files of a column for each sequence.

use std::path::Path;

use trisolve::matrix_market::{self, Format};
use trisolve::{Precision, Real, Scalar};

use crate::Failure;

/// What a file holds: rows, columns, values column by column.
pub struct Columns {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f64>,
}

pub fn read(path: &Path) -> Result<Columns, Failure> {
    let entries = matrix_market::read(path)?;
    if entries.format != Format::Array {
        return Err(Failure::Input(format!(
            "{}: sequences come as a dense file, with the header `%%MatrixMarket matrix array real general`",
            path.display()
        )));
    }
    let (rows, columns) = (entries.rows, entries.columns);
    Ok(Columns { rows, columns, values: matrix_market::columns(&entries, rows)? })
}

/// A number in the precision, in its range.
pub fn narrow<T: Real>(what: &str, value: f64) -> Result<T, Failure> {
    let narrowed = T::from_f64(value);
    if value.is_nan() {
        return Err(Failure::Input(format!("{what}: is not a number")));
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

/// What to do about a number out of range.
pub fn other_range<T: Real>(direction: &str) -> String {
    let scale = format!("scale the system {direction}");
    match T::PRECISION {
        Precision::F32 => format!("use --precision f64, or {scale}"),
        Precision::F64 => scale,
    }
}

/// The values of a file of so many rows. Among others of its column what is below the range may as well be 0.
pub fn narrow_all<T: Real>(path: &Path, values: &[f64], rows: usize) -> Result<Vec<T>, Failure> {
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
