//! `trisolve bench recurrence`

use clap::ValueEnum;
use trisolve::recurrence::{Algorithm, Direction, Options, RecurrencePlan};
use trisolve::testing::RecurrenceSample;
use trisolve::{Error, Real};

use super::report::{Common, Lying, Measured, Session, Timed};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// auto, one-pass, three-launch or p-scheme
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// Which coefficients come from vectors
    #[arg(long, value_enum, num_args = 1.., default_values = ["both"])]
    coefficients: Vec<CoefficientsName>,
    /// From the last row to the first
    #[arg(long)]
    reverse: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CoefficientsName {
    /// s and t
    Both,
    /// t; s is constant
    ConstantS,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { common, .. } = arguments;
    let session = Session::open(common)?;
    let mut cases = Vec::new();
    for lying in common.shapes() {
        for &coefficients in &arguments.coefficients {
            cases.extend(arguments.algorithm.iter().map(|&algorithm| (lying, coefficients, algorithm)));
        }
    }
    let mut report = session.report(cases.len(), "coefficients")?;
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    let (mut single, mut double) = (None, None);
    for (lying, coefficients, algorithm) in cases {
        let options = Options::default().algorithm(algorithm).direction(direction);
        report.add(&lying, &algorithm.to_string(), |timed| match lying.precision {
            PrecisionName::F32 => {
                double = None;
                measure::<f32>(timed, &lying, coefficients, options, &mut single)
            }
            PrecisionName::F64 => {
                single = None;
                measure::<f64>(timed, &lying, coefficients, options, &mut double)
            }
        })?;
    }
    report.finish()
}

/// `kept` is the last case's vectors, where those were as long.
fn measure<T: Real>(
    timed: &Timed<'_>,
    lying: &Lying,
    coefficients: CoefficientsName,
    options: Options,
    kept: &mut Option<(usize, RecurrenceSample<T>)>,
) -> trisolve::Result<Measured> {
    let shape = lying.shape();
    *kept = kept.take().filter(|kept| Some(kept.0) == shape.n.checked_mul(shape.batch));
    let plan = RecurrencePlan::<T>::new(timed.gpu, shape, options)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let (_, sample) = match kept {
        Some(sample) => sample,
        None => kept.insert((len, RecurrenceSample::new(timed.gpu, len, 7)?)),
    };
    let constant = coefficients == CoefficientsName::ConstantS;
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.recurrence(constant))?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction, constant)?;
    if !relative_residual.is_finite() {
        return Err(Error::Options(format!("{} left rows unsolved", plan.algorithm())));
    }
    let spared = if constant { T::PRECISION.bytes() as f64 * plan.reads() } else { 0.0 };
    Ok(Measured {
        family: "recurrence",
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row() - spared,
        relative_residual,
        divided: if constant { "constant s" } else { "both" }.into(),
    })
}
