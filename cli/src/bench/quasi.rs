//! `trisolve bench quasi`: measures iterative methods on quasi-tridiagonal systems.

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use trisolve::quasi_tridiagonal::{
    Algorithm, Csr, DeviceSystem, Options, Outcome, Policy, Preconditioner, QuasiTridiagonalPlan, Report,
};
use trisolve::{DeviceVector, Error, Real};
use trisolve_lab::SparseSystem;

use super::session::{Measuring, Session, Timed};
use super::sparse_lu;
use crate::Failure;
use crate::convergence::{convergence, residuals};
use crate::output::{Table, digits, progress, say, tell};
use crate::output_file::OutputFile;
use crate::size::size;
use crate::systems::{SystemArguments, Wanted};
use trisolve_lab::chart::{Line, draw};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    systems: SystemArguments,
    /// auto, hisa, bhisa, jacobi, gauss-seidel, gmres, bicg, bicgstab, tfqmr or bicrstab
    #[arg(long, num_args = 1.., default_values = ["auto"])]
    algorithm: Vec<Algorithm>,
    /// For Krylov methods: none, jacobi or tridiagonal
    #[arg(long, num_args = 1.., default_values = ["tridiagonal"])]
    preconditioner: Vec<Preconditioner>,
    /// Precision of the solve: f32, f64, or mixed for f32 within f64; several values sweep
    #[arg(long, value_enum, num_args = 1.., default_values = ["f32"])]
    precision: Vec<ModeName>,
    /// Relative residual to reach (default: 1e-6 in f32, 1e-7 in f64)
    #[arg(long)]
    tolerance: Option<f64>,
    /// Largest number of iterations
    #[arg(long, default_value_t = 1000)]
    max_iterations: u32,
    /// Iterations after which gmres restarts
    #[arg(long, default_value_t = 5)]
    restart: u32,
    /// Also run a direct sparse LU in f64 on one core of the CPU (rsparse, after CSparse), for systems up to this many rows
    #[arg(long, value_parser = size)]
    lu: Option<usize>,
    /// Draw the residuals over the iterations as SVG, one panel per system
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Policies of bhisa, as block=512,rows=4; several values sweep
    #[arg(long, num_args = 1..)]
    policy: Vec<String>,
}

/// The precision of a solve.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeName {
    F32,
    F64,
    Mixed,
}

impl ModeName {
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Mixed => "mixed",
        }
    }
}

#[derive(serde::Serialize)]
struct Row {
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
    outcome: &'static str,
    relative_residual: f64,
    /// Host time of a solve: from vectors in device memory until the host knows that it converged.
    wall_ms: f64,
    /// Device time of the same number of iterations, recorded at once, by timestamps.
    device_ms: f64,
    us_per_iteration: f64,
    /// If an iteration moved the matrix and the iterate once.
    gb_per_s: f64,
    share_of_copy: f64,
    adapter: String,
    divided: String,
}

/// A method: its options and its precision.
#[derive(Clone, Copy)]
struct Method {
    options: Options,
    mode: ModeName,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plot = arguments.plot.as_deref().map(OutputFile::open).transpose()?;
    let session = Session::open(&arguments.measuring)?.without_stages("iterations")?;
    let systems = arguments.systems.wanted()?;
    let methods = arguments.methods()?;
    let bar = progress(systems.len() * methods.len());
    let bench = session.timed();
    let copy = session.copy_bandwidth()? / 1e9;
    let mut rows = vec![];
    let mut panels = vec![];
    for wanted in &systems {
        bar.set_message(wanted.name.clone());
        let system = wanted.make()?;
        if arguments.lu.is_some_and(|most| system.matrix.rows() <= most) {
            rows.push(Row::of_sparse_lu(wanted, &system)?);
        }
        let single = Single::new(&system, &methods)?;
        let mut lines = vec![];
        for method in &methods {
            let Method { mode, options } = *method;
            bar.set_message(format!("{} {} {}", wanted.name, options.algorithm, mode.name()));
            let measured = match (mode, &single) {
                (ModeName::F32, Some(single)) => measure(&bench, &single.matrix, &single.rhs, options),
                _ => measure(&bench, &system.matrix, &system.rhs, options),
            };
            bar.inc(1);
            match measured {
                Ok(measured) => {
                    lines.push(measured.line(mode));
                    rows.push(measured.row(wanted, &system, mode, copy, &bench));
                }
                Err(error @ (Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Unsupported { .. })) => {
                    tell(&format!("skipped {} {} {}: {error}", wanted.name, options.algorithm, mode.name()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        panels.push(convergence(wanted.name.clone(), lines));
    }
    bar.finish_and_clear();
    print(&rows, session.gpu.info().name.as_str(), copy)?;
    if let Some(file) = plot {
        let picture =
            draw("Relative residuals", &panels).map_err(|error| Failure::Solver(format!("--plot: {error}")))?;
        file.write_text(&picture)?;
    }
    session.write_csv(&rows)?;
    match rows.iter().all(|row| row.outcome == Outcome::Converged.name()) {
        true => Ok(()),
        false => Err(Failure::Silent),
    }
}

impl Arguments {
    /// All combinations of the options.
    fn methods(&self) -> Result<Vec<Method>, Failure> {
        let mut all = vec![];
        for &algorithm in &self.algorithm {
            let preconditioners =
                if algorithm.is_krylov() { &self.preconditioner[..] } else { &[Preconditioner::None] };
            let policies: Vec<_> = match (algorithm, &self.policy[..]) {
                (Algorithm::Bhisa, [_, ..]) => self.policy.iter().map(|text| Some(text.as_str())).collect(),
                _ => vec![None],
            };
            for &preconditioner in preconditioners {
                for policy in &policies {
                    for &mode in &self.precision {
                        let options = Options {
                            algorithm,
                            preconditioner: algorithm.is_krylov().then_some(preconditioner),
                            tolerance: self.tolerance,
                            max_iterations: Some(self.max_iterations),
                            restart: (algorithm == Algorithm::Gmres).then_some(self.restart),
                            mixed: mode == ModeName::Mixed,
                            policy: policy.map(Policy::bhisa).transpose()?,
                            ..Options::default()
                        };
                        all.push(Method { options, mode });
                    }
                }
            }
        }
        Ok(all)
    }
}

/// The system in f32, if a method needs it.
struct Single {
    matrix: Csr<f32>,
    rhs: Vec<f32>,
}

impl Single {
    fn new(system: &SparseSystem, methods: &[Method]) -> Result<Option<Self>, Error> {
        if !methods.iter().any(|method| method.mode == ModeName::F32) {
            return Ok(None);
        }
        let rhs = system.rhs.iter().map(|&value| value as f32).collect();
        Ok(Some(Self { matrix: system.matrix.converted()?, rhs }))
    }
}

impl Row {
    /// The direct solution by a sparse LU, measured once.
    fn of_sparse_lu(wanted: &Wanted, system: &SparseSystem) -> Result<Self, Failure> {
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
            gb_per_s: f64::NAN,
            share_of_copy: f64::NAN,
            adapter: "cpu".into(),
            divided: String::new(),
        })
    }
}

/// The measurement of a method.
struct Measured {
    report: Report,
    relative_residual: f64,
    wall: f64,
    device: f64,
    bytes_per_row: f64,
    divided: String,
}

fn measure<T: Real>(timed: &Timed<'_>, matrix: &Csr<T>, rhs: &[T], options: Options) -> Result<Measured, Error> {
    let gpu = timed.gpu;
    let plan = QuasiTridiagonalPlan::new(gpu, matrix, options)?;
    let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
    let x = DeviceVector::<T>::new(gpu, "x", rhs.len())?;
    let bound = plan.bind(&DeviceSystem::new(right.as_slice(), x.as_slice()))?;
    let begun = Instant::now();
    let mut last = bound.solve(&mut |_, _| {})?;
    while begun.elapsed() < timed.warm_up() {
        last = bound.solve(&mut |_, _| {})?;
    }
    let mut walls = vec![];
    for _ in 0..timed.runs() {
        last = bound.solve(&mut |_, _| {})?;
        walls.push(last.1);
    }
    walls.sort_by(f64::total_cmp);
    let report = last.0;
    let relative_residual = matrix.relative_residual(&x.read(gpu)?, rhs)?;
    let iterations = report.iterations;
    let device = timed.time_pass(|pass| bound.record_iterations(pass, iterations))?.median();
    Ok(Measured {
        relative_residual,
        wall: walls[walls.len() / 2],
        device,
        bytes_per_row: plan.bytes_per_row(),
        divided: plan.policy().map_or_else(String::new, |policy| Policy::from(policy).to_string()),
        report,
    })
}

impl Measured {
    fn line(&self, mode: ModeName) -> Line {
        let name = format!("{}, {}", self.report.method(), mode.name());
        residuals(name, &self.report.history)
    }

    fn row(self, wanted: &Wanted, system: &SparseSystem, mode: ModeName, copy: f64, timed: &Timed<'_>) -> Row {
        let Self { report, relative_residual, wall, device, bytes_per_row, divided } = self;
        let rows = system.matrix.rows();
        let per_iteration = device / (report.iterations + 1) as f64;
        let gb_per_s = bytes_per_row * rows as f64 / per_iteration / 1e9;
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
            gb_per_s,
            share_of_copy: gb_per_s / copy,
            adapter: timed.gpu.info().name.clone(),
            divided,
        }
    }
}

fn print(rows: &[Row], adapter: &str, copy: f64) -> Result<(), Failure> {
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
        let splitting = row.share_of_copy.is_finite() && ["bhisa", "jacobi"].contains(&row.algorithm.as_str());
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
            if splitting { format!("{:.0}%", 100.0 * row.share_of_copy) } else { String::new() },
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
