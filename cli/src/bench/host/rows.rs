//! The lines of the CSV, and the tables.

use super::Case;
use super::ways::{Measured, Way};
use crate::output::{Table, digits};

/// A line of the CSV.
#[derive(serde::Serialize)]
pub struct Row {
    family: &'static str,
    pub way: &'static str,
    pub precision: &'static str,
    pub rows: usize,
    pub batch: usize,
    pub median_us: f64,
    min_us: f64,
    ns_per_row: f64,
    /// The largest difference of the unknowns from those of the CPU, relative to the largest unknown.
    difference: Option<f64>,
    /// The faster upload; of the bus.
    upload: Option<&'static str>,
    cores: usize,
    processor: String,
    adapter: String,
}

impl Row {
    pub fn new(case: &Case, measured: Measured, cores: usize, [processor, adapter]: [String; 2]) -> Self {
        let Measured { way, median, min, difference, upload } = measured;
        Self {
            family: "tridiagonal",
            way: way.name(),
            precision: case.precision.name(),
            rows: case.rows,
            batch: case.systems,
            median_us: median * 1e6,
            min_us: min * 1e6,
            ns_per_row: median * 1e9 / (case.rows * case.systems) as f64,
            difference,
            upload: upload.map(|upload| upload.name()),
            cores,
            processor,
            adapter,
        }
    }

    /// Precision and number of systems.
    pub fn group(&self) -> (&'static str, usize) {
        (self.precision, self.batch)
    }

    /// Whether a row is of the same case.
    fn is_beside(&self, other: &Self) -> bool {
        self.group() == other.group() && self.rows == other.rows
    }
}

/// A table of the times, and one of the times per row; a line per case.
pub fn tables(rows: &[Row]) -> String {
    let of = |title, value: fn(&Row) -> f64| {
        let mut header = vec!["precision", "rows", "batch"];
        header.extend(Way::ALL.map(Way::name));
        header.push("bus by");
        let mut table = Table::new(&header);
        for case in rows.chunk_by(Row::is_beside) {
            let mut cells = vec![case[0].precision.into(), case[0].rows.to_string(), case[0].batch.to_string()];
            let of_way = |way: Way| case.iter().find(|row| row.way == way.name());
            cells.extend(Way::ALL.map(|way| of_way(way).map_or_else(String::new, |row| digits(value(row)))));
            cells.push(of_way(Way::Bus).and_then(|row| row.upload).unwrap_or_default().into());
            table.row(cells);
        }
        format!("{title}\n\n{table}")
    };
    [of("ms", |row| row.median_us / 1e3), of("ns per row", |row| row.ns_per_row)].join("\n\n")
}
