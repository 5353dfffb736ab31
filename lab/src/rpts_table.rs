//! The accuracy table of every algorithm for the matrices of the RPTS paper.

use crate::on_device::OnDevice;
use std::thread;

use super::accuracy_table::{AccuracyTable, Measured, relative_error, wide};
use super::device_solver::DeviceSolver;
use super::rpts::{RPTS_MATRICES, rpts_matrix};
use super::systems::HostSystem;
use trisolve::cpu;
use trisolve::gpu::Gpu;
use trisolve::tridiagonal::{Algorithm, Options, Shape, System, TridiagonalPlan};
use trisolve::{Error, Real, Result};

const LEGEND: &str = "Medians over the seeds of ||x^ - x|| / ||x||, with x from N(3,1) and d = A x (table 1 of the RPTS paper; 21 and 22 are not \
                      in it). The first column is a solve from host memory, which refines after row exchanges and refuses solutions that it \
                      cannot verify. The other columns on the device are recorded solves, which verify nothing. \"Thomas, CPU\" and \"gtsv, \
                      CPU\" use the same precision; gtsv exchanges rows as in LAPACK. failed: no finite solution, or refused. 8 to 11 come \
                      from dense matrices, up to 2048 rows. With an odd number of rows, 15 is singular, and 14 and 16 are nearly singular.";

/// The factor by which the first algorithm's error may exceed gtsv's.
const ALLOWED: f64 = 10.0;
/// An error that leaves no digit.
const NO_DIGIT: f64 = 0.1;

/// The table for `matrices`, numbers from 1 to 22, with n rows, for `seeds` seeds from `first` on. The verdict is about the first
/// algorithm, by its solves from host memory. Calls `progress` with each matrix before it is solved.
///
/// # Errors
/// The errors of a solve, except those that the matrices themselves cause.
pub fn rpts_table<T: Real>(
    gpu: &Gpu,
    n: usize,
    matrices: impl IntoIterator<Item = usize>,
    algorithms: &[Algorithm],
    (first, seeds): (u64, u64),
    mut progress: impl FnMut(&str),
) -> Result<AccuracyTable> {
    let solvers = algorithms
        .iter()
        .map(|&algorithm| DeviceSolver::<T>::new(gpu, n, Options::on_device().algorithm(algorithm)))
        .collect::<Result<Vec<_>>>()?;
    let judged = algorithms.first().copied().unwrap_or_default();
    let plan = TridiagonalPlan::<T>::new(gpu, Shape::single(n), Options::on_device().algorithm(judged))?;
    let recorded = algorithms.iter().map(|&algorithm| match algorithm == judged {
        true => format!("{algorithm}, recorded"),
        false => algorithm.to_string(),
    });
    let names = [judged.to_string()].into_iter().chain(recorded).chain(["Thomas, CPU", "gtsv, CPU"].map(String::from));
    let mut table = AccuracyTable {
        title: format!("{n} rows, {}, {seeds} seeds from {first}", T::PRECISION),
        legend: LEGEND,
        row: "matrix",
        solvers: names.collect(),
        rows: vec![],
        verdict: None,
    };
    let mut failing = vec![];
    for number in matrices {
        let name = format!("{number} {}", RPTS_MATRICES[number - 1]);
        progress(&name);
        let Some(systems) = systems::<T>(number, n, first..first + seeds) else {
            table.rows.push((name, vec![Measured::TooLarge; table.solvers.len()]));
            continue;
        };
        let mut errors = vec![vec![]; table.solvers.len()];
        for (system, x) in &systems {
            let HostSystem { lower, diag, upper, rhs, .. } = system;
            let from_host = match plan.solve(&System::new(lower, diag, upper), rhs) {
                Ok(x) => Ok(Some(x)),
                Err(
                    Error::Singular { .. }
                    | Error::NearlySingular { .. }
                    | Error::Breakdown { .. }
                    | Error::Inaccurate { .. }
                    | Error::Overflow { .. },
                ) => Ok(None),
                Err(error) => Err(error),
            };
            let on_device = solvers.iter().map(|solver| solver.solve(system).map(Some));
            let on_host = [cpu::thomas(lower, diag, upper, rhs).ok(), cpu::gtsv(lower, diag, upper, rhs).ok()];
            for (found, errors) in [from_host].into_iter().chain(on_device).chain(on_host.map(Ok)).zip(&mut errors) {
                errors.push(found?.map_or(f64::INFINITY, |found| match relative_error(&wide(&found), x) {
                    Measured::Error(error) => error,
                    _ => f64::INFINITY,
                }));
            }
        }
        let medians: Vec<_> = errors.into_iter().map(median).collect();
        let (own, gtsv) = (medians[0], medians[medians.len() - 1]);
        if own > ALLOWED * gtsv && (own < NO_DIGIT || gtsv < NO_DIGIT) {
            failing.push(name.clone());
        }
        let measured = |median: f64| if median.is_finite() { Measured::Error(median) } else { Measured::Failed };
        table.rows.push((name, medians.into_iter().map(measured).collect()));
    }
    table.verdict = Some(match failing.is_empty() {
        true => format!("for every matrix, {judged} is within ten times gtsv's error, or neither has a digit"),
        false => format!("{judged} exceeds ten times gtsv's error for {}", failing.join("; ")),
    });
    Ok(table)
}

/// One matrix for all seeds, generated on all processors; `None` if it is not made in this size.
fn systems<T: Real>(number: usize, n: usize, seeds: std::ops::Range<u64>) -> Option<Vec<(HostSystem<T>, Vec<f64>)>> {
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let seeds: Vec<_> = seeds.collect();
    let each = seeds.len().div_ceil(threads as usize).max(1);
    thread::scope(|scope| {
        let make = |seeds: &[u64]| seeds.iter().map(|&seed| rpts_matrix(number, n, seed)).collect::<Option<Vec<_>>>();
        let parts: Vec<_> = seeds.chunks(each).map(|seeds| scope.spawn(move || make(seeds))).collect();
        let made = parts.into_iter().map(|part| part.join().ok().flatten()).collect::<Option<Vec<_>>>()?;
        Some(made.into_iter().flatten().collect())
    })
}

/// The median; for an even number of values, the mean of the middle two.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}
