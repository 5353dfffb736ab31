//! Iterative refinement: the residual of a solve, and a solve with it (`shaders/tridiagonal/refine_*.wgsl`).
//!
//! Wilkinson 1963. In mixed precision, if the device has f64: residuals in f64 of a solve in f32 restore the digits lost to rounding, as
//! far as the matrix's entries determine x. Each step takes 27 bytes per row and another solve.

use super::kernels::parts::*;
use super::kernels::{Access, Assembly, Kernel, Program, Properties, Step};
#[cfg(feature = "internals")]
use super::kernels::{Gate, all};
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};

const WORKGROUP: u32 = 256;
/// Rows per workgroup: 4 per thread.
pub(crate) const ROWS_EACH: u64 = 4 * WORKGROUP as u64;

/// A solve with this number of refinements.
pub fn plan(
    capabilities: &Capabilities,
    precision: Precision,
    params: Params,
    mut program: Program,
    refinements: u32,
) -> Program {
    if refinements == 0 {
        return program;
    }
    // Whole vectors, which row access may need.
    let bytes = params.rhs_len().next_multiple_of(4) * precision.bytes();
    let residual = program.scratch(bytes);
    let correction = program.scratch(bytes);
    // The steps that depend on the matrix alone have run.
    let solve = program.steps.split_off(program.once);
    let redirected = |step: &Step| {
        let slots = step.slots.iter().flat_map(|slot| match *slot {
            Slot::Inputs => {
                vec![Slot::Input(0), Slot::Input(1), Slot::Input(2), Slot::Scratch { binding: 4, index: residual }]
            }
            Slot::Input(3) => vec![Slot::Scratch { binding: 4, index: residual }],
            Slot::Output => vec![Slot::Scratch { binding: 6, index: correction }],
            other => vec![other],
        });
        Step { slots: slots.collect(), ..step.clone() }
    };
    let wide = capabilities.features.f64;
    let workgroups = (u64::from(params.n) * u64::from(params.problems)).div_ceil(ROWS_EACH);
    let at = |binding, index| Slot::Scratch { binding, index };
    let once = program.steps.len();
    let add = |program: &mut Program| {
        let slots = [Slot::Inputs, Slot::Output, at(7, residual)];
        program.push(RefineKernel::Residual { workgroup: WORKGROUP, wide }, params, workgroups, &slots);
        program.steps.extend(solve.iter().map(redirected));
        let slots = [Slot::Output, at(7, correction)];
        program.push(RefineKernel::Add { workgroup: WORKGROUP }, params, workgroups, &slots);
    };
    program.steps.extend(solve.iter().cloned());
    let own = program.values_per_row - program.values_once;
    for _ in 0..refinements {
        add(&mut program);
    }
    program.once = once;
    program.values_per_row += f64::from(refinements) * (own + 9.0);
    // Refinement reads the right-hand side again.
    program.in_place = None;
    program
}

parts! {
    WIDE_OWN = "tridiagonal/wide_own";
    WIDE_F64 = "tridiagonal/wide_f64";
    REFINE_RESIDUAL = "tridiagonal/refine_residual";
    REFINE_ADD = "tridiagonal/refine_add";
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefineKernel {
    /// In f64, if `wide`.
    Residual {
        workgroup: u32,
        wide: bool,
    },
    Add {
        workgroup: u32,
    },
}

impl Kernel for RefineKernel {
    fn properties(self) -> Properties {
        Properties::new(true, false, false)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let (kernel, own, workgroup) = match self {
            Self::Residual { workgroup, wide } => {
                let wide = if wide { WIDE_F64 } else { WIDE_OWN };
                ("refine_residual", vec![wide, EACH_ROW, REFINE_RESIDUAL, ENTRY], workgroup)
            }
            Self::Add { workgroup } => ("refine_add", vec![EACH_ROW, REFINE_ADD, ENTRY], workgroup),
        };
        let parts = [&with.caller[..], &own].concat();
        with.permutation(kernel, parts, vec![], vec![("WORKGROUP", workgroup)])
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let workgroup = all::WORKGROUP;
        let residual = |wide| Self::Residual { workgroup, wide };
        [residual(false), residual(true), Self::Add { workgroup }].map(|kernel| (kernel, vec![Gate::Open])).to_vec()
    }
}
