//! The number of rows from which the device is faster than the CPU.

use std::fmt;

use super::rows::Row;
use super::ways::Way;

/// Where `device` becomes faster than `cpu`, over the rows of the systems of a precision and a number of systems.
pub struct Crossing {
    pub precision: &'static str,
    pub batch: usize,
    /// The fewest and the most rows measured.
    measured: [usize; 2],
    /// The least rows measured from which on the device is faster at all numbers of rows; `None` if it is not at the most.
    faster_from: Option<usize>,
    /// Where the curves cross below, on logarithmic axes.
    pub at: Option<f64>,
}

impl Crossing {
    /// In the order of the rows.
    pub fn of_all(rows: &[Row]) -> Vec<Self> {
        let mut groups: Vec<_> = vec![];
        for group in rows.iter().map(Row::group) {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups.into_iter().map(|group| Self::of(group, rows)).collect()
    }

    fn of(group: (&'static str, usize), rows: &[Row]) -> Self {
        // Rows, and how many times as long as the CPU the device takes.
        let mut ratios: Vec<_> = rows
            .iter()
            .filter(|row| row.group() == group && row.way == Way::Device.name())
            .filter_map(|device| {
                let is_its = |row: &&Row| row.group() == group && row.rows == device.rows && row.way == Way::Cpu.name();
                Some((device.rows, device.median_us / rows.iter().find(is_its)?.median_us))
            })
            .collect();
        ratios.sort_unstable_by_key(|&(rows, _)| rows);
        let trisolve_lab::Crossing { faster_from, at } = trisolve_lab::Crossing::of(&ratios);
        let rows_at = |at: usize| ratios.get(at).map(|&(rows, _)| rows);
        let measured = [0, ratios.len().saturating_sub(1)].map(|at| rows_at(at).unwrap_or_default());
        Self { precision: group.0, batch: group.1, measured, faster_from, at }
    }
}

impl fmt::Display for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { precision, batch, measured: [fewest, most], faster_from, at } = self;
        let systems = if *batch == 1 { String::new() } else { format!(", {batch} systems") };
        write!(f, "{precision}{systems}: ")?;
        match (faster_from, at) {
            (Some(rows), Some(at)) => {
                write!(f, "the device is faster than the CPU from {rows} rows on; the curves cross at {at:.0}")
            }
            (Some(_), None) => {
                write!(f, "the device is faster than the CPU from {fewest} rows on, the fewest measured")
            }
            (None, _) => write!(f, "the device is not faster than the CPU at {most} rows, the most measured"),
        }
    }
}
