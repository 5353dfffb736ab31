//! `trisolve filter`

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use trisolve::filter::{Algorithm, Coefficients, Direction, FilterPlan, Options, Shape, solve_on_cpu};
use trisolve::{Error, Precision, Real, cpu, matrix_market};

use crate::columns::{Columns, narrow, narrow_all, read};
use crate::direct::MOST_FORWARD_ERROR;
use crate::or_cpu::OrCpu;
use crate::output::{say, tell};
use crate::output_file::OutputFile;
use crate::rounding::{distance, is_exact};
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// The inputs (Matrix Market, array format): a row a sample, a column a sequence
    x: Option<PathBuf>,
    /// The numerator, as 0.2 0.3 or 0.2,0.3 (--b=-0.2,0.3 where that begins with a minus): what the input, the one
    /// before and so on are multiplied by
    #[arg(long, num_args = 1.., allow_negative_numbers = true, required = true, value_name = "NUMBERS")]
    b: Vec<String>,
    /// The denominator, as 1 -0.5: a[0] y[n] + a[1] y[n-1] + ... = b[0] x[n] + b[1] x[n-1] + ...
    #[arg(long, num_args = 1.., allow_negative_numbers = true, required = true, value_name = "NUMBERS")]
    a: Vec<String>,
    /// The state before the first row, of every sequence: as many numbers as the filter's order, 0 by default
    #[arg(long, num_args = 1.., allow_negative_numbers = true, value_name = "NUMBERS")]
    zi: Vec<String>,
    /// From the last row to the first
    #[arg(long)]
    reverse: bool,
    /// Where to write the outputs (array format); without it only the report is printed
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Numbers to compute in
    #[arg(long, value_enum, default_value = "f32")]
    precision: PrecisionName,
    /// auto, three-launch, or cpu
    #[arg(long, default_value = "auto", value_parser = OrCpu::<Algorithm>::from_str)]
    algorithm: OrCpu<Algorithm>,
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
    sequences: usize,
    order: usize,
    algorithm: String,
    precision: &'static str,
    adapter: String,
    relative_residual: f64,
    /// Against the exact outputs for the numbers as given.
    forward_error: f64,
    /// The state behind the last row of each sequence.
    final_states: Vec<Vec<f64>>,
    device_us: f64,
}

/// What was asked for, in numbers.
struct Asked {
    coefficients: Coefficients,
    zi: Vec<f64>,
    path: PathBuf,
}

impl Arguments {
    fn asked(&self) -> Result<Asked, Failure> {
        let mut path = self.x.clone();
        let mut numbers = |name: &str, words: &[String]| {
            let mut all = Vec::new();
            for (at, word) in words.iter().enumerate() {
                let parts: Result<Vec<f64>, _> = word.split(',').map(|part| part.trim().parse()).collect();
                match parts {
                    Ok(parts) => all.extend(parts),
                    // As many numbers as wanted take the file behind them in.
                    Err(_) if at + 1 == words.len() && at > 0 && path.is_none() => path = Some(word.into()),
                    Err(_) => return Err(Failure::Input(format!("{name}: {word:?} is not a number"))),
                }
            }
            Ok(all)
        };
        let (b, a, zi) = (numbers("--b", &self.b)?, numbers("--a", &self.a)?, numbers("--zi", &self.zi)?);
        let coefficients =
            Coefficients::new(&b, &a).map_err(|error| Failure::Input(format!("--b and --a: {error}")))?;
        let (order, found) = (coefficients.order(), zi.len());
        if found > 0 && found != order {
            return Err(Failure::Input(format!("--zi: {found} numbers, but the filter's state has {order}")));
        }
        let path = path.ok_or_else(|| Failure::Input("there is no file of inputs: name it first or last".into()))?;
        let zi = if zi.is_empty() { vec![0.0; order] } else { zi };
        Ok(Asked { coefficients, zi, path })
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.algorithm.check_device(arguments.device.as_deref())?;
    let asked = arguments.asked()?;
    let x = read(&asked.path)?;
    let output = arguments.output.as_deref().map(OutputFile::open).transpose()?;
    match arguments.precision {
        PrecisionName::F32 => solve::<f32>(arguments, &asked, &x, output),
        PrecisionName::F64 => solve::<f64>(arguments, &asked, &x, output),
    }
}

/// Outputs, final states, and where they were computed.
struct Solved<T> {
    y: Vec<T>,
    states: Vec<T>,
    algorithm: String,
    adapter: String,
    seconds: f64,
    forward_error: f64,
    /// Sequences that are the CPU's.
    replaced: usize,
}

fn solve<T: Real>(
    arguments: &Arguments,
    Asked { coefficients, zi, path }: &Asked,
    file: &Columns,
    output: Option<OutputFile>,
) -> Result<(), Failure> {
    let Columns { rows, columns, .. } = *file;
    let order = coefficients.order();
    let x = narrow_all::<T>(path, &file.values, rows)?;
    let given = zi;
    let zi: Vec<T> = given.iter().map(|&z| narrow("--zi", z)).collect::<Result<_, _>>()?;
    let mut solved = match arguments.algorithm {
        OrCpu::Cpu => on_cpu(coefficients, &x, rows, &zi, arguments.reverse).map_err(|error| explain(error, path))?,
        OrCpu::Gpu(algorithm) => {
            let gpu = open_gpu(arguments.device.as_deref())?;
            let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
            let options = Options::default().algorithm(algorithm).direction(direction);
            match FilterPlan::<T>::new(&gpu, Shape::contiguous(rows, columns), coefficients, options) {
                // Nobody asked for the device.
                Err(Error::Unstable { .. }) if algorithm == Algorithm::Auto => {
                    tell(&format!(
                        "the filter's powers leave the range of {} on the device: the CPU filters instead",
                        T::PRECISION
                    ));
                    on_cpu(coefficients, &x, rows, &zi, arguments.reverse).map_err(|error| explain(error, path))?
                }
                plan => {
                    let solved = plan?.solve_from(&x, Some(&zi.repeat(columns)));
                    let solution = solved.map_err(|error| explain(error, path))?;
                    Solved {
                        y: solution.y,
                        states: solution.final_states,
                        algorithm: solution.algorithm.to_string(),
                        adapter: gpu.info().name.clone(),
                        seconds: solution.seconds,
                        forward_error: solution.forward_error,
                        replaced: solution.replaced,
                    }
                }
            }
        }
    };
    if !file.values.iter().chain(given).all(|value| is_exact::<T>(*value)) {
        let exact = on_cpu::<f64>(coefficients, &file.values, rows, given, arguments.reverse)
            .map_err(|error| explain(error, path))?;
        let sequences = solved.y.chunks(rows.max(1)).zip(exact.y.chunks(rows.max(1)));
        let rounding = sequences.map(|(y, exact)| distance(y, exact)).fold(0.0, f64::max);
        solved.forward_error += exact.forward_error + rounding;
        if solved.forward_error > MOST_FORWARD_ERROR {
            return Err(Failure::Solver(format!(
                "{}: rounding the numbers given to {} leaves no digit of the outputs (forward error about {:.0e}); use --precision f64",
                path.display(),
                T::PRECISION,
                solved.forward_error
            )));
        }
    }
    let sequences = (0..columns).map(|column| {
        let (x, y) = (&x, &solved.y);
        let numbers = move |step| {
            let at = column * rows + if arguments.reverse { rows - 1 - step } else { step };
            [x[at], y[at]].map(T::to_f64)
        };
        (zi.iter().map(|z| z.to_f64()).collect(), (0..rows).map(numbers))
    });
    let relative_residual = cpu::filter_residual(coefficients.b(), coefficients.a(), sequences);
    if let Some(output) = output {
        output.write(|target| matrix_market::write_array(target, rows, &solved.y))?;
    }
    let report = Report {
        structure: "filter",
        rows,
        sequences: columns,
        order,
        algorithm: solved.algorithm.clone(),
        precision: T::PRECISION.name(),
        adapter: solved.adapter.clone(),
        relative_residual,
        forward_error: solved.forward_error,
        final_states: solved.states.chunks(order).map(|z| z.iter().map(|z| z.to_f64()).collect()).collect(),
        device_us: solved.seconds * 1e6,
    };
    if arguments.json {
        return say(&serde_json::to_string(&report).map_err(|e| Failure::Solver(e.to_string()))?);
    }
    tell(&format!(
        "filter of order {order}, {rows} rows, {columns} sequence{}\n{} in {} on {}: {:.1} us, {:.2} Mrows/s\nrelative residual {:.2e}\nforward error about {:.0e}",
        if columns == 1 { "" } else { "s" },
        report.algorithm,
        report.precision,
        report.adapter,
        report.device_us,
        (rows * columns) as f64 / report.device_us,
        report.relative_residual,
        report.forward_error,
    ));
    if solved.replaced > 0 {
        let plural = if solved.replaced == 1 { "" } else { "s" };
        tell(&format!("{} sequence{plural} computed on the CPU, more accurately than on the device", solved.replaced));
    }
    Ok(())
}

/// A failure in the file's terms: its name, and rows and columns that count from 1.
fn explain(error: Error, path: &Path) -> Failure {
    match error {
        Error::Overflow { system, row, precision } => Failure::Solver(format!(
            "{}, column {}, row {} (both counted from 1): the output, or the state behind it, overflows {precision}; scale \
             the input down{}",
            path.display(),
            system + 1,
            row + 1,
            if precision == Precision::F32 { ", or take --precision f64" } else { "" }
        )),
        other => other.into(),
    }
}

/// Column by column.
fn on_cpu<T: Real>(
    coefficients: &Coefficients,
    x: &[T],
    rows: usize,
    zi: &[T],
    reverse: bool,
) -> Result<Solved<T>, Error> {
    let start = Instant::now();
    let direction = if reverse { Direction::Reverse } else { Direction::Forward };
    let (mut y, mut states, mut forward_error) = (Vec::with_capacity(x.len()), vec![], 0f64);
    for (system, x) in x.chunks(rows.max(1)).enumerate() {
        let solution = solve_on_cpu(coefficients, x, zi, direction).map_err(|error| error.of_system(system))?;
        y.extend(solution.y);
        states.extend(solution.final_state);
        forward_error = forward_error.max(solution.forward_error);
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(Solved { y, states, algorithm: "cpu".into(), adapter: "cpu".into(), seconds, forward_error, replaced: 0 })
}
