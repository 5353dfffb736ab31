//! `trisolve bench p-scheme`: repeats the evaluation of the P-scheme paper.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::ValueEnum;
use trisolve::recurrence::{PSchemeModel, PSchemePhases, PSchemePolicy, Policy};
use trisolve::{Error, Gpu};
use trisolve_lab::{FactorCost, PSchemeRun, PSchemeSample};

use super::p_scheme_host;
use super::session::warm_up;
use crate::output::{Table, digits, progress, say, tell};
use crate::output_file::{OutputFile, OutputPath};
use crate::size::size;
use crate::{Failure, open_gpu};

#[derive(clap::Args)]
pub struct Arguments {
    /// Rows of the sequence; the defaults are the paper's
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "2^18,1000000")]
    rows: Vec<usize>,
    /// Cost of a factor: nothing (L), 400 operations (M), or 1000 (H)
    #[arg(long, value_enum, ignore_case = true, value_delimiter = ',', default_value = "L,M,H")]
    case: Vec<CaseName>,
    /// Workgroups (G): powers of two
    #[arg(long, value_delimiter = ',', default_value = "16,32,64,128")]
    groups: Vec<u32>,
    /// Threads per workgroup (T): powers of two
    #[arg(long, value_delimiter = ',', default_value = "16,32,64,128,256,512")]
    threads: Vec<u32>,
    /// Propagate over groups of 2048 chunks in several workgroups; by default one workgroup propagates over a sequence, as in the paper
    #[arg(long)]
    grouped: bool,
    /// Measure figure 1 instead: sequential substitution on one core of the host, and P-scheme on one core and on all cores; needs no GPU
    #[arg(long, conflicts_with_all = ["groups", "threads", "grouped", "device"])]
    host: bool,
    /// Also write all runs as CSV
    #[arg(long)]
    csv: Option<OutputPath>,
    /// Timed runs per case
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), default_value = "15")]
    runs: u32,
    /// Seconds that each case runs before it is timed
    #[arg(long, default_value_t = 0.05)]
    warm_up: f64,
    /// Use the adapter whose name contains this text (see `trisolve devices`)
    #[arg(long)]
    device: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CaseName {
    #[value(name = "L")]
    Light,
    #[value(name = "M")]
    Medium,
    #[value(name = "H")]
    Heavy,
}

impl CaseName {
    const fn cost(self) -> FactorCost {
        match self {
            Self::Light => FactorCost::Light,
            Self::Medium => FactorCost::Medium,
            Self::Heavy => FactorCost::Heavy,
        }
    }
}

/// A row of the CSV.
#[derive(serde::Serialize)]
struct Row {
    /// "grid", "policy" (the model's choice), "preceding" (figures 2 and 3) or "transposition" (Table I).
    run: &'static str,
    case: &'static str,
    rows: usize,
    groups: u32,
    threads: u32,
    rearranged: bool,
    tiled: bool,
    staged: bool,
    grouped: bool,
    preceding: u32,
    median_us: f64,
    min_us: f64,
    /// The phases, each in its own pass; the times include the cost of a pass.
    rearranging_us: f64,
    precompute_us: f64,
    propagate_us: f64,
    determine_us: f64,
    cpu_us: f64,
    speed_up: f64,
    /// The largest difference from the CPU's values, relative to the largest value.
    difference: f64,
    /// The model's optimum for this case and this arrangement.
    optimal_chunks: f64,
    adapter: String,
}

struct Evaluation {
    gpu: Gpu,
    warm_up: Duration,
    runs: usize,
    rows: Vec<Row>,
    /// Why policies could not be measured.
    skipped: Vec<String>,
}

/// The largest difference that is accepted; a thousand rounded operations stay below.
const TOLERATED: f64 = 1e-3;

impl Evaluation {
    /// Measures a policy; nothing where the driver ends the formulas' loops, which takes fewer rows per chunk.
    fn measure(
        &mut self,
        run: &'static str,
        sample: &PSchemeSample,
        (cost, n): (FactorCost, usize),
        policy: PSchemePolicy,
    ) -> Result<Option<PSchemePhases>, Failure> {
        let measured = sample.measure(&self.gpu, policy, self.warm_up, self.runs);
        let PSchemeRun { samples, phases, difference } = match measured {
            Err(error @ Error::Unsupported { .. }) => {
                self.skipped.push(error.to_string());
                return Ok(None);
            }
            measured => measured?,
        };
        let PSchemePolicy { groups, threads, rearranged, tiled, staged, grouped, preceding } = policy;
        if difference.is_nan() || difference > TOLERATED {
            return Err(Failure::Solver(format!(
                "case {} of {n} rows, G = {groups}, T = {threads}: the values differ from the CPU's by {difference:.1e} of the largest",
                cost.name()
            )));
        }
        self.rows.push(Row {
            run,
            case: cost.name(),
            rows: n,
            groups,
            threads,
            rearranged,
            tiled,
            staged,
            grouped,
            preceding,
            median_us: samples.median() * 1e6,
            min_us: samples.min() * 1e6,
            rearranging_us: phases.rearranging * 1e6,
            precompute_us: phases.precompute * 1e6,
            propagate_us: phases.propagate * 1e6,
            determine_us: phases.determine * 1e6,
            cpu_us: sample.cpu_seconds * 1e6,
            speed_up: sample.cpu_seconds / samples.median(),
            difference,
            optimal_chunks: f64::NAN,
            adapter: self.gpu.info().name.clone(),
        });
        Ok(Some(phases))
    }
}

/// Rearranged arrays, propagated as in the paper.
const REARRANGED: PSchemePolicy = PSchemePolicy { rearranged: true, grouped: false, ..PSchemePolicy::new(32, 64) };

/// Whether arrays are rearranged, and whether the phases do so.
const ARRAYS: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

/// The model's policy for a grid, beside the best policy.
struct Choice {
    case: FactorCost,
    rows: usize,
    model: PSchemeModel,
    /// Index of the best policy in the evaluation's rows.
    best: usize,
    /// Index of the model's policy.
    policy: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let warm_up = warm_up(arguments.warm_up)?;
    let csv = arguments.csv.as_ref().map(OutputFile::open).transpose()?;
    if arguments.host {
        let cases: Vec<_> = arguments.case.iter().map(|case| case.cost()).collect();
        return p_scheme_host::run(&arguments.rows, &cases, (warm_up, arguments.runs as usize), csv);
    }
    let gpu = open_gpu(arguments.device.as_deref())?;
    let grouped = arguments.grouped;
    let least_threads = gpu.capabilities().subgroup_lanes.max(32);
    let most = gpu.capabilities().limits.max_compute_invocations_per_workgroup;
    let fits: Vec<_> = arguments.threads.iter().copied().filter(|&threads| threads <= most).collect();
    let grid: Vec<_> =
        arguments.groups.iter().flat_map(|&groups| fits.iter().map(move |&threads| (groups, threads))).collect();
    if grid.len() < 2 {
        return Err(Failure::Input(format!(
            "--groups and --threads: pass at least two combinations, with at most {most} threads each"
        )));
    }
    for &(groups, threads) in &grid {
        let policy = Policy::from(PSchemePolicy { groups, threads, ..REARRANGED });
        policy.with_values(&policy.values())?;
    }
    let mut evaluation =
        Evaluation { gpu: gpu.clone(), warm_up, runs: arguments.runs as usize, rows: vec![], skipped: vec![] };
    let mut choices = Vec::new();
    let bar = progress(arguments.rows.len() * arguments.case.len() * ARRAYS.len() * (grid.len() + 1));
    for &n in &arguments.rows {
        for case in arguments.case.iter().map(|case| case.cost()) {
            bar.set_message(format!("case {}, {n} rows", case.name()));
            let sample = PSchemeSample::new(&gpu, n, case, 7)?;
            for (rearranged, staged) in ARRAYS {
                let start = evaluation.rows.len();
                let mut measured = Vec::new();
                for &(groups, threads) in &grid {
                    let policy = PSchemePolicy { groups, threads, rearranged, staged, grouped, ..REARRANGED };
                    measured.extend(evaluation.measure("grid", &sample, (case, n), policy)?);
                    bar.inc(1);
                }
                if measured.is_empty() {
                    bar.inc(1);
                    continue;
                }
                let model = PSchemeModel::fit(&measured)?;
                let policy = evaluation.rows.len();
                let chosen = PSchemePolicy { staged, grouped, ..model.policy(n, least_threads, rearranged) };
                let is_measured = evaluation.measure("policy", &sample, (case, n), chosen)?.is_some();
                bar.inc(1);
                let own = &mut evaluation.rows[start..];
                own.iter_mut().for_each(|row| row.optimal_chunks = model.optimal_chunks(n));
                let best =
                    (start..policy).min_by(|&a, &b| own[a - start].median_us.total_cmp(&own[b - start].median_us));
                if !is_measured {
                    continue;
                }
                if rearranged && !staged {
                    let Row { groups, threads, .. } = evaluation.rows[best.unwrap_or(policy)];
                    for preceding in [1, 2] {
                        let policy = PSchemePolicy { groups, threads, grouped, preceding, ..REARRANGED };
                        evaluation.measure("preceding", &sample, (case, n), policy)?;
                    }
                }
                choices.push(Choice { case, rows: n, model, best: best.unwrap_or(policy), policy });
            }
        }
        let sample = PSchemeSample::new(&gpu, n, FactorCost::Light, 7)?;
        for tiled in [false, true] {
            let policy = PSchemePolicy { tiled, ..REARRANGED };
            evaluation.measure("transposition", &sample, (FactorCost::Light, n), policy)?;
        }
    }
    bar.finish_and_clear();
    if let Some(first) = evaluation.skipped.first() {
        tell(&format!("{} runs were skipped; the first: {first}", evaluation.skipped.len()));
    }
    say(&format!("{}, device time, median of {}, speed-up against one core\n", gpu.info().name, arguments.runs))?;
    let tables =
        [chosen(&choices, &evaluation.rows), preceding(&choices, &evaluation.rows), transpositions(&evaluation.rows)];
    say(&tables.map(|table| table.to_string()).join("\n\n"))?;
    let Some(csv) = csv else {
        return Ok(());
    };
    csv.write_csv(&evaluation.rows)
}

/// The model's and the best policy per case.
fn chosen(choices: &[Choice], rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "case",
        "rows",
        "rearranged",
        "alpha : beta : gamma",
        "P_opt",
        "policy G x T",
        "us",
        "speed-up",
        "best G x T",
        "us",
        "speed-up",
    ]);
    for Choice { case, rows: n, model, best, policy } in choices {
        let PSchemeModel { alpha, beta, gamma, .. } = model;
        let (policy, best) = (&rows[*policy], &rows[*best]);
        let of = |row: &Row| [format!("{} x {}", row.groups, row.threads), digits(row.median_us), digits(row.speed_up)];
        let mut cells = vec![
            case.name().into(),
            n.to_string(),
            match (best.rearranged, best.staged) {
                (false, _) => "no",
                (true, false) => "yes",
                (true, true) => "in the phases",
            }
            .into(),
            format!("{} : 1 : {}", digits(alpha / beta), digits(gamma / beta)),
            digits(model.optimal_chunks(*n)),
        ];
        cells.extend([policy, best].into_iter().flat_map(of));
        table.row(cells);
    }
    table
}

/// Figures 2 and 3 of the paper, beside the value in a register: the pre-computation of rearranged arrays with the best policy.
fn preceding(choices: &[Choice], rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "case",
        "rows",
        "G x T",
        "pre-computation, us",
        "from copies (figure 3)",
        "by a branch (figure 2)",
    ]);
    for Choice { case, rows: n, best, .. } in choices {
        let best = &rows[*best];
        let of = |row: &Row, preceding| {
            let [own, other] = [row, best].map(|row| (row.case, row.rows, row.groups, row.threads));
            row.run == "preceding" && own == other && row.preceding == preceding
        };
        if !best.rearranged || best.staged {
            continue;
        }
        let times = [1, 2].map(|preceding| rows.iter().find(|row| of(row, preceding)));
        let [copies, branch] = times.map(|row| row.map_or_else(String::new, |row| digits(row.precompute_us)));
        let place = format!("{} x {}", best.groups, best.threads);
        table.row(vec![case.name().into(), n.to_string(), place, digits(best.precompute_us), copies, branch]);
    }
    table
}

/// Table I of the paper, per array: s is a constant, so two arrays move, t and w.
fn transpositions(rows: &[Row]) -> Table {
    let mut by_rows = BTreeMap::<usize, BTreeMap<bool, f64>>::new();
    for row in rows.iter().filter(|row| row.run == "transposition") {
        by_rows.entry(row.rows).or_default().insert(row.tiled, row.rearranging_us / 2.0);
    }
    let mut table = Table::new(&["transposition of", "without workgroup memory, us", "with, us"]);
    for (rows, times) in by_rows {
        let of = |tiled| times.get(&tiled).map_or_else(String::new, |&us| digits(us));
        table.row(vec![format!("{rows} numbers"), of(false), of(true)]);
    }
    table
}
