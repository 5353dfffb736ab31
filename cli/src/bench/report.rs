//! The measurements of a benchmark: the table, the CSV, and the check of the answers.

use std::borrow::Cow;

use indicatif::ProgressBar;
use trisolve::Error;
use trisolve::gpu::Samples;

use super::session::{Session, Timed};
use super::shapes::Batch;
use crate::Failure;
use crate::output::{Table, digits, progress, say, tell};

/// The measurement of a case.
pub struct Measured {
    pub family: Cow<'static, str>,
    pub algorithm: String,
    pub samples: Samples,
    pub bytes_per_row: f64,
    pub relative_residual: f64,
    /// The last column: the division of the work, for most families the policy.
    pub divided: String,
}

#[derive(serde::Serialize)]
struct Row {
    family: Cow<'static, str>,
    algorithm: String,
    precision: &'static str,
    layout: &'static str,
    rows: usize,
    batch: usize,
    median_us: f64,
    min_us: f64,
    rows_per_s: f64,
    bytes_per_row: f64,
    gb_per_s: f64,
    copy_gb_per_s: f64,
    share_of_copy: f64,
    relative_residual: f64,
    adapter: String,
    divided: String,
}

/// A dispatch of a case, timed alone.
#[derive(serde::Serialize)]
struct Dispatch {
    family: Cow<'static, str>,
    algorithm: String,
    precision: &'static str,
    layout: &'static str,
    rows: usize,
    batch: usize,
    /// Its place in the solve, from 0.
    step: usize,
    kernel: String,
    median_us: f64,
    /// The median of the solve, in one pass.
    solve_us: f64,
    adapter: String,
    divided: String,
}

/// The measurements so far.
pub struct Report {
    session: Session,
    table: Table,
    rows: Vec<Row>,
    dispatches: Vec<Dispatch>,
    skipped: Vec<String>,
    bar: ProgressBar,
}

impl Report {
    /// `divided` names the last column.
    pub fn new(session: Session, cases: usize, divided: &str) -> Self {
        let table = Table::new(&[
            "algorithm",
            "precision",
            "layout",
            "rows",
            "batch",
            "median us",
            "rows/ns",
            "B/row",
            "GB/s",
            "of copy",
            "residual",
            divided,
        ]);
        Self { session, table, rows: vec![], dispatches: vec![], skipped: vec![], bar: progress(cases) }
    }

    /// Measures a case. Cases that this device cannot hold are skipped.
    pub fn add(
        &mut self,
        batch: &Batch,
        name: &str,
        measure: impl FnOnce(&Timed<'_>) -> trisolve::Result<Measured>,
    ) -> Result<(), Failure> {
        let Batch { precision, layout, rows, systems } = *batch;
        self.bar.set_message(format!("{name} {rows} x {systems}"));
        let gpu = &self.session.gpu;
        let measured = measure(&self.session.timed());
        let timed = self.session.take_dispatches();
        self.bar.inc(1);
        let Measured { family, algorithm, samples, bytes_per_row, relative_residual, divided } = match measured {
            Ok(measured) => measured,
            Err(
                error @ (Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Unsupported { .. } | Error::Shape(_)),
            ) => {
                self.skipped.push(format!("skipped {} {name} {rows} x {systems}: {error}", precision.name()));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let copy = self.session.copy_bandwidth()?;
        let rows_per_s = (rows * systems) as f64 / samples.median();
        let gb_per_s = rows_per_s * bytes_per_row / 1e9;
        let row = Row {
            family,
            algorithm,
            precision: precision.name(),
            layout: layout.name(),
            rows,
            batch: systems,
            median_us: samples.median() * 1e6,
            min_us: samples.min() * 1e6,
            rows_per_s,
            bytes_per_row,
            gb_per_s,
            copy_gb_per_s: copy,
            share_of_copy: gb_per_s / copy,
            relative_residual,
            adapter: gpu.info().name.clone(),
            divided,
        };
        self.table.row(vec![
            row.algorithm.clone(),
            row.precision.into(),
            row.layout.into(),
            row.rows.to_string(),
            row.batch.to_string(),
            digits(row.median_us),
            digits(row.rows_per_s / 1e9),
            digits(row.bytes_per_row),
            digits(row.gb_per_s),
            format!("{:.0}%", 100.0 * row.share_of_copy),
            format!("{:.1e}", row.relative_residual),
            row.divided.clone(),
        ]);
        self.dispatches.extend(timed.into_iter().enumerate().map(|(step, (kernel, seconds))| Dispatch {
            family: row.family.clone(),
            algorithm: row.algorithm.clone(),
            precision: row.precision,
            layout: row.layout,
            rows,
            batch: systems,
            step,
            kernel,
            median_us: seconds * 1e6,
            solve_us: row.median_us,
            adapter: row.adapter.clone(),
            divided: row.divided.clone(),
        }));
        self.rows.push(row);
        Ok(())
    }

    /// Prints the table and writes the CSV.
    pub fn finish(self) -> Result<(), Failure> {
        let Self { mut session, table, rows, dispatches, skipped, bar } = self;
        bar.finish_and_clear();
        for line in &skipped {
            tell(line);
        }
        if rows.is_empty() {
            return Err(Failure::Input("no case could be measured".into()));
        }
        let name = &session.gpu.info().name;
        let copy = digits(session.copy_bandwidth()?);
        say(&format!("{name}, copy {copy} GB/s, device time, median of {}\n\n{table}", session.runs))?;
        session.write_dispatches(&dispatches)?;
        session.write_csv(&rows)
    }
}

/// A relative residual that rounding cannot explain.
const WRONG: f64 = 1e-3;

/// Refuses wrong answers: their times say nothing.
pub fn check_residual(relative_residual: f64, algorithm: impl std::fmt::Display) -> Result<(), Error> {
    if !relative_residual.is_finite() {
        return Err(Error::Options(format!("{algorithm} left rows unsolved")));
    }
    if relative_residual > WRONG {
        return Err(Error::Options(format!(
            "{algorithm} gave a wrong answer (relative residual {relative_residual:.1e}): some drivers stop long loops, Mesa's \
             llvmpipe after 65535 rounds per thread; use more threads, or a shorter formula"
        )));
    }
    Ok(())
}
