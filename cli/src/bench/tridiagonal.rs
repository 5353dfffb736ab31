//! `trisolve bench tridiagonal`

use trisolve::tridiagonal::{Algorithm, Options, Stability, Structure, TridiagonalPlan};
use trisolve::{Error, Gpu, Real};
use trisolve_lab::{DeviceSample, Entries, compile_ahead};

use super::report::{Common, Lying, Measured, Session, Timed};
use crate::plans::{NO_STABILITY, POLICY, has_stability, plan};
use crate::{Failure, PrecisionName, StabilityName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// auto, thomas, cr, pcr, cr-pcr, partition, pivoting, tpr, wang-mou or scan
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// What auto, pivoting and tpr favour; the others are measured once
    #[arg(long, value_enum, num_args = 1.., default_values = ["fastest"])]
    stability: Vec<StabilityName>,
    /// What is solved
    #[arg(long, value_enum, num_args = 1.., default_values = ["dominant"])]
    entries: Vec<EntriesName>,
    /// What the vectors hold
    #[arg(long, value_enum, num_args = 1.., default_values = ["general"])]
    structure: Vec<StructureName>,
    /// Systems whose corners count
    #[arg(long)]
    cyclic: bool,
    /// Solves with a matrix that is factored before
    #[arg(long)]
    factored: bool,
    #[arg(long, num_args = 1.., help = format!("Policies to sweep, {POLICY}"))]
    policy: Vec<String>,
    /// The default algorithm and policies, whatever was tuned
    #[arg(long)]
    untuned: bool,
}

/// The entries, on the command line.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EntriesName {
    /// Off-diagonals in (-1, 1), diagonals larger by 5% at the least
    Dominant,
    /// In (-1, 1), so that rows have to be exchanged; for auto and pivoting
    Random,
    /// (-1 2 -1)
    Poisson,
}

/// What the vectors hold, on the command line.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StructureName {
    General,
    Transposed,
    /// One vector beside the diagonal
    Symmetric,
    /// Three entries in each vector of the matrix
    Constant,
}

impl StructureName {
    fn structure(self) -> Structure {
        match self {
            Self::General => Structure::General,
            Self::Transposed => Structure::Transposed,
            Self::Symmetric => Structure::Symmetric,
            Self::Constant => Structure::Constant,
        }
    }
}

impl EntriesName {
    fn entries(self) -> Entries {
        match self {
            Self::Dominant => Entries::Dominant,
            Self::Random => Entries::Random,
            Self::Poisson => Entries::Poisson,
        }
    }
}

/// What a shape is solved with.
#[derive(Clone, Copy)]
struct Choice<'a> {
    algorithm: Algorithm,
    structure: Structure,
    cyclic: bool,
    factored: bool,
    stability: Stability,
    policy: Option<&'a str>,
    entries: EntriesName,
}

impl Arguments {
    /// Every algorithm with everything that it may be told.
    fn choices(&self) -> Vec<Choice<'_>> {
        let policies: Vec<_> = match self.policy.is_empty() {
            true => vec![None],
            false => self.policy.iter().map(|text| Some(text.as_str())).collect(),
        };
        let mut choices = Vec::new();
        for &algorithm in &self.algorithm {
            let stabilities = if has_stability(algorithm) { &self.stability[..] } else { &[StabilityName::Fastest] };
            for stability in stabilities.iter().map(|name| name.stability()) {
                choices.extend(policies.iter().flat_map(|&policy| {
                    let of = move |structure, entries| Choice {
                        algorithm,
                        structure,
                        cyclic: self.cyclic,
                        factored: self.factored,
                        stability,
                        policy,
                        entries,
                    };
                    let structures = self.structure.iter().map(|name| name.structure());
                    structures
                        .flat_map(move |structure| self.entries.iter().map(move |&entries| of(structure, entries)))
                }));
            }
        }
        choices
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { common, untuned, .. } = arguments;
    if arguments.stability.contains(&StabilityName::Stable) {
        if !arguments.algorithm.iter().any(|&algorithm| has_stability(algorithm)) {
            return Err(Failure::Input(NO_STABILITY.into()));
        }
        if !arguments.policy.is_empty() && arguments.algorithm.contains(&Algorithm::Tpr) {
            return Err(Failure::Input(
                "a policy says how stable tpr is: give --policy or --stability stable, not both".into(),
            ));
        }
    }
    let session = Session::open(&common.measuring)?;
    let gpu = &session.gpu;
    let cases: Vec<_> = common
        .shapes()
        .flat_map(|lying| arguments.choices().into_iter().map(move |choice| Case { lying, choice, untuned: *untuned }))
        .collect();
    // Before anything is measured: what cannot run, and kernels still to be compiled.
    for case in cases.iter().filter(|case| case.choice.policy.is_some()) {
        let planned = match case.lying.precision {
            PrecisionName::F32 => case.plan::<f32>(gpu).map(drop),
            PrecisionName::F64 => case.plan::<f64>(gpu).map(drop),
        };
        if let Err(Error::Options(why)) = planned {
            return Err(Failure::Input(why));
        }
    }
    let plans: Vec<_> = cases
        .iter()
        .filter(|case| case.choice.policy.is_none())
        .map(|case| (case.lying.precision.precision(), case.lying.shape(), case.options()))
        .collect();
    compile_ahead(gpu, &plans);
    let mut report = session.report(cases.len(), "policy")?;
    let (mut single, mut double) = (None, None);
    for case in &cases {
        let policy = case.choice.policy.map_or_else(String::new, |text| format!(" {text}"));
        report.add(&case.lying, &format!("{}{policy}", case.choice.algorithm), |timed| match case.lying.precision {
            PrecisionName::F32 => {
                double = None;
                measure::<f32>(timed, case, &mut single)
            }
            PrecisionName::F64 => {
                single = None;
                measure::<f64>(timed, case, &mut double)
            }
        })?;
    }
    report.finish()
}

struct Case<'a> {
    lying: Lying,
    choice: Choice<'a>,
    untuned: bool,
}

impl Case<'_> {
    /// Without the policy, whose other values come from the plan.
    fn options(&self) -> Options {
        let Choice { structure, cyclic: periodic, .. } = self.choice;
        let options = Options { untuned: self.untuned, structure, periodic, ..Options::default() };
        options.algorithm(self.choice.algorithm).stability(self.choice.stability)
    }

    fn plan<T: Real>(&self, gpu: &Gpu) -> trisolve::Result<TridiagonalPlan<T>> {
        plan(gpu, self.lying.shape(), self.options(), self.choice.policy)
    }
}

/// A system, and what it was made for: entries in all, which, and how they are given.
type Kept<T> = ((usize, Entries, Structure), DeviceSample<T>);

/// `kept` is the last case's system, where that was as long.
fn measure<T: Real>(timed: &Timed<'_>, case: &Case<'_>, kept: &mut Option<Kept<T>>) -> trisolve::Result<Measured> {
    let gpu = timed.gpu;
    let shape = case.lying.shape();
    // Before the plan needs memory.
    let entries = case.choice.entries.entries();
    let structure = case.choice.structure;
    let wanted = shape.n.checked_mul(shape.batch).map(|len| (len, entries, structure));
    *kept = kept.take().filter(|(of, _)| Some(*of) == wanted);
    let plan = case.plan::<T>(gpu)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let (_, sample) = match kept {
        Some(sample) => sample,
        None => kept.insert(((len, entries, structure), DeviceSample::new(gpu, entries, structure, len, 7)?)),
    };
    sample.forget_solution(gpu)?;
    let mut system = sample.system();
    if structure == Structure::Symmetric {
        system.lower = system.upper;
    }
    let factored = match (case.choice.factored, system.x) {
        (true, Some(x)) => {
            let factored = plan.factor_device([system.lower, system.diag, system.upper])?;
            Some((factored.bind(system.rhs, Some(x))?, factored.bytes_per_row()))
        }
        _ => None,
    };
    let (bound, bytes_per_row) = match factored {
        Some(kept) => kept,
        None => (plan.bind(&system)?, plan.bytes_per_row()),
    };
    let samples = timed.time(&bound)?;
    let of = match case.choice.entries {
        EntriesName::Dominant => "",
        EntriesName::Random => ", random",
        EntriesName::Poisson => ", poisson",
    };
    let structure = match structure {
        Structure::General => "",
        Structure::Transposed => ", transposed",
        Structure::Symmetric => ", symmetric",
        Structure::Constant => ", constant",
    };
    let cyclic = if case.choice.cyclic { ", cyclic" } else { "" };
    let algorithm = match case.choice.algorithm {
        chosen if case.choice.policy.is_some() => format!("{chosen} {}", plan.policy()),
        chosen => chosen.to_string(),
    };
    let stable = if case.choice.stability == Stability::Stable { " stable" } else { "" };
    Ok(Measured {
        family: "tridiagonal",
        algorithm: algorithm + stable + of + structure + cyclic + if case.choice.factored { ", factored" } else { "" },
        samples,
        bytes_per_row,
        relative_residual: plan.residuals(&system)?.relative,
        divided: plan.policy().to_string(),
    })
}
