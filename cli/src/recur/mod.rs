//! `trisolve recur`: reads the coefficients of a linear recurrence, computes its values, and reports.

mod arguments;
mod coefficients;

pub use arguments::{Arguments, CoefficientSource};

use std::time::Instant;

use trisolve::recurrence::{Algorithm, Coefficient, Options, Recurrence, RecurrencePlan, Shape, solve_on_cpu};
use trisolve::{Error, Place, Precision, Real, Scalar, cpu};

use crate::columns::narrow;
use crate::facts::Facts;
use crate::output::{say_json, tell, tell_replaced};
use crate::output_file::OutputFile;
use crate::place::{CPU, tell_software};
use crate::rounding::{check_digits, distance, is_exact, larger};
use crate::time_spent::{Clock, microseconds};
use crate::{Failure, PrecisionName};
use coefficients::{Numbers, Sources};

#[derive(serde::Serialize)]
struct Report {
    #[serde(flatten)]
    facts: Facts,
    /// Values outside the range.
    infinite: usize,
}

/// The values, and how they were computed.
struct Solved<T> {
    w: Vec<T>,
    algorithm: String,
    place: Place,
    adapter: String,
    seconds: f64,
    forward_error: f64,
    /// Sequences that the CPU computed in place of the device.
    replaced: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut clock = Clock::start();
    let is_named = arguments.algorithm != Algorithm::Auto;
    arguments.place.check(is_named.then(|| format!("--algorithm {}", arguments.algorithm)).as_deref())?;
    let sources = Sources::read(arguments)?;
    let output = arguments.output.as_ref().map(OutputFile::open).transpose()?;
    let outcome = match arguments.precision {
        PrecisionName::F32 => solve::<f32>(arguments, &sources, output, &mut clock),
        PrecisionName::F64 => solve::<f64>(arguments, &sources, output, &mut clock),
    };
    clock.tell_of_failure(outcome, arguments.timing)
}

fn solve<T: Real>(
    arguments: &Arguments,
    sources: &Sources,
    output: Option<OutputFile>,
    clock: &mut Clock,
) -> Result<(), Failure> {
    let Sources { rows, columns, .. } = *sources;
    let initial = narrow::<T>("--w0", arguments.w0)?;
    let mut numbers = [sources.s.narrow::<T>(rows)?, sources.t.narrow::<T>(rows)?];
    let vectors = arguments.formulas.vectors::<T>()?;
    let vectors: Vec<_> = vectors.iter().map(|(name, values)| (*name, &values[..])).collect();
    clock.read();
    let has_formula = arguments.formulas.are_given();
    let solved = match arguments.place.is_cpu(arguments.algorithm != Algorithm::Auto || has_formula) {
        true => on_cpu(arguments, sources, &numbers, initial, clock)?,
        false => {
            let gpu = arguments.place.open()?;
            clock.opened();
            let options = Options {
                algorithm: arguments.algorithm,
                place: Place::Device,
                direction: arguments.direction(),
                deterministic: arguments.deterministic,
                ..Options::default()
            };
            let shape = Shape::contiguous(rows, columns);
            let plan = RecurrencePlan::<T>::with_formulas(&gpu, shape, options, &arguments.formulas.formulas())?;
            clock.planned(plan.timing());
            // The vectors are given once and serve both formulas.
            let s_computed = arguments.formulas.s_wgsl.is_some();
            let recurrence = Recurrence {
                s: sources.s.coefficient(&numbers[0], &vectors),
                t: sources.t.coefficient(&numbers[1], if s_computed { &[] } else { &vectors }),
                initial: Coefficient::Constant(initial),
            };
            let solution = plan.solve_reported(&recurrence).map_err(explain)?;
            clock.called(solution.timing);
            // The residual needs the computed coefficients.
            let computed = plan.computed(&recurrence)?;
            for (numbers, computed) in numbers.iter_mut().zip(computed) {
                if let Some(values) = computed {
                    numbers.values = values;
                }
            }
            if !arguments.json {
                tell_software(&gpu, arguments.algorithm != Algorithm::Auto || has_formula);
            }
            Solved {
                w: solution.w,
                algorithm: solution.algorithm.to_string(),
                place: Place::Device,
                adapter: gpu.info().name.clone(),
                seconds: solution.seconds,
                forward_error: solution.forward_error.unwrap_or(f64::INFINITY),
                replaced: solution.replaced,
            }
        }
    };
    let mut forward_error = solved.forward_error;
    if T::PRECISION == Precision::F32 {
        forward_error += rounding_error(arguments, sources, &numbers, &solved.w)?;
        check_digits::<T>("", "values", forward_error)?;
    }
    let [s, t] = &numbers;
    let sequences = (0..columns).map(|column| {
        let w = &solved.w;
        let row_numbers = move |step| {
            let at = column * rows + if arguments.reverse { rows - 1 - step } else { step };
            [s.at(at), t.at(at), w[at]].map(T::to_f64)
        };
        (initial.to_f64(), (0..rows).map(row_numbers))
    });
    let relative_residual = cpu::recurrence_residual(sequences);
    clock.checked();
    if let Some(output) = output {
        output.write_vectors(rows, &solved.w)?;
    }
    clock.wrote();
    let facts = Facts {
        structure: "recurrence".into(),
        rows,
        columns,
        algorithm: solved.algorithm,
        policy: None,
        precision: T::PRECISION.to_string(),
        place: solved.place.name(),
        adapter: solved.adapter,
        iterations: None,
        relative_residual: Some(relative_residual),
        backward_error: None,
        forward_error: Some(forward_error),
        condition: None,
        replaced: solved.replaced,
        solve_us: microseconds(solved.seconds),
        timing: clock.spent(arguments.timing),
    };
    let report = Report { facts, infinite: solved.w.iter().filter(|w| !Scalar::is_finite(**w)).count() };
    if arguments.json {
        return say_json(&report);
    }
    report.tell();
    Ok(())
}

/// Computes on the CPU, sequence by sequence.
fn on_cpu<T: Real>(
    arguments: &Arguments,
    sources: &Sources,
    numbers: &[Numbers<T>; 2],
    initial: T,
    clock: &mut Clock,
) -> Result<Solved<T>, Failure> {
    let Sources { rows, columns, .. } = *sources;
    let start = Instant::now();
    let (mut w, mut forward_error) = (Vec::with_capacity(rows * columns), 0f64);
    for column in 0..columns {
        let [s, t] = numbers.each_ref().map(|numbers| numbers.column(column, rows));
        let recurrence = Recurrence { initial: Coefficient::Constant(initial), ..Recurrence::new(&s, &t) };
        let solution =
            solve_on_cpu(rows, &recurrence, arguments.direction()).map_err(|error| explain(error.of_system(column)))?;
        w.extend(solution.w);
        forward_error = forward_error.max(solution.forward_error);
    }
    let seconds = start.elapsed().as_secs_f64();
    clock.solved();
    let (place, [algorithm, adapter]) = (Place::Cpu, [CPU; 2].map(String::from));
    Ok(Solved { w, algorithm, place, adapter, seconds, forward_error, replaced: 0 })
}

/// The error from rounding the given numbers to T: the largest distance to the values that f64 computes from the numbers as
/// given, relative to the largest value of the sequence. Numbers that a formula computes in T count as given. Values outside
/// the range do not count.
fn rounding_error<T: Real>(
    arguments: &Arguments,
    sources: &Sources,
    numbers: &[Numbers<T>; 2],
    w: &[T],
) -> Result<f64, Failure> {
    let Sources { rows, columns, .. } = *sources;
    let exact = [sources.s.exact(&numbers[0]), sources.t.exact(&numbers[1])];
    if exact.iter().all(|exact| exact.is_exact::<T>()) && is_exact::<T>(arguments.w0) {
        return Ok(0.0);
    }
    let mut most = 0f64;
    for column in 0..columns {
        let [s, t] = exact.each_ref().map(|exact| exact.column(column, rows));
        let recurrence = Recurrence { initial: Coefficient::Constant(arguments.w0), ..Recurrence::new(&s, &t) };
        let solution =
            solve_on_cpu(rows, &recurrence, arguments.direction()).map_err(|error| explain(error.of_system(column)))?;
        most = larger(most, solution.forward_error + distance(&w[column * rows..][..rows], &solution.w));
    }
    Ok(most)
}

/// An error of the solve, in the terms of the files: rows and sequences count from 1.
fn explain(error: Error) -> Failure {
    match error {
        Error::NonFiniteInput { vector, system, row } => Failure::Input(format!(
            "{vector} is not finite in row {} of sequence {} (both counted from 1); change its formula or its file",
            row + 1,
            system + 1
        )),
        Error::NoDigits { system, .. } => error.of_system(system + 1).into(),
        other => other.into(),
    }
}

impl Report {
    /// Tells the report on stderr.
    fn tell(&self) {
        let facts = &self.facts;
        facts.tell("recurrence", "sequence");
        if let Some(forward_error) = facts.forward_error {
            tell(&format!("forward error about {forward_error:.0e}"));
        }
        tell_replaced(facts.replaced, "sequence", "computed");
        if self.infinite > 0 {
            let advice = if facts.precision == "f32" { "; --precision f64 has a wider range" } else { "" };
            let (values, are) = if self.infinite == 1 { ("value", "is") } else { ("values", "are") };
            tell(&format!("{} {values} grew past the range and {are} infinite{advice}", self.infinite));
        }
        facts.tell_timing();
    }
}
