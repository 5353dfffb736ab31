//! `trisolve trsv`: reads a dense triangular system, solves it, and reports.

mod arguments;
mod input;

pub use arguments::Arguments;

use std::time::Instant;

use trisolve::matrix_market::{self, Entries};
use trisolve::triangular::{Algorithm, Options, Uplo, condition, solve_on_cpu};
use trisolve::{Error, Place, Real, cpu};

use crate::facts::Facts;
use crate::file_errors::overflow;
use crate::input_file::{ArrayMeaning, InputPath};
use crate::output::{counted, say_json, tell, tell_replaced};
use crate::output_file::{OutputFile, OutputPath};
use crate::place::{CPU, PlaceArguments, tell_software};
use crate::plans::triangular_plan;
use crate::rounding::{MOST_FORWARD_ERROR, distance};
use crate::structure::against_ones;
use crate::time_spent::{Clock, microseconds};
use crate::{Failure, PrecisionName};
use input::Input;

/// The solutions, and how they were computed.
struct Solved<T> {
    x: Vec<T>,
    algorithm: String,
    policy: Option<String>,
    place: Place,
    adapter: String,
    seconds: f64,
    forward_error: f64,
    replaced: usize,
}

/// A system from files, and how to solve it.
pub struct Request<'a> {
    pub matrix: (&'a InputPath, &'a Entries),
    pub rhs: Option<&'a InputPath>,
    /// The matrix may have fewer columns than rows.
    pub trapezoid: bool,
    pub options: Options,
    pub algorithm: Algorithm,
    pub policy: Option<&'a str>,
    pub precision: PrecisionName,
    pub output: Option<&'a OutputPath>,
    pub place: &'a PlaceArguments,
    pub json: bool,
    /// Whether the report says where the time went.
    pub timing: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut clock = Clock::start();
    let named = (arguments.algorithm != Algorithm::Auto).then(|| format!("--algorithm {}", arguments.algorithm));
    let policy = arguments.policy.as_ref().map(|policy| format!("--policy {policy}"));
    arguments.place.check(named.or(policy).as_deref())?;
    let entries = arguments.matrix.read_matrix(ArrayMeaning::Dense)?;
    if !arguments.trapezoid {
        matrix_market::check_square(&entries).map_err(|error| match entries.columns < entries.rows {
            true => {
                Failure::Input(format!("{error}; --trapezoid solves with a lower triangle that lacks its last columns"))
            }
            false => error.into(),
        })?;
    }
    let uplo = match arguments.uplo {
        Some(name) => name.uplo(),
        None if entries.columns < entries.rows => Uplo::Lower,
        None => matrix_market::triangle(&entries).ok_or_else(|| {
            let path = arguments.matrix.display();
            Failure::Input(format!("{path}: both triangles have entries; choose one with --uplo"))
        })?,
    };
    let request = Request {
        matrix: (&arguments.matrix, &entries),
        rhs: arguments.rhs.as_ref(),
        trapezoid: arguments.trapezoid,
        options: arguments.triangle.options(uplo),
        algorithm: arguments.algorithm,
        policy: arguments.policy.as_deref(),
        precision: arguments.precision,
        output: arguments.output.as_ref(),
        place: &arguments.place,
        json: arguments.json,
        timing: arguments.timing,
    };
    solve(&request, &mut clock)
}

/// Reads, solves and reports.
pub fn solve(request: &Request<'_>, clock: &mut Clock) -> Result<(), Failure> {
    let outcome = match request.precision {
        PrecisionName::F32 => solve_in::<f32>(request, clock),
        PrecisionName::F64 => solve_in::<f64>(request, clock),
    };
    clock.tell_of_failure(outcome, request.timing)
}

fn solve_in<T: Real>(request: &Request<'_>, clock: &mut Clock) -> Result<(), Failure> {
    let Request { matrix: (path, entries), options, .. } = *request;
    let input = Input::<T>::read((path, entries), request.trapezoid, request.rhs, &options)?;
    let (n, columns) = (input.n, input.columns);
    let output = request.output.map(OutputFile::open).transpose()?;
    clock.read();
    let mut solved = solve_input(request, &input, clock)?;
    if input.is_rounded {
        solved.forward_error = with_rounding(path, &options, &input, &solved)?;
    }
    if request.rhs.is_none() {
        solved.forward_error = against_ones(path, &solved.x, solved.forward_error)?;
    }
    let backward_error = backward_error(&options, &input, &solved.x);
    clock.checked();
    if let Some(output) = output {
        output.write_vectors(n, &solved.x)?;
    }
    clock.wrote();
    let facts = Facts {
        structure: if input.stored < n { "trapezoid" } else { "triangular" }.into(),
        rows: n,
        columns,
        algorithm: solved.algorithm,
        policy: solved.policy,
        precision: T::PRECISION.to_string(),
        place: solved.place.name(),
        adapter: solved.adapter,
        iterations: None,
        relative_residual: None,
        backward_error: Some(backward_error),
        forward_error: Some(solved.forward_error),
        condition: None,
        replaced: solved.replaced,
        solve_us: microseconds(solved.seconds),
        timing: clock.spent(request.timing),
    };
    if request.json {
        return say_json(&facts);
    }
    let Facts { structure, algorithm, precision, adapter, solve_us, policy, .. } = &facts;
    tell(&format!(
        "{structure}, {n} rows, {}\n{algorithm} in {precision} on {adapter}: {solve_us:.1} us{}\n\
         componentwise backward error {backward_error:.2e}\nforward error about {:.0e}",
        counted(columns, "right-hand side"),
        policy.as_ref().map(|policy| format!(" ({policy})")).unwrap_or_default(),
        solved.forward_error,
    ));
    tell_replaced(solved.replaced, "right-hand side", "solved");
    facts.tell_timing();
    Ok(())
}

fn solve_input<T: Real>(request: &Request<'_>, input: &Input<T>, clock: &mut Clock) -> Result<Solved<T>, Failure> {
    let Request { matrix: (path, _), options, .. } = *request;
    let shape = input.shape().with_columns(input.columns);
    let explained = |error| explain(error, path);
    match request.place.is_cpu(request.algorithm != Algorithm::Auto || request.policy.is_some()) {
        true => {
            let start = Instant::now();
            let solution = solve_on_cpu(&shape, &options, &input.matrix, &input.rhs).map_err(explained)?;
            clock.solved();
            Ok(Solved {
                x: solution.x,
                algorithm: CPU.to_owned(),
                policy: None,
                place: Place::Cpu,
                adapter: CPU.to_owned(),
                seconds: start.elapsed().as_secs_f64(),
                forward_error: solution.forward_error,
                replaced: 0,
            })
        }
        false => {
            let gpu = request.place.open()?;
            clock.opened();
            let options = options.algorithm(request.algorithm).place(Place::Device);
            let plan = triangular_plan::<T>(&gpu, shape, options, request.policy)?;
            clock.planned(plan.timing());
            let solution = plan.solve_reported(&input.matrix, &input.rhs).map_err(explained)?;
            clock.called(solution.timing);
            if !request.json {
                tell_software(&gpu, request.algorithm != Algorithm::Auto || request.policy.is_some());
            }
            Ok(Solved {
                x: solution.x,
                algorithm: solution.algorithm.to_string(),
                policy: Some(plan.policy().to_string()),
                place: Place::Device,
                adapter: gpu.info().name.clone(),
                seconds: solution.seconds,
                forward_error: solution.forward_error.unwrap_or(f64::INFINITY),
                replaced: solution.replaced,
            })
        }
    }
}

/// The largest forward error with the error from rounding the files' numbers to T: the distance to the solution for these
/// numbers, computed in f64.
///
/// # Errors
/// [`Failure::Solver`] if no digit is left.
fn with_rounding<T: Real>(
    path: &InputPath,
    options: &Options,
    input: &Input<T>,
    solved: &Solved<T>,
) -> Result<f64, Failure> {
    let single = input.shape();
    let shape = single.with_columns(input.columns);
    let exact = solve_on_cpu(&shape, options, &input.file_matrix, &input.file_rhs);
    let exact = exact.map_err(|error| explain(error, path))?;
    let rows = input.n.max(1);
    let mut largest = 0f64;
    for (x, exact_x) in solved.x.chunks(rows).zip(exact.x.chunks(rows)) {
        let forward_error = solved.forward_error + exact.forward_error + distance(x, exact_x);
        if forward_error.is_nan() || forward_error > MOST_FORWARD_ERROR {
            let condition = condition(&single, options, &input.file_matrix, exact_x)?;
            return Err(Failure::Solver(format!(
                "{}: rounding the files' numbers to {} leaves no digit of x: the condition number cond(A, x) is about \
                 {condition:.0e}; use --precision f64",
                path.display(),
                T::PRECISION
            )));
        }
        largest = largest.max(forward_error);
    }
    Ok(largest)
}

/// The largest componentwise backward error of the right-hand sides, for the rounded numbers.
fn backward_error<T: Real>(options: &Options, input: &Input<T>, x: &[T]) -> f64 {
    let triangle = input.triangle(options);
    let wide = |values: &[T]| values.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
    let rows = input.n.max(1);
    let columns = input.rhs.chunks(rows).zip(x.chunks(rows));
    let errors = columns.map(|(rhs, x)| cpu::triangular_backward_error(&triangle, &wide(rhs), &wide(x)));
    // NaN counts as the largest.
    errors.map(f64::abs).max_by(f64::total_cmp).unwrap_or(0.0)
}

/// An error of the solve, in the terms of the file.
fn explain(error: Error, path: &InputPath) -> Failure {
    match error {
        Error::ZeroDiagonal { row, .. } => Failure::Solver(format!(
            "{}: the matrix is singular: its diagonal is 0 in row {} (counted from 1); if the diagonal should be ones, use `trisolve \
             trsv` with --diag unit",
            path.display(),
            row + 1
        )),
        Error::Overflow { row, precision, .. } => overflow(path, row, precision),
        other => other.into(),
    }
}
