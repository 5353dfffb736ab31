//! The tuning of the tridiagonal algorithms on a device.

mod candidates;
mod places;

use std::time::{Duration, Instant};

use super::search::{self, TuneProgress, Tuned, fastest, neighbours, share};
use crate::{DeviceSample, Entries};
use candidates::Bench;
use places::{places, worthwhile};
use trisolve::gpu::PassTimer;
use trisolve::gpu::{Capabilities, Gpu};
use trisolve::internals::gpu::{compilers, proven_capabilities};
use trisolve::internals::plan::{Parameter, Params, Shape, systems_first};
use trisolve::internals::tridiagonal::{PlanRequest, default_policy, together_policies, tuned_name};
use trisolve::internals::tuning::{Entry, FARTHEST, Key, Tables, key, near};
use trisolve::tridiagonal::{Algorithm, Forms, Policy, Stability, Structure};
use trisolve::{Error, Precision, Real, Result};

/// The options of the tuning run.
pub type TuneOptions = search::TuneOptions<Algorithm>;

/// The policies of neighbouring places that a search measures, even if its time is over.
const MOST_NEARBY: usize = 12;

/// Longer searches find nothing more.
const LONGEST: Duration = Duration::from_secs(1 << 24);

/// Searches for the fastest policies of every shape. Calls `progress` before each search.
///
/// # Errors
/// [`Error::DeviceLost`], and other errors that are not a candidate's fault.
pub fn tune_tridiagonal(gpu: &Gpu, options: &TuneOptions, mut progress: impl FnMut(TuneProgress)) -> Result<Tuned> {
    let start = Instant::now();
    let mut tuned = Tuned::default();
    let mut searches: Vec<(Precision, Shape, Effort, Vec<Searched>)> = Vec::new();
    for &precision in &options.precisions {
        for (effort, shapes) in [Effort::Search, Effort::Compare].into_iter().zip(places(gpu, options.quick)) {
            for shape in shapes {
                let algorithms = options.algorithms.iter().filter(|&&algorithm| worthwhile(algorithm, &shape));
                searches.push((precision, shape, effort, algorithms.flat_map(|&one| Searched::of(one)).collect()));
            }
        }
    }
    let is_known = |precision: Precision, shape: &Shape, algorithm: Searched| {
        let place = place(precision, shape, algorithm);
        options.known.iter().any(|entry| entry.key == place)
    };
    searches.sort_by_key(|(precision, shape, _, algorithms)| {
        algorithms.iter().all(|&algorithm| is_known(*precision, shape, algorithm))
    });
    let timer = PassTimer::keeping_awake(gpu)?;
    let of = searches.iter().map(|search| search.3.len()).sum();
    let mut done = 0;
    for (precision, shape, effort, algorithms) in &searches {
        let mut run = Run {
            gpu,
            timer: &timer,
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

/// An algorithm to tune, with its preference: TPR is tuned for both.
#[derive(Debug, Clone, Copy)]
struct Searched {
    algorithm: Algorithm,
    stability: Stability,
}

impl Searched {
    fn of(algorithm: Algorithm) -> Vec<Self> {
        let stabilities = match algorithm {
            Algorithm::Tpr => vec![Stability::Fastest, Stability::Stable],
            _ => vec![Stability::Fastest],
        };
        stabilities.into_iter().map(|stability| Self { algorithm, stability }).collect()
    }

    /// Its name in tuning tables.
    fn name(self) -> &'static str {
        tuned_name(self.algorithm, self.stability)
    }

    /// The values of a parameter to search among: for `Stable`, the slice keeps its rows.
    fn legal<'a>(self, parameter: &Parameter, value: &'a u32) -> &'a [u32] {
        match self.stability {
            Stability::Stable if parameter.name == "slice" => std::slice::from_ref(value),
            _ => parameter.legal,
        }
    }
}

/// The effort for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// A search, from the default and from the policies that were found nearby.
    Search,
    /// A comparison of the default with the policies that were found nearby, so that these slow down no place.
    Compare,
}

/// The searches of one shape, one per algorithm.
struct Run<'a> {
    gpu: &'a Gpu,
    timer: &'a PassTimer,
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
    fn all<T: Real>(&mut self, algorithms: &[Searched]) -> Result<()> {
        if algorithms.is_empty() {
            return Ok(());
        }
        if self.start.elapsed() >= self.options.at_most {
            self.skip::<T>(algorithms);
            return Ok(());
        }
        let len = self.shape.matrix_len().unwrap_or(usize::MAX);
        let plain = (Structure::General, Forms::default());
        let sample = match DeviceSample::<T>::new(self.gpu, Entries::Dominant, plain, len, 1, 7) {
            Ok(sample) => sample,
            // Too large for this device's memory.
            Err(Error::Limit { .. } | Error::OutOfMemory { .. }) => {
                self.skip::<T>(algorithms);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        for &algorithm in algorithms {
            let next = self.name::<T>(algorithm);
            (self.progress)(TuneProgress { done: *self.done, of: self.of, next });
            let left = self.options.at_most.saturating_sub(self.start.elapsed());
            let share = share(left.min(LONGEST), self.of - *self.done);
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

    /// The name of a search in messages.
    fn name<T: Real>(&self, algorithm: Searched) -> String {
        let Shape { n, batch, .. } = self.shape;
        let layout = if systems_first(self.shape) { " interleaved" } else { "" };
        format!("{} {} {n} x {batch}{layout}", T::PRECISION, algorithm.name())
    }

    fn skip<T: Real>(&mut self, algorithms: &[Searched]) {
        *self.done += algorithms.len();
        let names: Vec<_> = algorithms.iter().map(|&algorithm| self.name::<T>(algorithm)).collect();
        self.tuned.skipped.extend(names);
    }

    /// The policies that were found for an algorithm near this place, the nearest first and each once: in this run, or earlier at
    /// most one step away.
    fn nearby<T: Real>(&self, algorithm: Searched) -> Vec<String> {
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

    /// The policies with `together`, which a search by steps would not reach.
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
        searched: Searched,
        sample: &DeviceSample<T>,
        deadline: Instant,
    ) -> Result<Option<Entry>> {
        let capabilities = proven_capabilities(self.gpu)?;
        let params = Params::new(self.shape);
        let Searched { algorithm, stability } = searched;
        let plain = PlanRequest::plain(capabilities, T::PRECISION, params);
        let default = |stability| default_policy(&PlanRequest { algorithm, stability, ..plain });
        let start = default(stability);
        let values = start.values();
        let legal: Vec<_> =
            start.parameters().iter().zip(&values).map(|(parameter, value)| searched.legal(parameter, value)).collect();
        let nearby: Vec<_> = self
            .nearby::<T>(searched)
            .into_iter()
            .filter_map(|text| Some(start.with(&text).ok()?.values()))
            .chain([default(Stability::Stable).values()])
            .chain(self.together::<T>(start, capabilities, &params))
            .filter(|values| *values != start.values())
            .collect();
        let neighbours = |at: &[u32]| match self.effort {
            Effort::Search => neighbours(&legal, at),
            Effort::Compare => vec![],
        };
        let mut bench = Bench::new(self.gpu, self.timer, (algorithm, start), self.shape, sample)?;
        let found = fastest(&start.values(), nearby, neighbours, deadline, compilers(), &mut bench)?;
        self.tuned.wrong.extend(bench.wrong);
        Ok(found.map(|found| {
            self.tuned.tried += found.tried;
            let policy = start.with_values(&found.values).ok().filter(|policy| *policy != start);
            let key = place(T::PRECISION, self.shape, searched);
            found.entry(key, policy.map_or_else(String::new, |policy| policy.to_string()))
        }))
    }
}

/// The key of a shape's entry in the tuning table.
fn place(precision: Precision, shape: &Shape, searched: Searched) -> Key {
    let params = Params::new(shape);
    key(searched.name(), precision, params.systems_first(), params.n, params.problems)
}
