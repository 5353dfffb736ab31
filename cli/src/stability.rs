//! The option `--stability`, and the algorithms that have it.

use clap::ValueEnum;
use trisolve::tridiagonal::{Algorithm, Stability};

/// What auto, pivoting and tpr favour: speed or digits.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StabilityName {
    Fastest,
    Stable,
}

impl StabilityName {
    pub const fn stability(self) -> Stability {
        match self {
            Self::Fastest => Stability::Fastest,
            Self::Stable => Stability::Stable,
        }
    }
}

/// The error if `--stability` is given with another algorithm.
pub const NO_STABILITY: &str =
    "--stability applies to --algorithm auto, pivoting or tpr; name one of these, or leave --stability out";

pub fn has_stability(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::Auto | Algorithm::Pivoting | Algorithm::Tpr)
}
