//! `trisolve bench recurrence`: measures linear recurrences.

use clap::ValueEnum;
use trisolve::recurrence::{Algorithm, Direction, Formulas, Options};
use trisolve::{Error, Real};
use trisolve_lab::{OnDevice, RecurrenceSample, SampleFactor, SampleFormula};

use super::kept::Kept;
use super::moebius;
use super::report::{Measured, Report, check_residual};
use super::session::{Measuring, Session, Timed};
use super::shapes::{Batch, ShapeArguments};
use crate::options::swept;
use crate::plans::recurrence_plan;
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    shapes: ShapeArguments,
    #[command(flatten)]
    measuring: Measuring,
    /// auto, one-pass, three-launch, p-scheme or overlapped
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    algorithm: Vec<Algorithm>,
    /// A policy, as groups=64,threads=32,rearranged=0 (with --algorithm p-scheme); omitted parameters keep their
    /// default values. Repeat the option to sweep
    #[arg(long)]
    policy: Vec<String>,
    /// Origin of s; t is a vector
    #[arg(long, value_enum, value_delimiter = ',', default_value = "both")]
    coefficients: Vec<CoefficientsName>,
    /// Compute from the last row to the first
    #[arg(long)]
    reverse: bool,
    /// Measure Moebius recurrences (a w + b)/(c w + d) of four vectors instead; they have one algorithm
    #[arg(long, conflicts_with_all = ["algorithm", "policy", "coefficients"])]
    moebius: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CoefficientsName {
    /// A vector, as t
    Both,
    /// One number for all rows: case L of the P-scheme/G paper
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

    /// The family's name in CSV files.
    fn family(self) -> &'static str {
        match self {
            Self::Both => "recurrence",
            Self::ConstantS => "recurrence with constant s",
            Self::Computed => "recurrence with computed s",
            Self::CaseM => "recurrence with computed s, case M",
            Self::CaseH => "recurrence with computed s, case H",
        }
    }

    /// The name in tables.
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
    let session = Session::open(&arguments.measuring)?;
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    if arguments.moebius {
        return moebius::run(session, &arguments.shapes.batches(), direction);
    }
    let policies = swept(&arguments.policy);
    let mut cases = Vec::new();
    for batch in arguments.shapes.batches() {
        for &coefficients in &arguments.coefficients {
            for &algorithm in &arguments.algorithm {
                cases.extend(policies.iter().map(|&policy| (batch, coefficients, algorithm, policy)));
            }
        }
    }
    // Policies that cannot run end the program before it measures anything.
    for (batch, _, algorithm, policy) in cases.iter().filter(|case| case.3.is_some()) {
        let options = Options::on_device().algorithm(*algorithm).direction(direction);
        let planned = match batch.precision {
            PrecisionName::F32 => {
                recurrence_plan::<f32>(&session.gpu, batch.shape(), options, *policy, &Formulas::new()).map(drop)
            }
            PrecisionName::F64 => {
                recurrence_plan::<f64>(&session.gpu, batch.shape(), options, *policy, &Formulas::new()).map(drop)
            }
        };
        if let Err(Error::Options(why)) = planned {
            return Err(Failure::Input(why));
        }
    }
    let mut report = Report::new(session, cases.len(), "coefficients");
    let mut kept = Kept::default();
    for (batch, coefficients, algorithm, policy) in cases {
        let options = Options::on_device().algorithm(algorithm).direction(direction);
        let name = policy.map_or_else(|| algorithm.to_string(), |text| format!("{algorithm} {text}"));
        let how = How { coefficients, options, policy };
        report.add(&batch, &name, |timed| match batch.precision {
            PrecisionName::F32 => measure::<f32>(timed, &batch, how, &mut kept),
            PrecisionName::F64 => measure::<f64>(timed, &batch, how, &mut kept),
        })?;
    }
    report.finish()
}

/// How a batch is solved.
#[derive(Clone, Copy)]
struct How<'a> {
    coefficients: CoefficientsName,
    options: Options,
    policy: Option<&'a str>,
}

fn measure<T: Real>(
    timed: &Timed<'_>,
    batch: &Batch,
    How { coefficients, options, policy }: How<'_>,
    kept: &mut Kept,
) -> trisolve::Result<Measured> {
    let shape = batch.shape();
    kept.free_unless::<_, RecurrenceSample<T>>(shape.n.checked_mul(shape.batch).as_ref());
    let factor = coefficients.factor();
    let plan = recurrence_plan::<T>(timed.gpu, shape, options, policy, &factor.formulas())?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let sample = kept.sample(len, || RecurrenceSample::<T>::new(timed.gpu, len, 7))?;
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.recurrence(factor))?;
    let samples = timed.time(&bound)?;
    let relative_residual = sample.residual(timed.gpu, &shape, options.direction, factor)?;
    check_residual(relative_residual, plan.algorithm())?;
    let saved = match coefficients {
        CoefficientsName::ConstantS => T::PRECISION.bytes() as f64 * plan.reads(),
        _ => 0.0,
    };
    Ok(Measured {
        family: coefficients.family().into(),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named if policy.is_some() => match plan.policy() {
                Some(policy) => format!("{named} {policy}"),
                None => named.to_string(),
            },
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row() - saved,
        relative_residual,
        divided: match plan.policy() {
            None => coefficients.short_name().into(),
            Some(policy) => format!("{}, {policy}", coefficients.short_name()),
        },
    })
}
