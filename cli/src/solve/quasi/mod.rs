//! The quasi-tridiagonal systems of `trisolve solve`: reads them, solves them by iteration, and reports.

mod failures;
mod file_numbers;
mod iteration;
mod report;
mod request;
mod solvers;

pub use iteration::Iteration;
pub use request::Request;

use trisolve::matrix_market;
use trisolve::quasi_tridiagonal::Csr;
use trisolve::{Place, Real};

use crate::columns::narrow_all;
use crate::output::{say_json, tell};
use crate::output_file::OutputFile;
use crate::plot_file::PlotPath;
use crate::structure::{against_ones, tell_against_ones};
use crate::time_spent::Clock;
use crate::{Failure, PrecisionName};
use failures::explain;
use file_numbers::FileNumbers;
use report::{Report, chart};

/// Reads, solves and reports.
pub fn solve(request: &Request<'_>, clock: &mut Clock) -> Result<(), Failure> {
    let outcome = match request.precision {
        PrecisionName::F32 => solve_in::<f32>(request, clock),
        PrecisionName::F64 => solve_in::<f64>(request, clock),
    };
    clock.tell_of_failure(outcome, request.timing)
}

fn solve_in<T: Real>(request: &Request<'_>, clock: &mut Clock) -> Result<(), Failure> {
    let Request { matrix: (path, entries), iteration, .. } = *request;
    let explained = |error| explain(error, path);
    let wide = matrix_market::sparse(entries).map_err(explained)?;
    let matrix: Csr<T> = wide.converted().map_err(explained)?;
    let n = matrix.rows();
    let (rhs, wide_rhs): (Vec<T>, _) = match request.rhs {
        Some(path) => {
            let columns = path.read_right_hand_sides(n)?;
            (narrow_all(path, &columns, n)?, columns)
        }
        None => {
            let rhs = matrix.times(&vec![T::ONE; n]).map_err(explained)?;
            let columns = rhs.iter().map(|b| b.to_f64()).collect();
            (rhs, columns)
        }
    };
    let is_exact = |narrow: T, wide: f64| narrow.to_f64() == wide;
    let is_exact_row = |row| matrix.row(row).zip(wide.row(row)).all(|((_, narrow), (_, wide))| is_exact(narrow, wide));
    let is_rounded =
        !(0..n).all(is_exact_row) || !rhs.iter().zip(&wide_rhs).all(|(narrow, wide)| is_exact(*narrow, *wide));
    let given = FileNumbers { matrix: &wide, rhs: &wide_rhs, is_rounded };
    let output = request.output.map(OutputFile::open).transpose()?;
    let plot = iteration.plot.as_ref().map(PlotPath::open).transpose()?;
    clock.read();
    let mut solved = match request.place.place() {
        Place::Cpu => {
            iteration.check_cpu()?;
            solvers::on_cpu(&matrix, &rhs, iteration, &given, clock).map_err(explained)?
        }
        // Gauss-Seidel on the CPU converges for fewer matrices, and more slowly.
        Place::Fastest | Place::Device => solvers::on_device(request, (&matrix, &rhs), &given, clock)?,
    };
    if request.rhs.is_none() && solved.failed.is_none() {
        solved.forward_error = against_ones(path, &solved.x, solved.forward_error)?;
    }
    let mut report = Report::new(&matrix, &rhs, iteration.mixed, &solved).map_err(explained)?;
    clock.checked();
    if let Some(file) = plot {
        match chart(&solved.ways, &format!("{} rows, {} entries", report.facts.rows, report.entries))? {
            Some(chart) => file.write(&chart)?,
            None => tell("--plot: no residual is above 0, so there is no chart"),
        }
    }
    // The answer of a method that failed is not written.
    if let (Some(output), None) = (output, &solved.failed) {
        output.write_vectors(n, &solved.x)?;
    }
    clock.wrote();
    report.facts.timing = clock.spent(request.timing);
    if request.json {
        say_json(&report)?;
    }
    if let Some(error) = solved.failed {
        if report.facts.columns > 1 {
            tell(&format!("right-hand side {} of {}:", solved.ways.len(), report.facts.columns));
        }
        return Err(explained(error));
    }
    if !request.json {
        report.tell();
        if iteration.explain {
            report.explain();
        }
        if request.rhs.is_none() {
            tell_against_ones(&solved.x);
        }
        report.facts.tell_timing();
    }
    Ok(())
}
