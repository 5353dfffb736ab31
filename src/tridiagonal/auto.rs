//! Auto: decided on the device, in one submit (`shaders/tridiagonal/partition_halo.wgsl`, `verdict_*.wgsl`).
//!
//! The first dispatch to read the rows judges, problem by problem, whether they are dominant, and solves what it can:
//! slices on their own, with a halo of their neighbours' rows around them (20 bytes a row in f32), where what reaches
//! them through the halo is below rounding; or whole systems, where they fit a workgroup. Those behind it take what is
//! left, by its verdict: dominant problems whose slices hang together the partition, all others pivoting.

use super::choice::Rivals;
use super::kernels::{BOTH, COUPLED, Follower, KernelId, NOT_DOMINANT, Program, SOUND, judged};
use super::partition::{self, Spread};
use super::policy::AutoPolicy;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;
use crate::plan::{Params, Slot, Tree, check_workgroup};

/// The policy that measured best on an H200 (benches/results/auto-log.md).
pub(crate) fn default_policy(capabilities: &Capabilities, params: &Params) -> AutoPolicy {
    let limits = &capabilities.limits;
    let (workgroup, rows, halo) = if params.systems_first() { (256, 8, 0) } else { (128, 12, 8) };
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
    let most = capabilities.limits.max_compute_workgroups_per_dimension;
    let mut program = Program { values_per_row: partition.values_per_row, ..Program::default() };
    let exact = program.adopt(partition);
    let exchanges = pivoting.map_or(vec![], |pivoting| program.adopt(pivoting));
    let exchanges: Vec<Follower<'_>> = exchanges.iter().map(|step| (step, &[NOT_DOMINANT, BOTH][..])).collect();
    let by_partition = |program: &mut Program| {
        let rest: Vec<Follower<'_>> = exact[1..].iter().map(|step| (step, &[SOUND, COUPLED][..])).collect();
        judged(program, params.problems, most, &exact[0], [&rest, &exchanges])
    };
    if !alone {
        program.steps = by_partition(&mut program);
        return Ok(program);
    }
    let base = spread(capabilities, precision, policy, &params)?;
    let (here, workgroups) = base.params(&params);
    let kernel = KernelId::PartitionHalo { rows: policy.rows, tree: base.tree, halo: policy.halo };
    program.push(kernel, here, workgroups, &[Slot::Inputs, Slot::Trouble, Slot::Output]);
    let halo = program.steps.remove(0);
    let left = if exchanging { &[COUPLED][..] } else { &[COUPLED, NOT_DOMINANT, BOTH] };
    let left: Vec<Follower<'_>> = exact.iter().map(|step| (step, left)).chain(exchanges.iter().copied()).collect();
    program.steps = judged(&mut program, params.problems, most, &halo, [&[], &left]);
    program.values_per_row = 5.0;
    // A slice's neighbours may be solved, and lost, before it has read them.
    program.in_place = Some(if exchanging { by_partition(&mut program) } else { exact.clone() });
    Ok(program)
}
