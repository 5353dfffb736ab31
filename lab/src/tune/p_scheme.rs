//! P-scheme on a device: the fit of its model from measured phases, and its fastest policies.

use crate::on_device::OnDevice;
use std::time::Duration;

use super::super::{RecurrenceSample, SampleFactor};
use super::search::{self, unless_refused};
use trisolve::gpu::{Gpu, PassTimer};
use trisolve::internals::recurrence::p_scheme_key;
use trisolve::internals::tuning::Entry;
use trisolve::recurrence::PSchemePhases;
use trisolve::recurrence::RecurrencePlan;
use trisolve::recurrence::{Algorithm, Options};
use trisolve::recurrence::{PSchemePolicy, Policy};
use trisolve::tridiagonal::{Bound, Shape};
use trisolve::tuning::{PSchemeFit, PSchemeModel};
use trisolve::{Error, Real, Result};

/// The times of the phases of a bound solve of one sequence: medians of `runs` runs.
pub(crate) fn phases<T: Real>(
    plan: &RecurrencePlan<T>,
    bound: &Bound,
    timer: &PassTimer,
    warm_up: Duration,
    runs: usize,
) -> Result<PSchemePhases> {
    let Some(Policy::PScheme(policy)) = plan.policy() else {
        return Err(Error::Options(format!("{} has no phases of P-scheme", plan.algorithm())));
    };
    let rows = plan.shape().n;
    let chunks = policy.chunks(rows as u32);
    let mut phases = PSchemePhases { rows, chunks, rearranging: 0.0, precompute: 0.0, propagate: 0.0, determine: 0.0 };
    for (name, seconds) in bound.time_stages(timer, warm_up, runs)? {
        let phase = match name.split(' ').next() {
            Some("p_scheme_precompute") => &mut phases.precompute,
            Some("p_scheme_determine") => &mut phases.determine,
            Some("propagate" | "group_maps" | "group_values") => &mut phases.propagate,
            _ => &mut phases.rearranging,
        };
        *phase += seconds;
    }
    Ok(phases)
}

/// The rows and the numbers of workgroups that a fit measures; the threads per workgroup are a subgroup's on most devices.
const ROWS: usize = 1 << 18;
const GROUPS: [u32; 6] = [32, 64, 128, 256, 512, 1024];
const THREADS: u32 = 32;

/// Measures one sequence of 2^18 rows, with both coefficients from vectors, in 1024 to 32768 chunks, and fits the model to the
/// times. Takes some seconds.
///
/// # Errors
/// [`Error::Limit`] and [`Error::Unsupported`] if the device cannot hold or solve the sequence, [`Error::OutOfMemory`],
/// [`Error::DeviceLost`], [`Error::Kernel`].
pub fn fit_p_scheme<T: Real>(gpu: &Gpu) -> Result<PSchemeFit> {
    let timer = PassTimer::keeping_awake(gpu)?;
    let sample = RecurrenceSample::<T>::new(gpu, ROWS, 7)?;
    let model = |rearranged, staged| -> Result<PSchemeModel> {
        let measured = GROUPS.map(|groups| {
            let policy = PSchemePolicy { rearranged, staged, ..PSchemePolicy::new(groups, THREADS) };
            let options = Options::on_device().algorithm(Algorithm::PScheme).policy(policy);
            let plan = RecurrencePlan::<T>::new(gpu, Shape::single(ROWS), options)?;
            let bound = plan.bind(&sample.recurrence(SampleFactor::Vector))?;
            phases(&plan, &bound, &timer, Duration::from_millis(100), 15)
        });
        PSchemeModel::fit(&measured.into_iter().collect::<Result<Vec<_>>>()?)
    };
    Ok(PSchemeFit { direct: model(false, false)?, rearranged: model(true, false)?, staged: model(true, true)? })
}

/// The rows of the sequences for which policies are measured.
const PLACES: [u32; 6] = [10, 12, 14, 16, 18, 20];

/// Measures policies for one sequence of 2^10 to 2^20 rows, with both coefficients from vectors: every arrangement of the
/// arrays with chunks of 8 to 512 rows. Returns the fastest of each size. Takes a minute on a GPU.
///
/// # Errors
/// As [`fit_p_scheme`].
pub fn tune_p_scheme<T: Real>(gpu: &Gpu, mut progress: impl FnMut(usize, usize)) -> Result<Vec<Entry>> {
    let timer = PassTimer::keeping_awake(gpu)?;
    let mut entries = vec![];
    for (at, power) in PLACES.into_iter().enumerate() {
        progress(at, PLACES.len());
        let n = 1usize << power;
        let sample = RecurrenceSample::<T>::new(gpu, n, 7)?;
        let seconds = |policy: Option<PSchemePolicy>| -> Result<Option<(String, f64)>> {
            let options = Options { policy: policy.map(Policy::from), ..Options::on_device() };
            let options = options.algorithm(Algorithm::PScheme);
            let Some(plan) = unless_refused(RecurrencePlan::<T>::new(gpu, Shape::single(n), options))? else {
                return Ok(None);
            };
            let bound = plan.bind(&sample.recurrence(SampleFactor::Vector))?;
            let first = timer.measure(Duration::ZERO, 1, |pass| bound.record(pass))?.min();
            let seconds = search::median(&timer, first, |pass| bound.record(pass))?;
            Ok(Some((plan.policy().map_or_else(String::new, |policy| policy.to_string()), seconds)))
        };
        let Some(default) = seconds(None)? else { continue };
        let mut best = default.clone();
        for (rearranged, staged) in [(false, false), (true, false), (true, true)] {
            for each in (3..=9).step_by(2).filter(|&each| each + 5 <= power) {
                for threads in [32, 128] {
                    let groups = (1u32 << (power - each)) / threads;
                    let policy = PSchemePolicy { rearranged, staged, ..PSchemePolicy::new(groups, threads) };
                    if groups == 0 || Policy::from(policy).with_values(&Policy::from(policy).values()).is_err() {
                        continue;
                    }
                    if let Some(found) = seconds(Some(policy))?
                        && found.1 < best.1
                    {
                        best = found;
                    }
                }
            }
        }
        entries.push(Entry {
            key: p_scheme_key(T::PRECISION, n as u32, 1),
            policy: best.0,
            tuned_us: best.1 * 1e6,
            default_us: default.1 * 1e6,
        });
    }
    Ok(entries)
}
