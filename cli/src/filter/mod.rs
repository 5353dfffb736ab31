//! `trisolve filter`: reads signals, filters them, and reports.

mod arguments;

pub use arguments::Arguments;

use std::time::Instant;

use trisolve::filter::{Algorithm, Cascade, Direction, FilterPlan, Options, Shape, solve_on_cpu};
use trisolve::{Error, Place, Precision, Real, cpu};

use crate::columns::{narrow, narrow_all};
use crate::facts::Facts;
use crate::formats::Columns;
use crate::input_file::InputPath;
use crate::output::{say_json, tell, tell_replaced};
use crate::output_file::OutputFile;
use crate::place::{CPU, tell_software};
use crate::rounding::{check_digits, distance, is_exact, larger};
use crate::time_spent::{Clock, microseconds};
use crate::{Failure, PrecisionName};

#[derive(serde::Serialize)]
struct Report {
    #[serde(flatten)]
    facts: Facts,
    order: usize,
    /// 1 for the direct form.
    sections: usize,
    /// The state after the last row of each sequence.
    final_states: Vec<Vec<f64>>,
}

/// Outputs and final states, and how they were computed.
struct Solved<T> {
    y: Vec<T>,
    states: Vec<T>,
    algorithm: String,
    place: Place,
    adapter: String,
    seconds: f64,
    forward_error: f64,
    /// Sequences that the CPU filtered in place of the device.
    replaced: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut clock = Clock::start();
    let is_named = arguments.algorithm != Algorithm::Auto;
    arguments.place.check(is_named.then(|| format!("--algorithm {}", arguments.algorithm)).as_deref())?;
    let (filter, zi) = arguments.filter()?;
    let x = arguments.x.read_sequences()?;
    let output = arguments.output.as_ref().map(OutputFile::open).transpose()?;
    let outcome = match arguments.precision {
        PrecisionName::F32 => solve::<f32>(arguments, (&filter, &zi), &x, output, &mut clock),
        PrecisionName::F64 => solve::<f64>(arguments, (&filter, &zi), &x, output, &mut clock),
    };
    clock.tell_of_failure(outcome, arguments.timing)
}

fn solve<T: Real>(
    arguments: &Arguments,
    (filter, initial): (&Cascade, &[f64]),
    file: &Columns,
    output: Option<OutputFile>,
    clock: &mut Clock,
) -> Result<(), Failure> {
    let path = &arguments.x;
    let Columns { rows, columns, .. } = *file;
    let order = filter.order();
    let x = narrow_all::<T>(path, &file.values, rows)?;
    let zi: Vec<T> = initial.iter().map(|&z| narrow("--zi", z)).collect::<Result<_, _>>()?;
    clock.read();
    let is_on_cpu = arguments.place.is_cpu(arguments.algorithm != Algorithm::Auto);
    let mut solved = match is_on_cpu {
        true => on_cpu(filter, &x, rows, &zi, arguments.direction()).map_err(|e| explain(e, path))?,
        false => on_device(arguments, filter, (&x, &zi), [rows, columns], clock)?,
    };
    if is_on_cpu {
        clock.solved();
    }
    if !file.values.iter().chain(initial).all(|value| is_exact::<T>(*value)) {
        let exact = on_cpu::<f64>(filter, &file.values, rows, initial, arguments.direction())
            .map_err(|error| explain(error, path))?;
        // The error of the outputs; then of outputs and final states together.
        let rounding = (0..columns).map(|column| {
            let (rows, states) = (column * rows..(column + 1) * rows, column * order..(column + 1) * order);
            let (found, exact_y) = (&solved.y[rows.clone()], &exact.y[rows]);
            let with_states = [found, &solved.states[states.clone()]].concat();
            larger(distance(found, exact_y), distance(&with_states, &[exact_y, &exact.states[states]].concat()))
        });
        solved.forward_error += exact.forward_error + rounding.fold(0.0, larger);
        check_digits::<T>(&format!("{}: ", path.display()), "outputs", solved.forward_error)?;
    }
    let sequences = (0..columns).map(|column| {
        let (x, y) = (&x, &solved.y);
        let numbers = move |step| {
            let at = column * rows + if arguments.reverse { rows - 1 - step } else { step };
            [x[at], y[at]].map(T::to_f64)
        };
        (zi.iter().map(|z| z.to_f64()).collect(), (0..rows).map(numbers))
    });
    // A cascade's residual needs the signals between its sections, which solves do not return.
    let relative_residual = match filter.sections() {
        [alone] => Some(cpu::filter_residual(alone.b(), alone.a(), sequences)),
        _ => None,
    };
    clock.checked();
    if let Some(output) = output {
        output.write_vectors(rows, &solved.y)?;
    }
    clock.wrote();
    let facts = Facts {
        structure: if filter.sections().len() > 1 { "cascade" } else { "filter" }.into(),
        rows,
        columns,
        algorithm: solved.algorithm,
        policy: None,
        precision: T::PRECISION.to_string(),
        place: solved.place.name(),
        adapter: solved.adapter,
        iterations: None,
        relative_residual,
        backward_error: None,
        forward_error: Some(solved.forward_error),
        condition: None,
        replaced: solved.replaced,
        solve_us: microseconds(solved.seconds),
        timing: clock.spent(arguments.timing),
    };
    let report = Report {
        facts,
        order,
        sections: filter.sections().len(),
        final_states: solved.states.chunks(order).map(|z| z.iter().map(|z| z.to_f64()).collect()).collect(),
    };
    if arguments.json {
        return say_json(&report);
    }
    report.tell();
    Ok(())
}

/// Filters on the device. If the filter's powers leave the range there, auto filters on the CPU.
fn on_device<T: Real>(
    arguments: &Arguments,
    filter: &Cascade,
    (x, zi): (&[T], &[T]),
    [rows, columns]: [usize; 2],
    clock: &mut Clock,
) -> Result<Solved<T>, Failure> {
    let gpu = arguments.place.open()?;
    clock.opened();
    let path = &arguments.x;
    let direction = arguments.direction();
    let options = Options::default().algorithm(arguments.algorithm).direction(direction).place(Place::Device);
    let options = Options { deterministic: arguments.deterministic, ..options };
    let plan = match FilterPlan::<T>::new(&gpu, Shape::contiguous(rows, columns), filter, options) {
        Err(Error::Unstable { .. }) if arguments.algorithm == Algorithm::Auto => {
            tell(&format!(
                "the filter's powers leave the range of {} on the device; the CPU filters instead",
                T::PRECISION
            ));
            let solved = on_cpu(filter, x, rows, zi, direction).map_err(|error| explain(error, path));
            clock.solved();
            return solved;
        }
        plan => plan?,
    };
    clock.planned(plan.timing());
    let solution = plan.solve_reported(x, Some(&zi.repeat(columns))).map_err(|error| explain(error, path))?;
    clock.called(solution.timing);
    if !arguments.json {
        tell_software(&gpu, arguments.algorithm != Algorithm::Auto);
    }
    Ok(Solved {
        y: solution.y,
        states: solution.final_states,
        algorithm: solution.algorithm.to_string(),
        place: Place::Device,
        adapter: gpu.info().name.clone(),
        seconds: solution.seconds,
        forward_error: solution.forward_error.unwrap_or(f64::INFINITY),
        replaced: solution.replaced,
    })
}

/// Filters on the CPU, column by column.
fn on_cpu<T: Real>(filter: &Cascade, x: &[T], rows: usize, zi: &[T], direction: Direction) -> Result<Solved<T>, Error> {
    let start = Instant::now();
    let (mut y, mut states, mut forward_error) = (Vec::with_capacity(x.len()), vec![], 0f64);
    for (system, x) in x.chunks(rows.max(1)).enumerate() {
        let solution = solve_on_cpu(filter, x, zi, direction).map_err(|error| error.of_system(system))?;
        y.extend(solution.y);
        states.extend(solution.final_state);
        forward_error = forward_error.max(solution.forward_error);
    }
    let seconds = start.elapsed().as_secs_f64();
    let (place, [algorithm, adapter]) = (Place::Cpu, [CPU; 2].map(String::from));
    Ok(Solved { y, states, algorithm, place, adapter, seconds, forward_error, replaced: 0 })
}

/// An error of the solve, in the terms of the file: rows and columns count from 1.
fn explain(error: Error, path: &InputPath) -> Failure {
    match error {
        Error::Overflow { system, row, precision } => Failure::Solver(format!(
            "{}, column {}, row {} (both counted from 1): the output, or the state after it, overflows {precision}; scale the \
             input down{}",
            path.display(),
            system + 1,
            row + 1,
            if precision == Precision::F32 { ", or use --precision f64" } else { "" }
        )),
        Error::NoDigits { system, .. } => error.of_system(system + 1).into(),
        other => other.into(),
    }
}

impl Report {
    /// Tells the report on stderr.
    fn tell(&self) {
        let facts = &self.facts;
        let kind = match self.sections {
            1 => format!("filter of order {}", self.order),
            sections => format!("cascade of {sections} sections"),
        };
        facts.tell(&kind, "sequence");
        if let Some(forward_error) = facts.forward_error {
            tell(&format!("forward error about {forward_error:.0e}"));
        }
        tell_replaced(facts.replaced, "sequence", "computed");
        facts.tell_timing();
    }
}
