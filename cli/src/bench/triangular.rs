//! `trisolve bench triangular`: measures dense triangular systems.

use trisolve::triangular::{Algorithm, Factored, Options, Shape};
use trisolve::{Error, Real};
use trisolve_lab::TriangularSample;

use super::kept::Kept;
use super::report::{Measured, Report};
use super::session::{Measuring, Session, Timed};
use super::shapes::{Batch, LayoutName, ShapeArguments};
use crate::options::swept;
use crate::plans::triangular_plan;
use crate::size::size;
use crate::triangle::{TriangleArguments, UploName};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    shapes: ShapeArguments,
    #[command(flatten)]
    measuring: Measuring,
    /// auto, single, abreast, launch-synced or chained
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    algorithm: Vec<Algorithm>,
    /// A policy, as block=64,threads=512 (with --algorithm chained); omitted parameters keep their default values.
    /// Repeat the option to sweep
    #[arg(long)]
    policy: Vec<String>,
    /// Use the default algorithm and policies, not the tuned ones
    #[arg(long)]
    untuned: bool,
    /// Invert diagonal blocks beforehand, and measure solves with them
    #[arg(long, conflicts_with_all = ["policy", "stored"])]
    factored: bool,
    /// The triangle that is read; several values sweep
    #[arg(long, value_enum, value_delimiter = ',', default_value = "lower")]
    uplo: Vec<UploName>,
    #[command(flatten)]
    triangle: TriangleArguments,
    /// Stored columns of a trapezoid: a lower triangle with fewer columns than rows, as a supernode of a sparse solver
    #[arg(long, value_parser = size)]
    stored: Option<usize>,
    /// Right-hand sides per matrix
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), default_value = "1")]
    columns: u16,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::open(&arguments.measuring)?;
    let columns = usize::from(arguments.columns);
    let stored = arguments.stored;
    let policies = swept(&arguments.policy);
    let mut cases = Vec::new();
    for batch in arguments.shapes.batches_or(&[1 << 10, 1 << 12]) {
        if let Some(stored) = stored.filter(|_| batch.systems > 1) {
            return Err(Failure::Input(format!(
                "--stored {stored}: bench measures one such system; leave --batch out"
            )));
        }
        if batch.layout == LayoutName::Interleaved {
            return Err(Failure::Input(
                "--layout interleaved: triangular systems have the contiguous layout only".into(),
            ));
        }
        for &uplo in &arguments.uplo {
            for &algorithm in &arguments.algorithm {
                let options = arguments.triangle.options(uplo.uplo()).algorithm(algorithm);
                let options = Options { untuned: arguments.untuned, ..options };
                cases.extend(policies.iter().map(|&policy| (batch, options, policy)));
            }
        }
    }
    let shape = |batch: &Batch| {
        let trisolve::tridiagonal::Shape { n, batch, .. } = batch.shape();
        let shape = TriangularSample::<f32>::shape_of(n, batch, columns);
        stored.map_or(shape, |stored| shape.with_stored(stored))
    };
    let mut report = Report::new(session, cases.len(), "policy");
    let mut kept = Kept::default();
    for (batch, options, policy) in cases {
        report.add(&batch, options.algorithm.name(), |timed| match batch.precision {
            PrecisionName::F32 => {
                measure::<f32>(timed, (shape(&batch), arguments.factored), options, policy, &mut kept)
            }
            PrecisionName::F64 => {
                measure::<f64>(timed, (shape(&batch), arguments.factored), options, policy, &mut kept)
            }
        })?;
    }
    report.finish()
}

fn measure<T: Real>(
    timed: &Timed<'_>,
    (shape, is_factored): (Shape, bool),
    options: Options,
    policy: Option<&str>,
    kept: &mut Kept,
) -> trisolve::Result<Measured> {
    kept.free_unless::<_, TriangularSample<T>>(Some(&shape));
    // The plan comes first: it refuses matrices that are too large for any memory.
    let plan = triangular_plan::<T>(timed.gpu, shape, options, policy)?;
    let sample = kept.sample(shape, || TriangularSample::<T>::of(timed.gpu, shape, 7))?;
    sample.forget_solution(timed.gpu)?;
    let system = sample.system();
    let factored = if is_factored { Some(plan.factor_device(system.matrix)?) } else { None };
    let bound = match &factored {
        Some(factored) => factored.bind(system.rhs, system.x)?,
        None => plan.bind(&system)?,
    };
    let samples = timed.time(&bound)?;
    let (error, allowed) = sample.backward_error(timed.gpu, &options)?;
    if error.is_nan() || error > allowed {
        let why = format!(
            "{} gave a wrong answer: backward error {error:.1e}, above {allowed:.1e}",
            factored.as_ref().map_or(plan.algorithm(), Factored::algorithm)
        );
        return Err(Error::Options(why));
    }
    Ok(Measured {
        family: match shape.columns {
            1 => family(&options).into(),
            columns => format!("{} with {columns} right-hand sides", family(&options)).into(),
        },
        algorithm: match (&factored, options.algorithm) {
            (Some(_), named) => format!("{named}, factored"),
            (None, Algorithm::Auto) => format!("auto ({})", plan.algorithm()),
            (None, named) => named.to_string(),
        },
        samples,
        bytes_per_row: factored.as_ref().map_or(plan.bytes_per_row(), Factored::bytes_per_row),
        relative_residual: error,
        divided: match &factored {
            Some(factored) => factored.block().map_or("not inverted".into(), |block| format!("block={block}")),
            None => plan.policy().to_string(),
        },
    })
}

/// The family's name in CSV files.
fn family(options: &Options) -> &'static str {
    use trisolve::triangular::{Trans, Uplo};
    match (options.uplo, options.trans) {
        (Uplo::Lower, Trans::No) => "triangular lower N",
        (Uplo::Lower, Trans::Transpose) => "triangular lower T",
        (Uplo::Upper, Trans::No) => "triangular upper N",
        (Uplo::Upper, Trans::Transpose) => "triangular upper T",
    }
}
