//! The figures of P-scheme's paper.

use std::path::Path;

use serde::Deserialize;
use trisolve_lab::chart::{Names, Panel};

use super::failure::Failure;
use super::{Folder, add, read};

/// A line of `p-scheme.csv`; the other columns are not drawn.
#[derive(Deserialize)]
struct Run {
    run: String,
    case: String,
    rows: u64,
    groups: u32,
    threads: u32,
    rearranged: bool,
    staged: bool,
    speed_up: f64,
    adapter: String,
}

/// A line of `substitution.csv`.
#[derive(Deserialize)]
struct OnHost {
    method: String,
    case: String,
    rows: f64,
    cores: u32,
    median_us: f64,
    processor: String,
}

/// What the cases' factors cost.
const CASES: [(&str, &str); 3] = [("L", "a constant"), ("M", "400 operations"), ("H", "1000 operations")];

/// A panel for each case that was run, with a line for each name that is given to its runs.
fn panels(runs: &[Run], rows: u64, name: impl Fn(&Run) -> Option<String>) -> Vec<Panel> {
    let panel = |(case, factor)| {
        let mut lines = Vec::new();
        for run in runs.iter().filter(|run| run.case == case && run.rows == rows) {
            if let Some(name) = name(run) {
                add(&mut lines, name, (f64::from(run.threads), run.speed_up));
            }
        }
        lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
        let title = format!("case {case}: a factor is {factor}, N = {rows}");
        Panel {
            title,
            x: ("threads per workgroup T", Some(2.0)),
            y: "speed-up against one core",
            names: Names::BelowRight,
            lines,
        }
    };
    CASES.into_iter().map(panel).filter(|panel| !panel.lines.is_empty()).collect()
}

/// Figures 5 to 7: workgroups and threads of the longest sequence, arrays rearranged, beside the model's choice.
fn configurations(runs: &[Run]) -> Vec<Panel> {
    let rows = runs.iter().map(|run| run.rows).max().unwrap_or(0);
    panels(runs, rows, |run| match run.run.as_str() {
        "grid" if run.rearranged && !run.staged => Some(format!("G = {}", run.groups)),
        "policy" if run.rearranged && !run.staged => Some(format!("the model's choice, G = {}", run.groups)),
        _ => None,
    })
}

/// The workgroups of figure 4: 32, or the fewest where no run has 32.
fn groups_of_figure_4(runs: &[Run]) -> u32 {
    let all = || runs.iter().filter(|run| run.run == "grid").map(|run| run.groups);
    if all().any(|groups| groups == 32) { 32 } else { all().min().unwrap_or(0) }
}

/// Figure 4: these workgroups on the shortest sequence, arrays as they lie and rearranged.
fn rearranging(runs: &[Run]) -> Vec<Panel> {
    let rows = runs.iter().map(|run| run.rows).min().unwrap_or(0);
    let groups = groups_of_figure_4(runs);
    panels(runs, rows, |run| {
        let name = match (run.rearranged, run.staged) {
            (false, _) => "as they lie (the paper's GPU1)",
            (true, false) => "rearranged (GPU2)",
            (true, true) => "rearranged in the phases",
        };
        (run.run == "grid" && run.groups == groups).then(|| name.into())
    })
}

/// Figure 1: the substitution and P-scheme on the host.
fn on_host(runs: &[OnHost]) -> Vec<Panel> {
    let panel = |(case, factor): (&str, &str)| {
        let mut lines = Vec::new();
        for run in runs.iter().filter(|run| run.case == case) {
            let cores = if run.cores == 1 { "one core".into() } else { format!("{} cores", run.cores) };
            add(&mut lines, format!("{}, {cores}", run.method), (run.rows, run.median_us / 1e3));
        }
        Panel {
            title: format!("case {case}: a factor is {factor}"),
            x: ("rows N", Some(2.0)),
            y: "ms",
            names: Names::BelowRight,
            lines,
        }
    };
    CASES.into_iter().map(panel).filter(|panel| !panel.lines.is_empty()).collect()
}

/// Figures 4 to 7.
pub fn evaluation(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let adapter = runs.first().map_or("", |run| &run.adapter);
    let title = format!("Figures 5 to 7 of P-scheme's paper, f32, on {adapter}");
    folder.draw("p-scheme.svg", &title, &configurations(&runs))?;
    let groups = groups_of_figure_4(&runs);
    let title = format!("Figure 4 of P-scheme's paper, {groups} workgroups, f32, on {adapter}");
    folder.draw("p-scheme-rearranging.svg", &title, &rearranging(&runs))
}

/// Figures 5 to 7, propagated over groups of chunks.
pub fn grouped(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let adapter = runs.first().map_or("", |run| &run.adapter);
    let title = format!("Figures 5 to 7 of P-scheme's paper, propagated over groups of chunks, f32, on {adapter}");
    folder.draw("p-scheme-grouped.svg", &title, &configurations(&runs))
}

/// Figure 1.
pub fn substitution(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<OnHost> = read(csv)?;
    let title = format!("Figure 1 of P-scheme's paper, f32, on {}", runs.first().map_or("", |run| &run.processor));
    folder.draw("p-scheme-host.svg", &title, &on_host(&runs))
}
