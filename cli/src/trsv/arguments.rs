//! The options of `trisolve trsv`.

use std::str::FromStr;

use trisolve::triangular::Algorithm;

use crate::input_file::InputPath;
use crate::or_cpu::OrCpu;
use crate::output_file::OutputPath;
use crate::triangle::{TriangleArguments, UploName};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    /// The matrix, square unless --trapezoid. The solve ignores the entries of the other triangle, but
    /// they have to be finite
    pub matrix: InputPath,
    /// Right-hand sides, n x k; by default A times ones
    pub rhs: Option<InputPath>,
    /// Which triangle of the matrix; by default the one that has entries
    #[arg(long, value_enum)]
    pub uplo: Option<UploName>,
    #[command(flatten)]
    pub triangle: TriangleArguments,
    /// The matrix (L1; L2) may have fewer columns than rows, as a supernode of a sparse direct solver: x1 = L1^-1 b1 and x2 = b2 - L2 x1;
    /// with --trans t: x2 = b2 and x1 = L1^-T (b1 - L2^T x2)
    #[arg(long)]
    pub trapezoid: bool,
    /// Write the solution to this file; by default only the report is printed
    #[arg(short, long)]
    pub output: Option<OutputPath>,
    /// Precision of the solve
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionName,
    /// auto, single, launch-synced, chained, or cpu (substitution)
    #[arg(long, default_value = "auto", value_parser = OrCpu::<Algorithm>::from_str)]
    pub algorithm: OrCpu<Algorithm>,
    /// How the algorithm divides its work, as block=32,threads=64 (with --algorithm chained; every algorithm has its own
    /// parameters); omitted parameters keep their default values
    #[arg(long)]
    pub policy: Option<String>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    pub device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Also print where the time went: reading, opening the device, planning, compiling, uploading, solving, checking, downloading,
    /// writing. In JSON under the key `timing`, in microseconds
    #[arg(long)]
    pub timing: bool,
}

impl Arguments {
    /// Refuses options that exclude each other.
    pub fn check(&self) -> Result<(), Failure> {
        self.algorithm.check_device(self.device.as_deref())?;
        match (self.algorithm, &self.policy) {
            (OrCpu::Cpu, Some(policy)) => {
                Err(Failure::Input(format!("--policy {policy}: excludes --algorithm cpu; leave one of them out")))
            }
            _ => Ok(()),
        }
    }
}
