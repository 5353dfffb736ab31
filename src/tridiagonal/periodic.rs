//! Periodic systems: tridiagonal ones and a correction of rank one (`shaders/tridiagonal/structure.wgsl` and
//! `ring_*.wgsl`).
//!
//! Sherman and Morrison's formula removes the corners. Any algorithm solves twice with one matrix: for the right-hand sides, and for the
//! correction (once per matrix, for any number of right-hand sides). Then a multiple of the correction is subtracted, 12 bytes per row in
//! f32. (Pivoting needs no correction.)

use super::kernels::parts::*;
use super::kernels::{Access, Assembly, Gated, Kernel, Program, Properties, Step, row_reads};
#[cfg(feature = "internals")]
use super::kernels::{Gate, all};
use super::refine::ROWS_EACH;
use crate::plan::{Params, Slot};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};

const SHARING: u32 = 64;
const CLOSING: u32 = 256;

/// The dispatches for periodic systems: `solve` solves all right-hand sides, `correct` one right-hand side per matrix.
pub fn plan(precision: Precision, params: Params, solve: Program, correct: Program) -> Program {
    let mut program = Program { values_per_row: solve.values_per_row + 3.0, ..Program::default() };
    // Without reading a right-hand side.
    let correcting = correct.values_per_row - row_reads(&correct) as f64;
    program.values_once = correcting / f64::from(params.columns);
    program.values_per_row += program.values_once;
    // Whole vectors, which row access may need.
    let bytes = (params.matrix_len().next_multiple_of(4)) * precision.bytes();
    let correction = program.scratch(bytes);
    let shares = program.scratch(u64::from(params.problems) * precision.bytes());
    let correcting = |step: Step| {
        let moved = |slot: &Slot| match slot {
            Slot::Output => Slot::Scratch { binding: 6, index: correction },
            other => *other,
        };
        let slots = step.slots.iter().map(moved).collect();
        Step { kernel: Gated { correcting: true, ..step.kernel }, slots, ..step }
    };
    let before: Vec<_> = program.adopt(correct).steps.into_iter().map(correcting).collect();
    let [lower, diag, upper] = [0, 1, 2].map(Slot::Input);
    let [read, kept] = [(7, correction), (8, shares)].map(|(binding, index)| Slot::Scratch { binding, index });
    let sharing = params.problems.div_ceil(SHARING);
    program.push(
        RingKernel::Share { workgroup: SHARING },
        params,
        sharing.into(),
        &[lower, diag, upper, Slot::Output, read, kept],
    );
    let rows = u64::from(params.n) * u64::from(params.problems);
    program.push(
        RingKernel::Close { workgroup: CLOSING },
        params,
        rows.div_ceil(ROWS_EACH),
        &[Slot::Status, Slot::Output, read, kept],
    );
    let behind = std::mem::take(&mut program.steps);
    program.once = before.len();
    let around = |steps: Vec<Step>| [&before[..], &steps, &behind].concat();
    let solve = program.adopt(solve);
    program.steps = around(solve.steps);
    program.in_place = solve.in_place.map(around);
    program
}

parts! {
    RING_SHARE = "tridiagonal/ring_share";
    RING_CLOSE = "tridiagonal/ring_close";
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingKernel {
    /// The multiple of the correction that periodic systems still lack.
    Share {
        workgroup: u32,
    },
    Close {
        workgroup: u32,
    },
}

impl Kernel for RingKernel {
    fn properties(self) -> Properties {
        Properties::new(true, false, false)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let (kernel, own, workgroup) = match self {
            Self::Share { workgroup } => ("ring_share", vec![RING_SHARE], workgroup),
            Self::Close { workgroup } => ("ring_close", vec![EACH_ROW, RING_CLOSE, ENTRY], workgroup),
        };
        let parts = [&with.caller[..], &own].concat();
        with.permutation(kernel, parts, vec![], vec![("WORKGROUP", workgroup)])
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let workgroup = all::WORKGROUP;
        [Self::Share { workgroup }, Self::Close { workgroup }].map(|kernel| (kernel, vec![Gate::Open])).to_vec()
    }
}
