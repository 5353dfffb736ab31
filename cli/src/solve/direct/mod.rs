//! The tridiagonal and cyclic systems of `trisolve solve`: reads them, solves them directly, and reports.

mod failures;
mod report;
mod solvers;

use trisolve::matrix_market::{self, Entries, Tridiagonal};
use trisolve::tridiagonal::solve_on_cpu_reported;
use trisolve::{Error, Place, Precision, Real, Scalar};

use super::arguments::Arguments;
use crate::columns::other_range;
use crate::output::say_json;
use crate::output_file::OutputFile;
use crate::rounding::{MOST_FORWARD_ERROR, distance, largest};
use crate::structure::{Form, Matrix, against_ones, row_sums};
use crate::time_spent::Clock;
use crate::{Failure, PrecisionName};
use failures::{explain, explain_reading};
use report::{facts, tell_facts};
use solvers::{Solved, largest_residual};

/// Solves with the matrix of a file, in the form that was found.
pub fn run(arguments: &Arguments, entries: &Entries, form: Form, clock: &mut Clock) -> Result<(), Failure> {
    let read = if form.cyclic { matrix_market::periodic } else { matrix_market::tridiagonal };
    let matrix = read(entries).map_err(|error| explain_reading(error, arguments))?;
    let n = matrix.diag.len();
    let rhs = match &arguments.rhs {
        Some(path) => path.read_right_hand_sides(n)?,
        None => row_sums(&matrix, arguments.diagonal.kind(), form),
    };
    let output = arguments.output.as_ref().map(OutputFile::open).transpose()?;
    let outcome = match arguments.precision {
        PrecisionName::F32 => solve::<f32>(arguments, (&matrix, form), &rhs, output, clock),
        PrecisionName::F64 => solve::<f64>(arguments, (&matrix, form), &rhs, output, clock),
    };
    clock.tell_of_failure(outcome, arguments.timing)
}

/// Columns of `n` values in the solve's precision, all in its range.
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

/// Refuses rows and right-hand sides whose entries are all below the range: they lose their digits, and the residual, which is
/// computed in the same precision, does not show the loss. In f64 a solution of size 1 makes up for small rows, so only
/// right-hand sides are checked.
fn check_small<T: Real>(matrix: &Tridiagonal, rhs: &[f64]) -> Result<(), Failure> {
    let Tridiagonal { lower, diag, upper } = matrix;
    let n = diag.len();
    let is_lost = |largest: f64| largest > 0.0 && largest < T::PRECISION.least_normal();
    let is_lost_row = |row: &usize| is_lost(largest([lower[*row], diag[*row], upper[*row]]));
    let advice = format!("below the range of {}; {}", T::PRECISION, other_range::<T>("up"));
    if T::PRECISION == Precision::F32
        && let Some(row) = (0..n).find(is_lost_row)
    {
        return Err(Failure::Input(format!("matrix, row {}: all its entries are {advice}", row + 1)));
    }
    if let Some(column) = rhs.chunks(n).position(|column| is_lost(largest(column.iter().copied()))) {
        return Err(Failure::Input(format!("right-hand side {}: all its entries are {advice}", column + 1)));
    }
    Ok(())
}

fn solve<T: Real>(
    arguments: &Arguments,
    (wide, form): (&Tridiagonal, Form),
    wide_rhs: &[f64],
    output: Option<OutputFile>,
    clock: &mut Clock,
) -> Result<(), Failure> {
    check_small::<T>(wide, wide_rhs)?;
    let n = wide.diag.len();
    let [lower, diag, upper] = [("lower", &wide.lower), ("diag", &wide.diag), ("upper", &wide.upper)]
        .map(|(name, values)| convert::<T>(&format!("{}: {name}", arguments.matrix.display()), values, n));
    let narrow = [lower?, diag?, upper?];
    let differs = |narrow: &[T], wide: &[f64]| narrow.iter().zip(wide).any(|(narrow, &wide)| narrow.to_f64() != wide);
    let is_rounded = narrow.iter().zip([&wide.lower, &wide.diag, &wide.upper]).any(|(n, w)| differs(n, w));
    let matrix = Matrix::new(wide, narrow, arguments.diagonal.kind(), form);
    let rhs_name = if arguments.rhs.is_some() { "right-hand side" } else { "the right-hand side, A times ones" };
    let rhs = convert::<T>(rhs_name, wide_rhs, n)?;
    let is_rounded = is_rounded || differs(&rhs, wide_rhs);
    let explained = |error| explain(error, arguments, is_rounded);
    clock.read();
    let place = solvers::place(arguments, &matrix, &rhs)?;
    // The choice opens the device if it depends on the adapter.
    if arguments.place.device().opened().is_some() {
        clock.opened();
    }
    let mut solved = match place {
        Place::Cpu => solvers::on_cpu(&matrix, &rhs, n, clock).map_err(explained)?,
        _ => solvers::on_device(arguments, (&matrix, &rhs), is_rounded, clock)?,
    };
    if is_rounded {
        let rows = [&wide.lower, &wide.diag, &wide.upper].map(Clone::clone);
        let file_matrix = Matrix::new(wide, rows, arguments.diagonal.kind(), form);
        add_rounding(&file_matrix, wide_rhs, n, &mut solved).map_err(explained)?;
    }
    let rhs_is_ones = arguments.rhs.is_none();
    if rhs_is_ones {
        solved.forward_error = against_ones(&arguments.matrix, &solved.x, solved.forward_error)?;
    }
    if !solved.relative_residual.is_finite() {
        // The squares left the device's range. The solve has checked x already.
        solved.relative_residual = largest_residual(&matrix, &solved.x, &rhs)?;
    }
    clock.checked();
    if let Some(output) = output {
        output.write_vectors(n, &solved.x)?;
    }
    clock.wrote();
    let facts = facts(&matrix, rhs.len() / n, &solved, clock.spent(arguments.timing));
    if arguments.json {
        return say_json(&facts);
    }
    tell_facts(&facts, &solved, rhs_is_ones);
    Ok(())
}

/// Adds the error from rounding the file's numbers to T: the distance to the solution for the file's numbers, computed in f64.
/// The condition number of the rounded matrix is no substitute: rounding may turn a nearly singular matrix into one that is
/// not.
///
/// # Errors
/// [`Error::NearlySingular`] if no digit is left, and the errors of the solve in f64.
fn add_rounding<T: Real>(file: &Matrix<f64>, rhs: &[f64], n: usize, solved: &mut Solved<T>) -> Result<(), Error> {
    for (x, rhs) in solved.x.chunks(n).zip(rhs.chunks(n)) {
        let exact = solve_on_cpu_reported(&file.system(), rhs)?;
        solved.forward_error = solved.forward_error.max(distance(x, &exact.x) + exact.forward_error);
        solved.condition = solved.condition.into_iter().chain(exact.condition).reduce(f64::max);
    }
    match solved.forward_error <= MOST_FORWARD_ERROR {
        true => Ok(()),
        false => {
            let condition = solved.condition.unwrap_or(0.0).max(solved.forward_error / T::UNIT_ROUNDOFF);
            Err(Error::NearlySingular { system: 0, condition, precision: T::PRECISION })
        }
    }
}
