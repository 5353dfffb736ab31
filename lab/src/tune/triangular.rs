//! The tuning of the triangular algorithms on a device.

use crate::on_device::OnDevice;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::super::{TriangularSample, compile_ahead};
use super::search::{self, GAIN, TuneProgress, Tuned, fastest, nearby, neighbours, share, unless_refused};
use trisolve::gpu::{Gpu, PassTimer};
use trisolve::internals::cpu::worst;
use trisolve::internals::gpu::compilers;
use trisolve::internals::triangular::{default_algorithm, default_policy, fits, key};
use trisolve::internals::tuning::Entry;
use trisolve::triangular::Shape;
use trisolve::triangular::{Algorithm, Options, Policy, TriangularPlan};
use trisolve::{Error, Precision, Real, Result, Upcoming};

/// The options of the tuning run.
pub type TuneOptions = search::TuneOptions<Algorithm>;

/// Rows and systems to search at. The systems are lower ones with one right-hand side each; upper and transposed ones take as
/// long.
fn places(gpu: &Gpu, quick: bool) -> Vec<(usize, usize)> {
    if quick {
        return vec![(64, 1), (64, 64), (1024, 1)];
    }
    // About a second to generate and check the entries.
    let most = if gpu.info().device_type == wgpu::DeviceType::Cpu { 1 << 20 } else { 1 << 28 };
    let powers = |from: u32, to: u32| (from..=to).map(|power| 1usize << power);
    let single = powers(4, 14).map(|n| (n, 1));
    let batches = [8, 64, 1024, 1 << 14].into_iter().flat_map(|batch| powers(4, 9).map(move |n| (n, batch)));
    single.chain(batches).filter(|(n, batch)| n * n * batch <= most).collect()
}

/// Searches for the fastest policies at every place. Calls `progress` before each search.
///
/// # Errors
/// [`Error::DeviceLost`], and other errors that are not a candidate's fault.
pub fn tune_triangular(gpu: &Gpu, options: &TuneOptions, mut progress: impl FnMut(TuneProgress)) -> Result<Tuned> {
    if options.algorithms == [Algorithm::Abreast] {
        return Err(Error::Options(
            "tuning abreast: the samples have one right-hand side; set an AbreastPolicy by hand".into(),
        ));
    }
    let start = Instant::now();
    let mut tuned = Tuned::default();
    let places = places(gpu, options.quick);
    let mut all: Vec<_> =
        options.precisions.iter().flat_map(|&precision| places.iter().map(move |&place| (precision, place))).collect();
    // Unknown places come first.
    all.sort_by_key(|&(precision, (n, batch))| {
        let key = key(Algorithm::Auto, precision, &Shape::batch(n, batch));
        options.known.iter().any(|entry| entry.key == key)
    });
    let timer = PassTimer::keeping_awake(gpu)?;
    for (at, &(precision, (n, batch))) in all.iter().enumerate() {
        let next = format!("{precision} {n} x {batch}");
        progress(TuneProgress { done: at, of: all.len(), next: next.clone() });
        let left = options.at_most.saturating_sub(start.elapsed());
        if left.is_zero() {
            tuned.skipped.push(next);
            continue;
        }
        let run = Run { gpu, timer: &timer, options, share: share(left, all.len() - at) };
        match precision {
            Precision::F32 => run.place::<f32>(n, batch, &mut tuned)?,
            Precision::F64 => run.place::<f64>(n, batch, &mut tuned)?,
        }
    }
    Ok(tuned)
}

/// The searches of one place, one per algorithm.
struct Run<'a> {
    gpu: &'a Gpu,
    timer: &'a PassTimer,
    options: &'a TuneOptions,
    /// The time for all algorithms.
    share: Duration,
}

impl Run<'_> {
    fn place<T: Real>(&self, n: usize, batch: usize, tuned: &mut Tuned) -> Result<()> {
        let gpu = self.gpu;
        let sample = match TriangularSample::<T>::new(gpu, n, batch, 1, 7) {
            Ok(sample) => sample,
            // Too large for this device's memory.
            Err(Error::Limit { .. } | Error::OutOfMemory { .. }) => {
                tuned.skipped.push(format!("{} {n} x {batch}", T::PRECISION));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        // The samples have one right-hand side.
        let tuned_here = |algorithm: &&Algorithm| !matches!(algorithm, Algorithm::Auto | Algorithm::Abreast);
        let algorithms = self.options.algorithms.iter().filter(tuned_here);
        for &algorithm in algorithms {
            let deadline = Instant::now() + self.share / 3;
            if let Some(entry) = self.search(algorithm, &sample, deadline, tuned)? {
                found.push((algorithm, entry));
            }
        }
        let options = Options::on_device();
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
        let Self { gpu, timer, .. } = *self;
        let shape = sample.shape();
        let options = Options::on_device().algorithm(algorithm);
        let capabilities = gpu.capabilities();
        let start = default_policy(capabilities, T::PRECISION, &shape, &options, algorithm);
        if !fits(capabilities, T::PRECISION, &shape, &options, start) {
            return Ok(None);
        }
        // The plan chooses the right-hand sides per workgroup.
        let legal: Vec<&[u32]> = start
            .parameters()
            .iter()
            .map(|parameter| if parameter.name == COLUMNS { &[1] } else { parameter.legal })
            .collect();
        let place = key(algorithm, T::PRECISION, &shape);
        let values = |policy: &str| Some(start.with(policy).ok()?.values());
        let nearby = nearby(&tuned.entries, &self.options.known, &place, MOST_NEARBY, &start.values(), values);
        let mut bench = Bench { gpu, timer, start, options, sample, right: None, known: HashMap::new(), wrong: vec![] };
        let neighbours = |at: &[u32]| neighbours(&legal, at);
        let found = fastest(&start.values(), nearby, neighbours, deadline, compilers(), &mut bench)?;
        tuned.wrong.append(&mut bench.wrong);
        Ok(found.map(|found| {
            tuned.tried += found.tried;
            let policy = start.with_values(&found.values).ok().filter(|policy| *policy != start);
            found.entry(place, policy.map_or_else(String::new, text))
        }))
    }
}

/// The parameter that follows from the number of right-hand sides.
const COLUMNS: &str = "columns";
/// The most policies of neighbouring places that a search measures.
const MOST_NEARBY: usize = 12;

/// The text of a policy without [`COLUMNS`].
fn text(policy: Policy) -> String {
    let named = policy.parameters().iter().zip(policy.values());
    let own = named.filter(|(parameter, _)| parameter.name != COLUMNS);
    own.map(|(parameter, value)| format!("{}={value}", parameter.name)).collect::<Vec<_>>().join(",")
}

/// Measures the candidates of one search on the device.
struct Bench<'a, T> {
    gpu: &'a Gpu,
    timer: &'a PassTimer,
    /// The default policy.
    start: Policy,
    options: Options,
    sample: &'a TriangularSample<T>,
    /// The first solution that was verified.
    right: Option<Vec<T>>,
    known: HashMap<Vec<u32>, f64>,
    wrong: Vec<String>,
}

impl<T: Real> Bench<'_, T> {
    /// Whether the solution is right: near the verified one, or with a small backward error.
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
        let shape = self.sample.shape();
        let plan = |policy| Upcoming::Triangular(T::PRECISION, shape, self.options.policy(policy));
        compile_ahead(self.gpu, &policies.map(plan).collect::<Vec<_>>());
    }

    /// The seconds of a solve; `None` also for a policy that the device cannot run, or that gives a wrong answer.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>> {
        let Ok(policy) = self.start.with_values(values) else {
            return Ok(None);
        };
        if let Some(&seconds) = self.known.get(values).filter(|_| !afresh) {
            return Ok(Some(seconds));
        }
        let options = self.options.policy(policy);
        let plan = TriangularPlan::<T>::new(self.gpu, self.sample.shape(), options);
        let Some(plan) = unless_refused(plan)? else {
            return Ok(None);
        };
        self.sample.forget_solution(self.gpu)?;
        let bound = plan.bind(&self.sample.system())?;
        let first = self.timer.measure(Duration::ZERO, 1, |pass| bound.record(pass))?.min();
        if !self.is_right()? {
            self.wrong.push(format!("{} {} {policy}", T::PRECISION, self.options.algorithm));
            return Ok(None);
        }
        let seconds = search::median(self.timer, first, |pass| bound.record(pass))?;
        self.known.insert(values.to_vec(), seconds);
        Ok(Some(seconds))
    }
}
