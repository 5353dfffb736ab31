//! `trisolve bench filter`: measures Butterworth filters.

use trisolve::Real;
use trisolve::filter::{Algorithm, Cascade, Direction, FilterPlan, Options};
use trisolve_lab::{FilterSample, OnDevice, butterworth, butterworth_sections};

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
    /// Instead: cascades of so many second-order sections
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=4), value_delimiter = ',', conflicts_with = "order")]
    sections: Vec<u8>,
    /// Filter from the last row to the first
    #[arg(long)]
    reverse: bool,
}

/// The filters' cutoff, as a share of half the sampling rate.
const CUTOFF: f64 = 0.2;

/// The family's name in CSV files.
fn family(filter: &Cascade) -> String {
    match filter.sections() {
        [alone] => format!("filter of order {}", alone.order()),
        sections => format!("cascade of {} sections", sections.len()),
    }
}

impl Arguments {
    /// The filters to measure.
    fn filters(&self) -> trisolve::Result<Vec<Cascade>> {
        let direct = |order: &u8| butterworth((*order).into(), CUTOFF).map(|alone| (&alone).into());
        let cascade = |sections: &u8| butterworth_sections((*sections).into(), CUTOFF);
        match self.sections[..] {
            [] => self.order.iter().map(direct).collect(),
            ref sections => sections.iter().map(cascade).collect(),
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::open(&arguments.measuring)?;
    let mut cases = Vec::new();
    for batch in arguments.shapes.batches() {
        for filter in arguments.filters()? {
            cases.extend(arguments.algorithm.iter().map(|&algorithm| (batch, filter.clone(), algorithm)));
        }
    }
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    let mut report = Report::new(session, cases.len(), "order");
    let mut kept = Kept::default();
    for (batch, filter, algorithm) in cases {
        let options = Options::on_device().algorithm(algorithm).direction(direction);
        report.add(&batch, algorithm.name(), |timed| match batch.precision {
            PrecisionName::F32 => measure::<f32>(timed, &batch, &filter, options, &mut kept),
            PrecisionName::F64 => measure::<f64>(timed, &batch, &filter, options, &mut kept),
        })?;
    }
    report.finish()
}

fn measure<T: Real>(
    timed: &Timed<'_>,
    batch: &Batch,
    filter: &Cascade,
    options: Options,
    kept: &mut Kept,
) -> trisolve::Result<Measured> {
    let shape = batch.shape();
    kept.free_unless::<_, FilterSample<T>>(shape.n.checked_mul(shape.batch).as_ref());
    let plan = FilterPlan::<T>::new(timed.gpu, shape, filter, options)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let sample = kept.sample(len, || FilterSample::<T>::new(timed.gpu, len, 7))?;
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.signals())?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction, filter)?;
    check_residual(relative_residual, plan.algorithm())?;
    Ok(Measured {
        family: family(filter).into(),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row(),
        relative_residual,
        divided: filter.order().to_string(),
    })
}
