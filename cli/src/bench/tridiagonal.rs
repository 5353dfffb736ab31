//! `trisolve bench tridiagonal`: measures tridiagonal systems.

use trisolve::tridiagonal::{
    Algorithm, Diagonal, Form, Forms, Formulas, Options, Stability, Structure, TridiagonalPlan,
};
use trisolve::{Check, Error, Gpu, Real, Upcoming};
use trisolve_lab::{DeviceSample, Entries, OnDevice, compile_ahead};

use super::kept::Kept;
use super::report::{Measured, Report};
use super::session::{Measuring, Session, Timed};
use super::shapes::{Batch, ShapeArguments};
use crate::options::swept;
use crate::plans::{POLICY, plan};
use crate::stability::{NO_STABILITY, has_stability};
use crate::{Failure, PrecisionName, StabilityName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    shapes: ShapeArguments,
    #[command(flatten)]
    measuring: Measuring,
    /// auto, thomas, cr, pcr, cr-pcr, partition, pivoting, tpr, wang-mou or scan
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    algorithm: Vec<Algorithm>,
    /// For auto, pivoting and tpr: speed, or digits; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "fastest")]
    stability: Vec<StabilityName>,
    /// Entries of the matrix; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "dominant")]
    entries: Vec<EntriesName>,
    /// Structure of the matrix; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "general")]
    structure: Vec<StructureName>,
    /// Solve cyclic systems
    #[arg(long)]
    cyclic: bool,
    /// Factor the matrix first, and time the solve with the factors
    #[arg(long)]
    factored: bool,
    #[arg(long, help = format!("A policy, {POLICY}. Repeat the option to sweep"))]
    policy: Vec<String>,
    /// Use the default algorithm and policies, not the tuned ones
    #[arg(long)]
    untuned: bool,
}

/// The entries of the matrix.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EntriesName {
    /// Off-diagonals in (-1, 1), diagonals larger than their sum by at least 5%
    Dominant,
    /// Entries in (-1, 1), which require pivoting; for auto and pivoting. The residual is the largest backward error of a system
    Random,
    /// (-1 2 -1), the matrix of the TPR paper's figures; the solution lies in (-2, 2)
    Poisson,
}

/// The structure of the matrix.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StructureName {
    General,
    Transposed,
    /// One off-diagonal vector
    Symmetric,
    /// Three entries per vector of the matrix
    Constant,
    /// Symmetric, given by its off-diagonals and one number, the excess
    Diffusion,
    /// Diffusion by formulas that read one vector of conductances
    Computed,
}

impl StructureName {
    fn structure(self) -> Structure {
        match self {
            Self::General | Self::Constant | Self::Computed => Structure::General,
            Self::Transposed => Structure::Transposed,
            Self::Symmetric | Self::Diffusion => Structure::Symmetric,
        }
    }

    fn forms(self) -> Forms {
        match self {
            Self::Constant => Forms::ENDS,
            Self::Diffusion => Forms { diag: Form::Constant, ..Forms::default() },
            _ => Forms::default(),
        }
    }

    fn diagonal(self) -> Diagonal {
        if matches!(self, Self::Diffusion | Self::Computed) { Diagonal::Excess } else { Diagonal::Value }
    }

    fn formulas(self) -> Formulas {
        match self {
            Self::Computed => Formulas::new()
                .lower("-0.5 * (abs(k(max(i, 1u) - 1u)) + abs(k(i)))")
                .upper("-0.5 * (abs(k(i)) + abs(k(i + 1u)))")
                .diag("real(0.25)")
                .vector("k"),
            _ => Formulas::new(),
        }
    }

    /// Behind the algorithm's name in reports.
    fn suffix(self) -> &'static str {
        match self {
            Self::General => "",
            Self::Transposed => ", transposed",
            Self::Symmetric => ", symmetric",
            Self::Constant => ", constant",
            Self::Diffusion => ", diffusion",
            Self::Computed => ", computed diffusion",
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

/// How a batch is solved.
#[derive(Clone, Copy)]
struct Choice<'a> {
    algorithm: Algorithm,
    structure: StructureName,
    cyclic: bool,
    factored: bool,
    stability: Stability,
    policy: Option<&'a str>,
    entries: EntriesName,
}

impl Arguments {
    /// All combinations of an algorithm and its options.
    fn choices(&self) -> Vec<Choice<'_>> {
        let policies = swept(&self.policy);
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
                    let structures = self.structure.iter();
                    structures
                        .flat_map(move |&structure| self.entries.iter().map(move |&entries| of(structure, entries)))
                }));
            }
        }
        choices
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let wants_stable = arguments.stability.contains(&StabilityName::Stable);
    if wants_stable && !arguments.algorithm.iter().any(|&algorithm| has_stability(algorithm)) {
        return Err(Failure::Input(NO_STABILITY.into()));
    }
    let session = Session::open(&arguments.measuring)?;
    let gpu = &session.gpu;
    let cases: Vec<_> = arguments
        .shapes
        .batches()
        .into_iter()
        .flat_map(|batch| {
            let case = move |choice| Case { batch, choice, untuned: arguments.untuned };
            arguments.choices().into_iter().map(case)
        })
        .collect();
    // Policies that cannot run end the program before it measures anything.
    for case in cases.iter().filter(|case| case.choice.policy.is_some()) {
        let planned = match case.batch.precision {
            PrecisionName::F32 => case.plan::<f32>(gpu).map(drop),
            PrecisionName::F64 => case.plan::<f64>(gpu).map(drop),
        };
        if let Err(Error::Options(why)) = planned {
            return Err(Failure::Input(why));
        }
    }
    let plans: Vec<_> = cases
        .iter()
        .filter(|case| case.choice.policy.is_none() && case.choice.structure != StructureName::Computed)
        .map(|case| {
            // No host solve follows.
            let options = case.options().check(Check::Off);
            Upcoming::Tridiagonal(case.batch.precision.precision(), case.batch.shape(), options)
        })
        .collect();
    // Compiled now, so that the device does not rest between the cases.
    compile_ahead(gpu, &plans);
    let mut report = Report::new(session, cases.len(), "policy");
    let mut kept = Kept::default();
    for case in &cases {
        let policy = case.choice.policy.map_or_else(String::new, |text| format!(" {text}"));
        report.add(&case.batch, &format!("{}{policy}", case.choice.algorithm), |timed| match case.batch.precision {
            PrecisionName::F32 => measure::<f32>(timed, case, &mut kept),
            PrecisionName::F64 => measure::<f64>(timed, case, &mut kept),
        })?;
    }
    report.finish()
}

struct Case<'a> {
    batch: Batch,
    choice: Choice<'a>,
    untuned: bool,
}

impl Case<'_> {
    /// The options without the policy; the plan completes the policy's parameters.
    fn options(&self) -> Options {
        let Choice { structure, cyclic: periodic, .. } = self.choice;
        let (structure, forms) = (structure.structure(), structure.forms());
        let diagonal = self.choice.structure.diagonal();
        let options = Options { untuned: self.untuned, diagonal, structure, forms, periodic, ..Options::on_device() };
        options.algorithm(self.choice.algorithm).stability(self.choice.stability)
    }

    fn plan<T: Real>(&self, gpu: &Gpu) -> trisolve::Result<TridiagonalPlan<T>> {
        let formulas = self.choice.structure.formulas();
        plan(gpu, self.batch.shape(), self.options(), self.choice.policy, &formulas)
    }
}

fn measure<T: Real>(timed: &Timed<'_>, case: &Case<'_>, kept: &mut Kept) -> trisolve::Result<Measured> {
    let gpu = timed.gpu;
    let shape = case.batch.shape();
    let entries = case.choice.entries.entries();
    let name = case.choice.structure;
    let structure = (name.structure(), name.forms());
    let stride = shape.layout.element_stride;
    let key = shape.n.checked_mul(shape.batch).map(|len| (len, stride, entries, structure));
    kept.free_unless::<_, DeviceSample<T>>(key.as_ref());
    let plan = case.plan::<T>(gpu)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let make = || DeviceSample::<T>::new(gpu, entries, structure, len, stride, 7);
    let sample = kept.sample((len, stride, entries, structure), make)?;
    sample.forget_solution(gpu)?;
    let mut system = sample.system();
    if structure.0 == Structure::Symmetric {
        system.lower = system.upper;
    }
    let factored = match (case.choice.factored, system.x) {
        (true, Some(x)) => {
            let factored = plan.factor_device([system.lower, system.diag, system.upper])?;
            Some((factored.bind(system.rhs, Some(x))?, factored.bytes_per_row()))
        }
        _ => None,
    };
    // The vector of the formulas repeats for every system.
    let named = [("k", system.upper.into()), ("rhs", system.rhs.into())];
    let is_computed = name == StructureName::Computed;
    let (bound, bytes_per_row) = match factored {
        Some(factored) => factored,
        None if is_computed => {
            (plan.bind_named(&named, system.x.map(Into::into))?, plan.bytes_per_row() + T::PRECISION.bytes() as f64)
        }
        None => (plan.bind(&system)?, plan.bytes_per_row()),
    };
    let samples = timed.time(&bound)?;
    let residuals = match system.x {
        Some(x) if is_computed => plan.residuals_named(&named, x)?,
        _ => plan.residuals(&system)?,
    };
    // Solutions of ill-conditioned systems are large, and so are their residuals.
    let relative_residual =
        if case.choice.entries == EntriesName::Random { residuals.backward_error } else { residuals.relative };
    let of = match case.choice.entries {
        EntriesName::Dominant => "",
        EntriesName::Random => ", random",
        EntriesName::Poisson => ", poisson",
    };
    let structure = name.suffix();
    let cyclic = if case.choice.cyclic { ", cyclic" } else { "" };
    let algorithm = match case.choice.algorithm {
        chosen if case.choice.policy.is_some() => format!("{chosen} {}", plan.policy()),
        chosen => chosen.to_string(),
    };
    let stable = if case.choice.stability == Stability::Stable { " stable" } else { "" };
    Ok(Measured {
        family: "tridiagonal".into(),
        algorithm: algorithm + stable + of + structure + cyclic + if case.choice.factored { ", factored" } else { "" },
        samples,
        bytes_per_row,
        relative_residual,
        divided: plan.policy().to_string(),
    })
}
