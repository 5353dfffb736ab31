//! `trisolve bench recurrence`

use clap::ValueEnum;
use trisolve::recurrence::{Algorithm, Direction, Options, RecurrencePlan};
use trisolve::testing::{RecurrenceSample, SampleFactor, SampleFormula};
use trisolve::{Error, Real};

use super::report::{Common, Lying, Measured, Session, Timed};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// auto, one-pass or three-launch
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// Where s comes from; t has a vector
    #[arg(long, value_enum, num_args = 1.., default_values = ["both"])]
    coefficients: Vec<CoefficientsName>,
    /// From the last row to the first
    #[arg(long)]
    reverse: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CoefficientsName {
    /// A vector as well
    Both,
    /// One number for all: case L of the P-scheme/G paper
    ConstantS,
    /// A formula of a few operations
    Computed,
    /// A formula of 400 operations: case M
    CaseM,
    /// A formula of 1000 operations: case H
    CaseH,
}

impl CoefficientsName {
    fn factor(self) -> SampleFactor {
        match self {
            Self::Both => SampleFactor::Vector,
            Self::ConstantS => SampleFactor::Constant,
            Self::Computed => SampleFactor::Computed(SampleFormula::Mixed),
            Self::CaseM => SampleFactor::Computed(SampleFormula::MEDIUM),
            Self::CaseH => SampleFactor::Computed(SampleFormula::HEAVY),
        }
    }

    /// In CSV files.
    fn family(self) -> &'static str {
        match self {
            Self::Both => "recurrence",
            Self::ConstantS => "recurrence with constant s",
            Self::Computed => "recurrence with computed s",
            Self::CaseM => "recurrence with computed s, case M",
            Self::CaseH => "recurrence with computed s, case H",
        }
    }

    /// In tables.
    fn short_name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::ConstantS => "constant s",
            Self::Computed => "computed s",
            Self::CaseM => "computed s, case M",
            Self::CaseH => "computed s, case H",
        }
    }
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
    let factor = coefficients.factor();
    let plan = RecurrencePlan::<T>::with_formulas(timed.gpu, shape, options, &factor.formulas())?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let (_, sample) = match kept {
        Some(sample) => sample,
        None => kept.insert((len, RecurrenceSample::new(timed.gpu, len, 7)?)),
    };
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.recurrence(factor))?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction, factor)?;
    if !relative_residual.is_finite() {
        return Err(Error::Options(format!("{} left rows unsolved", plan.algorithm())));
    }
    let spared = match coefficients {
        CoefficientsName::ConstantS => T::PRECISION.bytes() as f64 * plan.reads(),
        _ => 0.0,
    };
    Ok(Measured {
        family: coefficients.family(),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row() - spared,
        relative_residual,
        divided: coefficients.short_name().into(),
    })
}
