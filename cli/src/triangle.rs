//! The options of triangular systems.

use clap::ValueEnum;
use trisolve::triangular::{Diag, Options, Trans, Uplo};

/// How the stored matrix enters the system.
#[derive(clap::Args, Clone, Copy)]
pub struct TriangleArguments {
    /// n solves A x = b, t solves A^T x = b
    #[arg(long, value_enum, default_value = "n")]
    trans: TransName,
    /// unit takes the diagonal as ones and does not read it
    #[arg(long, value_enum, default_value = "non-unit")]
    diag: DiagName,
}

impl TriangleArguments {
    pub fn options(self, uplo: Uplo) -> Options {
        let trans = match self.trans {
            TransName::N => Trans::No,
            TransName::T => Trans::Transpose,
        };
        let diag = match self.diag {
            DiagName::Unit => Diag::Unit,
            DiagName::NonUnit => Diag::NonUnit,
        };
        Options::default().uplo(uplo).trans(trans).diag(diag)
    }
}

/// The triangle that is read.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UploName {
    Lower,
    Upper,
}

impl UploName {
    pub const fn uplo(self) -> Uplo {
        match self {
            Self::Lower => Uplo::Lower,
            Self::Upper => Uplo::Upper,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TransName {
    N,
    T,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiagName {
    Unit,
    NonUnit,
}
