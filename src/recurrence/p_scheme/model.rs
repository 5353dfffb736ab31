//! The paper's model of P-scheme's time, and the policy that follows from it.

use super::super::policy::{PSchemePolicy, Policy};
use super::kernels::ROWS;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::plan::Params;
use crate::precision::Precision;
use crate::tuning::{self, Key, PSchemeFit, PSchemeModel, Tables};

/// Measured seconds of the phases of a solve, for a sequence of `rows` rows in `chunks` chunks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PSchemePhases {
    /// Rows (N).
    pub rows: usize,
    /// Chunks (P).
    pub chunks: u32,
    /// Rearranging coefficients and values; 0 if they are not rearranged.
    pub rearranging: f64,
    /// Pre-computation.
    pub precompute: f64,
    /// Propagation.
    pub propagate: f64,
    /// Determination.
    pub determine: f64,
}

impl PSchemePhases {
    /// The three phases of the paper.
    pub fn seconds(&self) -> f64 {
        self.precompute + self.propagate + self.determine
    }
}

/// The cost per unit that fits measurements (units, seconds) best: least squares, through the origin like the paper's equations.
fn cost(measured: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (squares, products) = measured.fold((0.0, 0.0), |(squares, products), (units, seconds)| {
        (squares + units * units, products + units * seconds)
    });
    let cost = products / squares;
    (cost > 0.0 && cost.is_finite()).then_some(cost)
}

impl PSchemeModel {
    /// The model nearest to the measurements, per phase: alpha and gamma over N / P, beta over P. The more N / P and P vary in the
    /// measurements, the less the launch overhead matters.
    ///
    /// # Errors
    /// [`Error::Options`] for no measurements, or measurements without a time.
    pub fn fit(measured: &[PSchemePhases]) -> Result<Self> {
        let each = |phases: &PSchemePhases| phases.rows as f64 / f64::from(phases.chunks.max(1));
        let of = |units: &dyn Fn(&PSchemePhases) -> f64, seconds: fn(&PSchemePhases) -> f64| {
            cost(measured.iter().map(|at| (units(at), seconds(at)))).ok_or_else(|| {
                Error::Options("P-scheme's model is fitted to measured times, of which there are none".into())
            })
        };
        Ok(Self {
            alpha: of(&each, |at| at.precompute)?,
            beta: of(&|at| at.chunks.into(), |at| at.propagate)?,
            gamma: of(&each, |at| at.determine)?,
            // None, if arrays are not rearranged.
            rearranging: cost(measured.iter().map(|at| (at.rows as f64, at.rearranging))).unwrap_or(0.0),
        })
    }

    /// P_opt = sqrt((alpha + gamma) N / beta), for which the time is least.
    pub fn optimal_chunks(&self, rows: usize) -> f64 {
        ((self.alpha + self.gamma) * rows as f64 / self.beta).sqrt()
    }

    /// Seconds by the model.
    pub fn seconds(&self, rows: usize, chunks: f64) -> f64 {
        let rows = rows as f64;
        (self.alpha + self.gamma) * rows / chunks + self.beta * chunks + self.rearranging * rows
    }

    /// P_opt, with chunks of as many rows as a thread loads at once, or more: shorter chunks would not take less time.
    fn chunks(&self, rows: usize) -> f64 {
        let most = rows.div_ceil(ROWS as usize).max(1) as f64;
        self.optimal_chunks(rows).clamp(1.0, most)
    }

    /// The paper's policy: as many workgroups as possible, here with at least `least_threads` threads each. The product of groups and
    /// threads is the power of two nearest to P_opt; halfway, the lower one, because the model omits the time that threads wait for each
    /// other's arithmetic, which grows with P.
    ///
    /// The model is for one sequence: the sequences of a batch run at once, and each is divided like a single one.
    pub fn policy(&self, rows: usize, least_threads: u32, rearranged: bool) -> PSchemePolicy {
        const MOST_GROUPS: f64 = 16384.0;
        /// On an H200 the higher power of two was 14% slower at 0.58 above the lower one, and 5% faster at 0.61.
        const HALFWAY: f64 = 0.1;
        let most = rows.div_ceil(ROWS as usize).max(1) as f64;
        let chunks = (self.chunks(rows).log2() - HALFWAY).round().min(most.log2().floor()).exp2();
        let least = f64::from(least_threads.clamp(1, 1024)).log2().ceil().exp2();
        let groups = (chunks / least).clamp(1.0, MOST_GROUPS);
        let threads = (chunks / groups).clamp(1.0, 1024.0);
        PSchemePolicy { rearranged, ..PSchemePolicy::new(groups as u32, threads as u32) }
    }
}

impl PSchemeFit {
    /// The fastest policy by the model. Sequences that lie closer than rows are not rearranged.
    pub fn policy(&self, rows: usize, least_threads: u32, systems_first: bool) -> PSchemePolicy {
        let seconds = |model: &PSchemeModel| model.seconds(rows, model.chunks(rows));
        let of = |model: &PSchemeModel, rearranged, staged| PSchemePolicy {
            staged,
            ..model.policy(rows, least_threads, rearranged)
        };
        let all = [(&self.direct, false, false), (&self.rearranged, true, false), (&self.staged, true, true)];
        let possible = &all[..if systems_first { 1 } else { all.len() }];
        let least = possible.iter().min_by(|a, b| seconds(a.0).total_cmp(&seconds(b.0))).unwrap_or(&all[0]);
        of(least.0, least.1, least.2)
    }
}

/// The model without a table: typical costs of a large GPU, from the latency of its memory.
const UNKNOWN: PSchemeFit = PSchemeFit {
    direct: PSchemeModel { alpha: 110e-9, beta: 2e-9, gamma: 90e-9, rearranging: 0.0 },
    rearranged: PSchemeModel { alpha: 100e-9, beta: 2e-9, gamma: 80e-9, rearranging: 8e-12 },
    staged: PSchemeModel { alpha: 110e-9, beta: 2e-9, gamma: 80e-9, rearranging: 0.0 },
};

/// Least threads per workgroup: the fewest without idle lanes on most devices.
const LEAST_THREADS: u32 = 32;

/// The tuning key of sequences of `rows` rows.
pub fn key(precision: Precision, rows: u32, sequences: u32) -> Key {
    tuning::key("p-scheme", precision, false, rows, sequences)
}

/// The policy that was measured for about as many rows; else by the model of the adapter, or of another one.
pub(in super::super) fn default_policy(gpu: &Gpu, precision: Precision, params: &Params) -> PSchemePolicy {
    let tables = Tables::of(gpu.info());
    let capabilities = gpu.capabilities();
    let most = {
        let limits = &capabilities.limits;
        limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x)
    };
    let fit = tables.p_scheme(precision).unwrap_or(UNKNOWN);
    let least = LEAST_THREADS.max(capabilities.subgroup_lanes);
    let modelled = fit.policy(params.n as usize, least, params.systems_first());
    let modelled = PSchemePolicy { threads: modelled.threads.min(1 << most.max(1).ilog2()), ..modelled };
    if params.systems_first() || params.problems > 1 {
        return modelled;
    }
    for found in tables.find(&key(precision, params.n, params.problems)) {
        let text = found.policy;
        match Policy::from(modelled).with(text) {
            // Another adapter's choice is no better than its model.
            Ok(Policy::PScheme(policy)) if found.at_home() && policy.threads <= most => return policy,
            Ok(_) => {}
            Err(error) => log::warn!("the tuned policy {text:?} of p-scheme is ignored: {error}"),
        }
    }
    modelled
}
