//! The options of `trisolve trsv`.

use trisolve::triangular::Algorithm;

use crate::PrecisionName;
use crate::input_file::InputPath;
use crate::output_file::OutputPath;
use crate::place::{PlaceArguments, device_algorithm};
use crate::triangle::{TriangleArguments, UploName};

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
    /// The device's algorithm: auto, single, abreast, launch-synced or chained
    #[arg(long, default_value = "auto", value_parser = device_algorithm::<Algorithm>)]
    pub algorithm: Algorithm,
    /// How the algorithm divides its work, as block=32,threads=64 (with --algorithm chained; every algorithm has its own
    /// parameters); omitted parameters keep their default values
    #[arg(long)]
    pub policy: Option<String>,
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
