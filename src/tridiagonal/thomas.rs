//! Thomas: Gaussian elimination without exchanges, a thread a system
//! (`shaders/tridiagonal/thomas*.wgsl`).

use super::kernels::{KernelId, Program, THOMAS_ROWS};
use super::policy::ThomasPolicy;
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot, check_workgroup};
use crate::precision::Precision;

/// Blocks that a thread goes through in one dispatch.
const BLOCKS_A_DISPATCH: u32 = 8192 / THOMAS_ROWS;

/// Two subgroups of a large device: systems are spread over as many processors as may be.
pub(crate) fn default_policy() -> ThomasPolicy {
    ThomasPolicy { workgroup: 64 }
}

/// The dispatches: down through all blocks but the last, and up through all.
///
/// # Errors
/// [`Error::Limit`](crate::Error::Limit) for a policy that cannot run.
pub fn plan(
    capabilities: &Capabilities,
    precision: Precision,
    policy: ThomasPolicy,
    params: Params,
) -> Result<Program> {
    let ThomasPolicy { workgroup } = policy;
    check_workgroup(capabilities, "Thomas's policy", workgroup)?;
    let mut program = Program::default();
    let blocks = params.n.div_ceil(THOMAS_ROWS);
    let states_moved = 6.0 / f64::from(THOMAS_ROWS);
    program.values_per_row = if blocks == 1 { 5.0 } else { 9.0 + states_moved };
    let states = program.scratch(u64::from(blocks - 1) * 3 * u64::from(params.problems) * precision.bytes());
    let states = Slot::Scratch { binding: 7, index: states };
    let workgroups = u64::from(params.problems.div_ceil(workgroup));
    let down: Vec<_> = (0..blocks - 1).step_by(BLOCKS_A_DISPATCH as usize).collect();
    for start in down {
        let stop = (start + BLOCKS_A_DISPATCH).min(blocks - 1);
        program.push(
            KernelId::ThomasEliminate { workgroup },
            Params { steps: start, rows_out: stop, ..params },
            workgroups,
            &[Slot::Inputs, states],
        );
    }
    let mut stop = blocks;
    while stop > 0 {
        let start = stop.saturating_sub(BLOCKS_A_DISPATCH);
        program.push(
            KernelId::ThomasSubstitute { workgroup },
            Params { steps: start, rows_out: stop, ..params },
            workgroups,
            &[Slot::Inputs, Slot::Status, Slot::Output, states],
        );
        stop = start;
    }
    Ok(program)
}
