//! The measurements of `trisolve bench quasi`, as rows of the table and the CSV.

use trisolve::quasi_tridiagonal::{Algorithm, Outcome, Preconditioner, Report};
use trisolve_lab::SparseSystem;
use trisolve_lab::chart::Line;

use super::super::session::Timed;
use super::arguments::ModeName;
use super::sparse_lu;
use crate::Failure;
use crate::convergence::residuals;
use crate::output::{Table, digits, say};
use crate::systems::Wanted;

#[derive(serde::Serialize)]
pub struct Row {
    family: &'static str,
    algorithm: String,
    preconditioner: &'static str,
    precision: &'static str,
    system: String,
    rows: usize,
    entries: usize,
    iterations: usize,
    /// The iterations in the paper's Table 6, for its own matrix of this size.
    paper_iterations: Option<u32>,
    pub outcome: &'static str,
    relative_residual: f64,
    /// Host time of a solve: from vectors in device memory until the host knows that it converged.
    wall_ms: f64,
    /// Device time of the same number of iterations, recorded at once, by timestamps.
    device_ms: f64,
    us_per_iteration: f64,
    /// Bytes that an iteration of a splitting reads and writes per row.
    bytes_per_row: Option<f64>,
    /// Device memory of the plan: matrix and vectors.
    device_bytes: u64,
    /// By these bytes.
    gb_per_s: Option<f64>,
    share_of_copy: Option<f64>,
    adapter: String,
    divided: String,
}

/// The measurement of a method.
pub struct Measured {
    pub report: Report,
    pub relative_residual: f64,
    pub wall: f64,
    pub device: f64,
    pub bytes_per_row: f64,
    pub device_bytes: u64,
    pub divided: String,
}

impl Measured {
    /// The residuals over the iterations.
    pub fn line(&self, mode: ModeName) -> Line {
        let name = format!("{}, {}", self.report.method(), mode.name());
        residuals(name, &self.report.history)
    }

    /// The row of the table and the CSV.
    pub fn row(self, wanted: &Wanted, system: &SparseSystem, mode: ModeName, copy: f64, timed: &Timed<'_>) -> Row {
        let Self { report, relative_residual, wall, device, bytes_per_row, device_bytes, divided } = self;
        let rows = system.matrix.rows();
        let per_iteration = device / (report.iterations + 1) as f64;
        let splits = matches!(report.algorithm, Algorithm::Hisa | Algorithm::Bhisa | Algorithm::Jacobi);
        let counted = splits && !divided.starts_with("tridiagonal=");
        let bytes_per_row = counted.then_some(bytes_per_row);
        let gb_per_s = bytes_per_row.map(|bytes| bytes * rows as f64 / per_iteration / 1e9);
        Row {
            family: "quasi-tridiagonal",
            algorithm: report.algorithm.to_string(),
            preconditioner: report.preconditioner.name(),
            precision: mode.name(),
            system: wanted.name.clone(),
            rows,
            entries: system.matrix.entries(),
            iterations: report.iterations,
            paper_iterations: wanted.gas_case().and_then(|case| case.iterations_of(report.algorithm)),
            outcome: report.outcome.name(),
            relative_residual,
            wall_ms: wall * 1e3,
            device_ms: device * 1e3,
            us_per_iteration: per_iteration * 1e6,
            bytes_per_row,
            device_bytes,
            gb_per_s,
            share_of_copy: gb_per_s.map(|gb| gb / copy),
            adapter: timed.gpu.info().name.clone(),
            divided,
        }
    }
}

impl Row {
    /// The direct solution by a sparse LU, measured once.
    pub fn of_sparse_lu(wanted: &Wanted, system: &SparseSystem) -> Result<Self, Failure> {
        let (x, seconds) = sparse_lu::solve(system)?;
        Ok(Self {
            family: "quasi-tridiagonal",
            algorithm: "cpu sparse LU".into(),
            preconditioner: Preconditioner::None.name(),
            precision: ModeName::F64.name(),
            system: wanted.name.clone(),
            rows: system.matrix.rows(),
            entries: system.matrix.entries(),
            iterations: 0,
            paper_iterations: None,
            outcome: Outcome::Converged.name(),
            relative_residual: system.matrix.relative_residual(&x, &system.rhs)?,
            wall_ms: seconds * 1e3,
            device_ms: f64::NAN,
            us_per_iteration: f64::NAN,
            bytes_per_row: None,
            device_bytes: 0,
            gb_per_s: None,
            share_of_copy: None,
            adapter: "cpu".into(),
            divided: String::new(),
        })
    }
}

/// Prints the table.
pub fn print(rows: &[Row], adapter: &str, copy: f64) -> Result<(), Failure> {
    let mut table = Table::new(&[
        "system",
        "rows",
        "entries",
        "method",
        "preconditioner",
        "precision",
        "iterations",
        "the paper's",
        "wall ms",
        "device ms",
        "us per iteration",
        "of copy",
        "residual",
        "policy",
    ]);
    for row in rows {
        let or_nothing = |value: f64| if value.is_finite() { digits(value) } else { String::new() };
        let outcome = if row.outcome == Outcome::Converged.name() { "" } else { row.outcome };
        table.row(vec![
            row.system.clone(),
            row.rows.to_string(),
            row.entries.to_string(),
            row.algorithm.clone(),
            row.preconditioner.into(),
            row.precision.into(),
            format!("{} {outcome}", row.iterations).trim().to_owned(),
            row.paper_iterations.map_or_else(String::new, |count| count.to_string()),
            digits(row.wall_ms),
            or_nothing(row.device_ms),
            or_nothing(row.us_per_iteration),
            row.share_of_copy.map_or_else(String::new, |share| format!("{:.0}%", 100.0 * share)),
            format!("{:.1e}", row.relative_residual),
            row.divided.clone(),
        ]);
    }
    say(&format!(
        "{adapter}, copy {} GB/s; wall: host time from vectors in device memory until convergence is known; device: the same number \
         of iterations in one pass, by timestamps\n\n{table}",
        digits(copy)
    ))
}
