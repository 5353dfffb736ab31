//! The search for the fastest policies of the triangular algorithms on a device.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::super::TriangularSample;
use super::search::{self, Found, GAIN, TuneProgress, Tuned, fastest, neighbours};
use trisolve::gpu::{Gpu, PassTimer};
use trisolve::internals::cpu::worst;
use trisolve::internals::gpu::{Awake, compilers};
use trisolve::internals::triangular::{compile_ahead, default_algorithm, default_policy, fits, key};
use trisolve::internals::tuning::{Entry, FARTHEST, near};
use trisolve::triangular::Shape;
use trisolve::triangular::{Algorithm, Options, Policy, TriangularPlan};
use trisolve::{Error, Precision, Real, Result};

/// What to tune.
pub type TuneOptions = search::TuneOptions<Algorithm>;

/// Rows and systems to search at: lower ones with one right-hand side each, which upper and transposed ones take as long
/// as.
fn places(gpu: &Gpu, quick: bool) -> Vec<(usize, usize)> {
    if quick {
        return vec![(64, 1), (64, 64), (1024, 1)];
    }
    // Entries that take a second or so to make and check.
    let most = if gpu.info().device_type == wgpu::DeviceType::Cpu { 1 << 20 } else { 1 << 28 };
    let powers = |from: u32, to: u32| (from..=to).map(|power| 1usize << power);
    let single = powers(4, 14).map(|n| (n, 1));
    let batches = [8, 64, 1024, 1 << 14].into_iter().flat_map(|batch| powers(4, 9).map(move |n| (n, batch)));
    single.chain(batches).filter(|(n, batch)| n * n * batch <= most).collect()
}

/// Searches, calling `progress` before each.
///
/// # Errors
/// [`Error::DeviceLost`] and whatever else is not a candidate's fault.
pub fn tune_triangular(gpu: &Gpu, options: &TuneOptions, mut progress: impl FnMut(TuneProgress)) -> Result<Tuned> {
    let start = Instant::now();
    let mut tuned = Tuned::default();
    let places = places(gpu, options.quick);
    let mut all: Vec<_> =
        options.precisions.iter().flat_map(|&precision| places.iter().map(move |&place| (precision, place))).collect();
    // Those first that are not known.
    all.sort_by_key(|&(precision, (n, batch))| {
        let key = key(Algorithm::Auto, precision, &Shape::batch(n, batch));
        options.known.iter().any(|entry| entry.key == key)
    });
    let awake = Awake::new(gpu)?;
    for (at, &(precision, (n, batch))) in all.iter().enumerate() {
        let next = format!("{precision} {n} x {batch}");
        progress(TuneProgress { done: at, of: all.len(), next: next.clone() });
        let left = options.at_most.saturating_sub(start.elapsed());
        if left.is_zero() {
            tuned.skipped.push(next);
            continue;
        }
        // Where others end early, more is left for this.
        let share = left / (all.len() - at).max(2) as u32 * 3 / 2;
        let run = Run { gpu, awake: &awake, options, share };
        match precision {
            Precision::F32 => run.place::<f32>(n, batch, &mut tuned)?,
            Precision::F64 => run.place::<f64>(n, batch, &mut tuned)?,
        }
    }
    Ok(tuned)
}

/// Searches at one place after the other.
struct Run<'a> {
    gpu: &'a Gpu,
    awake: &'a Awake,
    options: &'a TuneOptions,
    /// Of the time, for all algorithms.
    share: Duration,
}

impl Run<'_> {
    fn place<T: Real>(&self, n: usize, batch: usize, tuned: &mut Tuned) -> Result<()> {
        let gpu = self.gpu;
        let sample = match self.awake.during(|| TriangularSample::<T>::new(gpu, n, batch, 1, 7)) {
            Ok(sample) => sample,
            // Larger than this device's memory.
            Err(Error::Limit { .. } | Error::OutOfMemory { .. }) => {
                tuned.skipped.push(format!("{} {n} x {batch}", T::PRECISION));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        let algorithms = self.options.algorithms.iter().filter(|&&algorithm| algorithm != Algorithm::Auto);
        for &algorithm in algorithms {
            let deadline = Instant::now() + self.share / 3;
            if let Some(entry) = self.search(algorithm, &sample, deadline, tuned)? {
                found.push((algorithm, entry));
            }
        }
        let options = Options::default();
        let usual = default_algorithm(gpu, T::PRECISION, &sample.shape(), &options);
        let of_usual = found.iter().find(|(algorithm, _)| *algorithm == usual);
        let fastest = found.iter().min_by(|a, b| a.1.tuned_us.total_cmp(&b.1.tuned_us));
        if let (Some(usual), Some(fastest), true) =
            (of_usual, fastest, self.options.algorithms.contains(&Algorithm::Auto))
        {
            let gains = fastest.1.tuned_us < (1.0 - 2.0 * GAIN) * usual.1.tuned_us;
            let winner = if gains { fastest } else { usual };
            tuned.entries.push(Entry {
                key: key(Algorithm::Auto, T::PRECISION, &sample.shape()),
                policy: winner.0.name().into(),
                tuned_us: winner.1.tuned_us,
                default_us: usual.1.tuned_us,
            });
        }
        tuned.entries.extend(found.into_iter().map(|found| found.1));
        Ok(())
    }

    fn search<T: Real>(
        &self,
        algorithm: Algorithm,
        sample: &TriangularSample<T>,
        deadline: Instant,
        tuned: &mut Tuned,
    ) -> Result<Option<Entry>> {
        let Self { gpu, awake, .. } = *self;
        let shape = sample.shape();
        let options = Options::default().algorithm(algorithm);
        let capabilities = gpu.capabilities();
        let start = default_policy(capabilities, T::PRECISION, &shape, &options, algorithm);
        if !fits(capabilities, T::PRECISION, &shape, &options, start) {
            return Ok(None);
        }
        // What other right-hand sides may lie beside it is the plan's to say.
        let legal: Vec<&[u32]> = start
            .parameters()
            .iter()
            .map(|parameter| if parameter.name == COLUMNS { &[1] } else { parameter.legal })
            .collect();
        let place = key(algorithm, T::PRECISION, &shape);
        let known = near(&tuned.entries, &place, FARTHEST).chain(near(&self.options.known, &place, 1.0));
        let nearby = known.filter_map(|(entry, _)| Some(start.with(&entry.policy).ok()?.values()));
        let nearby = nearby.filter(|values| *values != start.values()).take(MOST_NEARBY).collect();
        let timer = PassTimer::new(gpu)?;
        let mut bench =
            Bench { gpu, awake, start, options, sample, timer, right: None, known: HashMap::new(), wrong: vec![] };
        let neighbours = |at: &[u32]| neighbours(&legal, at);
        let found = fastest(&start.values(), nearby, neighbours, deadline, compilers(), &mut bench)?;
        tuned.wrong.append(&mut bench.wrong);
        Ok(found.map(|Found { values, seconds, start_seconds, tried, .. }| {
            tuned.tried += tried;
            let policy = start.with_values(&values).ok().filter(|policy| *policy != start);
            let microseconds = |seconds: f64| (seconds * 1e9).round() / 1e3;
            Entry {
                key: place,
                policy: policy.map_or_else(String::new, text),
                tuned_us: microseconds(seconds),
                default_us: microseconds(start_seconds),
            }
        }))
    }
}

/// The parameter that follows from the right-hand sides.
const COLUMNS: &str = "columns";
/// Policies of neighbouring places that a search tries.
const MOST_NEARBY: usize = 12;

/// A policy without that.
fn text(policy: Policy) -> String {
    let named = policy.parameters().iter().zip(policy.values());
    let own = named.filter(|(parameter, _)| parameter.name != COLUMNS);
    own.map(|(parameter, value)| format!("{}={value}", parameter.name)).collect::<Vec<_>>().join(",")
}

/// Candidates of one search on the device.
struct Bench<'a, T> {
    gpu: &'a Gpu,
    awake: &'a Awake,
    /// The default.
    start: Policy,
    options: Options,
    sample: &'a TriangularSample<T>,
    timer: PassTimer,
    /// The default's answer, once it has proved right.
    right: Option<Vec<T>>,
    known: HashMap<Vec<u32>, f64>,
    wrong: Vec<String>,
}

impl<T: Real> Bench<'_, T> {
    /// Whether what the sample holds is right: near the default's answer, or of a small backward error.
    fn is_right(&mut self) -> Result<bool> {
        let x = self.sample.solution(self.gpu)?;
        if let Some(right) = &self.right {
            let largest = right.iter().fold(0.0f64, |most, value| most.max(value.to_f64().abs()));
            let apart = x.iter().zip(right).map(|(x, right)| (x.to_f64() - right.to_f64()).abs());
            let near = 64.0 * self.sample.shape().n as f64 * T::UNIT_ROUNDOFF * largest;
            if worst(apart) <= near {
                return Ok(true);
            }
        }
        let (error, allowed) = self.sample.backward_error(self.gpu, &self.options)?;
        let is_right = error <= allowed;
        if is_right {
            self.right = Some(x);
        }
        Ok(is_right)
    }
}

impl<T: Real> search::Bench for Bench<'_, T> {
    fn prepare(&mut self, next: &[Vec<u32>]) {
        let policies = next.iter().filter_map(|values| self.start.with_values(values).ok());
        let several: Vec<_> = policies.map(|policy| self.options.policy(policy)).collect();
        let shape = self.sample.shape();
        self.awake.during(|| compile_ahead(self.gpu, T::PRECISION, &shape, &several));
    }

    /// Of a solve; `None` also for a policy that the device cannot run, or that gives a wrong answer.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>> {
        let Ok(policy) = self.start.with_values(values) else {
            return Ok(None);
        };
        if let Some(&seconds) = self.known.get(values).filter(|_| !afresh) {
            return Ok(Some(seconds));
        }
        let options = self.options.policy(policy);
        let plan = match self.awake.during(|| TriangularPlan::<T>::new(self.gpu, self.sample.shape(), options)) {
            Ok(plan) => plan,
            Err(Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Options(_) | Error::Kernel { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        self.sample.forget_solution(self.gpu)?;
        let bound = plan.bind(&self.sample.system())?;
        let first = self.timer.measure(Duration::ZERO, 1, |pass| bound.record(pass))?.min();
        if !self.is_right()? {
            self.wrong.push(format!("{} {} {policy}", T::PRECISION, self.options.algorithm));
            return Ok(None);
        }
        // Slow candidates get no second look.
        let warm_up = Duration::from_secs_f64((50.0 * first).min(0.02));
        let runs = if first > 0.02 { 3 } else { 9 };
        let seconds = self.timer.measure(warm_up, runs, |pass| bound.record(pass))?.median();
        self.known.insert(values.to_vec(), seconds);
        Ok(Some(seconds))
    }
}
