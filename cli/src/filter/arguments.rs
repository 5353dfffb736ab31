//! The options of `trisolve filter`, and the numbers in them.

use trisolve::filter::{Algorithm, Cascade, Coefficients, Direction};

use crate::columns::number;
use crate::input_file::InputPath;
use crate::options::file;
use crate::output_file::OutputPath;
use crate::place::{PlaceArguments, device_algorithm};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    /// The inputs: one row per sample, one column per sequence
    #[arg(value_parser = file::<InputPath>())]
    pub x: InputPath,
    /// The numerator, as 0.2,0.3: the factors of the input, of the previous input, and so on
    #[arg(long, value_delimiter = ',', value_parser = number, allow_hyphen_values = true, requires = "a",
        required_unless_present = "section")]
    b: Vec<f64>,
    /// The denominator, as 1,-0.5: a[0] y[n] + a[1] y[n-1] + ... = b[0] x[n] + b[1] x[n-1] + ...
    #[arg(long, value_delimiter = ',', value_parser = number, allow_hyphen_values = true, requires = "b")]
    a: Vec<f64>,
    /// In place of --b and --a: a second-order section, as b0,b1,b2,a0,a1,a2. Given 2 to 4 times: a cascade, whose sections take the outputs of the previous one
    #[arg(long, value_name = "B0,B1,B2,A0,A1,A2", value_parser = section, allow_hyphen_values = true, conflicts_with_all = ["b", "a"])]
    section: Vec<[f64; 6]>,
    /// The state before the first row, the same for every sequence: as many numbers as the filter's order; a cascade has two per section (default: 0)
    #[arg(long, value_delimiter = ',', value_parser = number, allow_hyphen_values = true)]
    zi: Vec<f64>,
    /// Filter from the last row to the first
    #[arg(long)]
    pub reverse: bool,
    /// Write the outputs to this file; by default only the report is printed
    #[arg(short, long)]
    pub output: Option<OutputPath>,
    /// Precision of the computation
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionName,
    /// The device's algorithm: auto, one-pass, three-launch or overlapped
    #[arg(long, default_value = "auto", value_parser = device_algorithm::<Algorithm>)]
    pub algorithm: Algorithm,
    /// Give the same bits in every run; excludes one-pass
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

impl Arguments {
    /// The filter and its initial state.
    pub fn filter(&self) -> Result<(Cascade, Vec<f64>), Failure> {
        let filter: Cascade = match self.section[..] {
            [] => (&Coefficients::new(&self.b, &self.a)
                .map_err(|error| Failure::Input(format!("--b and --a: {error}")))?)
                .into(),
            ref sections => Cascade::from_sections(sections)
                .map_err(|error| Failure::Input(format!("--section (counted from 0): {error}")))?,
        };
        let (order, found) = (filter.order(), self.zi.len());
        match found {
            0 => Ok((filter, vec![0.0; order])),
            _ if found == order => Ok((filter, self.zi.clone())),
            _ => Err(Failure::Input(format!("--zi: {found} numbers, but the filter's state has {order}"))),
        }
    }

    pub fn direction(&self) -> Direction {
        if self.reverse { Direction::Reverse } else { Direction::Forward }
    }
}

/// Parses a section.
fn section(text: &str) -> Result<[f64; 6], String> {
    let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    numbers
        .try_into()
        .map_err(|numbers: Vec<_>| format!("{} numbers, but a section has 6: b0,b1,b2,a0,a1,a2", numbers.len()))
}
