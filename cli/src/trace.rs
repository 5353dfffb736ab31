//! `trisolve trace`: the order in which the workgroups of a solve start, wait and end.

use trisolve::triangular::{Algorithm, Diag, Options, Policy, TracedRow};
use trisolve::{Error, Real};
use trisolve_lab::{TracedSolve, traced_solve};

use crate::output::say;
use crate::output_file::{OutputFile, OutputPath};
use crate::plans::triangular_plan;
use crate::size::size;
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// Family to trace
    #[arg(value_enum)]
    family: Family,
    /// Rows of the system
    #[arg(long, value_parser = size, default_value = "4096")]
    rows: usize,
    /// Precision of the solve
    #[arg(long, value_enum, default_value = "f32")]
    precision: PrecisionName,
    /// Policy of `chained`, as block=64,threads=256; omitted parameters keep their default values
    #[arg(long)]
    policy: Option<String>,
    /// Also write the events as CSV
    #[arg(long)]
    csv: Option<OutputPath>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Family {
    /// The chained solve of dense triangular systems (Hogg 2013, figure 5)
    Triangular,
}

/// The events of a block row; 0 for one that did not happen.
#[derive(serde::Serialize)]
struct Row {
    rows: usize,
    precision: &'static str,
    block_row: usize,
    start: u32,
    first_wait_over: u32,
    products: u32,
    end: u32,
    waits: u32,
    /// How often workgroups began it: more than once after a wait in vain.
    begun: u32,
    /// Block rows that had started and not ended when this one started, itself included.
    at_once: usize,
    policy: String,
    adapter: String,
}

/// Lines and columns of the picture.
const LINES: usize = 32;
const WIDTH: usize = 96;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Family::Triangular = arguments.family;
    let csv = arguments.csv.as_ref().map(OutputFile::open).transpose()?;
    let gpu = open_gpu(arguments.device.as_deref())?;
    let (TracedSolve { events, error, allowed }, policy) = match arguments.precision {
        PrecisionName::F32 => traced::<f32>(&gpu, arguments)?,
        PrecisionName::F64 => traced::<f64>(&gpu, arguments)?,
    };
    if error.is_nan() || error > allowed {
        return Err(Failure::Solver(format!(
            "the traced solve gave a wrong answer: backward error {error:.1e}, above {allowed:.1e}"
        )));
    }
    let at_once = |row: &TracedRow| {
        events.iter().filter(|other| other.start <= row.start && (other.end == 0 || other.end > row.start)).count()
    };
    let rows: Vec<_> = events
        .iter()
        .enumerate()
        .map(|(block_row, row)| Row {
            rows: arguments.rows,
            precision: arguments.precision.name(),
            block_row,
            start: row.start,
            first_wait_over: row.first_wait_over,
            products: row.products,
            end: row.end,
            waits: row.waits,
            begun: row.begun,
            at_once: at_once(row),
            policy: policy.to_string(),
            adapter: gpu.info().name.clone(),
        })
        .collect();
    let most = rows.iter().map(|row| row.at_once).max().unwrap_or(0);
    let waits: u32 = rows.iter().map(|row| row.waits).sum();
    let products = rows.len() * rows.len().saturating_sub(1) / 2;
    say(&format!(
        "{}, {}, {} rows, {policy}: {} block rows, at most {most} at once; {waits} of {products} blocks were waited for\n\n\
         The order of events, per block row, from left to right: `.` multiplies blocks whose unknowns are known, `-` waits for unknowns,\n\
         `#` solves its diagonal block\n\n{}",
        gpu.info().name,
        arguments.precision.name(),
        arguments.rows,
        rows.len(),
        picture(&events),
    ))?;
    match csv {
        Some(csv) => csv.write_csv(&rows),
        None => Ok(()),
    }
}

fn traced<T: Real>(gpu: &trisolve::Gpu, arguments: &Arguments) -> Result<(TracedSolve, Policy), Error> {
    let options = Options::default().diag(Diag::Unit).algorithm(Algorithm::Chained).untuned();
    let shape = trisolve::triangular::Shape::single(arguments.rows);
    let plan = triangular_plan::<T>(gpu, shape, options, arguments.policy.as_deref())?;
    let policy = plan.policy();
    Ok((traced_solve(gpu, plan, &options)?, policy))
}

/// A line per block row, at most LINES lines; the numbers of the events run from left to right.
fn picture(events: &[TracedRow]) -> String {
    let last = events.iter().map(|row| row.end).max().unwrap_or(0).max(1);
    let column = |number: u32| (number as usize * (WIDTH - 1)) / last as usize;
    let each = events.len().div_ceil(LINES);
    let mut text = String::new();
    for (at, row) in events.iter().enumerate().step_by(each) {
        let (start, products, end) = (column(row.start), column(row.products), column(row.end));
        let waits = if row.first_wait_over == 0 { products } else { column(row.first_wait_over) };
        let mark = |place: usize| match place {
            _ if place < start || place > end => ' ',
            _ if place >= products => '#',
            _ if place >= waits => '-',
            _ => '.',
        };
        let line: String = (0..WIDTH).map(mark).collect();
        text += &format!("{at:6} {}\n", line.trim_end());
    }
    text
}
