//! `trisolve bench`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use trisolve::gpu::{PassTimer, copy_bandwidth};
use trisolve::testing::{DeviceSample, compile_ahead, time_stages};
use trisolve::tridiagonal::{Algorithm, Options, Shape, Stability};
use trisolve::{Error, Gpu, Real};

use crate::output::{Table, progress, say, tell};
use crate::output_file::OutputFile;
use crate::plans::{POLICY, plan};
use crate::size::size;
use crate::{Failure, PrecisionName, StabilityName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// Tridiagonal systems
    Tridiagonal(Tridiagonal),
}

#[derive(clap::Args)]
struct Tridiagonal {
    /// Rows of a system: 1048576 or 2^20; several sweep
    #[arg(long, value_parser = size, num_args = 1.., default_values = ["1024", "2^20"])]
    rows: Vec<usize>,
    /// Systems; several sweep
    #[arg(long, value_parser = size, num_args = 1.., default_values = ["1"])]
    batch: Vec<usize>,
    /// Numbers to solve in
    #[arg(long, value_enum, num_args = 1.., default_values = ["f32"])]
    precision: Vec<PrecisionName>,
    /// How a batch lies
    #[arg(long, value_enum, num_args = 1.., default_values = ["contiguous"])]
    layout: Vec<LayoutName>,
    /// auto, thomas, cr, pcr, cr-pcr, partition, tpr or wang-mou
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// What tpr favours; the others are measured once
    #[arg(long, value_enum, num_args = 1.., default_values = ["fastest"])]
    stability: Vec<StabilityName>,
    #[arg(long, num_args = 1.., help = format!("Policies to sweep, {POLICY}"))]
    policy: Vec<String>,
    /// The default algorithm and policies, whatever was tuned
    #[arg(long)]
    untuned: bool,
    /// Also write the table as CSV
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Timed runs of each case
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), default_value = "15")]
    runs: u32,
    /// Seconds of the same work before a case's first timed run
    #[arg(long, default_value_t = 0.3)]
    warm_up: f64,
    /// Also time each dispatch on its own
    #[arg(long)]
    stages: bool,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LayoutName {
    Contiguous,
    Interleaved,
}

/// What a shape is solved with.
#[derive(Clone, Copy)]
struct Choice<'a> {
    algorithm: Algorithm,
    stability: Stability,
    policy: Option<&'a str>,
}

impl Choice<'_> {
    /// Without the policy, whose other values come from the plan.
    fn options(&self, untuned: bool) -> Options {
        let options = Options { untuned, ..Options::default() };
        options.algorithm(self.algorithm).stability(self.stability)
    }
}

impl Tridiagonal {
    /// Every algorithm with everything that it may be told.
    fn choices(&self) -> Vec<Choice<'_>> {
        let policies: Vec<_> = match self.policy.is_empty() {
            true => vec![None],
            false => self.policy.iter().map(|text| Some(text.as_str())).collect(),
        };
        let mut choices = Vec::new();
        for &algorithm in &self.algorithm {
            let stabilities = if algorithm == Algorithm::Tpr { &self.stability[..] } else { &[StabilityName::Fastest] };
            for stability in stabilities.iter().map(|name| name.stability()) {
                choices.extend(policies.iter().map(|&policy| Choice { algorithm, stability, policy }));
            }
        }
        choices
    }
}

#[derive(serde::Serialize)]
struct Row {
    family: &'static str,
    algorithm: String,
    precision: &'static str,
    layout: &'static str,
    rows: usize,
    batch: usize,
    median_us: f64,
    min_us: f64,
    rows_per_s: f64,
    bytes_per_row: f64,
    gb_per_s: f64,
    copy_gb_per_s: f64,
    share_of_copy: f64,
    relative_residual: f64,
    adapter: String,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Family::Tridiagonal(arguments) = &arguments.family;
    if !(0.0..=3600.0).contains(&arguments.warm_up) {
        return Err(Failure::Input(format!("--warm-up {:e}: should be 0 to 3600 seconds", arguments.warm_up)));
    }
    let warm_up = Duration::from_secs_f64(arguments.warm_up);
    // Opened first, so that a bad path does not cost a run.
    if arguments.stability.contains(&StabilityName::Stable) {
        if !arguments.algorithm.contains(&Algorithm::Tpr) {
            return Err(Failure::Input("--stability is a choice of --algorithm tpr; give both or neither".into()));
        }
        if !arguments.policy.is_empty() {
            return Err(Failure::Input(
                "a policy says how stable tpr is: give --policy or --stability stable, not both".into(),
            ));
        }
    }
    let csv = arguments.csv.as_deref().map(OutputFile::open).transpose()?;
    let gpu = open_gpu(arguments.device.as_deref())?;
    let mut table = Table::new(&[
        "algorithm",
        "precision",
        "layout",
        "rows",
        "batch",
        "median us",
        "Grows/s",
        "B/row",
        "GB/s",
        "of copy",
        "residual",
        "policy",
    ]);
    let mut cases = Vec::new();
    for &precision in &arguments.precision {
        for &layout in &arguments.layout {
            for &batch in &arguments.batch {
                for &rows in &arguments.rows {
                    let choices = arguments.choices();
                    cases.extend(choices.into_iter().map(|choice| (precision, layout, batch, rows, choice)));
                }
            }
        }
    }
    let shape = |layout, batch, rows| match layout {
        LayoutName::Contiguous => Shape::contiguous(rows, batch),
        LayoutName::Interleaved => Shape::interleaved(rows, batch),
    };
    // Before anything is measured: what cannot run, and kernels still to be compiled.
    for &(precision, layout, batch, rows, choice) in &cases {
        let (shape, options) = (shape(layout, batch, rows), choice.options(arguments.untuned));
        let planned = match (choice.policy, precision) {
            (None, _) => Ok(()),
            (policy, PrecisionName::F32) => plan::<f32>(&gpu, shape, options, policy).map(drop),
            (policy, PrecisionName::F64) => plan::<f64>(&gpu, shape, options, policy).map(drop),
        };
        if let Err(Error::Options(why)) = planned {
            return Err(Failure::Input(why));
        }
    }
    let plans: Vec<_> = cases
        .iter()
        .filter(|case| case.4.policy.is_none())
        .map(|&(precision, layout, batch, rows, choice)| {
            (precision.precision(), shape(layout, batch, rows), choice.options(arguments.untuned))
        })
        .collect();
    compile_ahead(&gpu, &plans);
    let copy = copy_bandwidth(&gpu, 1 << 30, warm_up.max(Duration::from_millis(500)), arguments.runs as usize)? / 1e9;
    let bar = progress(cases.len());
    let (mut measured_rows, mut skipped) = (Vec::new(), Vec::new());
    let (mut single, mut double) = (None, None);
    for (precision, layout, batch, rows, choice) in cases {
        let Choice { algorithm, .. } = choice;
        bar.set_message(format!("{algorithm} {rows} x {batch}"));
        let case = Case {
            shape: shape(layout, batch, rows),
            choice,
            interleaved: layout == LayoutName::Interleaved,
            warm_up,
            runs: arguments.runs as usize,
            copy,
            untuned: arguments.untuned,
            stages: arguments.stages,
        };
        let measured = match precision {
            PrecisionName::F32 => {
                double = None;
                measure::<f32>(&gpu, &case, &mut single)
            }
            PrecisionName::F64 => {
                single = None;
                measure::<f64>(&gpu, &case, &mut double)
            }
        };
        bar.inc(1);
        let (row, divided) = match measured {
            Ok(measured) => measured,
            // A sweep goes on past what this device cannot hold.
            Err(
                error @ (Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Unsupported { .. } | Error::Shape(_)),
            ) => {
                let policy = choice.policy.map_or_else(String::new, |text| format!(" {text}"));
                skipped.push(format!("skipped {} {algorithm}{policy} {rows} x {batch}: {error}", precision.name()));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        table.row(vec![
            row.algorithm.clone(),
            row.precision.into(),
            row.layout.into(),
            row.rows.to_string(),
            row.batch.to_string(),
            digits(row.median_us),
            digits(row.rows_per_s / 1e9),
            digits(row.bytes_per_row),
            digits(row.gb_per_s),
            format!("{:.0}%", 100.0 * row.share_of_copy),
            format!("{:.1e}", row.relative_residual),
            divided,
        ]);
        measured_rows.push(row);
    }
    bar.finish_and_clear();
    for line in &skipped {
        tell(line);
    }
    if measured_rows.is_empty() {
        return Err(Failure::Input("no case could be measured".into()));
    }
    let copy = digits(copy);
    say(&format!("{}, copy {copy} GB/s, device time, median of {}\n\n{table}", gpu.info().name, arguments.runs))?;
    let Some(csv) = csv else {
        return Ok(());
    };
    csv.write(|target| {
        let mut writer = csv::Writer::from_writer(target);
        measured_rows.iter().try_for_each(|row| writer.serialize(row)).map_err(std::io::Error::other)?;
        writer.flush()
    })
}

/// Four significant digits.
fn digits(value: f64) -> String {
    let before = if value > 0.0 && value.is_finite() { value.log10().floor() as i32 + 1 } else { 1 };
    format!("{value:.*}", usize::try_from(4 - before).unwrap_or(0))
}

struct Case<'a> {
    shape: Shape,
    choice: Choice<'a>,
    interleaved: bool,
    warm_up: Duration,
    runs: usize,
    copy: f64,
    untuned: bool,
    stages: bool,
}

/// `kept` is the last case's system, where that was as long.
fn measure<T: Real>(
    gpu: &Gpu,
    case: &Case<'_>,
    kept: &mut Option<(usize, DeviceSample<T>)>,
) -> trisolve::Result<(Row, String)> {
    let shape = case.shape;
    // Before the plan needs memory.
    *kept = kept.take().filter(|kept| Some(kept.0) == shape.n.checked_mul(shape.batch));
    let plan = plan::<T>(gpu, shape, case.choice.options(case.untuned), case.choice.policy)?;
    // The plan has checked that the product exists.
    let len = shape.n * shape.batch;
    let (_, sample) = match kept {
        Some(sample) => sample,
        None => kept.insert((len, DeviceSample::new(gpu, len, 7)?)),
    };
    sample.forget_solution(gpu)?;
    let system = sample.system();
    let bound = plan.bind(&system)?;
    let samples = PassTimer::new(gpu)?.measure(case.warm_up, case.runs, |pass| bound.record(pass))?;
    bound.read_status()?.check()?;
    if case.stages {
        for (name, seconds) in time_stages(&bound, case.warm_up, case.runs)? {
            tell(&format!("{:10.1} us  {name}", seconds * 1e6));
        }
    }
    let relative_residual = plan.residuals(&system)?.relative;
    let rows_per_s = len as f64 / samples.median();
    let bytes_per_row = plan.bytes_per_row();
    let gb_per_s = rows_per_s * bytes_per_row / 1e9;
    let row = Row {
        family: "tridiagonal",
        algorithm: match case.choice.algorithm {
            chosen if case.choice.policy.is_some() => format!("{chosen} {}", plan.policy()),
            Algorithm::Auto => format!("auto ({})", plan.algorithm()),
            chosen if case.choice.stability == Stability::Stable => format!("{chosen} stable"),
            chosen => chosen.to_string(),
        },
        precision: T::PRECISION.name(),
        layout: if case.interleaved { "interleaved" } else { "contiguous" },
        rows: shape.n,
        batch: shape.batch,
        median_us: samples.median() * 1e6,
        min_us: samples.min() * 1e6,
        rows_per_s,
        bytes_per_row,
        gb_per_s,
        copy_gb_per_s: case.copy,
        share_of_copy: gb_per_s / case.copy,
        relative_residual,
        adapter: gpu.info().name.clone(),
    };
    Ok((row, plan.policy().to_string()))
}
