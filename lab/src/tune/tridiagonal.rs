//! The search for the fastest policies of the tridiagonal algorithms on a device.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::super::{DeviceSample, Entries};
use super::search::{self, Found, TuneProgress, Tuned, fastest, neighbours};
use trisolve::gpu::{Capabilities, Gpu, PassTimer};
use trisolve::internals::gpu::{Awake, compilers, proven_capabilities};
use trisolve::internals::plan::{Parameter, Params, Shape, systems_first};
use trisolve::internals::tridiagonal::{
    Program, Request, Rivals, Step, default_policy, permutations, program, together_policies,
};
use trisolve::internals::tuning::{Entry, FARTHEST, Key, Tables, key, near};
use trisolve::tridiagonal::{
    Algorithm, Options, Policy, Stability, Structure, TOLERATED_BACKWARD_ERROR, TridiagonalPlan,
};
use trisolve::{Error, Precision, Real, Result};

/// What to tune.
pub type TuneOptions = search::TuneOptions<Algorithm>;

/// Shapes to tune for: to search at, and between those. Rows go by four and systems by eight or more:
/// what is fastest changes slowly. Of a single system, which may or may not fit the processors all at
/// once, rows go by two.
///
/// On a processor halfway between those as well: rows as many as a power of two fall into the same lines of its caches,
/// and say little of others.
fn places(gpu: &Gpu, quick: bool) -> [Vec<Shape>; 2] {
    let software = gpu.info().device_type == wgpu::DeviceType::Cpu;
    let powers = |from: u32, to: u32, step: usize| (from..=to).step_by(step).map(|power| 1usize << power);
    let shapes = |rows: &mut dyn Iterator<Item = usize>, batch: usize| {
        // Nobody solves what keeps a processor busy for a second, and time is better spent on the rest.
        let most = if quick || software { 1 << 18 } else { 1 << 26 };
        let both = |n| {
            [Some(Shape::contiguous(n, batch)), (batch >= 64 && n <= 1 << 15).then(|| Shape::interleaved(n, batch))]
        };
        rows.filter(|&n| n * batch <= most).flat_map(both).flatten().collect::<Vec<_>>()
    };
    if quick {
        let rows = || [512, 1 << 16].into_iter();
        return [[1, 64].into_iter().flat_map(|batch| shapes(&mut rows(), batch)).collect(), vec![]];
    }
    let mut searched = shapes(&mut powers(7, 25, 1), 1);
    let mut between = Vec::new();
    for batch in [8, 64, 1024, 1 << 16] {
        searched.extend(shapes(&mut powers(7, 23, 2), batch));
        between.extend(shapes(&mut powers(8, 22, 2), batch));
    }
    for batch in [256, 1 << 13] {
        between.extend(shapes(&mut powers(7, 22, 1), batch));
    }
    if software {
        for batch in [1, 8, 64] {
            between.extend(shapes(&mut powers(5, 16, 1).map(|rows| 3 * rows), batch));
        }
    }
    [searched, between]
}

/// Whether an algorithm is worth tuning for a shape: cyclic reduction has policies on chip only,
/// Thomas is for many systems side by side.
fn worthwhile(algorithm: Algorithm, shape: &Shape) -> bool {
    match algorithm {
        // For comparison.
        Algorithm::Scan => false,
        // Its policy is that of slices.
        Algorithm::Auto => shape.n > 2048 && !systems_first(shape),
        Algorithm::Thomas => systems_first(shape),
        Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr => shape.n <= 2048,
        _ => true,
    }
}

/// The paper's premises (section 4.4): work a thread has to leave registers for it, and workgroups
/// have to leave room beside them, so that there are others to go on while one waits.
fn promising(capabilities: &Capabilities, precision: Precision, policy: &Policy, params: &Params) -> bool {
    let words = precision.bytes() / 4;
    let half = u64::from(capabilities.limits.max_compute_workgroup_storage_size) / 2;
    match *policy {
        // Three numbers per row are kept.
        Policy::Auto(policy) => u64::from(policy.rows) * 3 * words <= 128 && policy.halo > 0,
        Policy::Partition(policy) => u64::from(policy.rows) * 3 * words <= 128,
        // The rows, and the pivots of them.
        Policy::Pivoting(policy) => u64::from(policy.rows) * 8 * words <= 256,
        // A whole relation of each row, of both sub-systems.
        Policy::Tpr(policy) => {
            let rows = u64::from(policy.slice / policy.threads.max(1));
            let slices = u64::from(params.n.div_ceil(policy.slice));
            let kept = 8 * rows * words <= 128;
            let beside = slices == 1 || u64::from(policy.threads) * 32 * words <= half;
            // Stage 2 does no more than half the work of the others, in a single workgroup.
            let balanced = slices <= 2048 || policy.slice >= 1024;
            let spread = policy.overall_threads.max(32) >= (slices / 8).min(256) as u32;
            kept && beside && balanced && spread
        }
        Policy::WangMou(policy) => u64::from(policy.rows) * 4 * words <= 64,
        Policy::Thomas(_) | Policy::Scan(_) => true,
        Policy::Cyclic(policy) => policy.threads * policy.systems >= 16 && policy.threads <= params.n,
    }
}

/// Searches, calling `progress` before each.
///
/// # Errors
/// [`Error::DeviceLost`] and whatever else is not a candidate's fault.
pub fn tune_tridiagonal(gpu: &Gpu, options: &TuneOptions, mut progress: impl FnMut(TuneProgress)) -> Result<Tuned> {
    let start = Instant::now();
    let mut tuned = Tuned::default();
    let mut searches: Vec<(Precision, Shape, Effort, Vec<Algorithm>)> = Vec::new();
    for &precision in &options.precisions {
        for (effort, shapes) in [Effort::Search, Effort::Compare].into_iter().zip(places(gpu, options.quick)) {
            for shape in shapes {
                let algorithms = options.algorithms.iter().copied().filter(|&algorithm| worthwhile(algorithm, &shape));
                searches.push((precision, shape, effort, algorithms.collect()));
            }
        }
    }
    let is_known = |precision: Precision, shape: &Shape, algorithm: Algorithm| {
        let place = place(precision, shape, algorithm);
        options.known.iter().any(|entry| entry.key == place)
    };
    searches.sort_by_key(|(precision, shape, _, algorithms)| {
        algorithms.iter().all(|&algorithm| is_known(*precision, shape, algorithm))
    });
    let awake = Awake::new(gpu)?;
    let of = searches.iter().map(|search| search.3.len()).sum();
    let mut done = 0;
    for (precision, shape, effort, algorithms) in &searches {
        let mut run = Run {
            gpu,
            awake: &awake,
            shape,
            effort: *effort,
            start,
            options,
            done: &mut done,
            of,
            tuned: &mut tuned,
            progress: &mut progress,
        };
        match precision {
            Precision::F32 => run.all::<f32>(algorithms)?,
            Precision::F64 => run.all::<f64>(algorithms)?,
        }
    }
    Ok(tuned)
}

/// How much a place is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// A search, from the default and from what was found nearby.
    Search,
    /// The default beside what was found nearby, so that no place between is slower for that.
    Compare,
}

/// All searches of one shape.
struct Run<'a> {
    gpu: &'a Gpu,
    awake: &'a Awake,
    shape: &'a Shape,
    effort: Effort,
    start: Instant,
    options: &'a TuneOptions,
    done: &'a mut usize,
    of: usize,
    tuned: &'a mut Tuned,
    progress: &'a mut dyn FnMut(TuneProgress),
}

impl Run<'_> {
    fn all<T: Real>(&mut self, algorithms: &[Algorithm]) -> Result<()> {
        if algorithms.is_empty() {
            return Ok(());
        }
        if self.start.elapsed() >= self.options.at_most {
            self.skip::<T>(algorithms);
            return Ok(());
        }
        let len = self.shape.matrix_len().unwrap_or(usize::MAX);
        let sample =
            match self.awake.during(|| DeviceSample::<T>::new(self.gpu, Entries::Dominant, Structure::General, len, 7))
            {
                Ok(sample) => sample,
                // Larger than this device's memory.
                Err(Error::Limit { .. } | Error::OutOfMemory { .. }) => {
                    self.skip::<T>(algorithms);
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
        for &algorithm in algorithms {
            let next = self.name::<T>(algorithm);
            (self.progress)(TuneProgress { done: *self.done, of: self.of, next });
            // Where others end early, more is left for this.
            let left = self.options.at_most.saturating_sub(self.start.elapsed());
            let share = left.min(LONGEST) / (self.of - *self.done).max(2) as u32 * 3 / 2;
            if left.is_zero() {
                self.skip::<T>(&[algorithm]);
                continue;
            }
            *self.done += 1;
            let found = self.search(algorithm, &sample, Instant::now() + share)?;
            self.tuned.entries.extend(found);
        }
        Ok(())
    }

    /// A search, as a person is told of it.
    fn name<T: Real>(&self, algorithm: Algorithm) -> String {
        let Shape { n, batch, .. } = self.shape;
        let layout = if systems_first(self.shape) { " interleaved" } else { "" };
        format!("{} {algorithm} {n} x {batch}{layout}", T::PRECISION)
    }

    fn skip<T: Real>(&mut self, algorithms: &[Algorithm]) {
        *self.done += algorithms.len();
        let names: Vec<_> = algorithms.iter().map(|&algorithm| self.name::<T>(algorithm)).collect();
        self.tuned.skipped.extend(names);
    }

    fn bench<'b, T>(&self, algorithm: Algorithm, shape: &'b Shape, sample: &'b DeviceSample<T>) -> Result<Bench<'b, T>>
    where
        T: Real,
        Self: 'b,
    {
        let capabilities = proven_capabilities(self.gpu)?;
        let params = Params::new(shape);
        Ok(Bench {
            gpu: self.gpu,
            awake: self.awake,
            capabilities,
            shape,
            params,
            algorithm,
            start: default_policy(&Request { algorithm, ..Request::plain(capabilities, T::PRECISION, params) }),
            sample,
            timer: PassTimer::new(self.gpu)?,
            known: HashMap::new(),
            wrong: vec![],
        })
    }

    /// What was found for an algorithm at places that stand for this one as well, the nearest first and
    /// without repetition: in this run, and before at this place or beside it.
    fn nearby<T: Real>(&self, algorithm: Algorithm) -> Vec<String> {
        let key = place(T::PRECISION, self.shape, algorithm);
        let tables = Tables::of(self.gpu.info());
        let mut found: Vec<_> = near(&self.tuned.entries, &key, FARTHEST)
            .chain(near(&self.options.known, &key, 1.0))
            .chain(tables.near(&key, 1.0))
            .collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut policies: Vec<String> = Vec::new();
        for (entry, _) in found {
            if !policies.contains(&entry.policy) {
                policies.push(entry.policy.clone());
            }
        }
        policies.truncate(MOST_NEARBY);
        policies
    }

    /// What a search would not come upon.
    fn together<T: Real>(&self, start: Policy, capabilities: &Capabilities, params: &Params) -> Vec<Vec<u32>> {
        let parameter = start.parameters().iter().find(|parameter| parameter.name == "together");
        let searched = self.effort == Effort::Search && !params.systems_first();
        let policies = match parameter {
            Some(parameter) if searched => together_policies(capabilities, T::PRECISION, params, parameter.legal),
            _ => vec![],
        };
        policies.into_iter().map(|policy| Policy::from(policy).values()).collect()
    }

    fn search<T: Real>(
        &mut self,
        algorithm: Algorithm,
        sample: &DeviceSample<T>,
        deadline: Instant,
    ) -> Result<Option<Entry>> {
        let capabilities = proven_capabilities(self.gpu)?;
        let params = Params::new(self.shape);
        let start = default_policy(&Request { algorithm, ..Request::plain(capabilities, T::PRECISION, params) });
        let legal: Vec<_> = start.parameters().iter().map(|&Parameter { legal, .. }| legal).collect();
        let nearby: Vec<_> = self
            .nearby::<T>(algorithm)
            .into_iter()
            .filter_map(|text| Some(start.with(&text).ok()?.values()))
            .chain([default_policy(&Request {
                algorithm,
                stability: Stability::Stable,
                ..Request::plain(capabilities, T::PRECISION, params)
            })
            .values()])
            .chain(self.together::<T>(start, capabilities, &params))
            .filter(|values| *values != start.values())
            .collect();
        let neighbours = |at: &[u32]| match self.effort {
            Effort::Search => neighbours(&legal, at),
            Effort::Compare => vec![],
        };
        let mut bench = self.bench(algorithm, self.shape, sample)?;
        let found = fastest(&start.values(), nearby, neighbours, deadline, compilers(), &mut bench)?;
        self.tuned.wrong.extend(bench.wrong);
        Ok(found.map(|Found { values, seconds, start_seconds, tried, .. }| {
            self.tuned.tried += tried;
            let policy = start.with_values(&values).ok().filter(|policy| *policy != start);
            let microseconds = |seconds: f64| (seconds * 1e9).round() / 1e3;
            Entry {
                key: place(T::PRECISION, self.shape, algorithm),
                policy: policy.map_or_else(String::new, |policy| policy.to_string()),
                tuned_us: microseconds(seconds),
                default_us: microseconds(start_seconds),
            }
        }))
    }
}

/// Where what is found for a shape holds.
fn place(precision: Precision, shape: &Shape, algorithm: Algorithm) -> Key {
    let params = Params::new(shape);
    key(algorithm.name(), precision, params.systems_first(), params.n, params.problems)
}

/// Candidates of one search on the device.
struct Bench<'a, T> {
    gpu: &'a Gpu,
    awake: &'a Awake,
    capabilities: &'a Capabilities,
    shape: &'a Shape,
    params: Params,
    algorithm: Algorithm,
    /// The default.
    start: Policy,
    sample: &'a DeviceSample<T>,
    timer: PassTimer,
    /// Policies that come to the same dispatches are one.
    known: HashMap<Vec<Step>, f64>,
    wrong: Vec<String>,
}

/// Policies of neighbouring places that a search tries, however little time it has.
const MOST_NEARBY: usize = 12;

/// A search longer than this finds no more.
const LONGEST: Duration = Duration::from_secs(1 << 24);

impl<T: Real> Bench<'_, T> {
    /// A candidate's policy and dispatches, if it is worth trying.
    fn candidate(&self, values: &[u32]) -> Option<(Policy, Program)> {
        let Self { capabilities, params, .. } = *self;
        let policy = self.start.with_values(values).ok()?;
        if policy != self.start && !promising(capabilities, T::PRECISION, &policy, &params) {
            return None;
        }
        let rivals = || Rivals::by_default(capabilities, T::PRECISION, params);
        let plain = Request::plain(capabilities, T::PRECISION, params);
        let request = Request { algorithm: self.algorithm, rivals: &rivals, ..plain };
        Some((policy, program(&request, policy).ok()?))
    }
}

impl<T: Real> search::Bench for Bench<'_, T> {
    fn prepare(&mut self, next: &[Vec<u32>]) {
        let programs = next.iter().filter_map(|values| self.candidate(values));
        let steps = programs.map(|(_, program)| program.steps).filter(|steps| !self.known.contains_key(steps));
        let kernels = steps.flat_map(|steps| permutations(&steps, T::PRECISION, self.shape, &Options::default()));
        let kernels: Vec<_> = kernels.collect();
        self.awake.during(|| self.gpu.compile_ahead(kernels));
    }

    /// Of a solve; `None` also for a policy that the device cannot run, or that gives a wrong answer.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>> {
        let Some((policy, Program { steps, .. })) = self.candidate(values) else {
            return Ok(None);
        };
        if let Some(&seconds) = self.known.get(&steps).filter(|_| !afresh) {
            return Ok(Some(seconds));
        }
        let options = Options::default().algorithm(self.algorithm).policy(policy);
        let plan = match self.awake.during(|| TridiagonalPlan::<T>::new(self.gpu, *self.shape, options)) {
            Ok(plan) => plan,
            Err(Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Options(_) | Error::Kernel { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let system = self.sample.system();
        self.sample.forget_solution(self.gpu)?;
        let bound = plan.bind(&system)?;
        let first = self.timer.measure(Duration::ZERO, 1, |pass| bound.record(pass))?.min();
        let wrong_by = plan.residuals(&system)?.backward_error;
        let tolerated = wrong_by <= TOLERATED_BACKWARD_ERROR * T::UNIT_ROUNDOFF;
        if !tolerated {
            self.wrong.push(format!("{} {} {policy}: backward error {wrong_by:.1e}", T::PRECISION, self.algorithm));
            return Ok(None);
        }
        // Slow candidates get no second look.
        let warm_up = Duration::from_secs_f64((50.0 * first).min(0.02));
        let runs = if first > 0.02 { 3 } else { 9 };
        let seconds = self.timer.measure(warm_up, runs, |pass| bound.record(pass))?.median();
        self.known.insert(steps, seconds);
        Ok(Some(seconds))
    }
}
