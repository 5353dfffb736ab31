//! `trisolve bench recurrence`

use clap::ValueEnum;
use trisolve::recurrence::{Algorithm, Direction, Formulas, Options};
use trisolve::{Error, Real};
use trisolve_lab::{RecurrenceSample, SampleFactor, SampleFormula};

use super::moebius;
use super::report::{Common, Lying, Measured, Session, Timed, check_residual};
use crate::plans::recurrence_plan;
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// auto, one-pass, three-launch or p-scheme
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// Policies to sweep, as groups=64,threads=32,rearranged=0 (with --algorithm p-scheme); what is not given is by
    /// default
    #[arg(long, num_args = 1..)]
    policy: Vec<String>,
    /// Where s comes from; t has a vector
    #[arg(long, value_enum, num_args = 1.., default_values = ["both"])]
    coefficients: Vec<CoefficientsName>,
    /// From the last row to the first
    #[arg(long)]
    reverse: bool,
    /// Moebius recurrences (a w + b)/(c w + d) instead, of four vectors; these have one algorithm
    #[arg(long, conflicts_with_all = ["algorithm", "policy", "coefficients"])]
    moebius: bool,
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
    let session = Session::open(&common.measuring)?;
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    if arguments.moebius {
        return moebius::run(session, common.shapes().collect(), direction);
    }
    let policies: Vec<_> = match arguments.policy.is_empty() {
        true => vec![None],
        false => arguments.policy.iter().map(|text| Some(text.as_str())).collect(),
    };
    let mut cases = Vec::new();
    for lying in common.shapes() {
        for &coefficients in &arguments.coefficients {
            for &algorithm in &arguments.algorithm {
                cases.extend(policies.iter().map(|&policy| (lying, coefficients, algorithm, policy)));
            }
        }
    }
    // What cannot run, before anything is measured.
    for (lying, _, algorithm, policy) in cases.iter().filter(|case| case.3.is_some()) {
        let options = Options::default().algorithm(*algorithm).direction(direction);
        let planned = match lying.precision {
            PrecisionName::F32 => {
                recurrence_plan::<f32>(&session.gpu, lying.shape(), options, *policy, &Formulas::new()).map(drop)
            }
            PrecisionName::F64 => {
                recurrence_plan::<f64>(&session.gpu, lying.shape(), options, *policy, &Formulas::new()).map(drop)
            }
        };
        if let Err(Error::Options(why)) = planned {
            return Err(Failure::Input(why));
        }
    }
    let mut report = session.report(cases.len(), "coefficients")?;
    let (mut single, mut double) = (None, None);
    for (lying, coefficients, algorithm, policy) in cases {
        let options = Options::default().algorithm(algorithm).direction(direction);
        let name = policy.map_or_else(|| algorithm.to_string(), |text| format!("{algorithm} {text}"));
        let how = How { coefficients, options, policy };
        report.add(&lying, &name, |timed| match lying.precision {
            PrecisionName::F32 => {
                double = None;
                measure::<f32>(timed, &lying, how, &mut single)
            }
            PrecisionName::F64 => {
                single = None;
                measure::<f64>(timed, &lying, how, &mut double)
            }
        })?;
    }
    report.finish()
}

/// How a shape is solved.
#[derive(Clone, Copy)]
struct How<'a> {
    coefficients: CoefficientsName,
    options: Options,
    policy: Option<&'a str>,
}

/// `kept` is the last case's vectors, where those were as long.
fn measure<T: Real>(
    timed: &Timed<'_>,
    lying: &Lying,
    How { coefficients, options, policy }: How<'_>,
    kept: &mut Option<(usize, RecurrenceSample<T>)>,
) -> trisolve::Result<Measured> {
    let shape = lying.shape();
    *kept = kept.take().filter(|kept| Some(kept.0) == shape.n.checked_mul(shape.batch));
    let factor = coefficients.factor();
    let plan = recurrence_plan::<T>(timed.gpu, shape, options, policy, &factor.formulas())?;
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
    check_residual(relative_residual, plan.algorithm())?;
    let spared = match coefficients {
        CoefficientsName::ConstantS => T::PRECISION.bytes() as f64 * plan.reads(),
        _ => 0.0,
    };
    Ok(Measured {
        family: coefficients.family(),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named if policy.is_some() => match plan.policy() {
                Some(policy) => format!("{named} {policy}"),
                None => named.to_string(),
            },
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row() - spared,
        relative_residual,
        divided: match plan.policy() {
            None => coefficients.short_name().into(),
            Some(policy) => format!("{}, {policy}", coefficients.short_name()),
        },
    })
}
