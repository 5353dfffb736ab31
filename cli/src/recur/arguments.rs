//! The options of `trisolve recur`.

use std::path::PathBuf;
use std::str::FromStr;

use trisolve::recurrence::{Algorithm, Direction};

use crate::PrecisionName;
use crate::columns::number;
use crate::formulas::FormulaArguments;
use crate::input_file::InputPath;
use crate::output_file::OutputPath;
use crate::place::{PlaceArguments, device_algorithm};

#[derive(clap::Args)]
pub struct Arguments {
    /// The factor of the previous value: a number, or a file of n rows and one column per sequence
    #[arg(long, allow_hyphen_values = true, required_unless_present = "s_wgsl", conflicts_with = "s_wgsl")]
    s: Option<CoefficientSource>,
    /// The summand: a number, or a file as for --s
    #[arg(long, allow_hyphen_values = true, required_unless_present = "t_wgsl", conflicts_with = "t_wgsl")]
    t: Option<CoefficientSource>,
    #[command(flatten)]
    pub formulas: FormulaArguments,
    /// The initial value, before the first row
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true, value_parser = number)]
    pub w0: f64,
    /// Compute from the last row to the first: w[i] = s[i] w[i+1] + t[i]
    #[arg(long)]
    pub reverse: bool,
    /// Write the values to this file; by default only the report is printed
    #[arg(short, long)]
    pub output: Option<OutputPath>,
    /// Precision of the computation
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionName,
    /// The device's algorithm: auto, one-pass, three-launch, p-scheme or overlapped
    #[arg(long, default_value = "auto", value_parser = device_algorithm::<Algorithm>)]
    pub algorithm: Algorithm,
    /// Bitwise reproducible
    #[arg(long)]
    pub deterministic: bool,
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

/// The origin of a coefficient: a number, a file, or a formula.
#[derive(Clone)]
pub enum CoefficientSource {
    Number(f64),
    File(InputPath),
    Formula,
}

impl FromStr for CoefficientSource {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(_) => number(text).map(Self::Number),
            Err(_) => Ok(Self::File(PathBuf::from(text).into())),
        }
    }
}

impl CoefficientSource {
    pub fn file(&self) -> Option<&InputPath> {
        match self {
            Self::File(path) => Some(path),
            Self::Number(_) | Self::Formula => None,
        }
    }
}

impl Arguments {
    /// s and t. Clap ensures that each is given once.
    pub fn sources(&self) -> [CoefficientSource; 2] {
        let formula = |wgsl: &Option<String>| wgsl.as_ref().map(|_| CoefficientSource::Formula);
        let source = |own: &Option<CoefficientSource>, wgsl| {
            own.clone().or(formula(wgsl)).unwrap_or(CoefficientSource::Number(0.0))
        };
        [source(&self.s, &self.formulas.s_wgsl), source(&self.t, &self.formulas.t_wgsl)]
    }

    pub fn direction(&self) -> Direction {
        if self.reverse { Direction::Reverse } else { Direction::Forward }
    }
}
