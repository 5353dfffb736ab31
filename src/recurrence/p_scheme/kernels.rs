//! P-scheme's kernels and all their permutations.

use super::super::kernels::{self, RecurrenceAccess};
use crate::plan::Tree;
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};

parts! {
    ROWS_GIVEN = "recurrence/p_scheme_rows_given";
    ROWS_MOVED = "recurrence/p_scheme_rows_moved";
    ROWS_STAGED = "recurrence/p_scheme_rows_staged";
    IN_REGISTER = "recurrence/p_scheme_in_register";
    IN_COPIES = "recurrence/p_scheme_in_copies";
    IN_BRANCH = "recurrence/p_scheme_in_branch";
    PUT_X = "recurrence/p_scheme_put_x";
    PUT_VALUES = "recurrence/p_scheme_put_values";
    STORE_OWN = "recurrence/p_scheme_store_own";
    STORE_STAGED = "recurrence/p_scheme_store_staged";
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
        preceding: Preceding,
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

/// Where the pre-computation reads the value before a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Preceding {
    Register,
    /// In the rearranged array, with a copy of each chunk's last place in front of the next chunk.
    Copies,
    /// In the rearranged array, with a branch at the first row.
    Branch,
}

impl Preceding {
    /// From a policy's number; arrays that are not rearranged always keep the value in a register.
    pub fn of(number: u32, arrays: Arrays) -> Self {
        match (number, arrays) {
            (1, Arrays::Rearranged) => Self::Copies,
            (2, Arrays::Rearranged) => Self::Branch,
            _ => Self::Register,
        }
    }
}

impl PSchemeKernel {
    pub fn permutation(self, precision: Precision, form: RecurrenceAccess) -> Permutation {
        let load = [kernels::LOAD_SCALAR, kernels::S_SCALAR, kernels::T_SCALAR, kernels::ROWS_SCALAR];
        let rows = kernels::single_rows(precision);
        let (kernel, own, threads, switch) = match self {
            Self::Rearrange { tiled } => ("p_scheme_rearrange", vec![REARRANGE], TILE_THREADS, ("TILED", tiled)),
            Self::Precompute { threads, arrays, preceding } => {
                let from = match arrays {
                    Arrays::Given => ROWS_GIVEN,
                    Arrays::Rearranged => ROWS_MOVED,
                    Arrays::Staged => ROWS_STAGED,
                };
                let preceding = match preceding {
                    Preceding::Register => IN_REGISTER,
                    Preceding::Copies => IN_COPIES,
                    Preceding::Branch => IN_BRANCH,
                };
                (
                    "p_scheme_precompute",
                    vec![from, preceding, PRECOMPUTE],
                    threads,
                    ("REARRANGED", arrays != Arrays::Given),
                )
            }
            Self::Determine { threads, arrays } => {
                let (put, store) = match arrays {
                    Arrays::Given => (PUT_X, STORE_OWN),
                    Arrays::Rearranged => (PUT_VALUES, STORE_OWN),
                    Arrays::Staged => (PUT_X, STORE_STAGED),
                };
                ("p_scheme_determine", vec![put, store, DETERMINE], threads, ("REARRANGED", arrays != Arrays::Given))
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
        let preceding = Preceding::Register;
        [PSchemeKernel::Precompute { threads, arrays, preceding }, PSchemeKernel::Determine { threads, arrays }]
    });
    let in_the_array = [Preceding::Copies, Preceding::Branch].map(|preceding| PSchemeKernel::Precompute {
        threads,
        arrays: Arrays::Rearranged,
        preceding,
    });
    moves.chain(phases).chain(in_the_array).map(|kernel| kernel.permutation(precision, form)).collect()
}
