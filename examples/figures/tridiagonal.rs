//! Speeds of the tridiagonal solvers, and errors of TPR's slices.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use trisolve_lab::chart::{Line, Names, Panel};

use super::failure::Failure;
use super::{Folder, add, read};

/// A line of a benchmark's CSV; the other columns are not drawn.
#[derive(Deserialize)]
pub struct Run {
    algorithm: String,
    precision: String,
    pub layout: String,
    pub rows: f64,
    batch: u32,
    pub rows_per_s: f64,
    pub copy_gb_per_s: f64,
    relative_residual: f64,
    pub adapter: String,
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

/// Rows per second over size, one line per algorithm, in the order that they come in; wrong results are
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
        if right {
            add(&mut lines, name, (run.rows, run.rows_per_s * scale));
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
pub fn panels(runs: &[Run], precision: &str, batches: &[u32], wanted: impl Fn(&str) -> bool) -> Vec<Panel> {
    panels_in("contiguous", runs, precision, batches, wanted)
}

pub fn panels_in(
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

/// `tridiagonal.svg`: one system beside cuSPARSE.
pub fn sweep(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let title = format!("One tridiagonal system, f32, on {}", runs.first().map_or("", |run| &run.adapter));
    let mut panels = panels(&runs, "f32", &[1], |_| true);
    // The least that any solver moves: four numbers of a row read, one written.
    let limit = runs.iter().map(|run| run.copy_gb_per_s * 1e3 / 20.0).fold(0.0, f64::max);
    for panel in &mut panels {
        let ends = panel.lines[0].points.iter().map(|point| (point.0, limit)).collect();
        panel.lines.push(Line { name: "copy bandwidth at 20 B/row".into(), points: ends });
    }
    folder.draw("tridiagonal.svg", &title, &panels)
}

/// Figures 12, 13, 15 and 16 of the TPR paper.
pub fn comparison(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let adapter = runs.first().map_or("", |run| &run.adapter);
    for (name, precision, number) in [("figure-12.svg", "f32", 12), ("figure-13.svg", "f64", 13)] {
        let title = format!("Figure {number} of the paper, {precision}, on {adapter}");
        folder.draw(name, &title, &panels(&runs, precision, &[1, 8, 64], is_in_figure_12))?;
    }
    let title = format!("Figures 15 and 16 of the paper, f32, on {adapter}");
    let tpr = |name: &str| name.starts_with("tpr");
    folder.draw("figure-15-16.svg", &title, &panels(&runs, "f32", &[1, 64], tpr))
}

/// Figure 14 of the TPR paper.
pub fn slices(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    let mut tables: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for Slice { table, row, solver, error } in read(csv)? {
        // The columns of the other tables are solvers.
        let (true, Ok(error)) = (solver.starts_with("N = "), error.parse::<f64>()) else { continue };
        add(tables.entry(table).or_default(), solver, (row.parse()?, error));
    }
    let panel = |(title, lines)| Panel {
        title,
        x: ("rows per slice S", Some(2.0)),
        y: "relative error",
        names: Names::Above,
        lines,
    };
    let panels: Vec<_> = tables.into_iter().map(panel).collect();
    folder.draw("figure-14.svg", "Figure 14 of the paper: the slice's size against the error", &panels)
}
