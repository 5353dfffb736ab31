//! The chart of the times over the rows.

use trisolve_lab::chart::{self, Line, Names, Panel};

use super::crossing::Crossing;
use super::rows::Row;
use super::ways::Way;
use crate::Failure;

/// A panel per precision and number of systems, with a vertical line where the device becomes faster than the CPU. `None` if no panel has
/// two numbers of rows.
pub fn draw(rows: &[Row], crossings: &[Crossing], title: &str) -> Result<Option<String>, Failure> {
    let panels: Vec<_> = crossings.iter().filter_map(|crossing| panel(rows, crossing)).collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let drawn = chart::draw(title, &panels);
    drawn.map(Some).map_err(|error| Failure::Solver(format!("--plot: {error}")))
}

fn panel(rows: &[Row], crossing: &Crossing) -> Option<Panel> {
    let Crossing { precision, batch, at, .. } = crossing;
    let of_way = |way: Way| {
        let is_its = |row: &&Row| row.group() == (*precision, *batch) && row.way == way.name();
        let mut points: Vec<_> = rows.iter().filter(is_its).map(|row| (row.rows as f64, row.median_us / 1e3)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by_key(|point| point.0);
        (points.len() > 1).then(|| Line { name: way.name().into(), points })
    };
    let mut lines: Vec<_> = Way::ALL.into_iter().filter_map(of_way).collect();
    if lines.is_empty() {
        return None;
    }
    if let Some(at) = at {
        let times = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
        let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
        lines.push(Line { name: format!("device = cpu at {at:.0}"), points: vec![(*at, low), (*at, high)] });
    }
    let systems = if *batch == 1 { "single systems".into() } else { format!("{batch} systems") };
    Some(Panel {
        title: format!("{precision}, {systems}"),
        x: ("rows per system", Some(2.0)),
        y: "ms",
        names: Names::AboveLeft,
        lines,
    })
}
