//! Precisions on the command line.

use clap::ValueEnum;
use trisolve::{Gpu, Precision};

use crate::Failure;

/// A precision, by its name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PrecisionName {
    F32,
    F64,
}

impl PrecisionName {
    pub const fn name(self) -> &'static str {
        self.precision().name()
    }

    pub const fn precision(self) -> Precision {
        match self {
            Self::F32 => Precision::F32,
            Self::F64 => Precision::F64,
        }
    }
}

/// The named precisions, f32 first; all that the adapter supports if none is named.
///
/// # Errors
/// [`Failure::Input`] if f64 is named and the adapter does not support it.
pub fn supported(gpu: &Gpu, named: &[PrecisionName]) -> Result<Vec<PrecisionName>, Failure> {
    let has_f64 = gpu.capabilities().features.f64;
    if !has_f64 && named.contains(&PrecisionName::F64) {
        return Err(no_f64(gpu));
    }
    let is_wanted = |precision: &PrecisionName| match named.is_empty() {
        true => has_f64 || *precision == PrecisionName::F32,
        false => named.contains(precision),
    };
    Ok([PrecisionName::F32, PrecisionName::F64].into_iter().filter(is_wanted).collect())
}

/// The adapter does not support f64.
pub fn no_f64(gpu: &Gpu) -> Failure {
    Failure::Input(format!("{} does not support f64", gpu.info().name))
}
