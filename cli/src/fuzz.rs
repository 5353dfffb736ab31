//! `trisolve fuzz`: random hard systems of every family, judged by an oracle.

use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use trisolve::{Gpu, GpuOptions};
use trisolve_lab::fuzz::{ALLOWED, FAMILIES, Family, Tally};

use crate::output::{Table, progress, say, say_json};
use crate::precision::supported;
use crate::{Failure, PrecisionName};

#[derive(clap::Args)]
pub struct Arguments {
    /// Test this family only (default: all)
    #[arg(long, value_parser = PossibleValuesParser::new(FAMILIES.iter().map(|family| family.name)))]
    family: Option<String>,
    /// Test this precision only (default: all that the adapter supports)
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// The first seed; to continue a run, pass the last printed seed plus one
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Seeds per family and precision
    #[arg(long, default_value_t = 100)]
    draws: u64,
    /// Stop each family after this many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The results of one family in one precision.
#[derive(serde::Serialize)]
struct Line {
    family: &'static str,
    precision: &'static str,
    first_seed: u64,
    last_seed: u64,
    solves: usize,
    refused: usize,
    wrong: usize,
    worst_error_over_estimate: f64,
}

#[derive(serde::Serialize)]
struct Report {
    adapter: String,
    lines: Vec<Line>,
    wrong: Vec<String>,
}

/// Wrong answers that are printed.
const MOST_PRINTED: usize = 20;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let adapter_name = arguments.device.clone();
    let gpu = Gpu::with_options(GpuOptions { adapter_name, ..GpuOptions::default() })?;
    let precisions = supported(&gpu, arguments.precision.as_slice())?;
    let mut report = Report { adapter: gpu.info().name.clone(), lines: vec![], wrong: vec![] };
    let wanted = |family: &&Family| arguments.family.as_ref().is_none_or(|name| name == family.name);
    for family in FAMILIES.iter().filter(wanted) {
        for &precision in &precisions {
            let (tally, last_seed) = attack(&gpu, family, precision, arguments);
            report.lines.push(Line {
                family: family.name,
                precision: precision.name(),
                first_seed: arguments.from,
                last_seed,
                solves: tally.systems,
                refused: tally.refused,
                wrong: tally.wrong.len(),
                worst_error_over_estimate: tally.worst,
            });
            report.wrong.extend(tally.wrong);
        }
    }
    match arguments.json {
        true => say_json(&report)?,
        false => print(&report)?,
    }
    if report.wrong.is_empty() { Ok(()) } else { Err(Failure::Silent) }
}

/// Draws the systems of one family; also returns the last seed that was drawn.
fn attack(gpu: &Gpu, family: &Family, precision: PrecisionName, arguments: &Arguments) -> (Tally, u64) {
    let begun = Instant::now();
    let bar = progress(arguments.draws as usize);
    bar.set_message(format!("{} {}", family.name, precision.name()));
    let mut tally = Tally::default();
    let mut last = arguments.from;
    for seed in arguments.from..arguments.from.saturating_add(arguments.draws) {
        if arguments.seconds.is_some_and(|seconds| begun.elapsed() >= Duration::from_secs(seconds)) {
            break;
        }
        tally.add((family.draw)(gpu, precision.precision(), seed));
        last = seed;
        bar.inc(1);
    }
    bar.finish_and_clear();
    (tally, last)
}

fn print(report: &Report) -> Result<(), Failure> {
    let mut table =
        Table::new(&["family", "precision", "seeds", "solves", "refused", "wrong", "largest error / estimate"]);
    for line in &report.lines {
        table.row(vec![
            line.family.into(),
            line.precision.into(),
            format!("{} to {}", line.first_seed, line.last_seed),
            line.solves.to_string(),
            line.refused.to_string(),
            line.wrong.to_string(),
            format!("{:.2}", line.worst_error_over_estimate),
        ]);
    }
    say(&format!("{}\n\n{table}", report.adapter))?;
    for wrong in report.wrong.iter().take(MOST_PRINTED) {
        say(wrong)?;
    }
    match report.wrong.len() {
        0 => say(&format!("No answer is wrong: none has an error above {ALLOWED} times its estimate.")),
        wrong => say(&format!(
            "{wrong} solves failed: the error exceeds {ALLOWED} times its estimate, or a solvable system was refused."
        )),
    }
}
