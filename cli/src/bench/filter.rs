//! `trisolve bench filter`: measures Butterworth filters.

use trisolve::Real;
use trisolve::filter::{Algorithm, Bank, Cascade, Direction, FilterPlan, Options};
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
    /// auto, one-pass, three-launch or overlapped
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    algorithm: Vec<Algorithm>,
    /// Orders of the filter, a Butterworth low-pass
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=4), value_delimiter = ',', default_value = "4")]
    order: Vec<u8>,
    /// Numbers of second-order sections of the cascades to measure, in place of --order
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=4), value_delimiter = ',', conflicts_with = "order")]
    sections: Vec<u8>,
    /// Measure a bank, one filter per sequence: `own` gives each an input, `one` gives all the same
    #[arg(long, value_enum)]
    bank: Option<BankInputs>,
    /// Filter from the last row to the first
    #[arg(long)]
    reverse: bool,
}

/// The filters' cutoff, as a share of half the sampling rate.
const CUTOFF: f64 = 0.2;

/// The inputs of a bank.
#[derive(Clone, Copy, clap::ValueEnum)]
enum BankInputs {
    Own,
    One,
}

/// The kind and size of a filter.
#[derive(Clone, Copy)]
enum Design {
    Direct { order: u8 },
    Cascade { sections: u8 },
}

impl Design {
    fn with_cutoff(self, cutoff: f64) -> trisolve::Result<Cascade> {
        match self {
            Self::Direct { order } => butterworth(order.into(), cutoff).map(|alone| (&alone).into()),
            Self::Cascade { sections } => butterworth_sections(sections.into(), cutoff),
        }
    }

    /// For a batch of so many sequences.
    fn bank(self, inputs: Option<BankInputs>, batch: usize) -> trisolve::Result<Bank> {
        let Some(inputs) = inputs else { return Ok(self.with_cutoff(CUTOFF)?.into()) };
        // From once to twice the cutoff.
        let cutoff = |system: usize| CUTOFF * (1.0 + system as f64 / batch as f64);
        let filters =
            (0..batch).map(|system| self.with_cutoff(cutoff(system))).collect::<trisolve::Result<Vec<_>>>()?;
        match inputs {
            BankInputs::Own => Bank::per_sequence(filters),
            BankInputs::One => Bank::of_one_signal(filters),
        }
    }
}

/// The family's name in CSV files.
fn family(bank: &Bank) -> String {
    let kind = match bank.filters()[0].sections() {
        [alone] => format!("filter of order {}", alone.order()),
        sections => format!("cascade of {} sections", sections.len()),
    };
    match (bank.filters().len(), bank.shares_input()) {
        (1, _) => kind,
        (_, false) => format!("bank of a {kind} per sequence"),
        (_, true) => format!("bank of one signal, {kind}"),
    }
}

impl Arguments {
    /// The filters to measure.
    fn designs(&self) -> Vec<Design> {
        match self.sections[..] {
            [] => self.order.iter().map(|&order| Design::Direct { order }).collect(),
            ref sections => sections.iter().map(|&sections| Design::Cascade { sections }).collect(),
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::open(&arguments.measuring)?;
    let mut cases = Vec::new();
    for batch in arguments.shapes.batches() {
        for design in arguments.designs() {
            let bank = design.bank(arguments.bank, batch.shape().batch)?;
            cases.extend(arguments.algorithm.iter().map(|&algorithm| (batch, bank.clone(), algorithm)));
        }
    }
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    let mut report = Report::new(session, cases.len(), "order");
    let mut kept = Kept::default();
    for (batch, bank, algorithm) in cases {
        let options = Options::on_device().algorithm(algorithm).direction(direction);
        report.add(&batch, algorithm.name(), |timed| match batch.precision {
            PrecisionName::F32 => measure::<f32>(timed, &batch, &bank, options, &mut kept),
            PrecisionName::F64 => measure::<f64>(timed, &batch, &bank, options, &mut kept),
        })?;
    }
    report.finish()
}

fn measure<T: Real>(
    timed: &Timed<'_>,
    batch: &Batch,
    bank: &Bank,
    options: Options,
    kept: &mut Kept,
) -> trisolve::Result<Measured> {
    let shape = batch.shape();
    kept.free_unless::<_, FilterSample<T>>(shape.n.checked_mul(shape.batch).as_ref());
    let plan = FilterPlan::<T>::new(timed.gpu, shape, bank, options)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let sample = kept.sample(len, || FilterSample::<T>::new(timed.gpu, len, 7))?;
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.signals(bank, shape.n))?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction, bank)?;
    check_residual(relative_residual, plan.algorithm())?;
    Ok(Measured {
        family: family(bank).into(),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row(),
        relative_residual,
        divided: bank.order().to_string(),
    })
}
