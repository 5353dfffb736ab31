//! The fit of P-scheme's model on a device, from measured phases.

use std::time::Duration;

use super::super::{RecurrenceSample, SampleFactor};
use trisolve::gpu::Gpu;
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
    warm_up: Duration,
    runs: usize,
) -> Result<PSchemePhases> {
    let Some(Policy::PScheme(policy)) = plan.policy() else {
        return Err(Error::Options(format!("{} has no phases of P-scheme", plan.algorithm())));
    };
    let rows = plan.shape().n;
    let chunks = policy.chunks(rows as u32);
    let mut phases = PSchemePhases { rows, chunks, rearranging: 0.0, precompute: 0.0, propagate: 0.0, determine: 0.0 };
    for (name, seconds) in bound.time_stages(warm_up, runs)? {
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
    let sample = RecurrenceSample::<T>::new(gpu, ROWS, 7)?;
    let model = |rearranged, staged| -> Result<PSchemeModel> {
        let measured = GROUPS.map(|groups| {
            let policy = PSchemePolicy { groups, threads: THREADS, rearranged, tiled: true, staged, grouped: true };
            let options = Options::default().algorithm(Algorithm::PScheme).policy(policy);
            let plan = RecurrencePlan::<T>::new(gpu, Shape::single(ROWS), options)?;
            let bound = plan.bind(&sample.recurrence(SampleFactor::Vector))?;
            phases(&plan, &bound, Duration::from_millis(100), 15)
        });
        PSchemeModel::fit(&measured.into_iter().collect::<Result<Vec<_>>>()?)
    };
    Ok(PSchemeFit { direct: model(false, false)?, rearranged: model(true, false)?, staged: model(true, true)? })
}
