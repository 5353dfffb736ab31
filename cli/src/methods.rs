//! `trisolve methods`: steps, operations, bytes and dispatches of the tridiagonal methods.

use trisolve::tridiagonal::{Algorithm, Options, Shape, TridiagonalPlan};
use trisolve::{Check, Error, Gpu, Precision, Real, Upcoming};
use trisolve_lab::{MOST_COUNTED_ROWS, Method, PublishedCounts, compile_ahead};

use crate::output::{Table, say, say_json, tell};
use crate::size::size;
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// Rows of the system; several values sweep
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "1024,2^20")]
    rows: Vec<usize>,
    /// Precision of the plans
    #[arg(long, value_enum, default_value = "f32")]
    precision: PrecisionName,
    /// Print one JSON array on stdout
    #[arg(long)]
    json: bool,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

const LEGEND: &str = "Steps and operations are those of the classic formulas, which the references in trisolve::cpu compute. A step is a set of \
                      updates that depend on the step before, but not on each other. \"paper\": table 1 of the TPR paper, for powers of \
                      two. Bytes per row and dispatches are those of the plan that this adapter takes, which also gives the parameters: \
                      Q, the rows left to PCR; R, the rows per chunk or partition; S, the rows per slice. Kernels that carry the \
                      dominance do more operations. Scan has no reference.";

/// The methods in the order of the table. Auto decides between them on the device.
fn algorithms() -> impl Iterator<Item = Algorithm> + Clone {
    Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Auto)
}

/// A method for a number of rows. What is not known is null.
#[derive(serde::Serialize)]
struct Row {
    rows: usize,
    method: &'static str,
    parameter: Option<String>,
    steps: Option<u64>,
    operations: Option<u64>,
    paper_steps: Option<u64>,
    paper_operations: Option<u64>,
    precision: &'static str,
    bytes_per_row: Option<f64>,
    dispatches: Option<usize>,
    adapter: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(rows) = arguments.rows.iter().find(|&&rows| rows > MOST_COUNTED_ROWS) {
        return Err(Failure::Input(format!("--rows {rows}: should be 1 to {MOST_COUNTED_ROWS}")));
    }
    let gpu = match open_gpu(arguments.device.as_deref()) {
        Ok(gpu) => Some(gpu),
        Err(_) if arguments.device.is_none() && trisolve::adapters().is_empty() => {
            tell("no GPU adapter found: the columns of bytes and dispatches stay empty");
            None
        }
        Err(failure) => return Err(failure),
    };
    let all = match arguments.precision.precision() {
        Precision::F32 => rows::<f32>(gpu.as_ref(), &arguments.rows),
        Precision::F64 => rows::<f64>(gpu.as_ref(), &arguments.rows),
    }?;
    if arguments.json {
        return say_json(&all);
    }
    say(&format!("{}\n\n{LEGEND}\n\n{}", table(&all, arguments.precision), formulas()))?;
    gpu.map_or(Ok(()), |gpu| say(&format!("\n{}", gpu.info().name)))
}

fn rows<T: Real>(gpu: Option<&Gpu>, sizes: &[usize]) -> Result<Vec<Row>, Failure> {
    let cases: Vec<_> = sizes.iter().flat_map(|&n| algorithms().map(move |algorithm| (n, algorithm))).collect();
    if let Some(gpu) = gpu {
        let options = |algorithm| Options::default().algorithm(algorithm).check(Check::Off);
        let plan = |&(n, algorithm)| Upcoming::Tridiagonal(T::PRECISION, Shape::single(n), options(algorithm));
        compile_ahead(gpu, &cases.iter().map(plan).collect::<Vec<_>>());
    }
    cases.into_iter().map(|(n, algorithm)| row::<T>(gpu, n, algorithm)).collect()
}

fn row<T: Real>(gpu: Option<&Gpu>, n: usize, algorithm: Algorithm) -> Result<Row, Failure> {
    let plan = |gpu: &Gpu| TridiagonalPlan::<T>::new(gpu, Shape::single(n), Options::default().algorithm(algorithm));
    let plan = match gpu.map(plan).transpose() {
        Ok(plan) => plan,
        Err(
            error @ (Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Unsupported { .. } | Error::Shape(_)),
        ) => {
            tell(&format!("{algorithm}, {n} rows: {error}"));
            None
        }
        Err(error) => return Err(error.into()),
    };
    let method = match &plan {
        Some(plan) => Method::of(algorithm, plan.policy()),
        None => Method::usual(algorithm),
    };
    let published = method.and_then(|method| method.published(n));
    Ok(Row {
        rows: n,
        method: algorithm.name(),
        parameter: method.map(|method| method.parameter(n)).filter(|parameter| !parameter.is_empty()),
        steps: method.map(|method| method.steps(n)),
        operations: method.map(|method| method.operations(n)),
        paper_steps: published.map(|PublishedCounts { steps, .. }| steps),
        paper_operations: published.and_then(|PublishedCounts { operations, .. }| operations),
        precision: T::PRECISION.name(),
        bytes_per_row: plan.as_ref().map(TridiagonalPlan::bytes_per_row),
        dispatches: plan.as_ref().map(TridiagonalPlan::dispatches),
        adapter: gpu.map(|gpu| gpu.info().name.clone()),
    })
}

fn table(rows: &[Row], precision: PrecisionName) -> Table {
    let bytes = format!("{} bytes per row", precision.name());
    let mut table = Table::new(&[
        "n",
        "method",
        "parameter",
        "steps",
        "paper: steps",
        "operations",
        "paper: operations",
        &bytes,
        "dispatches",
    ]);
    let count = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
    for row in rows {
        table.row(vec![
            row.rows.to_string(),
            row.method.into(),
            row.parameter.clone().unwrap_or_default(),
            count(row.steps),
            count(row.paper_steps),
            count(row.operations),
            count(row.paper_operations),
            row.bytes_per_row.map_or_else(String::new, |bytes| format!("{bytes:.1}")),
            count(row.dispatches.map(|dispatches| dispatches as u64)),
        ]);
    }
    table
}

/// The formulas for powers of two.
fn formulas() -> Table {
    let mut table = Table::new(&["method", "steps", "operations", "paper: steps", "paper: operations"]);
    for (algorithm, method) in algorithms().filter_map(|own| Some((own, Method::usual(own)?))) {
        let published = method.published_formulas().unwrap_or_default();
        let cells = [algorithm.name()].into_iter().chain(method.formulas()).chain(published);
        table.row(cells.map(str::to_owned).collect());
    }
    table
}
