//! `trisolve model`: fits a model of the solve time, and compares it with measurements.

use std::time::Duration;

use clap::ValueEnum;
use trisolve::gpu::{PassTimer, copy_bandwidth};
use trisolve::triangular::{Algorithm, Diag, Options, Shape, TriangularModel, TriangularPlan};
use trisolve::{Error, Gpu, Real};
use trisolve_lab::TriangularSample;

use crate::output::{Table, progress, say, tell};
use crate::output_file::{OutputFile, OutputPath};
use crate::plans::triangular_plan;
use crate::plot_file::PlotPath;
use crate::size::size;
use crate::{Failure, PrecisionName, open_gpu};
use trisolve_lab::chart::{Line, Names, Panel, draw};

#[derive(clap::Args)]
pub struct Arguments {
    /// Family to model
    #[arg(value_enum)]
    family: Family,
    /// Precision of the solve
    #[arg(long, value_enum, default_value = "f32")]
    precision: PrecisionName,
    /// Rows to measure at, at least eight sizes; by default 64, 96, 128, 192 and so on, as far as the adapter's memory allows
    #[arg(long, value_parser = size, value_delimiter = ',')]
    rows: Vec<usize>,
    /// Policy of `chained`, as block=64,threads=256; omitted parameters keep their default values
    #[arg(long)]
    policy: Option<String>,
    /// Draw the predicted and the measured times, as .svg or .png
    #[arg(long)]
    plot: Option<PlotPath>,
    /// Also write the table as CSV
    #[arg(long)]
    csv: Option<OutputPath>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Family {
    /// The chained solve of dense triangular systems (Hogg 2013, section 5)
    Triangular,
}

/// The prediction and the measurement of one size.
#[derive(serde::Serialize)]
struct Row {
    rows: usize,
    measured_us: f64,
    predicted_us: f64,
    /// Measured over predicted, minus 1.
    off: f64,
    /// Whether the model was fitted to this size. The other sizes are only compared.
    fitted: bool,
    waiting_blocks: f64,
    streaming_blocks: f64,
    /// Bandwidth-bound block rows in the slot of the last block row.
    bandwidth_bound_rows: f64,
    /// The model, the same in all lines.
    block: u32,
    slots: u32,
    latency_bound: u32,
    setup_us: f64,
    init_us: f64,
    latency_us: f64,
    bandwidth_us: f64,
    adapter: String,
}

const RUNS: usize = 15;
const WARM_UP: Duration = Duration::from_millis(200);

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Family::Triangular = arguments.family;
    const LEAST: usize = 8;
    let distinct = arguments.rows.iter().collect::<std::collections::BTreeSet<_>>().len();
    if distinct > 0 && distinct < LEAST {
        return Err(Failure::Input(format!("--rows: the model needs at least {LEAST} sizes")));
    }
    // Opened first, so that a bad path is found before the measurements.
    let plot = arguments.plot.as_ref().map(PlotPath::open).transpose()?;
    let csv = arguments.csv.as_ref().map(OutputFile::open).transpose()?;
    let gpu = open_gpu(arguments.device.as_deref())?;
    let (block, measured) = match arguments.precision {
        PrecisionName::F32 => measure::<f32>(&gpu, arguments)?,
        PrecisionName::F64 => measure::<f64>(&gpu, arguments)?,
    };
    // The model is fitted to every other size, and predicts the rest.
    let every_other: Vec<_> = measured.iter().copied().step_by(2).collect();
    let bytes = f64::from(block).powi(2) * arguments.precision.precision().bytes() as f64;
    let copy = copy_bandwidth(&gpu, 1 << 30, Duration::from_millis(500), RUNS)?;
    let model = TriangularModel::fit(block, bytes / copy, &every_other)?;
    let adapter = &gpu.info().name;
    let rows: Vec<_> = measured
        .iter()
        .enumerate()
        .map(|(at, &(n, seconds))| {
            let (predicted, work) = (model.seconds(n), model.work(n));
            Row {
                rows: n,
                measured_us: seconds * 1e6,
                predicted_us: predicted * 1e6,
                off: seconds / predicted - 1.0,
                fitted: at % 2 == 0,
                waiting_blocks: work.waiting,
                streaming_blocks: work.streaming,
                bandwidth_bound_rows: work.rows,
                block,
                slots: model.slots,
                latency_bound: model.latency_bound,
                setup_us: model.setup * 1e6,
                init_us: model.init * 1e6,
                latency_us: model.latency * 1e6,
                bandwidth_us: model.bandwidth * 1e6,
                adapter: adapter.clone(),
            }
        })
        .collect();
    let mut table =
        Table::new(&["rows", "waiting blocks", "streaming blocks", "predicted us", "measured us", "off", ""]);
    for row in &rows {
        table.row(vec![
            row.rows.to_string(),
            row.waiting_blocks.to_string(),
            row.streaming_blocks.to_string(),
            format!("{:.1}", row.predicted_us),
            format!("{:.1}", row.measured_us),
            format!("{:+.0}%", 100.0 * row.off),
            if row.fitted { "fitted" } else { "" }.into(),
        ]);
    }
    let TriangularModel { slots, latency_bound, setup, init, latency, bandwidth, .. } = model;
    let precision = arguments.precision;
    let share = f64::from(slots) * bytes / copy;
    let precision = precision.name();
    say(&format!(
        "{adapter}, {precision}, blocks of {block} rows: {slots} block rows at once, {latency_bound} of them wait for \
         each other\nsetup {:.2} us, waiting block {:.3} us, streaming block {:.3} us ({:.3} us at the copy bandwidth), next row of a slot {:.2} us\n\n{table}",
        setup * 1e6,
        latency * 1e6,
        bandwidth * 1e6,
        share * 1e6,
        init * 1e6,
    ))?;
    if let Some(csv) = csv {
        csv.write_csv(&rows)?;
    }
    if let Some(plot) = plot {
        let line = |name: &str, value: fn(&Row) -> f64| {
            let points = rows.iter().map(|row| (row.rows as f64, value(row))).collect();
            Line { name: name.into(), points }
        };
        let panel = Panel {
            title: format!("chained, {precision}, blocks of {block} rows"),
            x: ("rows n", Some(2.0)),
            y: "us",
            names: Names::BelowRight,
            lines: vec![line("measured", |row| row.measured_us), line("model", |row| row.predicted_us)],
        };
        let text = draw(&format!("Lower triangular solve on {adapter}: measured and modelled"), &[panel])
            .map_err(|error| Failure::Solver(format!("the plot cannot be drawn: {error}")))?;
        plot.write(&text)?;
    }
    Ok(())
}

/// Returns the rows of a block, and the measured seconds by rows.
fn measure<T: Real>(gpu: &Gpu, arguments: &Arguments) -> Result<(u32, Vec<(usize, f64)>), Failure> {
    let options = Options::default().diag(Diag::Unit).algorithm(Algorithm::Chained).untuned();
    let by_default = arguments.rows.is_empty();
    let mut sizes = arguments.rows.clone();
    if by_default {
        // Larger sizes would take a software adapter seconds.
        let most = if gpu.info().device_type == wgpu::DeviceType::Cpu { 2048 } else { 32768 };
        sizes = (6..16).flat_map(|power| [1usize << power, 3 << (power - 1)]).filter(|&n| n <= most).collect();
    }
    sizes.sort_unstable();
    sizes.dedup();
    // All sizes use one policy: that of the largest size.
    let largest = sizes.iter().rev().find_map(|&n| {
        let plan: trisolve::Result<TriangularPlan<T>> =
            triangular_plan(gpu, Shape::single(n), options, arguments.policy.as_deref());
        match plan {
            Err(Error::Limit { .. } | Error::OutOfMemory { .. }) if by_default => None,
            other => Some(other),
        }
    });
    let Some(largest) = largest.transpose()? else {
        return Err(Failure::Input("no size fits this adapter's memory".into()));
    };
    let policy = largest.policy();
    drop(largest);
    let options = options.policy(policy);
    let named = policy.parameters().iter().zip(policy.values());
    let block = named.into_iter().find(|(parameter, _)| parameter.name == "block").map_or(1, |found| found.1);
    let bar = progress(sizes.len());
    let timer = PassTimer::keeping_awake(gpu)?;
    let mut measured = Vec::new();
    for &n in &sizes {
        bar.set_message(format!("{n} rows"));
        let outcome = TriangularSample::<T>::new(gpu, n, 1, 1, 7).and_then(|sample| {
            let bound = TriangularPlan::<T>::new(gpu, sample.shape(), options)?.bind(&sample.system())?;
            let samples = timer.measure(WARM_UP, RUNS, |pass| bound.record(pass))?;
            bound.read_status()?.check()?;
            Ok(samples.median())
        });
        match outcome {
            Ok(seconds) => measured.push((n, seconds)),
            Err(error @ (Error::Limit { .. } | Error::OutOfMemory { .. })) => {
                tell(&format!("skipped {n} rows: {error}"))
            }
            Err(error) => return Err(error.into()),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((block, measured))
}
