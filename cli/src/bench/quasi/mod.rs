//! `trisolve bench quasi`: measures iterative methods on quasi-tridiagonal systems.

mod arguments;
mod rows;
pub(super) mod sparse_lu;

pub use arguments::Arguments;

use std::time::Instant;

use trisolve::quasi_tridiagonal::{Csr, DeviceSystem, Options, Outcome, QuasiTridiagonalPlan};
use trisolve::{DeviceVector, Error, Real};
use trisolve_lab::SparseSystem;
use trisolve_lab::chart::draw;

use super::session::{Session, Timed};
use crate::Failure;
use crate::convergence::convergence;
use crate::output::{progress, tell};
use crate::plot_file::PlotPath;
use arguments::{Method, ModeName};
use rows::{Measured, Row, print};

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plot = arguments.plot.as_ref().map(PlotPath::open).transpose()?;
    let session = Session::open(&arguments.measuring)?.without_stages("iterations")?;
    let systems = arguments.systems.wanted(3)?;
    let methods = arguments.methods()?;
    let bar = progress(systems.len() * methods.len());
    let bench = session.timed();
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
                    rows.push(measured.row(wanted, &system, mode, session.copy_bandwidth()?, &bench));
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
    print(&rows, session.gpu.info().name.as_str(), session.copy_bandwidth()?)?;
    if let Some(file) = plot {
        let picture =
            draw("Relative residuals", &panels).map_err(|error| Failure::Solver(format!("--plot: {error}")))?;
        file.write(&picture)?;
    }
    session.write_csv(&rows)?;
    match rows.iter().all(|row| row.outcome == Outcome::Converged.name()) {
        true => Ok(()),
        false => Err(Failure::Silent),
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

/// Measures whole solves by the host's clock, and their iterations by the device's.
fn measure<T: Real>(timed: &Timed<'_>, matrix: &Csr<T>, rhs: &[T], options: Options) -> Result<Measured, Error> {
    let gpu = timed.gpu;
    let plan = QuasiTridiagonalPlan::new(gpu, matrix, options)?;
    let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
    let x = DeviceVector::<T>::new(gpu, "x", rhs.len())?;
    let bound = plan.bind(&DeviceSystem::new(right.as_slice(), x.as_slice()))?;
    let rest = timed.timer.rest();
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
    drop(rest);
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
        device_bytes: plan.device_bytes(),
        divided: match (options.tridiagonal, plan.policy()) {
            (Some(solver), _) => format!("tridiagonal={solver}"),
            (None, Some(policy)) => policy.to_string(),
            (None, None) => String::new(),
        },
        report,
    })
}
