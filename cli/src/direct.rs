//! Tridiagonal systems of `trisolve solve`: solved directly, and what is said of that.

use std::time::Instant;

use trisolve::matrix_market::{self, Entries, Tridiagonal};
use trisolve::tridiagonal::{
    Algorithm, Diagonal, Options, Shape, Solution, Stability, System, TridiagonalPlan, solve_on_cpu_reported,
};
use trisolve::{Error, Precision, Real, Scalar};

use crate::columns::other_range;
use crate::or_cpu::OrCpu;
use crate::output::{say, tell};
use crate::output_file::OutputFile;
use crate::plans::plan;
use crate::solve::{AnyAlgorithm, Arguments, DiagonalName};
use crate::structure::{Form, Matrix, against_ones, row_sums};
use crate::{Failure, PrecisionName, StabilityName, open_gpu};

/// More leaves no digit.
pub const MOST_FORWARD_ERROR: f64 = 0.1;

#[derive(serde::Serialize)]
struct Report {
    structure: &'static str,
    rows: usize,
    rhs: usize,
    algorithm: String,
    precision: &'static str,
    adapter: String,
    relative_residual: f64,
    /// Against the exact solution of the file's numbers.
    forward_error: f64,
    /// Skeel's cond(A, x), where it was computed.
    condition: Option<f64>,
    device_us: f64,
    /// Of an iterative method; a direct one has none.
    iterations: Option<u64>,
    /// On stderr only: how far the system has to be changed for the solution to be exact.
    #[serde(skip)]
    backward_error: Option<f64>,
    /// On stderr only: how the work was divided.
    #[serde(skip)]
    policy: Option<String>,
    /// On stderr only: right-hand sides whose answer is the CPU's.
    #[serde(skip)]
    replaced: usize,
}

/// Solves with a file's matrix, taken for what it was found to be.
pub fn run(arguments: &Arguments, entries: &Entries, form: Form) -> Result<(), Failure> {
    let read = if form.cyclic { matrix_market::periodic } else { matrix_market::tridiagonal };
    let matrix = read(entries).map_err(|error| match error {
        Error::Singular { row, .. } => Failure::Solver(format!(
            "{}: the matrix is singular: row {} (counted from 1) has no entries",
            arguments.matrix.display(),
            row + 1
        )),
        other => explain(other, arguments, false),
    })?;
    let n = matrix.diag.len();
    let rhs = match &arguments.rhs {
        Some(path) => matrix_market::columns(&matrix_market::read(path)?, n)?,
        None => row_sums(&matrix, arguments.diagonal.kind(), form),
    };
    let output = arguments.output.as_deref().map(OutputFile::open).transpose()?;
    match arguments.precision {
        PrecisionName::F32 => {
            check_small::<f32>(&matrix, &rhs)?;
            solve::<f32>(arguments, (&matrix, form), &rhs, output)
        }
        PrecisionName::F64 => {
            check_small::<f64>(&matrix, &rhs)?;
            solve::<f64>(arguments, (&matrix, form), &rhs, output)
        }
    }
}

/// A failure in the file's terms: its name, and rows that count from 1 as its indices do.
fn explain(error: Error, arguments: &Arguments, is_rounded: bool) -> Failure {
    let path = arguments.matrix.display();
    match error {
        Error::Singular { row, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular in {}: elimination with pivoting finds no pivot in row {} (counted from 1){}",
            arguments.precision.name(),
            row + 1,
            if is_rounded {
                "; the file's numbers were rounded to f32; --precision f64 may find a solution"
            } else {
                ""
            },
        )),
        Error::NearlySingular { condition, .. } => Failure::Solver(format!(
            "{path}: the matrix is singular to working precision: its condition is about {condition:.0e}, which leaves no \
             digit of the solution in {}{}",
            arguments.precision.name(),
            if is_rounded && condition < 1e15 {
                "; the file's numbers were rounded to f32; --precision f64 may give correct digits"
            } else {
                ""
            },
        )),
        Error::Inaccurate { forward_error, .. } => Failure::Solver(format!(
            "{path}: accuracy was lost to small pivots (forward error about {forward_error:.0e}){}",
            advice(arguments),
        )),
        Error::Breakdown { row, .. } => Failure::Solver(format!(
            "{path}: the solution is not finite from row {} (counted from 1): a zero pivot or an overflow{}",
            row + 1,
            advice(arguments),
        )),
        Error::Overflow { row, precision, .. } => Failure::Solver(format!(
            "{path}: the solution overflows {precision} in row {} (counted from 1); scale the right-hand side down{}",
            row + 1,
            if precision == Precision::F32 { ", or use --precision f64" } else { "" }
        )),
        Error::NonFiniteInput { vector, row, .. } => Failure::Input(format!(
            "{path}, row {} (counted from 1): {vector} is past the range of {}{}",
            row + 1,
            arguments.precision.name(),
            if arguments.precision == PrecisionName::F32 { "; use --precision f64, or scale the system" } else { "" }
        )),
        other => other.into(),
    }
}

/// What else to try where elimination failed.
fn advice(arguments: &Arguments) -> &'static str {
    match (arguments.algorithm, arguments.diagonal, arguments.precision) {
        (_, DiagonalName::Excess, PrecisionName::F32) => "; --precision f64 has a wider range",
        (_, DiagonalName::Excess, PrecisionName::F64) => "; rows are not exchanged with --diagonal excess",
        (OrCpu::Cpu, _, PrecisionName::F32) => "; --precision f64 has a wider range",
        (OrCpu::Cpu, _, PrecisionName::F64) => "",
        (
            OrCpu::Gpu(AnyAlgorithm::Auto | AnyAlgorithm::Tridiagonal(Algorithm::Auto | Algorithm::Pivoting)),
            _,
            precision,
        ) => match precision {
            PrecisionName::F32 => "; --precision f64 has more digits and a wider range",
            PrecisionName::F64 => "; --algorithm cpu eliminates row by row, which is more stable",
        },
        (_, DiagonalName::Value, _) => "; --algorithm auto exchanges rows where it has to",
    }
}

/// Columns of `n` values in the solve's precision, all of them in its range.
fn convert<T: Real>(name: &str, values: &[f64], n: usize) -> Result<Vec<T>, Failure> {
    let converted: Vec<T> = values.iter().map(|&value| T::from_f64(value)).collect();
    match converted.iter().position(|value| !Scalar::is_finite(*value)) {
        Some(at) => Err(Failure::Input(format!(
            "{name}, row {}: {:e} is past the range of {}{}",
            at % n + 1,
            values[at],
            T::PRECISION,
            if values[at].is_finite() { "; use --precision f64" } else { "" }
        ))),
        None => Ok(converted),
    }
}

/// Rows and right-hand sides that are too small as a whole would lose their digits, and the residual, taken in the same precision,
/// would not show it. (Of f64, where an x of size 1 makes up for small rows, right-hand sides.)
fn check_small<T: Real>(matrix: &Tridiagonal, rhs: &[f64]) -> Result<(), Failure> {
    let Tridiagonal { lower, diag, upper } = matrix;
    let n = diag.len();
    let largest = |values: &[f64]| values.iter().fold(0f64, |largest, value| largest.max(value.abs()));
    let lost = |largest: f64| largest > 0.0 && largest < T::PRECISION.least_normal();
    let single = T::PRECISION == Precision::F32;
    let advice = format!("below the range of {}; {}", T::PRECISION, other_range::<T>("up"));
    if let Some(row) = (0..n).find(|&row| single && lost(largest(&[lower[row], diag[row], upper[row]]))) {
        return Err(Failure::Input(format!("matrix, row {}: all its entries are {advice}", row + 1)));
    }
    if let Some(column) = rhs.chunks(n).position(|column| lost(largest(column))) {
        return Err(Failure::Input(format!("right-hand side {}: all its entries are {advice}", column + 1)));
    }
    Ok(())
}

fn solve<T: Real>(
    arguments: &Arguments,
    (wide, form): (&Tridiagonal, Form),
    rhs: &[f64],
    output: Option<OutputFile>,
) -> Result<(), Failure> {
    let n = wide.diag.len();
    let [lower, diag, upper] = [("lower", &wide.lower), ("diag", &wide.diag), ("upper", &wide.upper)]
        .map(|(name, values)| convert::<T>(&format!("{}: {name}", arguments.matrix.display()), values, n));
    let narrow = [lower?, diag?, upper?];
    let changed = |narrow: &[T], wide: &[f64]| narrow.iter().zip(wide).any(|(narrow, &wide)| narrow.to_f64() != wide);
    let is_rounded = narrow.iter().zip([&wide.lower, &wide.diag, &wide.upper]).any(|(n, w)| changed(n, w));
    let matrix = Matrix::new(wide, narrow, arguments.diagonal.kind(), form);
    let name = if arguments.rhs.is_some() { "right-hand side" } else { "the right-hand side, A times ones" };
    let (wide_rhs, rhs) = (rhs, convert::<T>(name, rhs, n)?);
    let columns = rhs.len() / n;
    let is_rounded = is_rounded || changed(&rhs, wide_rhs);
    let explained = |error| explain(error, arguments, is_rounded);
    let (x, mut report) = match arguments.algorithm {
        OrCpu::Cpu => on_cpu(&matrix, &rhs, n).map_err(explained)?,
        OrCpu::Gpu(named) => {
            let algorithm = if let AnyAlgorithm::Tridiagonal(named) = named { named } else { Algorithm::Auto };
            let gpu = open_gpu(arguments.device.as_deref())?;
            let system = matrix.system();
            let stability = arguments.stability.map_or(Stability::Fastest, StabilityName::stability);
            let options = Options::default().algorithm(algorithm).stability(stability).matching(&system);
            let together = if arguments.factored { 1 } else { columns };
            let shape = Shape::single(n).with_columns(together);
            let plan = plan::<T>(&gpu, shape, options, arguments.policy.as_deref()).map_err(|error| {
                match (error, &arguments.policy) {
                    (Error::Limit { what, needed, available, .. }, Some(text)) => Failure::Input(format!(
                        "--policy {text}: {what} needs {needed}, and {} has {available}: take smaller numbers",
                        gpu.info().name
                    )),
                    (error, _) => error.into(),
                }
            })?;
            let solution = match arguments.factored {
                true => by_factor(&plan, &system, &rhs),
                false => plan.solve_reported(&system, &rhs).map(Known::from),
            };
            let solution = solution.map_err(explained)?;
            let report = Report {
                structure: matrix.name(),
                rows: n,
                rhs: columns,
                algorithm: solution.algorithm.to_string(),
                precision: T::PRECISION.name(),
                adapter: gpu.info().name.clone(),
                relative_residual: solution.relative_residual,
                forward_error: solution.forward_error,
                condition: solution.condition,
                device_us: solution.seconds * 1e6,
                iterations: None,
                backward_error: Some(solution.backward_error),
                policy: Some(plan.policy().to_string()),
                replaced: solution.replaced,
            };
            (solution.x, report)
        }
    };
    report.rhs = columns;
    if is_rounded {
        let file = [&wide.lower, &wide.diag, &wide.upper].map(Clone::clone);
        let file = Matrix::new(wide, file, arguments.diagonal.kind(), form);
        add_rounding(&file, wide_rhs, &x, &mut report).map_err(explained)?;
    }
    if arguments.rhs.is_none() {
        report.forward_error = against_ones(&arguments.matrix, &x, report.forward_error)?;
    }
    if !report.relative_residual.is_finite() {
        // Squares left the device's range; the judge has seen x.
        report.relative_residual = largest_residual(&matrix, &x, &rhs)?;
    }
    if let Some(output) = output {
        output.write(|target| matrix_market::write_array(target, n, &x))?;
    }
    if arguments.json {
        return say(&serde_json::to_string(&report).map_err(|e| Failure::Solver(e.to_string()))?);
    }
    tell(&format!(
        "{} system, {} rows, {} right-hand side{}\n{} in {} on {}: {:.1} us, {:.2} Mrows/s\nrelative residual {:.2e}",
        report.structure,
        report.rows,
        report.rhs,
        if columns == 1 { "" } else { "s" },
        report.algorithm,
        report.precision,
        report.adapter,
        report.device_us,
        (report.rows * report.rhs) as f64 / report.device_us,
        report.relative_residual,
    ));
    if let Some(policy) = report.policy {
        tell(&format!("policy {policy}"));
    }
    if let Some(backward_error) = report.backward_error {
        tell(&format!("backward error {backward_error:.2e}"));
    }
    tell(&format!("forward error about {:.0e}", report.forward_error));
    if let Some(condition) = report.condition {
        tell(&format!("condition about {condition:.0e} (componentwise, cond(A, x))"));
    }
    if report.replaced > 0 {
        let plural = if report.replaced == 1 { "" } else { "s" };
        tell(&format!(
            "{} right-hand side{plural} solved on the CPU, more accurately than on the device",
            report.replaced
        ));
    }
    if arguments.rhs.is_none() {
        let worst = x.iter().map(|x| (x.to_f64() - 1.0).abs()).fold(0.0, f64::max);
        tell(&format!("the right-hand side was A times ones; largest error against ones {worst:.2e}"));
    }
    Ok(())
}

/// What is reported of a solution.
struct Known<T> {
    x: Vec<T>,
    algorithm: Algorithm,
    relative_residual: f64,
    backward_error: f64,
    forward_error: f64,
    condition: Option<f64>,
    replaced: usize,
    seconds: f64,
}

impl<T> From<Solution<T>> for Known<T> {
    fn from(solution: Solution<T>) -> Self {
        Self {
            relative_residual: solution.residuals.relative,
            backward_error: solution.residuals.backward_error,
            forward_error: solution.forward_error,
            condition: solution.condition,
            replaced: solution.replaced,
            algorithm: solution.algorithm,
            seconds: solution.seconds,
            x: solution.x,
        }
    }
}

/// One right-hand side after the other, with a matrix that is factored once; the worst of their measures, the sum of their
/// times.
fn by_factor<T: Real>(plan: &TridiagonalPlan<T>, system: &System<'_, T>, rhs: &[T]) -> Result<Known<T>, Error> {
    let factored = plan.factor(system)?;
    let algorithm = factored.algorithm();
    let mut all = Known {
        x: vec![],
        algorithm,
        relative_residual: 0.0,
        backward_error: 0.0,
        forward_error: 0.0,
        condition: None,
        replaced: 0,
        seconds: 0.0,
    };
    for column in rhs.chunks(factored.shape().n) {
        let solution = Known::from(factored.solve_reported(column)?);
        all.x.extend(solution.x);
        all.algorithm = solution.algorithm;
        all.relative_residual = all.relative_residual.max(solution.relative_residual);
        all.backward_error = all.backward_error.max(solution.backward_error);
        all.forward_error = all.forward_error.max(solution.forward_error);
        all.condition = all.condition.into_iter().chain(solution.condition).reduce(f64::max);
        all.replaced += solution.replaced;
        all.seconds += solution.seconds;
    }
    Ok(all)
}

/// Adds the error from rounding the file's numbers to T: the distance to their solution in f64. The condition of the rounded matrix would
/// not do: rounding may turn a matrix that is nearly singular into one that is not.
///
/// # Errors
/// [`Error::NearlySingular`] where that leaves no digit, and those of the solve in f64.
fn add_rounding<T: Real>(file: &Matrix<f64>, rhs: &[f64], x: &[T], report: &mut Report) -> Result<(), Error> {
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0f64, |most, value| most.max(value.abs()));
    for (x, rhs) in x.chunks(report.rows).zip(rhs.chunks(report.rows)) {
        let exact = solve_on_cpu_reported(&file.system(), rhs)?;
        let off = largest(&mut exact.x.iter().zip(x).map(|(exact, x)| x.to_f64() - exact));
        let distance = if off == 0.0 { 0.0 } else { off / largest(&mut exact.x.iter().copied()) };
        report.forward_error = report.forward_error.max(distance + exact.forward_error);
        report.condition = report.condition.into_iter().chain(exact.condition).reduce(f64::max);
    }
    match report.forward_error <= MOST_FORWARD_ERROR {
        true => Ok(()),
        false => {
            let condition = report.condition.unwrap_or(0.0).max(report.forward_error / T::UNIT_ROUNDOFF);
            Err(Error::NearlySingular { system: 0, condition, precision: T::PRECISION })
        }
    }
}

/// ||d - A x|| / ||d|| in f64, the largest of all right-hand sides.
fn largest_residual<T: Real>(matrix: &Matrix<T>, x: &[T], rhs: &[T]) -> Result<f64, Error> {
    let system = matrix.system();
    let n = system.diag.len().max(1);
    let residuals = x.chunks(n).zip(rhs.chunks(n)).map(|(x, d)| system.relative_residual(x, d));
    Ok(residuals.collect::<Result<Vec<_>, _>>()?.into_iter().fold(0.0, f64::max))
}

/// Column by column with pivoting, or for a diagonal given as excess with the dominance carried.
fn on_cpu<T: Real>(matrix: &Matrix<T>, rhs: &[T], n: usize) -> Result<(Vec<T>, Report), Error> {
    let start = Instant::now();
    let mut x = Vec::with_capacity(rhs.len());
    let system = matrix.system();
    let (mut forward_error, mut condition) = (0f64, None);
    for column in rhs.chunks(n) {
        let solution = solve_on_cpu_reported(&system, column)?;
        x.extend(solution.x);
        forward_error = forward_error.max(solution.forward_error);
        condition = condition.into_iter().chain(solution.condition).reduce(f64::max);
    }
    let device_us = start.elapsed().as_secs_f64() * 1e6;
    let relative_residual = largest_residual(matrix, &x, rhs)?;
    let algorithm = match system.kind {
        Diagonal::Value => "cpu (gtsv)",
        Diagonal::Excess => "cpu (thomas, carried)",
    };
    let report = Report {
        structure: matrix.name(),
        rows: n,
        rhs: 1,
        algorithm: algorithm.into(),
        precision: T::PRECISION.name(),
        adapter: "cpu".into(),
        relative_residual,
        forward_error,
        condition,
        device_us,
        iterations: None,
        backward_error: None,
        policy: None,
        replaced: 0,
    };
    Ok((x, report))
}
