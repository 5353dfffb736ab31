//! The options of `trisolve filter`, and the numbers in them.

use std::path::PathBuf;
use std::str::FromStr;

use trisolve::filter::{Algorithm, Coefficients, Direction};

use crate::columns::number;
use crate::or_cpu::OrCpu;
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    /// The inputs (Matrix Market, array format): one row per sample, one column per sequence
    x: Option<PathBuf>,
    /// The numerator, as 0.2 0.3 or 0.2,0.3 (as --b=-0.2,0.3 if it begins with a minus): the factors of the input, of the
    /// previous input, and so on
    #[arg(long, num_args = 1.., allow_negative_numbers = true, required = true, value_name = "NUMBERS")]
    b: Vec<String>,
    /// The denominator, as 1 -0.5: a[0] y[n] + a[1] y[n-1] + ... = b[0] x[n] + b[1] x[n-1] + ...
    #[arg(long, num_args = 1.., allow_negative_numbers = true, required = true, value_name = "NUMBERS")]
    a: Vec<String>,
    /// The state before the first row, the same for every sequence: one number per order of the filter (default: 0)
    #[arg(long, num_args = 1.., allow_negative_numbers = true, value_name = "NUMBERS")]
    zi: Vec<String>,
    /// Filter from the last row to the first
    #[arg(long)]
    pub reverse: bool,
    /// Write the outputs to this file (array format); by default only the report is printed
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Precision of the computation
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionName,
    /// auto, three-launch, or cpu
    #[arg(long, default_value = "auto", value_parser = OrCpu::<Algorithm>::from_str)]
    pub algorithm: OrCpu<Algorithm>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    pub device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// The filter, its initial state, and the file of inputs.
pub struct Asked {
    pub coefficients: Coefficients,
    pub zi: Vec<f64>,
    pub path: PathBuf,
}

impl Arguments {
    /// Parses the numbers.
    pub fn asked(&self) -> Result<Asked, Failure> {
        let mut path = self.x.clone();
        let mut numbers = |name: &str, words: &[String]| {
            let mut all = Vec::new();
            for (at, word) in words.iter().enumerate() {
                let is_last = at + 1 == words.len() && at > 0;
                match word.split(',').map(number).collect::<Result<Vec<_>, _>>() {
                    Ok(parts) => all.extend(parts),
                    // An option with any number of values also takes the file name after them.
                    Err(_) if is_last && path.is_none() && word.parse::<f64>().is_err() => path = Some(word.into()),
                    Err(error) => return Err(Failure::Input(format!("{name}: {error}"))),
                }
            }
            Ok(all)
        };
        let (b, a, zi) = (numbers("--b", &self.b)?, numbers("--a", &self.a)?, numbers("--zi", &self.zi)?);
        let coefficients =
            Coefficients::new(&b, &a).map_err(|error| Failure::Input(format!("--b and --a: {error}")))?;
        let (order, found) = (coefficients.order(), zi.len());
        if found > 0 && found != order {
            return Err(Failure::Input(format!("--zi: {found} numbers, but the filter's state has {order}")));
        }
        let path =
            path.ok_or_else(|| Failure::Input("there is no file of inputs; name it as the first or last word".into()))?;
        let zi = if zi.is_empty() { vec![0.0; order] } else { zi };
        Ok(Asked { coefficients, zi, path })
    }

    pub fn direction(&self) -> Direction {
        if self.reverse { Direction::Reverse } else { Direction::Forward }
    }
}
