//! The candidates of a search: which policies are worth measuring, and their measurement.

use crate::on_device::OnDevice;
use std::collections::HashMap;
use std::time::Duration;

use super::super::search::{self, unless_refused};
use crate::DeviceSample;
use trisolve::gpu::{Capabilities, Gpu, PassTimer};
use trisolve::internals::gpu::proven_capabilities;
use trisolve::internals::plan::{Params, Shape};
use trisolve::internals::tridiagonal::{PlanRequest, Program, Rivals, Step, permutations, program};
use trisolve::tridiagonal::{Algorithm, Options, Policy, TOLERATED_BACKWARD_ERROR, TridiagonalPlan};
use trisolve::{Precision, Real, Result};

/// Whether a policy is worth measuring, after the paper's premises (section 4.4): a thread's work has to fit its registers, and
/// workgroups have to leave room for others, which run while one waits.
fn promising(capabilities: &Capabilities, precision: Precision, policy: &Policy, params: &Params) -> bool {
    let words = precision.bytes() / 4;
    let half = u64::from(capabilities.limits.max_compute_workgroup_storage_size) / 2;
    match *policy {
        // A thread keeps three numbers per row.
        Policy::Auto(policy) => u64::from(policy.rows) * 3 * words <= 128 && policy.halo > 0,
        Policy::Partition(policy) => u64::from(policy.rows) * 3 * words <= 128,
        // A thread keeps the rows and their pivots.
        Policy::Pivoting(policy) => u64::from(policy.rows) * 8 * words <= 256,
        // A thread keeps a relation per row of both sub-systems.
        Policy::Tpr(policy) => {
            let rows = u64::from(policy.slice / policy.threads.max(1));
            let slices = u64::from(params.n.div_ceil(policy.slice));
            let kept = 8 * rows * words <= 128;
            let beside = slices == 1 || u64::from(policy.threads) * 32 * words <= half;
            // Stage 2, in a single workgroup, does at most half the work of the other stages.
            let balanced = slices <= 2048 || policy.slice >= 1024;
            let enough_threads = policy.overall_threads.max(32) >= (slices / 8).min(256) as u32;
            kept && beside && balanced && enough_threads
        }
        Policy::WangMou(policy) => u64::from(policy.rows) * 4 * words <= 64,
        Policy::Thomas(_) | Policy::Scan(_) => true,
        Policy::Cyclic(policy) => policy.threads * policy.systems >= 16 && policy.threads <= params.n,
    }
}

/// Measures the candidates of one search on the device.
pub struct Bench<'a, T> {
    gpu: &'a Gpu,
    timer: &'a PassTimer,
    capabilities: &'a Capabilities,
    shape: &'a Shape,
    params: Params,
    algorithm: Algorithm,
    /// The default policy.
    start: Policy,
    sample: &'a DeviceSample<T>,
    /// Policies with the same dispatches are measured once.
    known: HashMap<Vec<Step>, f64>,
    pub wrong: Vec<String>,
}

impl<'a, T: Real> Bench<'a, T> {
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn new(
        gpu: &'a Gpu,
        timer: &'a PassTimer,
        (algorithm, start): (Algorithm, Policy),
        shape: &'a Shape,
        sample: &'a DeviceSample<T>,
    ) -> Result<Self> {
        Ok(Self {
            gpu,
            timer,
            capabilities: proven_capabilities(gpu)?,
            shape,
            params: Params::new(shape),
            algorithm,
            start,
            sample,
            known: HashMap::new(),
            wrong: vec![],
        })
    }

    /// A candidate's policy and dispatches; `None` if it is not worth measuring.
    fn candidate(&self, values: &[u32]) -> Option<(Policy, Program)> {
        let Self { capabilities, params, .. } = *self;
        let policy = self.start.with_values(values).ok()?;
        if policy != self.start && !promising(capabilities, T::PRECISION, &policy, &params) {
            return None;
        }
        let rivals = || Rivals::by_default(capabilities, T::PRECISION, params);
        let plain = PlanRequest::plain(capabilities, T::PRECISION, params);
        let request = PlanRequest { algorithm: self.algorithm, rivals: &rivals, ..plain };
        Some((policy, program(&request, policy).ok()?))
    }
}

impl<T: Real> search::Bench for Bench<'_, T> {
    fn prepare(&mut self, next: &[Vec<u32>]) {
        let programs = next.iter().filter_map(|values| self.candidate(values));
        let steps = programs.map(|(_, program)| program.steps).filter(|steps| !self.known.contains_key(steps));
        let kernels = steps.flat_map(|steps| permutations(&steps, T::PRECISION, self.shape, &Options::on_device()));
        let kernels: Vec<_> = kernels.collect();
        self.gpu.compile_ahead(kernels);
    }

    /// The seconds of a solve; `None` also for a policy that the device cannot run, or that gives a wrong answer.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>> {
        let Some((policy, Program { steps, .. })) = self.candidate(values) else {
            return Ok(None);
        };
        if let Some(&seconds) = self.known.get(&steps).filter(|_| !afresh) {
            return Ok(Some(seconds));
        }
        let options = Options::on_device().algorithm(self.algorithm).policy(policy);
        let plan = TridiagonalPlan::<T>::new(self.gpu, *self.shape, options);
        let Some(plan) = unless_refused(plan)? else {
            return Ok(None);
        };
        let system = self.sample.system();
        self.sample.forget_solution(self.gpu)?;
        let bound = plan.bind(&system)?;
        let first = self.timer.measure(Duration::ZERO, 1, |pass| bound.record(pass))?.min();
        let backward_error = plan.residuals(&system)?.backward_error;
        let is_right = backward_error <= TOLERATED_BACKWARD_ERROR * T::UNIT_ROUNDOFF;
        if !is_right {
            let name = format!("{} {} {policy}", T::PRECISION, self.algorithm);
            self.wrong.push(format!("{name}: backward error {backward_error:.1e}"));
            return Ok(None);
        }
        let seconds = search::median(self.timer, first, |pass| bound.record(pass))?;
        self.known.insert(steps, seconds);
        Ok(Some(seconds))
    }
}
