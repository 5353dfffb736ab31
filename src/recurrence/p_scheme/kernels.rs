//! P-scheme's kernels and all their permutations.

use super::super::kernels::{self, RecurrenceAccess};
use crate::plan::Tree;
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};

parts! {
    ROWS_GIVEN = "recurrence/p_scheme_rows_given";
    ROWS_MOVED = "recurrence/p_scheme_rows_moved";
    PUT_X = "recurrence/p_scheme_put_x";
    PUT_VALUES = "recurrence/p_scheme_put_values";
    REARRANGE = "recurrence/p_scheme_rearrange";
    PRECOMPUTE = "recurrence/p_scheme_precompute";
    DETERMINE = "recurrence/p_scheme_determine";
    RESTORE = "recurrence/p_scheme_restore";
}

/// Rows that a thread loads at once, so that their latencies overlap.
const ROWS: u32 = 8;
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
    /// The value is the number of threads per workgroup.
    Precompute {
        threads: u32,
        rearranged: bool,
    },
    Determine {
        threads: u32,
        rearranged: bool,
    },
    /// The values transposed back.
    Restore {
        tiled: bool,
    },
}

impl PSchemeKernel {
    pub fn permutation(self, precision: Precision, form: RecurrenceAccess) -> Permutation {
        let load = [kernels::LOAD_SCALAR, kernels::S_SCALAR, kernels::T_SCALAR, kernels::ROWS_SCALAR];
        let rows = kernels::single_rows(precision);
        let (kernel, own, threads, switch) = match self {
            Self::Rearrange { tiled } => ("p_scheme_rearrange", vec![REARRANGE], TILE_THREADS, ("TILED", tiled)),
            Self::Precompute { threads, rearranged } => {
                let from = if rearranged { ROWS_MOVED } else { ROWS_GIVEN };
                let own = vec![from, PRECOMPUTE];
                ("p_scheme_precompute", own, threads, ("REARRANGED", rearranged))
            }
            Self::Determine { threads, rearranged } => {
                let put = if rearranged { PUT_VALUES } else { PUT_X };
                ("p_scheme_determine", vec![put, DETERMINE], threads, ("REARRANGED", rearranged))
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
    let both = [false, true];
    let each = both.into_iter().flat_map(|yes| {
        [
            PSchemeKernel::Rearrange { tiled: yes },
            PSchemeKernel::Precompute { threads: 64, rearranged: yes },
            PSchemeKernel::Determine { threads: 64, rearranged: yes },
            PSchemeKernel::Restore { tiled: yes },
        ]
    });
    each.map(|kernel| kernel.permutation(precision, form)).collect()
}
