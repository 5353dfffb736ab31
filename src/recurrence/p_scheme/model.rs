//! The paper's model of P-scheme's time, and the policy that follows from it.

use super::super::policy::PSchemePolicy;
use crate::gpu::Gpu;
use crate::gpu::wgsl::Precision;
use crate::plan::Params;

/// What the phases of P-scheme cost, in seconds: of a sequence of N rows in P chunks (Wakatani 2013, equations 3 to 7)
/// t = alpha N / P + beta P + gamma N / P.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PSchemeModel {
    /// Pre-computation, a row of a chunk.
    pub alpha: f64,
    /// Propagation, a chunk.
    pub beta: f64,
    /// Determination, a row of a chunk.
    pub gamma: f64,
    /// Rearranging, a row, whatever P is: not among the paper's three phases.
    pub rearranging: f64,
}

impl PSchemeModel {
    /// P_opt = sqrt((alpha + gamma) N / beta), for which the time is least.
    pub fn optimal_chunks(&self, rows: usize) -> f64 {
        ((self.alpha + self.gamma) * rows as f64 / self.beta).sqrt()
    }

    /// Seconds by the model.
    pub fn seconds(&self, rows: usize, chunks: f64) -> f64 {
        let rows = rows as f64;
        (self.alpha + self.gamma) * rows / chunks + self.beta * chunks + self.rearranging * rows
    }

    /// The paper's policy: as many workgroups as may be, here of no less than `least_threads` threads, so that their
    /// product is the power of two nearest to P_opt.
    ///
    /// The model is of one sequence: those of a batch run at once, and each is divided as one alone would be.
    pub fn policy(&self, rows: usize, least_threads: u32, rearranged: bool) -> PSchemePolicy {
        const MOST_GROUPS: f64 = 16384.0;
        let chunks = self.optimal_chunks(rows).clamp(1.0, rows.max(1) as f64).log2().round().exp2();
        let least = f64::from(least_threads.clamp(1, 1024)).log2().ceil().exp2();
        let groups = (chunks / least).clamp(1.0, MOST_GROUPS);
        let threads = (chunks / groups).clamp(1.0, 1024.0);
        PSchemePolicy { groups: groups as u32, threads: threads as u32, rearranged, tiled: true }
    }
}

/// The model with and without rearranged arrays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PSchemeFit {
    /// Arrays as they lie.
    pub direct: PSchemeModel,
    /// Arrays rearranged, through workgroup memory.
    pub rearranged: PSchemeModel,
}

impl PSchemeFit {
    /// The policy of the two that is the faster by the model. Sequences that lie closer than rows are not rearranged.
    pub fn policy(&self, rows: usize, least_threads: u32, systems_first: bool) -> PSchemePolicy {
        let seconds = |model: &PSchemeModel| model.seconds(rows, model.optimal_chunks(rows));
        let rearranged = !systems_first && seconds(&self.rearranged) < seconds(&self.direct);
        let model = if rearranged { &self.rearranged } else { &self.direct };
        model.policy(rows, least_threads, rearranged)
    }
}

/// Where nothing is known of an adapter.
const UNKNOWN: PSchemeFit = PSchemeFit {
    direct: PSchemeModel { alpha: 60e-9, beta: 3e-9, gamma: 30e-9, rearranging: 0.0 },
    rearranged: PSchemeModel { alpha: 40e-9, beta: 3e-9, gamma: 20e-9, rearranging: 7e-12 },
};

/// By the model of the adapter, else by that of an adapter like it.
pub(in super::super) fn default_policy(gpu: &Gpu, _precision: Precision, params: &Params) -> PSchemePolicy {
    // The least that has no idle lanes on most devices.
    const LEAST_THREADS: u32 = 32;
    UNKNOWN.policy(params.n as usize, LEAST_THREADS.max(gpu.capabilities().subgroup_lanes), params.systems_first())
}
