//! `trisolve bench filter`

use trisolve::Real;
use trisolve::filter::{Algorithm, Direction, FilterPlan, Options};
use trisolve_lab::{FilterSample, butterworth};

use super::report::{Common, Lying, Measured, Session, Timed, check_residual};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// auto or three-launch
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// Orders of the filter, Butterworth's low-pass
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4), num_args = 1.., default_values = ["4"])]
    order: Vec<u8>,
    /// From the last row to the first
    #[arg(long)]
    reverse: bool,
}

/// Of half the sampling rate, where the filters cut off.
const CUTOFF: f64 = 0.2;

/// In CSV files.
fn family(order: usize) -> &'static str {
    ["filter of order 1", "filter of order 2", "filter of order 3", "filter of order 4"][order - 1]
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { common, .. } = arguments;
    let session = Session::open(&common.measuring)?;
    let mut cases = Vec::new();
    for lying in common.shapes() {
        for &order in &arguments.order {
            cases.extend(arguments.algorithm.iter().map(|&algorithm| (lying, usize::from(order), algorithm)));
        }
    }
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    let mut report = session.report(cases.len(), "order")?;
    let (mut single, mut double) = (None, None);
    for (lying, order, algorithm) in cases {
        let options = Options::default().algorithm(algorithm).direction(direction);
        report.add(&lying, algorithm.name(), |timed| match lying.precision {
            PrecisionName::F32 => {
                double = None;
                measure::<f32>(timed, &lying, order, options, &mut single)
            }
            PrecisionName::F64 => {
                single = None;
                measure::<f64>(timed, &lying, order, options, &mut double)
            }
        })?;
    }
    report.finish()
}

/// `kept` is the last case's vectors, where those were as long.
fn measure<T: Real>(
    timed: &Timed<'_>,
    lying: &Lying,
    order: usize,
    options: Options,
    kept: &mut Option<(usize, FilterSample<T>)>,
) -> trisolve::Result<Measured> {
    let shape = lying.shape();
    *kept = kept.take().filter(|kept| Some(kept.0) == shape.n.checked_mul(shape.batch));
    let coefficients = butterworth(order, CUTOFF)?;
    let plan = FilterPlan::<T>::new(timed.gpu, shape, &coefficients, options)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let (_, sample) = match kept {
        Some(sample) => sample,
        None => kept.insert((len, FilterSample::new(timed.gpu, len, 7)?)),
    };
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.signals())?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction, &coefficients)?;
    check_residual(relative_residual, plan.algorithm())?;
    Ok(Measured {
        family: family(order),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row(),
        relative_residual,
        divided: order.to_string(),
    })
}
