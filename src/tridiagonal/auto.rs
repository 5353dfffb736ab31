//! Auto: decided on the device, in one submit (`shaders/tridiagonal/partition_halo.wgsl`, `verdict_*.wgsl`).
//!
//! The first dispatch to read the rows judges, problem by problem, whether they are dominant, and solves what it can:
//! slices on their own, with a halo of their neighbours' rows around them (20 bytes a row in f32), where what reaches
//! them through the halo is below rounding; or whole systems, where they fit a workgroup. Those behind it take what is
//! left, by its verdict: dominant problems whose slices hang together the partition, all others pivoting.

use super::choice::Rivals;
use super::kernels::{
    BOTH, COUPLED, Gate, KernelId, NOT_DOMINANT, Program, SOUND, Step, gated, verdicts, verdicts_slot,
};
use super::partition::{self, Spread};
use super::policy::AutoPolicy;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;
use crate::plan::{Params, Slot, Tree, check_workgroup};

/// The policy that measured best on an H200 (benches/results/auto-log.md).
pub(crate) fn default_policy(capabilities: &Capabilities, precision: Precision, params: &Params) -> AutoPolicy {
    let rows_in_all = u64::from(params.n) * u64::from(params.problems);
    let limits = &capabilities.limits;
    let (workgroup, rows, halo) = match precision {
        _ if params.systems_first() => (256, 8, 0),
        Precision::F32 if rows_in_all <= 1 << 21 => (256, 8, 8),
        Precision::F32 => (256, 8, 8),
        Precision::F64 => (128, 8, 16),
    };
    AutoPolicy { workgroup: workgroup.min(limits.max_compute_invocations_per_workgroup), rows, halo, shuffles: true }
}

/// Slices of a system, each with its halo.
fn spread(capabilities: &Capabilities, precision: Precision, policy: AutoPolicy, params: &Params) -> Result<Spread> {
    let AutoPolicy { workgroup, rows, halo, shuffles } = policy;
    let tree = Tree { workgroup, log_chunks: workgroup.ilog2(), systems_first: false, log_run: 0 };
    if !partition::fits(&capabilities.limits, precision, tree) || 4 * halo > workgroup {
        return Err(Error::Options(format!(
            "a halo of {halo} threads on either side and a workgroup of {workgroup}: halos should take no more than half of \
             it, and it no more memory than the device has"
        )));
    }
    let tree = if shuffles { tree.merged_by_shuffles(capabilities.subgroup_lanes) } else { tree };
    Ok(Spread { tree, slices: params.n.div_ceil((workgroup - 2 * halo) * rows) })
}

/// The dispatches for a shape, of those that the partition and pivoting come to.
///
/// # Errors
/// [`Error::Limit`], [`Error::Options`] for a policy that cannot run.
pub(crate) fn plan(
    capabilities: &Capabilities,
    precision: Precision,
    policy: AutoPolicy,
    params: Params,
    rivals: Rivals,
) -> Result<Program> {
    check_workgroup(capabilities, "the auto policy's workgroup", policy.workgroup)?;
    let Rivals { partition, pivoting } = rivals;
    let sliced = partition.steps.len() > 1;
    let alone = sliced && policy.halo > 0 && !params.systems_first();
    let exchanging = pivoting.is_some();
    if !alone && !exchanging {
        return Ok(partition);
    }
    let mut program = Program { values_per_row: partition.values_per_row, ..Program::default() };
    let verdicts = verdicts(&mut program, params.problems);
    let exact = program.adopt(partition);
    let exchanges = pivoting.map_or(vec![], |pivoting| program.adopt(pivoting));
    let behind = |step: &Step, gate| gated(step.clone(), gate, verdicts);
    let exchanges = exchanges.iter().map(|step| behind(step, Gate::accepting(&[NOT_DOMINANT, BOTH])));
    let exchanges: Vec<_> = exchanges.collect();
    let judged = || {
        let gates = [Gate::Judges].into_iter().chain(std::iter::repeat(Gate::accepting(&[SOUND, COUPLED])));
        exact.iter().zip(gates).map(|(step, gate)| behind(step, gate)).chain(exchanges.iter().cloned()).collect()
    };
    if !alone {
        program.steps = judged();
    } else {
        let base = spread(capabilities, precision, policy, &params)?;
        let (here, workgroups) = base.params(&params);
        let kernel = KernelId::PartitionHalo { rows: policy.rows, tree: base.tree, halo: policy.halo };
        let slots = [Slot::Inputs, Slot::Trouble, Slot::Output, verdicts_slot(verdicts)];
        program.push(kernel, here, workgroups, &slots);
        program.values_per_row = 5.0;
        let left = if exchanging { &[COUPLED][..] } else { &[COUPLED, NOT_DOMINANT, BOTH] };
        program.steps.extend(exact.iter().map(|step| behind(step, Gate::accepting(left))));
        program.steps.extend(exchanges.iter().cloned());
        // A slice's neighbours may be solved, and lost, before it has read them.
        program.in_place = Some(if exchanging { judged() } else { exact.clone() });
    }
    for steps in [Some(&mut program.steps), program.in_place.as_mut()].into_iter().flatten() {
        clear_behind(steps);
    }
    Ok(program)
}

/// Has the last dispatch that follows verdicts clear them.
fn clear_behind(steps: &mut [Step]) {
    if let Some(Gate::Follows { last, .. }) = steps.last_mut().map(|step| &mut step.kernel.gate) {
        *last = true;
    }
}
