//! The options of `trisolve solve`.

use std::str::FromStr;

use clap::ValueEnum;
use trisolve::tridiagonal::{Algorithm, Diagonal};
use trisolve::{Error, quasi_tridiagonal, triangular};

use super::quasi::Iteration;
use crate::input_file::InputPath;
use crate::output_file::OutputPath;
use crate::place::{PlaceArguments, device_algorithm};
use crate::plans::POLICY;
use crate::{PrecisionName, StabilityName};

#[derive(clap::Args)]
pub struct Arguments {
    /// The matrix in Matrix Market format: tridiagonal, cyclic, tridiagonal with further entries, or triangular (see `trisolve
    /// trsv`). Also n x 3 values: the lower diagonal, the diagonal and the upper diagonal; the first lower and the last upper value are
    /// the corners of a cyclic matrix, otherwise 0
    pub matrix: InputPath,
    /// Right-hand sides, n x k; by default A times ones
    pub rhs: Option<InputPath>,
    /// Write the solution to this file; by default only the report is printed
    #[arg(short, long)]
    pub output: Option<OutputPath>,
    /// Precision of the solve
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionName,
    /// The device's algorithm. For tridiagonal matrices: auto, thomas, cr, pcr, cr-pcr, partition, pivoting, tpr, wang-mou or scan.
    /// For quasi-tridiagonal matrices: auto, hisa, bhisa, jacobi, gauss-seidel, gmres, bicg, bicgstab, tfqmr or bicrstab; with
    /// --place cpu, Gauss-Seidel and, if it fails, elimination
    #[arg(long, default_value = "auto", value_parser = device_algorithm::<AnyAlgorithm>)]
    pub algorithm: AnyAlgorithm,
    /// For auto and pivoting: fastest, or stable, which keeps half of the digits even if a pivoting partition is singular. For
    /// tpr: the fastest slices, or the largest
    #[arg(long, value_enum)]
    pub stability: Option<StabilityName>,
    #[arg(long, help = format!("How the algorithm divides its work, {POLICY}"))]
    pub policy: Option<String>,
    /// What the file's diagonal entries are: the diagonal's values, or the diagonal's excess over the sum of the
    /// off-diagonals' absolute values
    #[arg(long, value_enum, default_value = "value")]
    pub diagonal: DiagonalName,
    /// The matrix is cyclic: its two corner entries couple the first row to the last unknown and the last row to the first.
    /// By default the program detects this, unless --algorithm iterates
    #[arg(long)]
    pub cyclic: bool,
    /// Solve with the transpose of the matrix
    #[arg(long)]
    pub transpose: bool,
    /// Factor the matrix once, then solve for one right-hand side after the other with the factors
    #[arg(long)]
    pub factored: bool,
    #[command(flatten)]
    pub iteration: Iteration,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Also print where the time went: reading, opening the device, planning, compiling, uploading, solving, checking, downloading,
    /// writing. In JSON under the key `timing`, in microseconds
    #[arg(long)]
    pub timing: bool,
}

/// An algorithm of one of the families.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AnyAlgorithm {
    Auto,
    Tridiagonal(Algorithm),
    Quasi(quasi_tridiagonal::Algorithm),
}

impl FromStr for AnyAlgorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match (text, text.parse(), text.parse()) {
            ("auto", ..) => Ok(Self::Auto),
            (_, Ok(algorithm), _) => Ok(Self::Tridiagonal(algorithm)),
            (_, _, Ok(algorithm)) => Ok(Self::Quasi(algorithm)),
            _ => {
                let direct = Algorithm::ALL.map(Algorithm::name);
                let iterative = quasi_tridiagonal::Algorithm::ALL.map(quasi_tridiagonal::Algorithm::name);
                // Both lists begin with auto.
                let names: Vec<_> = direct.into_iter().chain(iterative.into_iter().skip(1)).collect();
                let is_triangular = text.parse::<triangular::Algorithm>().is_ok();
                let advice = if is_triangular { " (`trisolve trsv` has it)" } else { "" };
                Err(Error::Options(format!("unknown algorithm {text:?}{advice}; there are {}", names.join(", "))))
            }
        }
    }
}

impl std::fmt::Display for AnyAlgorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Tridiagonal(algorithm) => algorithm.fmt(f),
            Self::Quasi(algorithm) => algorithm.fmt(f),
        }
    }
}

/// What the file's diagonal entries are.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiagonalName {
    Value,
    Excess,
}

impl DiagonalName {
    pub fn kind(self) -> Diagonal {
        match self {
            Self::Value => Diagonal::Value,
            Self::Excess => Diagonal::Excess,
        }
    }
}
