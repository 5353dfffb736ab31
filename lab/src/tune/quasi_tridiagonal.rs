//! The search for the fastest policies of [`Algorithm::Bhisa`] on a device.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::super::banded;
use super::search::{self, Found, TuneProgress, Tuned, fastest, neighbours};
use trisolve::gpu::{DeviceVector, Gpu, PassTimer};
use trisolve::internals::Outcome;
use trisolve::internals::gpu::Awake;
use trisolve::internals::quasi_tridiagonal::{default_policy, key};
use trisolve::internals::tuning::{Entry, FARTHEST, near};
use trisolve::quasi_tridiagonal::Csr;
use trisolve::quasi_tridiagonal::{Algorithm, DeviceSystem, Options, Policy, QuasiTridiagonalPlan, default_tolerance};
use trisolve::{Error, Precision, Real, Result};

/// What to tune: BHISA, the only one that has a policy.
pub type TuneOptions = search::TuneOptions<Algorithm>;

/// Rows to search at.
fn places(gpu: &Gpu, quick: bool) -> &'static [usize] {
    match (quick, gpu.info().device_type == wgpu::DeviceType::Cpu) {
        (true, _) => &[1 << 10],
        (false, true) => &[1 << 8, 1 << 11, 1 << 14, 1 << 17],
        (false, false) => &[1 << 8, 1 << 11, 1 << 14, 1 << 17, 1 << 20, 1 << 23],
    }
}

/// Searches, calling `progress` before each.
///
/// # Errors
/// [`Error::DeviceLost`] and whatever else is not a candidate's fault.
pub fn tune_quasi_tridiagonal(
    gpu: &Gpu,
    options: &TuneOptions,
    mut progress: impl FnMut(TuneProgress),
) -> Result<Tuned> {
    let start = Instant::now();
    let mut tuned = Tuned::default();
    let places = places(gpu, options.quick).iter();
    let all: Vec<_> =
        places.flat_map(|&rows| options.precisions.iter().map(move |&precision| (precision, rows))).collect();
    let awake = Awake::new(gpu)?;
    for (at, &(precision, rows)) in all.iter().enumerate() {
        let next = format!("{precision} {rows}");
        progress(TuneProgress { done: at, of: all.len(), next: next.clone() });
        let left = options.at_most.saturating_sub(start.elapsed());
        if left.is_zero() {
            tuned.skipped.push(next);
            continue;
        }
        let deadline = Instant::now() + left / (all.len() - at).max(2) as u32 * 3 / 2;
        let found = match precision {
            Precision::F32 => place::<f32>(gpu, &awake, rows, deadline, options, &mut tuned),
            Precision::F64 => place::<f64>(gpu, &awake, rows, deadline, options, &mut tuned),
        };
        match found {
            Ok(()) => {}
            // Larger than this device's memory.
            Err(Error::Limit { .. } | Error::OutOfMemory { .. }) => tuned.skipped.push(next),
            Err(error) => return Err(error),
        }
    }
    Ok(tuned)
}

fn place<T: Real>(
    gpu: &Gpu,
    awake: &Awake,
    rows: usize,
    deadline: Instant,
    options: &TuneOptions,
    tuned: &mut Tuned,
) -> Result<()> {
    const MOST_NEARBY: usize = 8;
    let systems =
        awake.during(|| BESIDE.iter().map(|&beside| System::<T>::new(rows, beside)).collect::<Result<_>>())?;
    let start = Policy::from(default_policy(rows));
    let legal: Vec<&[u32]> = start.parameters().iter().map(|parameter| parameter.legal).collect();
    let place = key(T::PRECISION, rows);
    let known = near(&tuned.entries, &place, FARTHEST).chain(near(&options.known, &place, 1.0));
    let nearby = known.filter_map(|(entry, _)| Some(start.with(&entry.policy).ok()?.values()));
    let nearby = nearby.filter(|values| *values != start.values()).take(MOST_NEARBY).collect();
    let mut bench =
        Bench { gpu, awake, start, systems, timer: PassTimer::new(gpu)?, known: HashMap::new(), wrong: vec![] };
    let found = fastest(&start.values(), nearby, |at| neighbours(&legal, at), deadline, 1, &mut bench)?;
    tuned.wrong.append(&mut bench.wrong);
    if let Some(Found { values, seconds, start_seconds, tried, .. }) = found {
        tuned.tried += tried;
        let policy = start.with_values(&values).ok().filter(|policy| *policy != start);
        let microseconds = |seconds: f64| (seconds * 1e9).round() / 1e3;
        tuned.entries.push(Entry {
            key: place,
            policy: policy.map_or_else(String::new, |policy| policy.to_string()),
            tuned_us: microseconds(seconds),
            default_us: microseconds(start_seconds),
        });
    }
    Ok(())
}

/// Entries per row beside the three diagonals, of the systems that a policy is judged by together: how many iterations a block
/// needs depends on the matrix.
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

/// Candidates of one search on the device.
struct Bench<'a, T> {
    gpu: &'a Gpu,
    awake: &'a Awake,
    start: Policy,
    systems: Vec<System<T>>,
    timer: PassTimer,
    known: HashMap<Vec<u32>, f64>,
    wrong: Vec<String>,
}

impl<T: Real> search::Bench for Bench<'_, T> {
    /// Of whole solves, one of each system, which larger blocks need fewer iterations for; `None` also for a policy that
    /// the device cannot run, or that gives a wrong answer.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>> {
        let Ok(policy @ Policy::Bhisa(own)) = self.start.with_values(values) else {
            return Ok(None);
        };
        if let Some(&seconds) = self.known.get(values).filter(|_| !afresh) {
            return Ok(Some(seconds));
        }
        let options = Options::default().algorithm(Algorithm::Bhisa).policy(own);
        let mut sum = 0.0;
        for system in &self.systems {
            match solve_timed(self.gpu, self.awake, &mut self.timer, system, options) {
                Ok(Some(seconds)) => sum += seconds,
                Ok(None) => {
                    self.wrong.push(format!("{} bhisa {policy}", T::PRECISION));
                    return Ok(None);
                }
                Err(Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Options(_) | Error::Kernel { .. }) => {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
        self.known.insert(values.to_vec(), sum);
        Ok(Some(sum))
    }
}

/// The seconds of a solve; `None` where the answer is wrong.
fn solve_timed<T: Real>(
    gpu: &Gpu,
    awake: &Awake,
    timer: &mut PassTimer,
    System { matrix, rhs }: &System<T>,
    options: Options,
) -> Result<Option<f64>> {
    let plan = awake.during(|| QuasiTridiagonalPlan::new(gpu, matrix, options))?;
    let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
    let x = DeviceVector::new(gpu, "x", rhs.len())?;
    let bound = plan.bind(&DeviceSystem::new(right.as_slice(), x.as_slice()))?;
    let (report, first) = bound.solve(&mut |_, _| {})?;
    let residual = matrix.relative_residual(&x.read(gpu)?, rhs)?;
    if report.outcome != Outcome::Converged || residual > 2.0 * default_tolerance::<T>() {
        return Ok(None);
    }
    // Slow candidates get no second look.
    let warm_up = Duration::from_secs_f64((50.0 * first).min(0.02));
    let runs = if first > 0.02 { 3 } else { 9 };
    let record = |pass: &mut wgpu::ComputePass<'_>| bound.record_iterations(pass, report.iterations);
    Ok(Some(timer.measure(warm_up, runs, record)?.median()))
}
