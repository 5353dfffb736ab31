//! `trisolve bench filter`: measures Butterworth filters.

use trisolve::Real;
use trisolve::filter::{Algorithm, Direction, FilterPlan, Options};
use trisolve_lab::{FilterSample, OnDevice, butterworth};

use super::kept::Kept;
use super::report::{Measured, Report, check_residual};
use super::session::{Measuring, Session, Timed};
use super::shapes::{Batch, ShapeArguments};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    shapes: ShapeArguments,
    #[command(flatten)]
    measuring: Measuring,
    /// auto, one-pass or three-launch
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    algorithm: Vec<Algorithm>,
    /// Orders of the filter, a Butterworth low-pass
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4), value_delimiter = ',', default_value = "4")]
    order: Vec<u8>,
    /// Filter from the last row to the first
    #[arg(long)]
    reverse: bool,
}

/// The filters' cutoff, as a share of half the sampling rate.
const CUTOFF: f64 = 0.2;

/// The family's name in CSV files.
fn family(order: usize) -> &'static str {
    ["filter of order 1", "filter of order 2", "filter of order 3", "filter of order 4"][order - 1]
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::open(&arguments.measuring)?;
    let mut cases = Vec::new();
    for batch in arguments.shapes.batches() {
        for &order in &arguments.order {
            cases.extend(arguments.algorithm.iter().map(|&algorithm| (batch, usize::from(order), algorithm)));
        }
    }
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    let mut report = Report::new(session, cases.len(), "order");
    let mut kept = Kept::default();
    for (batch, order, algorithm) in cases {
        let options = Options::on_device().algorithm(algorithm).direction(direction);
        report.add(&batch, algorithm.name(), |timed| match batch.precision {
            PrecisionName::F32 => measure::<f32>(timed, &batch, order, options, &mut kept),
            PrecisionName::F64 => measure::<f64>(timed, &batch, order, options, &mut kept),
        })?;
    }
    report.finish()
}

fn measure<T: Real>(
    timed: &Timed<'_>,
    batch: &Batch,
    order: usize,
    options: Options,
    kept: &mut Kept,
) -> trisolve::Result<Measured> {
    let shape = batch.shape();
    kept.free_unless::<_, FilterSample<T>>(shape.n.checked_mul(shape.batch).as_ref());
    let coefficients = butterworth(order, CUTOFF)?;
    let plan = FilterPlan::<T>::new(timed.gpu, shape, &coefficients, options)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let sample = kept.sample(len, || FilterSample::<T>::new(timed.gpu, len, 7))?;
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.signals())?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction, &coefficients)?;
    check_residual(relative_residual, plan.algorithm())?;
    Ok(Measured {
        family: family(order).into(),
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
