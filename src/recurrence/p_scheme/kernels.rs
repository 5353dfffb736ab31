//! P-scheme's kernels and all their permutations.

use super::super::kernels::{self, RecurrenceAccess};
use crate::plan::Tree;
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};

parts! {
    ROWS_GIVEN = "recurrence/p_scheme_rows_given";
    ROWS_MOVED = "recurrence/p_scheme_rows_moved";
    ROWS_STAGED = "recurrence/p_scheme_rows_staged";
    PUT_STAGED = "recurrence/p_scheme_put_staged";
    PUT_X = "recurrence/p_scheme_put_x";
    PUT_VALUES = "recurrence/p_scheme_put_values";
    REARRANGE = "recurrence/p_scheme_rearrange";
    PRECOMPUTE = "recurrence/p_scheme_precompute";
    DETERMINE = "recurrence/p_scheme_determine";
    RESTORE = "recurrence/p_scheme_restore";
}

/// Rows that a thread loads at once, so that their latencies overlap.
pub(super) const ROWS: u32 = 8;
/// Number of chunks, and of rows of each, that a workgroup transposes.
pub(super) const SIDE: u32 = 32;
/// Threads per transposed tile, in four rounds.
const TILE_THREADS: u32 = 256;

/// A kernel with its specialisation. The propagation between the phases is the kernel of three launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PSchemeKernel {
    /// Both coefficients transposed.
    Rearrange {
        tiled: bool,
    },
    /// `threads` per workgroup.
    Precompute {
        threads: u32,
        arrays: Arrays,
    },
    Determine {
        threads: u32,
        arrays: Arrays,
    },
    /// The values transposed back.
    Restore {
        tiled: bool,
    },
}

/// The arrays of the phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Arrays {
    /// As the caller's rows lie.
    Given,
    /// Rearranged by launches of their own.
    Rearranged,
    /// Rearranged by the phases themselves.
    Staged,
}

impl PSchemeKernel {
    pub fn permutation(self, precision: Precision, form: RecurrenceAccess) -> Permutation {
        let load = [kernels::LOAD_SCALAR, kernels::S_SCALAR, kernels::T_SCALAR, kernels::ROWS_SCALAR];
        let rows = kernels::single_rows(precision);
        let (kernel, own, threads, switch) = match self {
            Self::Rearrange { tiled } => ("p_scheme_rearrange", vec![REARRANGE], TILE_THREADS, ("TILED", tiled)),
            Self::Precompute { threads, arrays } => {
                let from = match arrays {
                    Arrays::Given => ROWS_GIVEN,
                    Arrays::Rearranged => ROWS_MOVED,
                    Arrays::Staged => ROWS_STAGED,
                };
                ("p_scheme_precompute", vec![from, PRECOMPUTE], threads, ("REARRANGED", arrays != Arrays::Given))
            }
            Self::Determine { threads, arrays } => {
                let put = match arrays {
                    Arrays::Given => PUT_X,
                    Arrays::Rearranged => PUT_VALUES,
                    Arrays::Staged => PUT_STAGED,
                };
                ("p_scheme_determine", vec![put, DETERMINE], threads, ("REARRANGED", arrays != Arrays::Given))
            }
            Self::Restore { tiled } => ("p_scheme_restore", vec![RESTORE], TILE_THREADS, ("TILED", tiled)),
        };
        let tree = Tree { workgroup: threads, log_chunks: 0, systems_first: false, log_run: 0 };
        let parts: Vec<Part> = [&rows[..], &load, &own, &[kernels::ENTRY]].concat();
        Permutation {
            kernel,
            precision,
            writable_inputs: form.writable_inputs,
            subgroups: false,
            parts,
            constants: vec![("ROWS", ROWS), ("QUADS", ROWS / 4), ("ROUNDS", SIDE * SIDE / TILE_THREADS)],
            caller: None,
            overrides: [
                tree.place_overrides(),
                kernels::coefficient_overrides(form),
                vec![(switch.0, switch.1.into())],
            ]
            .concat(),
        }
    }
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations(precision: Precision, form: RecurrenceAccess) -> Vec<Permutation> {
    let threads = 64;
    let moves = [false, true]
        .into_iter()
        .flat_map(|tiled| [PSchemeKernel::Rearrange { tiled }, PSchemeKernel::Restore { tiled }]);
    let phases = [Arrays::Given, Arrays::Rearranged, Arrays::Staged].into_iter().flat_map(|arrays| {
        [PSchemeKernel::Precompute { threads, arrays }, PSchemeKernel::Determine { threads, arrays }]
    });
    moves.chain(phases).map(|kernel| kernel.permutation(precision, form)).collect()
}
