//! Draws figures from the CSV files of a folder, `benches/results` unless given, for example `benches/results/papers/tpr/nvidia-h200`:
//!
//!     cargo run --example figures [FOLDER]
//!
//! - `tridiagonal.svg`: rows per second of one system beside cuSPARSE, from `tridiagonal-sweep.csv`;
//! - `figure-12.svg`, `figure-13.svg`: the comparison in the TPR paper, f32 and f64, for 1, 8 and 64
//!   systems, and `figure-15-16.svg`: TPR's stable against its fastest slices, from `paper.csv`;
//! - `course.svg`: Thomas, CR and PCR over rows and systems, from `course.csv`, and `course-patterns.svg`: the rows that each step of CR and
//!   PCR reads;
//! - `figure-14.svg`: the slice's size against the error, from `accuracy.csv`;
//! - `p-scheme-host.svg`: figure 1 of P-scheme's paper, from `substitution.csv`; `p-scheme.svg` and `p-scheme-rearranging.svg`: its figures 4 to
//!   7, from `p-scheme.csv`; `p-scheme-grouped.svg`: figures 5 to 7 with the propagation over groups, from `p-scheme-grouped.csv`;
//! - `triangular-caching.svg`, `triangular-inversion.svg`, `triangular-single.svg`: figures 6 and 7 and table 2.2 of Hogg's
//!   paper, from `triangular-variants.csv`; `triangular-steps.svg`: its figure 2, from `triangular-launches.csv` and `curves.csv`;
//!   `triangular-bandwidth.svg` and `triangular-speed-up.svg`: its figures 10, 11 and 13 to 15, from `curves.csv`;
//!   `triangular-trace.svg`: its figure 5, from `trace.csv`;
//! - `figure-4-5.svg`: HISA and BHISA on CPU cores and on the device, the figures of Li, Yang and Li, from `host.csv` and `gas.csv`.
//!
//! `benches/papers.sh`, `benches/peers/compare.sh`, `benches/variants.sh`, `trisolve accuracy` and `trisolve bench p-scheme` write
//! those files.

mod course;
#[path = "../failure/mod.rs"]
mod failure;
mod hisa;
mod p_scheme;
mod triangular;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use failure::Failure;
use serde::Deserialize;
use trisolve_lab::chart::{Line, Names, Panel, draw};

/// A line of a benchmark's CSV; the other columns are not drawn.
#[derive(Deserialize)]
struct Run {
    algorithm: String,
    precision: String,
    layout: String,
    rows: f64,
    batch: u32,
    rows_per_s: f64,
    copy_gb_per_s: f64,
    relative_residual: f64,
    adapter: String,
}

/// A line of `accuracy.csv`.
#[derive(Deserialize)]
struct Slice {
    table: String,
    row: String,
    solver: String,
    /// A number, or why there is none.
    error: String,
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Vec<T>, Failure> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(reader.deserialize().collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Rows a second by size, a line an algorithm, in the order that they come in; wrong results are
/// left out.
fn speeds<'a>(runs: impl Iterator<Item = &'a Run>, scale: f64) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for run in runs {
        // On (-1 2 -1), methods that are not backward stable lose digits with the number of rows.
        let (name, limit) = match (run.algorithm.strip_suffix(", poisson"), &run.precision[..]) {
            (Some(name), _) => (name, 1.0),
            (None, "f32") => (&run.algorithm[..], 1e-5),
            (None, _) => (&run.algorithm[..], 1e-13),
        };
        let right = run.relative_residual <= limit;
        // What auto took differs from size to size.
        let name = name.split(" (").next().unwrap_or_default();
        let name = match name.strip_prefix("cusparse ") {
            Some(function) => format!("cuSPARSE {function}"),
            None => format!("trisolve {name}"),
        };
        let point = (run.rows, run.rows_per_s * scale);
        match lines.iter_mut().find(|line| line.name == name) {
            _ if !right => {}
            Some(line) => line.points.push(point),
            None => lines.push(Line { name, points: vec![point] }),
        }
    }
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    lines
}

/// Whether figures 12 and 13 have a line of an algorithm: no more lines than there are colours. `paper.csv` also has Thomas, CR and PCR,
/// which `course.svg` compares, and TPR's stable slices, which figures 15 and 16 show.
fn is_in_figure_12(algorithm: &str) -> bool {
    let name = algorithm.strip_suffix(", poisson").unwrap_or(algorithm);
    name.starts_with("cusparse ") || ["auto", "tpr", "wang-mou", "partition", "cr-pcr"].contains(&name)
}

/// One panel for each number of systems.
fn panels(runs: &[Run], precision: &str, batches: &[u32], wanted: impl Fn(&str) -> bool) -> Vec<Panel> {
    panels_in("contiguous", runs, precision, batches, wanted)
}

fn panels_in(
    layout: &str,
    runs: &[Run],
    precision: &str,
    batches: &[u32],
    wanted: impl Fn(&str) -> bool,
) -> Vec<Panel> {
    batches
        .iter()
        .map(|&batch| {
            let own = |run: &&Run| {
                run.precision == precision && run.batch == batch && run.layout == layout && wanted(&run.algorithm)
            };
            let layout = if layout == "contiguous" { String::new() } else { format!(", {layout}") };
            let title = if batch == 1 { "one system".into() } else { format!("{batch} systems{layout}") };
            let lines = speeds(runs.iter().filter(own), 1e-6);
            Panel { title, x: ("rows N", Some(2.0)), y: "million rows per second", names: Names::BelowRight, lines }
        })
        .filter(|panel| !panel.lines.is_empty())
        .collect()
}

fn main() -> Result<(), Failure> {
    let folder = env::args_os().nth(1).map_or_else(|| PathBuf::from("benches/results"), PathBuf::from);
    let mut drawn = 0;
    let mut figure = |name: &str, title: &str, panels: &[Panel]| -> Result<(), Failure> {
        if !panels.is_empty() {
            std::fs::write(folder.join(name), draw(title, panels)?)?;
            println!("{}", folder.join(name).display());
            drawn += 1;
        }
        Ok(())
    };
    let sweep = folder.join("tridiagonal-sweep.csv");
    if sweep.exists() {
        let runs: Vec<Run> = read(&sweep)?;
        let title = format!("One tridiagonal system, f32, on {}", runs[0].adapter);
        let mut panels = panels(&runs, "f32", &[1], |_| true);
        // The least that any solver moves: four numbers of a row read, one written.
        let limit = runs.iter().map(|run| run.copy_gb_per_s * 1e3 / 20.0).fold(0.0, f64::max);
        for panel in &mut panels {
            let ends = panel.lines[0].points.iter().map(|point| (point.0, limit)).collect();
            panel.lines.push(Line { name: "copy bandwidth at 20 B/row".into(), points: ends });
        }
        figure("tridiagonal.svg", &title, &panels)?;
    }
    let paper = folder.join("paper.csv");
    if paper.exists() {
        let runs: Vec<Run> = read(&paper)?;
        let adapter = &runs[0].adapter;
        for (name, precision, number) in [("figure-12.svg", "f32", 12), ("figure-13.svg", "f64", 13)] {
            let title = format!("Figure {number} of the paper, {precision}, on {adapter}");
            figure(name, &title, &panels(&runs, precision, &[1, 8, 64], is_in_figure_12))?;
        }
        let title = format!("Figures 15 and 16 of the paper, f32, on {adapter}");
        let tpr = |name: &str| name.starts_with("tpr");
        figure("figure-15-16.svg", &title, &panels(&runs, "f32", &[1, 64], tpr))?;
    }
    let course = folder.join("course.csv");
    if course.exists() {
        let runs: Vec<Run> = read(&course)?;
        let title = format!("Thomas, CR and PCR, f32, on {}", runs.first().map_or("", |run| &run.adapter));
        let mut panels = panels(&runs, "f32", &[1, 64, 4096], |_| true);
        panels.extend(panels_in("interleaved", &runs, "f32", &[64, 4096], |_| true));
        figure("course.svg", &title, &panels)?;
        let patterns = folder.join("course-patterns.svg");
        std::fs::write(&patterns, course::patterns()?)?;
        println!("{}", patterns.display());
    }
    let accuracy = folder.join("accuracy.csv");
    if accuracy.exists() {
        let mut tables: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        for Slice { table, row, solver, error } in read(&accuracy)? {
            // The columns of the other tables are solvers.
            let (true, Ok(error)) = (solver.starts_with("N = "), error.parse::<f64>()) else { continue };
            let lines = tables.entry(table).or_default();
            let point = (row.parse()?, error);
            match lines.iter_mut().find(|line| line.name == solver) {
                Some(line) => line.points.push(point),
                None => lines.push(Line { name: solver, points: vec![point] }),
            }
        }
        let panel = |(title, lines)| Panel {
            title,
            x: ("rows per slice S", Some(2.0)),
            y: "relative error",
            names: Names::Above,
            lines,
        };
        let panels: Vec<_> = tables.into_iter().map(panel).collect();
        figure("figure-14.svg", "Figure 14 of the paper: the slice's size against the error", &panels)?;
    }
    let evaluation = folder.join("p-scheme.csv");
    if evaluation.exists() {
        let runs: Vec<p_scheme::Run> = read(&evaluation)?;
        let adapter = runs.first().map_or("", |run| &run.adapter);
        let title = format!("Figures 5 to 7 of P-scheme's paper, f32, on {adapter}");
        figure("p-scheme.svg", &title, &p_scheme::configurations(&runs))?;
        let groups = p_scheme::groups_of_figure_4(&runs);
        let title = format!("Figure 4 of P-scheme's paper, {groups} workgroups, f32, on {adapter}");
        figure("p-scheme-rearranging.svg", &title, &p_scheme::rearranging(&runs))?;
    }
    let grouped = folder.join("p-scheme-grouped.csv");
    if grouped.exists() {
        let runs: Vec<p_scheme::Run> = read(&grouped)?;
        let adapter = runs.first().map_or("", |run| &run.adapter);
        let title = format!("Figures 5 to 7 of P-scheme's paper, propagated over groups of chunks, f32, on {adapter}");
        figure("p-scheme-grouped.svg", &title, &p_scheme::configurations(&runs))?;
    }
    let on_host = folder.join("substitution.csv");
    if on_host.exists() {
        let runs: Vec<p_scheme::OnHost> = read(&on_host)?;
        let title = format!("Figure 1 of P-scheme's paper, f32, on {}", runs.first().map_or("", |run| &run.processor));
        figure("p-scheme-host.svg", &title, &p_scheme::on_host(&runs))?;
    }
    let variants = folder.join("triangular-variants.csv");
    if variants.exists() {
        let runs: Vec<triangular::Run> = read(&variants)?;
        let adapter = runs.first().map_or("", |run| &run.adapter);
        let title = format!("Figure 6 of Hogg's paper, on {adapter}");
        figure("triangular-caching.svg", &title, &triangular::caching(&runs))?;
        let title = format!("Figure 7 of Hogg's paper, on {adapter}");
        figure("triangular-inversion.svg", &title, &triangular::inverting(&runs))?;
        let title = format!("Table 2.2 of Hogg's paper, on {adapter}");
        figure("triangular-single.svg", &title, &triangular::single(&runs))?;
    }
    let curves = folder.join("curves.csv");
    let curves: Vec<triangular::Run> = if curves.exists() { read(&curves)? } else { vec![] };
    if let Some(run) = curves.first() {
        let title = format!("Figures 10, 11, 13 and 14 of Hogg's paper, on {}", run.adapter);
        figure("triangular-bandwidth.svg", &title, &triangular::bandwidths(&curves))?;
        let title = format!("Figure 15 of Hogg's paper, on {}", run.adapter);
        figure("triangular-speed-up.svg", &title, &triangular::speed_ups(&curves))?;
    }
    let launches = folder.join("triangular-launches.csv");
    if launches.exists() {
        let runs: Vec<triangular::Run> = read(&launches)?;
        let title = format!("Figure 2 of Hogg's paper, on {}", runs.first().map_or("", |run| &run.adapter));
        figure("triangular-steps.svg", &title, &triangular::steps(&runs, &curves))?;
    }
    let trace = folder.join("trace.csv");
    if trace.exists() {
        let rows: Vec<triangular::Traced> = read(&trace)?;
        let title = format!("Figure 5 of Hogg's paper, on {}", rows.first().map_or("", |row| &row.adapter));
        figure("triangular-trace.svg", &title, &triangular::trace(&rows))?;
    }
    let [cores, device] = ["host.csv", "gas.csv"].map(|name| folder.join(name));
    if cores.exists() && device.exists() {
        let (cores, device): (Vec<hisa::HostRun>, Vec<hisa::DeviceRun>) = (read(&cores)?, read(&device)?);
        let adapter = device.first().map_or("", |run| &run.adapter);
        let title = format!("Figures 4 and 5 of Li, Yang and Li, f64, on CPU cores and on {adapter}");
        figure("figure-4-5.svg", &title, &hisa::panels(&cores, &device))?;
    }
    if drawn == 0 {
        return Err(format!("{} has none of the files to draw", folder.display()).into());
    }
    Ok(())
}
