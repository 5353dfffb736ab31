//! `trisolve trsv`

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use trisolve::matrix_market::{self, Entries};
use trisolve::triangular::{Algorithm, Diag, Options, Shape, Uplo, condition, solve_on_cpu};
use trisolve::{Error, Precision, Real, cpu};

use crate::columns::{narrow_all, other_range};
use crate::direct::MOST_FORWARD_ERROR;
use crate::or_cpu::OrCpu;
use crate::output::{say, tell};
use crate::output_file::OutputFile;
use crate::plans::triangular_plan;
use crate::rounding::{distance, is_exact};
use crate::structure::against_ones;
use crate::triangle::{TriangleArguments, UploName};
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// The matrix: square, Matrix Market; entries in the other triangle do not count, though what a file holds has to be finite
    matrix: PathBuf,
    /// Right-hand sides, n x k, Matrix Market; without it, A times ones
    rhs: Option<PathBuf>,
    /// Which triangle of the matrix; without it the one that has entries
    #[arg(long, value_enum)]
    uplo: Option<UploName>,
    #[command(flatten)]
    triangle: TriangleArguments,
    /// Where to write the solution (array format); without it only the report is printed
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Numbers to solve in
    #[arg(long, value_enum, default_value = "f32")]
    precision: PrecisionName,
    /// auto, single, launch-synced, chained, or cpu (substitution)
    #[arg(long, default_value = "auto", value_parser = OrCpu::<Algorithm>::from_str)]
    algorithm: OrCpu<Algorithm>,
    /// How the algorithm divides its work, as block=32,threads=64 (with --algorithm chained; each has its own); what is not given is by default
    #[arg(long)]
    policy: Option<String>,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Report {
    structure: &'static str,
    rows: usize,
    rhs: usize,
    algorithm: String,
    precision: &'static str,
    adapter: String,
    /// By how much each entry has to change for the solution to be exact, beside its size.
    backward_error: f64,
    forward_error: f64,
    device_us: f64,
    /// On stderr only: how the work was divided.
    #[serde(skip)]
    policy: Option<String>,
}

/// What a solve came to.
struct Solved<T> {
    x: Vec<T>,
    algorithm: String,
    policy: Option<String>,
    adapter: String,
    seconds: f64,
    forward_error: f64,
    replaced: usize,
}

/// A system from files, and how it is to be solved.
pub struct Request<'a> {
    pub matrix: (&'a Path, &'a Entries),
    pub rhs: Option<&'a Path>,
    pub options: Options,
    pub algorithm: OrCpu<Algorithm>,
    pub policy: Option<&'a str>,
    pub precision: PrecisionName,
    pub output: Option<&'a Path>,
    pub device: Option<&'a str>,
    pub json: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.algorithm.check_device(arguments.device.as_deref())?;
    if let (OrCpu::Cpu, Some(policy)) = (arguments.algorithm, &arguments.policy) {
        return Err(Failure::Input(format!("--policy {policy}: not with --algorithm cpu; leave one of them out")));
    }
    let entries = matrix_market::read(&arguments.matrix)?;
    matrix_market::check_square(&entries)?;
    let uplo = match arguments.uplo {
        Some(name) => name.uplo(),
        None => matrix_market::triangle(&entries).ok_or_else(|| {
            let path = arguments.matrix.display();
            Failure::Input(format!("{path}: there are entries on both sides of the diagonal: --uplo says which count"))
        })?,
    };
    solve(&Request {
        matrix: (&arguments.matrix, &entries),
        rhs: arguments.rhs.as_deref(),
        options: arguments.triangle.options(uplo),
        algorithm: arguments.algorithm,
        policy: arguments.policy.as_deref(),
        precision: arguments.precision,
        output: arguments.output.as_deref(),
        device: arguments.device.as_deref(),
        json: arguments.json,
    })
}

/// Reads, solves and reports.
pub fn solve(request: &Request<'_>) -> Result<(), Failure> {
    match request.precision {
        PrecisionName::F32 => solve_in::<f32>(request),
        PrecisionName::F64 => solve_in::<f64>(request),
    }
}

fn solve_in<T: Real>(request: &Request<'_>) -> Result<(), Failure> {
    let Request { matrix: (path, entries), options, .. } = *request;
    let wide = matrix_market::square(entries)?;
    let n = entries.rows;
    let triangle = |uplo: Uplo| move |at: &usize| if uplo == Uplo::Lower { at % n >= at / n } else { at % n <= at / n };
    let kept = triangle(options.uplo);
    let kept = |at: &usize| kept(at) && !(options.diag == Diag::Unit && at % n == at / n);
    if let Some(at) = (0..wide.len()).filter(kept).find(|&at| !T::from_f64(wide[at]).to_f64().is_finite()) {
        return Err(Failure::Input(format!(
            "{}, entry ({}, {}): {:e} is past the range of {}; {}",
            path.display(),
            at % n + 1,
            at / n + 1,
            wide[at],
            T::PRECISION,
            other_range::<T>("down")
        )));
    }
    let lost = |at: &usize| wide[*at] != 0.0 && T::from_f64(wide[*at]) == T::ZERO;
    if let Some(at) = (0..wide.len()).filter(kept).find(|at| at % n == at / n && lost(at)) {
        return Err(Failure::Input(format!(
            "{}, entry ({}, {}) of the diagonal: {:e} is below the range of {}; {}",
            path.display(),
            at % n + 1,
            at / n + 1,
            wide[at],
            T::PRECISION,
            other_range::<T>("up")
        )));
    }
    let mut is_rounded = !(0..wide.len()).filter(kept).all(|at| is_exact::<T>(wide[at]));
    let files = wide;
    // The numbers that are solved with, also where the right-hand side and the error are computed.
    let wide: Vec<f64> = files.iter().map(|&entry| T::from_f64(entry).to_f64()).collect();
    let matrix: Vec<T> = wide.iter().map(|&entry| T::from_f64(entry)).collect();
    let single = Shape::single(n);
    let triangle = single.triangle(&options, &wide, 0);
    let (files_rhs, rhs): (Vec<f64>, Vec<T>) = match request.rhs {
        Some(path) => {
            let columns = matrix_market::columns(&matrix_market::read(path)?, n)?;
            is_rounded |= !columns.iter().all(|value| is_exact::<T>(*value));
            let rhs = narrow_all(path, &columns, n)?;
            (columns, rhs)
        }
        None => {
            let sums = |of: &[f64]| -> Vec<f64> {
                let triangle = single.triangle(&options, of, 0);
                (0..n).map(|row| triangle.row(row).map(|(_, entry)| entry).sum()).collect()
            };
            (sums(&files), narrow_all(path, &sums(&wide), n)?)
        }
    };
    let columns = rhs.len() / n.max(1);
    let shape = single.with_columns(columns);
    let output = request.output.map(OutputFile::open).transpose()?;
    let explained = |error| explain(error, path);
    let mut solved = match request.algorithm {
        OrCpu::Cpu => {
            let start = Instant::now();
            let solution = solve_on_cpu(&shape, &options, &matrix, &rhs).map_err(explained)?;
            Solved {
                x: solution.x,
                algorithm: "cpu".to_owned(),
                policy: None,
                adapter: "cpu".to_owned(),
                seconds: start.elapsed().as_secs_f64(),
                forward_error: solution.forward_error,
                replaced: 0,
            }
        }
        OrCpu::Gpu(algorithm) => {
            let gpu = open_gpu(request.device)?;
            let plan = triangular_plan::<T>(&gpu, shape, options.algorithm(algorithm), request.policy)?;
            let solution = plan.solve_reported(&matrix, &rhs).map_err(explained)?;
            Solved {
                x: solution.x,
                algorithm: solution.algorithm.to_string(),
                policy: Some(plan.policy().to_string()),
                adapter: gpu.info().name.clone(),
                seconds: solution.seconds,
                forward_error: solution.forward_error,
                replaced: solution.replaced,
            }
        }
    };
    if is_rounded {
        let mut rounded_error = 0f64;
        let exact = solve_on_cpu(&shape, &options, &files, &files_rhs).map_err(explained)?;
        for (x, exact_x) in solved.x.chunks(n.max(1)).zip(exact.x.chunks(n.max(1))) {
            let forward_error = solved.forward_error + exact.forward_error + distance(x, exact_x);
            if forward_error.is_nan() || forward_error > MOST_FORWARD_ERROR {
                let condition = condition(&single, &options, &files, exact_x)?;
                return Err(Failure::Solver(format!(
                    "{}: rounding the files' numbers to {} leaves no digit of x: its condition cond(A, x) is about {condition:.0e}; use \
                     --precision f64",
                    path.display(),
                    T::PRECISION
                )));
            }
            rounded_error = rounded_error.max(forward_error);
        }
        solved.forward_error = rounded_error;
    }
    if request.rhs.is_none() {
        solved.forward_error = against_ones(path, &solved.x, solved.forward_error)?;
    }
    let wide_of = |values: &[T]| values.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
    let errors = rhs.chunks(n.max(1)).zip(solved.x.chunks(n.max(1)));
    let backward_error = errors
        .map(|(rhs, x)| cpu::triangular_backward_error(&triangle, &wide_of(rhs), &wide_of(x)))
        .map(f64::abs)
        // NaN counts as the largest.
        .max_by(f64::total_cmp)
        .unwrap_or(0.0);
    if let Some(output) = output {
        output.write(|target| matrix_market::write_array(target, n, &solved.x))?;
    }
    let report = Report {
        structure: "triangular",
        rows: n,
        rhs: columns,
        algorithm: solved.algorithm,
        precision: T::PRECISION.name(),
        adapter: solved.adapter,
        backward_error,
        forward_error: solved.forward_error,
        device_us: solved.seconds * 1e6,
        policy: solved.policy,
    };
    if request.json {
        return say(&serde_json::to_string(&report).map_err(|e| Failure::Solver(e.to_string()))?);
    }
    let Report { algorithm, adapter, device_us, .. } = &report;
    tell(&format!(
        "triangular, {n} rows, {columns} right-hand side{}\n{algorithm} in {} on {adapter}: {device_us:.1} us{}\n\
         componentwise backward error {backward_error:.2e}\nforward error about {:.0e}",
        if columns == 1 { "" } else { "s" },
        T::PRECISION,
        report.policy.as_ref().map(|policy| format!(" ({policy})")).unwrap_or_default(),
        report.forward_error,
    ));
    if solved.replaced > 0 {
        let plural = if solved.replaced == 1 { "" } else { "s" };
        tell(&format!(
            "{} right-hand side{plural} solved on the CPU, more accurately than on the device",
            solved.replaced
        ));
    }
    Ok(())
}

/// A failure in the file's terms: its name, and rows that count from 1 as its indices do.
fn explain(error: Error, path: &Path) -> Failure {
    let path = path.display();
    match error {
        Error::ZeroDiagonal { row, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular: its diagonal is 0 in row {} (counted from 1); with ones there, --diag unit",
            row + 1
        )),
        Error::Overflow { row, precision, .. } => Failure::Solver(format!(
            "{path}: the solution overflows {precision} in row {} (counted from 1); scale the right-hand side down{}",
            row + 1,
            if precision == Precision::F32 { ", or use --precision f64" } else { "" }
        )),
        other => other.into(),
    }
}
