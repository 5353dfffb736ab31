//! `trisolve recur`

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use trisolve::matrix_market;
use trisolve::recurrence::{
    Algorithm, Coefficient, Direction, Options, Recurrence, RecurrencePlan, Shape, solve_on_cpu,
};
use trisolve::{Precision, Real, Scalar, cpu};

use crate::columns::{Columns, narrow, narrow_all, read};
use crate::direct::MOST_FORWARD_ERROR;
use crate::formulas::FormulaArguments;
use crate::or_cpu::OrCpu;
use crate::output::{say, tell};
use crate::output_file::OutputFile;
use crate::rounding::{distance, is_exact};
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// What the value before is multiplied by: a number, or a file (Matrix Market, array format) of n rows and a
    /// column for each sequence
    #[arg(long, allow_hyphen_values = true, required_unless_present = "s_wgsl", conflicts_with = "s_wgsl")]
    s: Option<Given>,
    /// What is added: a number, or a file as for --s
    #[arg(long, allow_hyphen_values = true, required_unless_present = "t_wgsl", conflicts_with = "t_wgsl")]
    t: Option<Given>,
    #[command(flatten)]
    formulas: FormulaArguments,
    /// The value before the first
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    w0: f64,
    /// From the last row to the first: w[i] = s[i] w[i+1] + t[i]
    #[arg(long)]
    reverse: bool,
    /// Where to write the values (array format); without it only the report is printed
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Numbers to compute in
    #[arg(long, value_enum, default_value = "f32")]
    precision: PrecisionName,
    /// auto, one-pass, three-launch, p-scheme, or cpu
    #[arg(long, default_value = "auto", value_parser = OrCpu::<Algorithm>::from_str)]
    algorithm: OrCpu<Algorithm>,
    /// The same bits run after run
    #[arg(long)]
    deterministic: bool,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// A number, a file, or a formula.
#[derive(Clone)]
enum Given {
    Number(f64),
    File(PathBuf),
    Formula,
}

impl FromStr for Given {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::File(text.into()), Self::Number))
    }
}

#[derive(serde::Serialize)]
struct Report {
    structure: &'static str,
    rows: usize,
    sequences: usize,
    algorithm: String,
    precision: &'static str,
    adapter: String,
    relative_residual: f64,
    forward_error: f64,
    /// Values past the range.
    infinite: usize,
    device_us: f64,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.algorithm.check_device(arguments.device.as_deref())?;
    let formula = |wgsl: &Option<String>| wgsl.as_ref().map(|_| Given::Formula);
    // One of the two, as clap has seen to.
    let given = |given: &Option<Given>, wgsl| given.clone().or(formula(wgsl)).unwrap_or(Given::Number(0.0));
    let s = given(&arguments.s, &arguments.formulas.s_wgsl);
    let t = given(&arguments.t, &arguments.formulas.t_wgsl);
    let computed = [&s, &t].iter().any(|given| matches!(given, Given::Formula));
    if computed && matches!(arguments.algorithm, OrCpu::Cpu) {
        return Err(Failure::Input("formulas are computed on a device: --algorithm cpu has none".into()));
    }
    let mut files = Vec::new();
    for (name, given) in [("--s", &s), ("--t", &t)] {
        if let Given::File(path) = given {
            if !path.exists() {
                let neither = format!("{name} {}: neither a number nor a file that is there", path.display());
                return Err(Failure::Input(neither));
            }
            files.push((name, path, read(path)?));
        }
    }
    let of_files = files.first().map(|(.., Columns { rows, columns, .. })| (*rows, *columns));
    let (rows, columns) = arguments.formulas.size(of_files)?;
    if let Some((name, path, other)) = files.iter().find(|(.., file)| (file.rows, file.columns) != (rows, columns)) {
        return Err(Failure::Input(format!(
            "{name} {}: {} rows and {} columns, but --s has {rows} and {columns}",
            path.display(),
            other.rows,
            other.columns
        )));
    }
    let output = arguments.output.as_deref().map(OutputFile::open).transpose()?;
    let values = |wanted: &str| files.iter().find(|(name, ..)| *name == wanted).map(|(.., file)| &file.values[..]);
    let given = [("--s", &s, values("--s")), ("--t", &t, values("--t"))];
    match arguments.precision {
        PrecisionName::F32 => solve::<f32>(arguments, rows, columns, given, output),
        PrecisionName::F64 => solve::<f64>(arguments, rows, columns, given, output),
    }
}

/// What a solve came to.
struct Solved<T> {
    w: Vec<T>,
    algorithm: String,
    adapter: String,
    seconds: f64,
    forward_error: f64,
    replaced: usize,
}

fn coefficient<'a, T: Real>(
    numbers: &'a (T, Vec<T>),
    given: &Given,
    read: &'a [(&'a str, &'a [T])],
) -> Coefficient<'a, T> {
    match given {
        Given::Formula => Coefficient::Computed(read),
        Given::Number(_) => Coefficient::Constant(numbers.0),
        Given::File(_) => Coefficient::Each(&numbers.1),
    }
}

/// The error from rounding the given numbers to T: the largest distance to the values that f64 computes from the numbers as given,
/// relative to the largest value of the sequence. What a formula computes in T counts as given. Values that leave the range do not count.
fn rounding<T: Real>(
    arguments: &Arguments,
    [rows, columns]: [usize; 2],
    given: [(&str, &Given, Option<&[f64]>); 2],
    w: &[T],
) -> Result<f64, Failure> {
    let exact = given.iter().all(|(_, given, values)| match given {
        Given::Number(number) => is_exact::<T>(*number),
        _ => values.unwrap_or_default().iter().all(|value| is_exact::<T>(*value)),
    });
    if exact && is_exact::<T>(arguments.w0) {
        return Ok(0.0);
    }
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    let mut most = 0f64;
    for column in 0..columns {
        let [s, t] = given.map(|(_, given, values)| match (given, values) {
            (Given::Number(number), _) => vec![*number; rows],
            (_, values) => values.unwrap_or_default()[column * rows..][..rows].to_vec(),
        });
        let recurrence = Recurrence { initial: Coefficient::Constant(arguments.w0), ..Recurrence::new(&s, &t) };
        let solution = solve_on_cpu(rows, &recurrence, direction).map_err(|error| error.of_system(column))?;
        most = most.max(solution.forward_error + distance(&w[column * rows..][..rows], &solution.w));
    }
    Ok(most)
}

fn solve<T: Real>(
    arguments: &Arguments,
    rows: usize,
    columns: usize,
    given: [(&str, &Given, Option<&[f64]>); 2],
    output: Option<OutputFile>,
) -> Result<(), Failure> {
    let initial = narrow::<T>("--w0", arguments.w0)?;
    // A constant, or all values.
    let numbers = |(name, given, values): (&str, &Given, Option<&[f64]>)| -> Result<(T, Vec<T>), Failure> {
        match (given, values) {
            (Given::Number(number), _) => Ok((narrow(name, *number)?, vec![])),
            // To come, from the device.
            (Given::Formula, _) => Ok((T::ZERO, vec![])),
            (Given::File(path), values) => Ok((T::ZERO, narrow_all(path, values.unwrap_or_default(), rows)?)),
        }
    };
    let [s, t] = given.map(numbers);
    let (mut s, mut t) = (s?, t?);
    let vectors = arguments.formulas.vectors::<T>()?;
    let vectors: Vec<_> = vectors.iter().map(|(name, values)| (*name, &values[..])).collect();
    let shape = Shape::contiguous(rows, columns);
    let of = |(constant, values): &(T, Vec<T>), at: usize| values.get(at).copied().unwrap_or(*constant);
    let direction = if arguments.reverse { Direction::Reverse } else { Direction::Forward };
    let solved = match arguments.algorithm {
        OrCpu::Cpu => {
            let start = Instant::now();
            let (mut w, mut forward_error) = (Vec::with_capacity(rows * columns), 0f64);
            for column in 0..columns {
                let part = |(constant, values): &'_ (T, Vec<T>)| -> Vec<T> {
                    (0..rows).map(|row| values.get(column * rows + row).copied().unwrap_or(*constant)).collect()
                };
                let (s, t) = (part(&s), part(&t));
                let initial = Coefficient::Constant(initial);
                let recurrence = Recurrence { initial, ..Recurrence::new(&s, &t) };
                let solution = solve_on_cpu(rows, &recurrence, direction).map_err(|error| error.of_system(column))?;
                w.extend(solution.w);
                forward_error = forward_error.max(solution.forward_error);
            }
            let seconds = start.elapsed().as_secs_f64();
            Solved { w, algorithm: "cpu".into(), adapter: "cpu".into(), seconds, forward_error, replaced: 0 }
        }
        OrCpu::Gpu(algorithm) => {
            let gpu = open_gpu(arguments.device.as_deref())?;
            let deterministic = arguments.deterministic;
            let options = Options { algorithm, direction, deterministic, ..Options::default() };
            let plan = RecurrencePlan::<T>::with_formulas(&gpu, shape, options, &arguments.formulas.formulas())?;
            // With one of them the vectors serve both.
            let s_computed = arguments.formulas.s_wgsl.is_some();
            let recurrence = Recurrence {
                s: coefficient(&s, given[0].1, &vectors),
                t: coefficient(&t, given[1].1, if s_computed { &[] } else { &vectors }),
                initial: Coefficient::Constant(initial),
            };
            let solution = plan.solve_reported(&recurrence)?;
            // For the residual.
            let [s_values, t_values] = plan.computed(&recurrence)?;
            s.1 = s_values.unwrap_or(s.1);
            t.1 = t_values.unwrap_or(t.1);
            Solved {
                w: solution.w,
                algorithm: solution.algorithm.to_string(),
                adapter: gpu.info().name.clone(),
                seconds: solution.seconds,
                forward_error: solution.forward_error,
                replaced: solution.replaced,
            }
        }
    };
    let mut forward_error = solved.forward_error;
    if T::PRECISION == Precision::F32 {
        let wide = |of: &(T, Vec<T>)| of.1.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
        let computed = [&s, &t].map(wide);
        let [own_s, own_t] = given;
        let with = |(name, given, values), computed| match given {
            &Given::Formula => (name, given, Some(computed)),
            _ => (name, given, values),
        };
        let given = [with(own_s, &computed[0][..]), with(own_t, &computed[1][..])];
        forward_error += rounding(arguments, [rows, columns], given, &solved.w)?;
        if forward_error.is_nan() || forward_error > MOST_FORWARD_ERROR {
            return Err(Failure::Solver(format!(
                "rounding the numbers given to {} leaves no digit of the values (forward error about {forward_error:.0e}); use \
                 --precision f64",
                T::PRECISION
            )));
        }
    }
    let sequences = (0..columns).map(|column| {
        let (of, s, t, w) = (&of, &s, &t, &solved.w);
        let numbers = move |step| {
            let at = column * rows + if arguments.reverse { rows - 1 - step } else { step };
            [of(s, at), of(t, at), w[at]].map(T::to_f64)
        };
        (initial.to_f64(), (0..rows).map(numbers))
    });
    let relative_residual = cpu::recurrence_residual(sequences);
    let report = Report {
        structure: "recurrence",
        rows,
        sequences: columns,
        algorithm: solved.algorithm,
        precision: T::PRECISION.name(),
        adapter: solved.adapter,
        relative_residual,
        forward_error,
        infinite: solved.w.iter().filter(|w| !Scalar::is_finite(**w)).count(),
        device_us: solved.seconds * 1e6,
    };
    if let Some(output) = output {
        output.write(|target| matrix_market::write_array(target, rows, &solved.w))?;
    }
    if arguments.json {
        return say(&serde_json::to_string(&report).map_err(|e| Failure::Solver(e.to_string()))?);
    }
    tell(&format!(
        "recurrence, {rows} rows, {columns} sequence{}\n{} in {} on {}: {:.1} us, {:.2} Mrows/s\nrelative residual {:.2e}\nforward error about {:.0e}",
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
    if report.infinite > 0 {
        let advice = if T::PRECISION == Precision::F32 { "; --precision f64 has a wider one" } else { "" };
        let (values, are) = if report.infinite == 1 { ("value", "is") } else { ("values", "are") };
        tell(&format!("{} {values} grew past the range and {are} infinite{advice}", report.infinite));
    }
    Ok(())
}
