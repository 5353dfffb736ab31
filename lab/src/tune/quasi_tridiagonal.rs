//! The tuning of [`Algorithm::Hisa`] and [`Algorithm::Bhisa`] on a device.

use std::collections::HashMap;
use std::time::Instant;

use super::super::banded;
use super::search::{self, TuneProgress, Tuned, fastest, nearby, neighbours, share, unless_refused};
use trisolve::gpu::{DeviceVector, Gpu, PassTimer};
use trisolve::internals::Outcome;
use trisolve::internals::quasi_tridiagonal::{default_policy, key};
use trisolve::quasi_tridiagonal::Csr;
use trisolve::quasi_tridiagonal::{Algorithm, DeviceSystem, Options, Policy, QuasiTridiagonalPlan, default_tolerance};
use trisolve::{Error, Precision, Real, Result};

/// The options of the tuning run, of algorithms that have a policy.
pub type TuneOptions = search::TuneOptions<Algorithm>;

/// Rows to search at.
fn places(gpu: &Gpu, quick: bool) -> &'static [usize] {
    match (quick, gpu.info().device_type == wgpu::DeviceType::Cpu) {
        (true, _) => &[1 << 10],
        (false, true) => &[1 << 8, 1 << 11, 1 << 14, 1 << 17],
        (false, false) => &[1 << 8, 1 << 11, 1 << 14, 1 << 17, 1 << 20, 1 << 23],
    }
}

/// Searches for the fastest policy at every place. Calls `progress` before each search.
///
/// # Errors
/// [`Error::DeviceLost`], and other errors that are not a candidate's fault.
pub fn tune_quasi_tridiagonal(
    gpu: &Gpu,
    options: &TuneOptions,
    mut progress: impl FnMut(TuneProgress),
) -> Result<Tuned> {
    let start = Instant::now();
    let mut tuned = Tuned::default();
    let mut all = vec![];
    for &rows in places(gpu, options.quick) {
        for &algorithm in &options.algorithms {
            all.extend(options.precisions.iter().map(|&precision| (precision, (algorithm, rows))));
        }
    }
    let timer = PassTimer::keeping_awake(gpu)?;
    for (at, &(precision, searched)) in all.iter().enumerate() {
        let (algorithm, rows) = searched;
        let next = format!("{algorithm} {precision} {rows}");
        progress(TuneProgress { done: at, of: all.len(), next: next.clone() });
        let left = options.at_most.saturating_sub(start.elapsed());
        if left.is_zero() {
            tuned.skipped.push(next);
            continue;
        }
        let deadline = Instant::now() + share(left, all.len() - at);
        let found = match precision {
            Precision::F32 => place::<f32>(gpu, &timer, searched, deadline, options, &mut tuned),
            Precision::F64 => place::<f64>(gpu, &timer, searched, deadline, options, &mut tuned),
        };
        match found {
            Ok(()) => {}
            // Too large for this device's memory.
            Err(Error::Limit { .. } | Error::OutOfMemory { .. }) => tuned.skipped.push(next),
            Err(error) => return Err(error),
        }
    }
    Ok(tuned)
}

/// Searches at one place.
fn place<T: Real>(
    gpu: &Gpu,
    timer: &PassTimer,
    (algorithm, rows): (Algorithm, usize),
    deadline: Instant,
    options: &TuneOptions,
    tuned: &mut Tuned,
) -> Result<()> {
    const MOST_NEARBY: usize = 8;
    let Some(start) = default_policy(algorithm, rows) else { return Ok(()) };
    let systems = BESIDE.iter().map(|&beside| System::<T>::new(rows, beside)).collect::<Result<_>>()?;
    let legal: Vec<&[u32]> = start.parameters().iter().map(|parameter| parameter.legal).collect();
    let place = key(algorithm, T::PRECISION, rows);
    let values = |policy: &str| Some(start.with(policy).ok()?.values());
    let nearby = nearby(&tuned.entries, &options.known, &place, MOST_NEARBY, &start.values(), values);
    let mut bench = Bench { gpu, timer, start, systems, known: HashMap::new(), wrong: vec![] };
    let found = fastest(&start.values(), nearby, |at| neighbours(&legal, at), deadline, 1, &mut bench)?;
    tuned.wrong.append(&mut bench.wrong);
    if let Some(found) = found {
        tuned.tried += found.tried;
        let policy = start.with_values(&found.values).ok().filter(|policy| *policy != start);
        tuned.entries.push(found.entry(place, policy.map_or_else(String::new, |policy| policy.to_string())));
    }
    Ok(())
}

/// Entries per row beside the three diagonals, per test system. A policy is measured on all of them, since the iterations that a
/// block needs depend on the matrix.
const BESIDE: [usize; 2] = [1, 3];

struct System<T> {
    matrix: Csr<T>,
    rhs: Vec<T>,
}

impl<T: Real> System<T> {
    fn new(rows: usize, beside: usize) -> Result<Self> {
        let system = banded(rows, beside, 7)?;
        let rhs = system.rhs.iter().map(|&value| T::from_f64(value)).collect();
        Ok(Self { matrix: system.matrix.converted()?, rhs })
    }
}

/// Measures the candidates of one search on the device.
struct Bench<'a, T> {
    gpu: &'a Gpu,
    timer: &'a PassTimer,
    start: Policy,
    systems: Vec<System<T>>,
    known: HashMap<Vec<u32>, f64>,
    wrong: Vec<String>,
}

impl<T: Real> search::Bench for Bench<'_, T> {
    /// The seconds of whole solves, one per system, since larger blocks need fewer iterations. `None` also for a policy that the
    /// device cannot run, or that gives a wrong answer.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>> {
        let Ok(policy) = self.start.with_values(values) else {
            return Ok(None);
        };
        if let Some(&seconds) = self.known.get(values).filter(|_| !afresh) {
            return Ok(Some(seconds));
        }
        let algorithm = policy.algorithm();
        let options = Options::default().algorithm(algorithm).policy(policy);
        let mut sum = 0.0;
        for system in &self.systems {
            match unless_refused(solve_timed(self.gpu, self.timer, system, options))? {
                Some(Some(seconds)) => sum += seconds,
                Some(None) => {
                    self.wrong.push(format!("{} {algorithm} {policy}", T::PRECISION));
                    return Ok(None);
                }
                None => return Ok(None),
            }
        }
        self.known.insert(values.to_vec(), sum);
        Ok(Some(sum))
    }
}

/// The seconds of a solve; `None` if the answer is wrong.
fn solve_timed<T: Real>(
    gpu: &Gpu,
    timer: &PassTimer,
    System { matrix, rhs }: &System<T>,
    options: Options,
) -> Result<Option<f64>> {
    let plan = QuasiTridiagonalPlan::new(gpu, matrix, options)?;
    let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
    let x = DeviceVector::new(gpu, "x", rhs.len())?;
    let bound = plan.bind(&DeviceSystem::new(right.as_slice(), x.as_slice()))?;
    let (report, first) = bound.solve(&mut |_, _| {})?;
    let residual = matrix.relative_residual(&x.read(gpu)?, rhs)?;
    if report.outcome != Outcome::Converged || residual > 2.0 * default_tolerance::<T>() {
        return Ok(None);
    }
    let iterations = report.iterations;
    search::median(timer, first, |pass| bound.record_iterations(pass, iterations)).map(Some)
}
