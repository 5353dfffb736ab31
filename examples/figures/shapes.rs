//! Times of 2^24 rows in all over the rows per system or sequence.

use std::path::Path;

use trisolve_lab::chart::{Line, Names, Panel};

use super::failure::Failure;
use super::tridiagonal::Run;
use super::{Folder, add, read};

/// Rows in all.
const ROWS: f64 = 16_777_216.0;

/// `shapes.svg`: tridiagonal systems.
pub fn systems(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    figure(csv, folder, "shapes.svg", "Tridiagonal systems by auto", 20)
}

/// `recurrence-shapes.svg`: recurrences.
pub fn recurrences(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    figure(csv, folder, "recurrence-shapes.svg", "Recurrences", 12)
}

/// `filter-shapes.svg`: filters.
pub fn filters(csv: &Path, folder: &mut Folder) -> Result<(), Failure> {
    figure(csv, folder, "filter-shapes.svg", "Filters of order 4", 8)
}

/// `bytes`: the least that a row takes.
fn figure(csv: &Path, folder: &mut Folder, name: &str, what: &str, bytes: u32) -> Result<(), Failure> {
    let runs: Vec<Run> = read(csv)?;
    let mut lines: Vec<Line> = Vec::new();
    for run in &runs {
        add(&mut lines, run.layout.clone(), (run.rows, 1e6 * ROWS / run.rows_per_s));
    }
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let copy = runs.iter().map(|run| run.copy_gb_per_s).fold(0.0, f64::max);
    if let Some(line) = lines.first() {
        let limit = f64::from(bytes) * ROWS / (1e3 * copy);
        let points = line.points.iter().map(|point| (point.0, limit)).collect();
        lines.push(Line { name: format!("copy bandwidth at {bytes} B/row"), points });
    }
    let title = format!("{what}, f32, on {}", runs.first().map_or("", |run| &run.adapter));
    let panel = Panel {
        title: "2^24 rows in all".into(),
        x: ("rows per system", Some(2.0)),
        y: "microseconds",
        names: Names::Above,
        lines,
    };
    folder.draw(name, &title, &[panel])
}
