//! Auto: decided on the device, in one submit (`shaders/tridiagonal/partition_halo.wgsl`, `verdict_*.wgsl`).
//!
//! The first dispatch to read the rows judges, problem by problem, whether they are dominant, and solves what it can:
//! slices on their own, with a halo of their neighbours' rows around them (20 bytes per row in f32), where what reaches
//! them through the halo is below rounding; or whole systems, where they fit a workgroup. Those behind it take what is
//! left, by its verdict: dominant problems whose slices hang together the partition, all others pivoting.

use super::partition::kernels::PartitionKernel;
use super::partition::{self, Slicing};
use super::{Divide, Request, WORKGROUPS};
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, Params, Slot, Tree, check_workgroup, policy};
use crate::precision::Precision;
use crate::tridiagonal::choice::Rivals;
use crate::tridiagonal::kernels::gate::{BOTH, Behind, COUPLED, Follower, NOT_DOMINANT, SOUND, judged};
use crate::tridiagonal::kernels::{Gate, Program, Step};
use crate::tridiagonal::options::Structure;

policy! {
    /// How [`Algorithm::Auto`](super::Algorithm::Auto) divides its first pass over long systems, the slices of which are solved alone. Behind that come
    /// the partition and pivoting, as their own policies say.
    AutoPolicy {
        /// Threads per workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Rows per thread.
        rows: u32 in &partition::ROWS;
        /// Threads of a workgroup, on either side, that take rows of the slices beside: as many as let nothing through. 0
        /// begins with the partition.
        halo: u32 in &[0, 2, 4, 6, 8, 12, 16, 32];
        /// Merge with shuffles where there are subgroups.
        shuffles: bool in OFF_ON;
    }
}

impl Divide for AutoPolicy {
    /// The policy that measured best on an H200 (benches/results/auto-log.md).
    fn default_for(request: &Request<'_>) -> Self {
        let &Request { capabilities, structure, ref params, .. } = request;
        let limits = &capabilities.limits;
        let (workgroup, rows, halo) = match structure {
            _ if params.systems_first() => (256, 8, 0),
            // Nothing but right-hand sides to be held: fewer halos.
            Structure::Constant => (128, 16, 8),
            _ => (128, 12, 8),
        };
        Self { workgroup: workgroup.min(limits.max_compute_invocations_per_workgroup), rows, halo, shuffles: true }
    }

    /// Of the dispatches that the partition and pivoting come to.
    fn program(self, request: &Request<'_>) -> Result<Program> {
        let &Request { capabilities, precision, params, .. } = request;
        check_workgroup(capabilities, "the auto policy's workgroup", self.workgroup)?;
        let Rivals { mut partition, pivoting, promised } = (request.rivals)()?;
        if promised && let Some(last) = partition.steps.last_mut() {
            // It reads all rows that are left to the partition.
            last.kernel.gate = Gate::Reports;
        }
        let sliced = partition.steps.len() > 1;
        let alone = sliced && self.halo > 0 && !params.systems_first();
        let exchanging = pivoting.is_some();
        if !alone && !exchanging {
            return Ok(partition);
        }
        let most = capabilities.limits.max_compute_workgroups_per_dimension;
        let mut program = Program { values_per_row: partition.values_per_row, ..Program::default() };
        let exact = program.adopt(partition).steps;
        let exchanges = pivoting.map_or(vec![], |pivoting| program.adopt(pivoting).steps);
        let follower = |verdicts| move |step| (step, verdicts);
        let exchanges: Vec<Follower<'_>> = exchanges.iter().map(follower(&[NOT_DOMINANT, BOTH][..])).collect();
        let by_partition = |program: &mut Program| {
            let rest: Vec<Follower<'_>> = exact[1..].iter().map(follower(&[SOUND, COUPLED][..])).collect();
            let behind = Behind { always: &rest, woken: &exchanges, ..Behind::default() };
            judged(program, params.problems, most, &exact[0], behind)
        };
        if !alone {
            program.steps = by_partition(&mut program);
            return Ok(program);
        }
        let halo = slices_alone(capabilities, precision, self, &params)?;
        // Slices alone stop where they hang together, and may not have read what lies behind.
        let coupled: Vec<Follower<'_>> = exact.iter().map(follower(&[COUPLED][..])).collect();
        let left: Vec<Follower<'_>> = exact.iter().map(follower(&[COUPLED, NOT_DOMINANT, BOTH][..])).collect();
        let behind = match exchanging {
            true => Behind { chained: &coupled, woken: &exchanges, ..Behind::default() },
            false => Behind { woken: &left, ..Behind::default() },
        };
        program.steps = judged(&mut program, params.problems, most, &halo, behind);
        program.values_per_row = 5.0;
        // A slice's neighbours may be solved, and lost, before it has read them.
        program.in_place = Some(if exchanging { by_partition(&mut program) } else { exact.clone() });
        Ok(program)
    }
}

/// Slices of a system, each with its halo.
fn slicing(capabilities: &Capabilities, precision: Precision, policy: AutoPolicy, params: &Params) -> Result<Slicing> {
    let AutoPolicy { workgroup, rows, halo, shuffles } = policy;
    let tree = Tree { workgroup, log_chunks: workgroup.ilog2(), systems_first: false, log_run: 0 };
    if !partition::fits(&capabilities.limits, precision, tree) || 4 * halo > workgroup {
        return Err(Error::Options(format!(
            "a halo of {halo} threads on either side and a workgroup of {workgroup}: halos should take no more than half of \
             it, and it no more memory than the device has"
        )));
    }
    let tree = if shuffles { tree.merged_by_shuffles(capabilities.subgroup_lanes) } else { tree };
    Ok(Slicing { tree, slices: params.n.div_ceil((workgroup - 2 * halo) * rows) })
}

/// The dispatch that solves slices on their own.
fn slices_alone(
    capabilities: &Capabilities,
    precision: Precision,
    policy: AutoPolicy,
    params: &Params,
) -> Result<Step> {
    let base = slicing(capabilities, precision, policy, params)?;
    let (here, workgroups) = base.params(params);
    let kernel = PartitionKernel::Halo { rows: policy.rows, tree: base.tree, halo: policy.halo };
    let mut program = Program::default();
    program.push(kernel, here, workgroups, &[Slot::Inputs, Slot::Status, Slot::Output]);
    Ok(program.steps.remove(0))
}

/// What is left of auto once it is known that slices may be solved alone: one dispatch; the partition's where x goes over rhs.
///
/// # Errors
/// As [`plan`].
pub(crate) fn alone(
    capabilities: &Capabilities,
    precision: Precision,
    policy: AutoPolicy,
    params: Params,
    rivals: Rivals,
) -> Result<Program> {
    let halo = slices_alone(capabilities, precision, policy, &params)?;
    let mut program = Program { values_per_row: 5.0, ..Program::default() };
    program.in_place = Some(program.adopt(rivals.partition).steps);
    let most = capabilities.limits.max_compute_workgroups_per_dimension;
    program.steps = judged(&mut program, params.problems, most, &halo, Behind::default());
    // There are no verdicts to be cleared.
    program.steps.truncate(1);
    Ok(program)
}
