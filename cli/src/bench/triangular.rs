//! `trisolve bench triangular`

use trisolve::triangular::{Algorithm, Options};
use trisolve::{Error, Real};
use trisolve_lab::TriangularSample;

use super::report::{Common, Lying, Measured, Session, Timed};
use crate::plans::triangular_plan;
use crate::triangle::{TriangleArguments, UploName};
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// auto, single, launch-synced or chained
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// Policies to sweep, as block=64,threads=512 (with --algorithm chained); what is not given is by default
    #[arg(long, num_args = 1..)]
    policy: Vec<String>,
    /// Not what was tuned, but the default algorithm and policies
    #[arg(long)]
    untuned: bool,
    /// Which triangle
    #[arg(long, value_enum, num_args = 1.., default_values = ["lower"])]
    uplo: Vec<UploName>,
    #[command(flatten)]
    triangle: TriangleArguments,
    /// Right-hand sides of the matrix
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), default_value = "1")]
    columns: u16,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { common, columns, .. } = arguments;
    let session = Session::open(&common.measuring)?;
    let policies: Vec<_> = match arguments.policy.is_empty() {
        true => vec![None],
        false => arguments.policy.iter().map(|text| Some(text.as_str())).collect(),
    };
    let mut cases = Vec::new();
    for lying in common.shapes_or(&[1 << 10, 1 << 12]) {
        if lying.is_interleaved() {
            return Err(Failure::Input("--layout interleaved: triangular systems lie one behind the other".into()));
        }
        for &uplo in &arguments.uplo {
            for &algorithm in &arguments.algorithm {
                let options = arguments.triangle.options(uplo.uplo()).algorithm(algorithm);
                let options = Options { untuned: arguments.untuned, ..options };
                cases.extend(policies.iter().map(|&policy| (lying, options, policy)));
            }
        }
    }
    let mut report = session.report(cases.len(), "policy")?;
    let (mut single, mut double) = (None, None);
    for (lying, options, policy) in cases {
        report.add(&lying, options.algorithm.name(), |timed| match lying.precision {
            PrecisionName::F32 => {
                double = None;
                measure::<f32>(timed, &lying, options, policy, usize::from(*columns), &mut single)
            }
            PrecisionName::F64 => {
                single = None;
                measure::<f64>(timed, &lying, options, policy, usize::from(*columns), &mut double)
            }
        })?;
    }
    report.finish()
}

/// `kept` is the last case's matrix, where that was as large.
fn measure<T: Real>(
    timed: &Timed<'_>,
    lying: &Lying,
    options: Options,
    policy: Option<&str>,
    columns: usize,
    kept: &mut Option<TriangularSample<T>>,
) -> trisolve::Result<Measured> {
    let trisolve::tridiagonal::Shape { n, batch, .. } = lying.shape();
    // First, since it refuses what is too large for any memory.
    let plan = triangular_plan::<T>(timed.gpu, TriangularSample::<T>::shape_of(n, batch, columns), options, policy)?;
    *kept = kept.take().filter(|kept| (kept.shape().n, kept.shape().batch) == (n, batch));
    let sample = match kept {
        Some(sample) => sample,
        None => kept.insert(TriangularSample::new(timed.gpu, n, batch, columns, 7)?),
    };
    sample.forget_solution(timed.gpu)?;
    let bound = plan.bind(&sample.system())?;
    let samples = timed.time(&bound)?;
    let (error, allowed) = sample.backward_error(timed.gpu, &options)?;
    if error.is_nan() || error > allowed {
        let why = format!("{} gave a wrong answer: backward error {error:.1e}, not {allowed:.1e}", plan.algorithm());
        return Err(Error::Options(why));
    }
    Ok(Measured {
        family: family(&options),
        algorithm: match options.algorithm {
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            named => named.to_string(),
        },
        samples,
        bytes_per_row: plan.bytes_per_row(),
        relative_residual: error,
        divided: plan.policy().to_string(),
    })
}

/// In CSV files.
fn family(options: &Options) -> &'static str {
    use trisolve::triangular::{Trans, Uplo};
    match (options.uplo, options.trans) {
        (Uplo::Lower, Trans::No) => "triangular lower N",
        (Uplo::Lower, Trans::Transpose) => "triangular lower T",
        (Uplo::Upper, Trans::No) => "triangular upper N",
        (Uplo::Upper, Trans::Transpose) => "triangular upper T",
    }
}
