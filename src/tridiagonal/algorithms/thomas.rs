//! Thomas: Gaussian elimination without exchanges, one thread per system (`shaders/tridiagonal/thomas*.wgsl`).

use super::{Divide, PlanRequest, WORKGROUPS};
use crate::error::Result;
use crate::plan::{Params, Slot, check_workgroup, policy};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Program, Properties};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};

policy! {
    /// How [`Algorithm::Thomas`](super::Algorithm::Thomas) divides its work.
    ThomasPolicy {
        /// Threads, and so systems, per workgroup.
        workgroup: u32 in WORKGROUPS;
    }
}

/// Rows between two kept states of the elimination.
const STATE_ROWS: u32 = 16;
/// Blocks that a thread processes in one dispatch.
const BLOCKS_A_DISPATCH: u32 = 8192 / STATE_ROWS;

impl Divide for ThomasPolicy {
    /// Two subgroups of a large device: small workgroups spread systems over many processors.
    fn default_for(_: &PlanRequest<'_>) -> Self {
        Self { workgroup: 64 }
    }

    /// Elimination down through all blocks except the last; substitution up through all blocks.
    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        let Self { workgroup } = self;
        check_workgroup(capabilities, "Thomas's policy", workgroup)?;
        let mut program = Program::default();
        let blocks = params.n.div_ceil(STATE_ROWS);
        let states_moved = 6.0 / f64::from(STATE_ROWS);
        program.values_per_row = if blocks == 1 { 5.0 } else { 9.0 + states_moved };
        let states = program.scratch(u64::from(blocks - 1) * 3 * u64::from(params.problems) * precision.bytes());
        let states = Slot::Scratch { binding: 7, index: states };
        let workgroups = u64::from(params.problems.div_ceil(workgroup));
        let down: Vec<_> = (0..blocks - 1).step_by(BLOCKS_A_DISPATCH as usize).collect();
        for start in down {
            let stop = (start + BLOCKS_A_DISPATCH).min(blocks - 1);
            program.push(
                ThomasKernel::Eliminate { workgroup },
                Params { steps: start, rows_out: stop, ..params },
                workgroups,
                &[Slot::Inputs, states],
            );
        }
        let mut stop = blocks;
        while stop > 0 {
            let start = stop.saturating_sub(BLOCKS_A_DISPATCH);
            program.push(
                ThomasKernel::Substitute { workgroup },
                Params { steps: start, rows_out: stop, ..params },
                workgroups,
                &[Slot::Inputs, Slot::Status, Slot::Output, states],
            );
            stop = start;
        }
        Ok(program)
    }
}

parts! {
    THOMAS_ELIMINATE = "tridiagonal/thomas_eliminate";
    THOMAS_SUBSTITUTE = "tridiagonal/thomas_substitute";
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThomasKernel {
    Eliminate { workgroup: u32 },
    Substitute { workgroup: u32 },
}

impl Kernel for ThomasKernel {
    fn properties(self) -> Properties {
        Properties::new(true, false, true)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let caller = &with.caller[..];
        let constants = with.row_constants(STATE_ROWS, STATE_ROWS);
        match self {
            Self::Eliminate { workgroup } => {
                let parts = [caller, &[with.load, THOMAS_ELIMINATE]].concat();
                with.permutation("thomas_eliminate", parts, constants, vec![("WORKGROUP", workgroup)])
            }
            Self::Substitute { workgroup } => {
                let parts = [caller, &[with.load, with.store, FAULT, THOMAS_SUBSTITUTE]].concat();
                with.permutation("thomas_substitute", parts, constants, vec![("WORKGROUP", workgroup)])
            }
        }
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let workgroup = all::WORKGROUP;
        [Self::Eliminate { workgroup }, Self::Substitute { workgroup }]
            .map(|kernel| (kernel, vec![Gate::Open]))
            .to_vec()
    }
}
