//! Thomas: Gaussian elimination without exchanges, a thread a system
//! (`shaders/tridiagonal/thomas*.wgsl`).

use super::kernels::{KernelId, THOMAS_ROWS};
use super::program::{Params, Program, Slot};
use crate::gpu::wgsl::Precision;

const WORKGROUP: u32 = 64;
/// Blocks that a thread goes through in one dispatch.
const BLOCKS_A_DISPATCH: u32 = 8192 / THOMAS_ROWS;

/// Adds the dispatches: down through all blocks but the last, and up through all.
pub(crate) fn plan(precision: Precision, params: Params) -> Program {
    let mut program = Program::default();
    let blocks = params.n.div_ceil(THOMAS_ROWS);
    let states_moved = 6.0 / f64::from(THOMAS_ROWS);
    program.values_per_row = if blocks == 1 { 5.0 } else { 9.0 + states_moved };
    let states = program.scratch(u64::from(blocks - 1) * 3 * u64::from(params.problems) * precision.bytes());
    let states = Slot::Scratch { binding: 7, index: states };
    let workgroups = u64::from(params.problems.div_ceil(WORKGROUP));
    let down: Vec<_> = (0..blocks - 1).step_by(BLOCKS_A_DISPATCH as usize).collect();
    for start in down {
        let stop = (start + BLOCKS_A_DISPATCH).min(blocks - 1);
        program.push(
            KernelId::ThomasEliminate { workgroup: WORKGROUP },
            Params { steps: start, rows_out: stop, ..params },
            workgroups,
            &[Slot::Inputs, states],
        );
    }
    let mut stop = blocks;
    while stop > 0 {
        let start = stop.saturating_sub(BLOCKS_A_DISPATCH);
        program.push(
            KernelId::ThomasSubstitute { workgroup: WORKGROUP },
            Params { steps: start, rows_out: stop, ..params },
            workgroups,
            &[Slot::Inputs, Slot::Trouble, Slot::X, states],
        );
        stop = start;
    }
    program
}
