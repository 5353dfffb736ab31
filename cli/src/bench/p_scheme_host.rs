//! `trisolve bench p-scheme --host`: figure 1 of the P-scheme paper, without a GPU.

use std::thread::available_parallelism;
use std::time::Duration;

use trisolve_lab::{FactorCost, HostRun, measure_on_host};

use crate::Failure;
use crate::output::{Table, counted, digits, progress, say};
use crate::output_file::OutputFile;

/// The largest difference that is accepted.
const TOLERATED: f64 = 1e-4;

/// A row of the CSV. Times are wall-clock times.
#[derive(serde::Serialize)]
struct Row {
    /// "substitution" or "p-scheme".
    method: &'static str,
    case: &'static str,
    rows: usize,
    cores: usize,
    chunks: usize,
    median_us: f64,
    min_us: f64,
    precompute_us: f64,
    propagate_us: f64,
    determine_us: f64,
    /// The median as a multiple of the substitution's.
    of_substitution: f64,
    difference: f64,
    processor: String,
}

/// The most rows: two dozen bytes per row lie in memory.
const MOST_ROWS: usize = 1 << 30;

/// The processor's name, where the system tells it in a file.
pub(super) fn processor() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = known.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.into(), |(_, name)| name.trim().into())
}

/// Measures each case for each number of rows on one core and on all cores.
pub fn run(
    rows: &[usize],
    cases: &[FactorCost],
    (warm_up, runs): (Duration, usize),
    csv: Option<OutputFile>,
) -> Result<(), Failure> {
    if let Some(rows) = rows.iter().find(|&&rows| rows > MOST_ROWS) {
        return Err(Failure::Input(format!("--rows {rows}: with --host at most 2^30")));
    }
    let all = available_parallelism().map_or(1, usize::from);
    let cores = if all > 1 { vec![1, all] } else { vec![1] };
    let processor = processor();
    let mut table =
        Table::new(&["case", "rows", "method", "cores", "chunks", "ms", "of the substitution", "of it the phases, ms"]);
    let mut written = Vec::new();
    let bar = progress(rows.len() * cases.len());
    for &n in rows {
        for &case in cases {
            bar.set_message(format!("case {}, {n} rows", case.name()));
            let measured = measure_on_host(n, case, &cores, (warm_up, runs))?;
            bar.inc(1);
            let substitution = measured.first().map_or(f64::NAN, |run| run.seconds);
            for HostRun { cores, chunks, seconds, least_seconds, phases, difference } in measured {
                let method = if chunks == 0 { "substitution" } else { "p-scheme" };
                if difference.is_nan() || difference > TOLERATED {
                    return Err(Failure::Solver(format!(
                        "case {} of {n} rows, {}: the values differ from the substitution's by {difference:.1e} of the largest",
                        case.name(),
                        counted(cores, "core")
                    )));
                }
                let of_substitution = seconds / substitution;
                table.row(vec![
                    case.name().into(),
                    n.to_string(),
                    method.into(),
                    cores.to_string(),
                    if chunks == 0 { String::new() } else { chunks.to_string() },
                    digits(seconds * 1e3),
                    digits(of_substitution),
                    if chunks == 0 { String::new() } else { phases.map(|phase| digits(phase * 1e3)).join(", ") },
                ]);
                let [precompute_us, propagate_us, determine_us] = phases.map(|phase| phase * 1e6);
                written.push(Row {
                    method,
                    case: case.name(),
                    rows: n,
                    cores,
                    chunks,
                    median_us: seconds * 1e6,
                    min_us: least_seconds * 1e6,
                    precompute_us,
                    propagate_us,
                    determine_us,
                    of_substitution,
                    difference,
                    processor: processor.clone(),
                });
            }
        }
    }
    bar.finish_and_clear();
    say(&format!("{processor}, {}, wall-clock time, median of {runs}\n\n{table}", counted(all, "core")))?;
    match csv {
        Some(csv) => csv.write_csv(&written),
        None => Ok(()),
    }
}
