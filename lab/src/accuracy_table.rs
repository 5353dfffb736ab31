//! Tables of forward errors.

use std::fmt;

use trisolve::Real;

/// The errors of several solvers for several systems.
#[derive(Debug, Clone, PartialEq)]
pub struct AccuracyTable {
    /// The systems, and the measure of the error.
    pub title: String,
    /// The explanation of the rows and columns.
    pub legend: &'static str,
    /// The heading of the rows' names.
    pub row: &'static str,
    /// The headings of the columns: the solvers, or sizes.
    pub solvers: Vec<String>,
    /// Per row its name and the result of each solver.
    pub rows: Vec<(String, Vec<Measured>)>,
    /// The conclusion from the errors, for tables with a requirement.
    pub verdict: Option<String>,
}

/// The result of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measured {
    /// Its error; NaN occurs in the papers only.
    Error(f64),
    /// It refused the system, or its solution is not finite.
    Failed,
    /// There is no reference: the baseline failed, or the matrix is singular.
    NoReference,
    /// The system is too large for this device, or for its generator.
    TooLarge,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) if error.is_nan() => f.write_str("NaN"),
            Self::Error(error) => write!(f, "{error:.1e}"),
            Self::Failed => f.write_str("failed"),
            Self::NoReference => f.write_str("no reference"),
            Self::TooLarge => f.write_str("too large"),
        }
    }
}

/// The values in f64.
pub(super) fn wide<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

/// ||x - reference|| / ||reference||.
pub(super) fn relative_error(x: &[f64], reference: &[f64]) -> Measured {
    let norm = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(0f64, |norm, v| if v.is_finite() { norm.hypot(v) } else { f64::NAN })
    };
    let error = norm(&mut x.iter().zip(reference).map(|(x, y)| x - y)) / norm(&mut reference.iter().copied());
    if error.is_nan() { Measured::Failed } else { Measured::Error(error) }
}
