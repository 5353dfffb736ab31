//! Auto: decides on the device, in one submission (`shaders/tridiagonal/partition_halo.wgsl`, `verdict_*.wgsl`).
//!
//! The first dispatch reads the rows and tests the dominance of each problem. It solves whole systems that fit a workgroup. It solves
//! slices of longer systems with a halo of their neighbours' rows (20 bytes per row in f32), if influence from beyond the halo is below
//! rounding. Later dispatches solve the remaining problems by verdict: the partition solves dominant problems with coupled slices, pivoting
//! solves all others.

use super::partition::kernels::PartitionKernel;
use super::partition::{self, Slicing};
use super::{Divide, PlanRequest, WORKGROUPS};
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, Params, Slot, Tree, check_workgroup, policy};
use crate::precision::Precision;
use crate::tridiagonal::choice::Rivals;
use crate::tridiagonal::kernels::gate::{BOTH, Behind, COUPLED, Follower, NOT_DOMINANT, SOUND, judged};
use crate::tridiagonal::kernels::{Gate, Program, Step};
use crate::tridiagonal::options::Structure;

policy! {
    /// How [`Algorithm::Auto`](super::Algorithm::Auto) divides its first pass, which solves the slices of long systems alone. The partition
    /// and pivoting follow, with policies of their own.
    AutoPolicy {
        /// Threads per workgroup.
        workgroup: u32 in WORKGROUPS;
        /// Rows per thread.
        rows: u32 in &partition::ROWS;
        /// Halo threads per side; outside influence must decay below rounding. 0 disables this pass.
        halo: u32 in &[0, 2, 4, 6, 8, 12, 16, 32];
        /// Merge with shuffles, if there are subgroups.
        shuffles: bool in OFF_ON;
    }
}

impl Divide for AutoPolicy {
    /// The policy that measured best on an H200 (benches/results/auto-log.md).
    fn default_for(request: &PlanRequest<'_>) -> Self {
        let &PlanRequest { capabilities, structure, ref params, .. } = request;
        let limits = &capabilities.limits;
        let (workgroup, rows, halo) = match structure {
            _ if params.systems_first() => (256, 8, 0),
            // Only right-hand sides take registers: larger slices, so fewer halos.
            Structure::Constant => (128, 16, 8),
            _ => (128, 12, 8),
        };
        Self { workgroup: workgroup.min(limits.max_compute_invocations_per_workgroup), rows, halo, shuffles: true }
    }

    /// The program, made from the programs of the partition and pivoting.
    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        check_workgroup(capabilities, "the auto policy's workgroup", self.workgroup)?;
        let Rivals { mut partition, pivoting, promised } = (request.rivals)()?;
        if promised && let Some(last) = partition.steps.last_mut() {
            // The last step reads all rows that are left to the partition.
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
        // This pass stops at coupled slices, perhaps before it has read later rows.
        let coupled: Vec<Follower<'_>> = exact.iter().map(follower(&[COUPLED][..])).collect();
        let left: Vec<Follower<'_>> = exact.iter().map(follower(&[COUPLED, NOT_DOMINANT, BOTH][..])).collect();
        let behind = match exchanging {
            true => Behind { chained: &coupled, woken: &exchanges, ..Behind::default() },
            false => Behind { woken: &left, ..Behind::default() },
        };
        program.steps = judged(&mut program, params.problems, most, &halo, behind);
        program.values_per_row = 5.0;
        // In place, a neighbour may overwrite its rows before a slice has read them.
        program.in_place = Some(if exchanging { by_partition(&mut program) } else { exact.clone() });
        Ok(program)
    }
}

/// Slices of a system, with halos.
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

/// Auto's program if it is known that slices may be solved alone: one dispatch. If x replaces rhs: the partition's dispatches.
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
    // There are no verdicts to clear.
    program.steps.truncate(1);
    Ok(program)
}
