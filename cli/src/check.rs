//! `trisolve check`: compares every kernel with the oracle.

use std::collections::{BTreeMap, HashSet};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use trisolve::{FeatureSwitches, Gpu, GpuOptions, Real};
use trisolve::{quasi_tridiagonal, recurrence, triangular, tridiagonal};
use trisolve_lab::{
    Case, CheckCase, FACTORED, case_threads, cases, factored_triangular_cases, filter_cases, kernels_compiled,
    large_triangular_cases, moebius_cases, policy_cases, quasi_cases, quasi_policy_cases, recurrence_cases, run_cases,
    triangular_cases, triangular_policy_cases,
};

use crate::output::{Table, progress, say, say_json, tell};
use crate::precision::supported;
use crate::{Failure, PrecisionName, memory};

/// Kernels that each device of a software driver keeps.
const KEPT_KERNELS: usize = 16;

/// Cases between two calls of [`memory::give_back`]. A software driver compiles some three kernels per case; each leaves up to 2 MB that are
/// free but resident.
const CASES_PER_GIVING_BACK: u64 = 8;

#[derive(clap::Args)]
pub struct Arguments {
    /// Check only this precision (default: all that the adapter supports)
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// Check only this algorithm, in every family that has it
    #[arg(long, value_parser = one_of_all)]
    algorithm: Option<String>,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
    /// Seed of the random systems
    #[arg(long, default_value_t = 20260101)]
    seed: u64,
    /// Compile with bounds checks, loop bounds and zeroed workgroup memory
    #[arg(long)]
    checked: bool,
    /// For slow adapters: check only one in this many cases, drawn by the seed, and at least one of each kind
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), default_value = "1")]
    every: u32,
    /// Also check more combinations of sizes and batches, and triangular matrices of up to 4 GB
    #[arg(long)]
    thorough: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The results of one algorithm in one layout and precision.
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
    kernels: usize,
    cases: usize,
    failed: usize,
    groups: BTreeMap<String, Group>,
    failures: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let open = |allowed| {
        let adapter_name = arguments.device.clone();
        Gpu::with_options(GpuOptions { adapter_name, allowed, checked: arguments.checked, ..GpuOptions::default() })
    };
    let gpu = open(FeatureSwitches::ALL)?;
    let devices = |first: Gpu, allowed| -> Result<Arc<[Gpu]>, Failure> {
        let count = if first.capabilities().software { case_threads() } else { 1 };
        let others = (1..count).map(|_| open(allowed));
        let devices = std::iter::once(Ok(first)).chain(others).collect::<trisolve::Result<Arc<[Gpu]>>>()?;
        if count > 1 {
            // A case seldom needs the kernels of an earlier one, and each takes about four megabytes.
            devices.iter().for_each(|gpu| gpu.keep_kernels(KEPT_KERNELS));
        }
        Ok(devices)
    };
    let features = gpu.capabilities().features;
    let gpus = devices(gpu.clone(), FeatureSwitches::ALL)?;
    // If the adapter has subgroups, the kernels without subgroups are checked too.
    let without = FeatureSwitches { subgroups: false, ..FeatureSwitches::ALL };
    let plain = if features.subgroups { Some(devices(open(without)?, without)?) } else { None };
    let mut report = Report {
        adapter: gpu.info().name.clone(),
        seed: arguments.seed,
        kernels: 0,
        cases: 0,
        failed: 0,
        groups: BTreeMap::new(),
        failures: vec![],
    };
    for precision in supported(&gpu, arguments.precision.as_slice())? {
        match precision {
            PrecisionName::F32 => check::<f32>(&gpus, plain.as_ref(), arguments, &mut report),
            PrecisionName::F64 => check::<f64>(&gpus, plain.as_ref(), arguments, &mut report),
        }
    }
    report.kernels = gpus.iter().chain(plain.iter().flat_map(|plain| plain.iter())).map(kernels_compiled).sum();
    if arguments.json {
        say_json(&report)?;
    } else {
        print(&report, arguments.every)?;
    }
    if report.failed == 0 { Ok(()) } else { Err(Failure::Silent) }
}

/// The name of the only algorithm of Moebius recurrences.
const MOEBIUS: &str = "moebius";

/// Parses the name of an algorithm that has cases.
fn one_of_all(text: &str) -> Result<String, String> {
    let systems = tridiagonal::Algorithm::ALL.map(tridiagonal::Algorithm::name);
    let recurrences = recurrence::Algorithm::ALL.map(recurrence::Algorithm::name);
    let triangles = triangular::Algorithm::ALL.map(triangular::Algorithm::name);
    // Only the auto of tridiagonal systems has kernels of its own.
    let others = triangles
        .into_iter()
        .chain(quasi_tridiagonal::Algorithm::ALL.map(quasi_tridiagonal::Algorithm::name))
        .chain(recurrences)
        .chain([FACTORED])
        .filter(|&name| name != "auto");
    let all: Vec<_> = systems.into_iter().chain(others).chain([MOEBIUS]).collect();
    match all.contains(&text) {
        true => Ok(text.into()),
        // Recurrences have all algorithms of filters.
        false => Err(format!("should be one of {}", all.join(", "))),
    }
}

fn check<T: Real>(gpu: &Arc<[Gpu]>, plain: Option<&Arc<[Gpu]>>, arguments: &Arguments, report: &mut Report) {
    use tridiagonal::Algorithm;
    let seed = arguments.seed;
    let sweep = cases(arguments.thorough, seed);
    // The policies of the others have it both ways.
    let without = |case: &CheckCase| matches!(case.algorithm, Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr);
    let without: Vec<_> = sweep.iter().filter(|case| without(case)).cloned().collect();
    let policies = policy_cases(seed);
    let systems = [("", Some(gpu), sweep), (" by policy", Some(gpu), policies), (" no subgroups", plain, without)];
    check_family::<T, _>("tridiagonal systems", systems, |case| case.algorithm.name(), arguments, report);
    let triangles = [
        ("", triangular_cases(seed)),
        ("", factored_triangular_cases(seed)),
        (" by policy", triangular_policy_cases(seed)),
    ];
    let triangles = triangles.map(|(how, cases)| (how, Some(gpu), cases));
    check_family::<T, _>("triangular systems", triangles, |case| case.name(), arguments, report);
    if arguments.thorough {
        let large = [("", Some(gpu), large_triangular_cases(T::PRECISION, seed))];
        check_family::<T, _>("large triangular systems", large, |case| case.algorithm().name(), arguments, report);
    }
    let quasi = [("", Some(gpu), quasi_cases(seed)), (" by policy", Some(gpu), quasi_policy_cases(seed))];
    check_family::<T, _>("quasi-tridiagonal systems", quasi, |case| case.options.algorithm.name(), arguments, report);
    let recurrences = [("", Some(gpu)), (" no subgroups", plain)].map(|(how, gpu)| (how, gpu, recurrence_cases(seed)));
    check_family::<T, _>("linear recurrences", recurrences, |case| case.options.algorithm.name(), arguments, report);
    let filters = [("", Some(gpu)), (" no subgroups", plain)].map(|(how, gpu)| (how, gpu, filter_cases(seed)));
    check_family::<T, _>("filters", filters, |case| case.options.algorithm.name(), arguments, report);
    let quotients = [("", Some(gpu)), (" no subgroups", plain)].map(|(how, gpu)| (how, gpu, moebius_cases(seed)));
    check_family::<T, _>("Moebius recurrences", quotients, |_| MOEBIUS, arguments, report);
}

/// Runs the cases of a family. Each of the `runs` has a name, devices and its cases.
fn check_family<'a, T: Real, C: Case>(
    family: &str,
    runs: impl IntoIterator<Item = (&'a str, Option<&'a Arc<[Gpu]>>, Vec<C>)>,
    algorithm: impl Fn(&C) -> &'static str,
    arguments: &Arguments,
    report: &mut Report,
) {
    let mut all: Vec<_> = runs
        .into_iter()
        .filter_map(|(how, gpu, cases)| gpu.map(|gpu| cases.into_iter().map(move |case| (how, (gpu.clone(), case)))))
        .flatten()
        .filter(|(_, (_, case))| arguments.algorithm.as_ref().is_none_or(|wanted| wanted == algorithm(case)))
        .collect();
    if arguments.every > 1 {
        // In random order, since the order of the cases is periodic.
        all.shuffle(&mut SmallRng::seed_from_u64(arguments.seed));
        let wanted = all.len().div_ceil(arguments.every as usize);
        let mut drawn = 0;
        let mut groups = HashSet::new();
        all.retain(|(how, (_, case))| {
            let is_first = groups.insert((*how, case.group()));
            drawn += 1;
            is_first || drawn <= wanted
        });
    }
    let (hows, all): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let bar = progress(all.len());
    bar.set_message(format!("{family} in {} on {}", T::PRECISION, report.adapter));
    let (begun, failed_before) = (Instant::now(), report.failed);
    let done = || {
        bar.inc(1);
        if bar.position().is_multiple_of(CASES_PER_GIVING_BACK) {
            memory::give_back();
        }
    };
    let outcomes = run_cases::<T>(&all, done);
    for ((how, (_, case)), outcome) in hows.iter().zip(&all).zip(outcomes) {
        let group = report.groups.entry(format!("{} {}{how}", T::PRECISION.name(), case.group())).or_default();
        report.cases += 1;
        group.cases += 1;
        let failure = match outcome {
            Ok(verdict) => {
                group.worst_error = group.worst_error.max(verdict.error);
                group.worst_share_of_bound = group.worst_share_of_bound.max(verdict.error / verdict.bound);
                (!verdict.passed()).then(|| format!("{verdict:?}"))
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(failure) = failure {
            group.failed += 1;
            report.failed += 1;
            report.failures.push(format!("{} {case:?}: {failure}", T::PRECISION));
        }
    }
    bar.finish_and_clear();
    // Where there is no terminal for a progress bar.
    if !std::io::stderr().is_terminal() && !all.is_empty() {
        let (cases, failed, seconds) = (all.len(), report.failed - failed_before, begun.elapsed().as_secs_f64());
        tell(&format!("{family} in {}: {cases} cases, {failed} failed, {seconds:.0} s", T::PRECISION));
    }
}

fn print(report: &Report, every: u32) -> Result<(), Failure> {
    let mut table = Table::new(&["algorithm and layout", "cases", "failed", "worst error", "of its bound"]);
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
    let Report { adapter, kernels, cases, failed, seed, .. } = report;
    let share =
        if every > 1 { format!(" (one in {every}, at least one per line of the table)") } else { String::new() };
    say(&format!("{adapter}: {cases} cases{share}, {kernels} kernels compiled, {failed} failed (seed {seed})"))
}
