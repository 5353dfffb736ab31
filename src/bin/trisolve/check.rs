//! `trisolve check`

use std::collections::BTreeMap;

use trisolve::testing::{CheckRow, cases, run_case};
use trisolve::{Gpu, Precision, Real};

use crate::output::{Table, progress, say};
use crate::{Failure, PrecisionName, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// Only this precision; without it all that the adapter has
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// Part of an adapter's name (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
    /// Of the random systems
    #[arg(long, default_value_t = 20260101)]
    seed: u64,
    /// More sizes with more batches
    #[arg(long)]
    thorough: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// What came of one algorithm in one layout and precision.
#[derive(serde::Serialize, Default)]
struct Group {
    cases: usize,
    failed: usize,
    worst_share_of_bound: f64,
    worst_error: f64,
}

#[derive(serde::Serialize)]
struct Report {
    adapter: String,
    seed: u64,
    cases: usize,
    failed: usize,
    groups: BTreeMap<String, Group>,
    failures: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let gpu = open_gpu(arguments.device.as_deref())?;
    let mut report = Report {
        adapter: gpu.info().name.clone(),
        seed: arguments.seed,
        cases: 0,
        failed: 0,
        groups: BTreeMap::new(),
        failures: vec![],
    };
    let mut done = false;
    if arguments.precision != Some(PrecisionName::F64) {
        check::<f32>(&gpu, arguments, &mut report);
        done = true;
    }
    let f64_wanted = arguments.precision == Some(PrecisionName::F64);
    if f64_wanted || (arguments.precision.is_none() && gpu.capabilities().features.f64) {
        if !gpu.capabilities().features.f64 {
            return Err(Failure::Input(format!("{} has no f64", gpu.info().name)));
        }
        check::<f64>(&gpu, arguments, &mut report);
        done = true;
    }
    debug_assert!(done);
    if arguments.json {
        say(&serde_json::to_string(&report).map_err(|e| Failure::Solver(e.to_string()))?)?;
    } else {
        print(&report)?;
    }
    if report.failed == 0 { Ok(()) } else { Err(Failure::Silent) }
}

fn check<T: Real>(gpu: &Gpu, arguments: &Arguments, report: &mut Report) {
    let cases = cases(arguments.thorough, arguments.seed);
    let bar = progress(cases.len());
    bar.set_message(format!("{} on {}", T::PRECISION, report.adapter));
    for case in cases {
        let name = format!("{} {} {}", T::PRECISION.name(), case.algorithm, case.layout);
        let group = report.groups.entry(name).or_default();
        let outcome = run_case::<T>(gpu, &case);
        report.cases += 1;
        group.cases += 1;
        match outcome {
            Ok(row) => {
                group.worst_error = group.worst_error.max(row.error);
                group.worst_share_of_bound = group.worst_share_of_bound.max(row.error / row.bound);
                if !row.passed() {
                    group.failed += 1;
                    report.failed += 1;
                    report.failures.push(describe(&row, T::PRECISION));
                }
            }
            Err(error) => {
                group.failed += 1;
                report.failed += 1;
                report.failures.push(format!("{} {case:?}: {error}", T::PRECISION));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
}

fn describe(row: &CheckRow, precision: Precision) -> String {
    let CheckRow { case, error, bound, repeatable, untouched } = row;
    format!(
        "{precision} {case:?}: error {error:.2e}, bound {bound:.2e}, repeatable {repeatable}, \
         outside untouched {untouched}"
    )
}

fn print(report: &Report) -> Result<(), Failure> {
    let mut table = Table::new(&["kernel", "cases", "failed", "worst error", "of its bound"]);
    for (name, group) in &report.groups {
        table.row(vec![
            name.clone(),
            group.cases.to_string(),
            group.failed.to_string(),
            format!("{:.1e}", group.worst_error),
            format!("{:.0}%", 100.0 * group.worst_share_of_bound),
        ]);
    }
    say(&table.to_string())?;
    for failure in &report.failures {
        say(&format!("FAILED {failure}"))?;
    }
    say(&format!("{}: {} cases, {} failed (seed {})", report.adapter, report.cases, report.failed, report.seed))
}
