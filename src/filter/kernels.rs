//! Every kernel of the filters and all its permutations, in one place.

use crate::plan::{RowAccess, SLICES_AHEAD, Tree};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};

parts! {
    PROBLEM = "shared/problem";
    ENTRY = "shared/entry";
    LOAD_SCALAR = "shared/element_scalar";
    LOAD_VECTOR = "shared/element_vector";
    SCAN = "shared/scan";
    SCAN_SUBGROUP = "shared/scan_subgroup";
    STORE_SCALAR = "shared/store_scalar";
    STORE_VECTOR = "shared/store_vector";
    STATE = "filter/state";
    SHUFFLE = "filter/shuffle";
    SIGNAL_SCALAR = "filter/signal_scalar";
    SIGNAL_VECTOR = "filter/signal_vector";
    BEFORE_FIRST = "filter/before_first";
    BEFORE_READ = "filter/before_read";
    REDUCE = "filter/reduce";
    PROPAGATE = "filter/propagate";
    APPLY = "filter/apply";
}

/// Quads of numbers before the powers: 9 coefficients at the most.
pub(super) const COEFFICIENT_QUADS: u32 = 3;

/// Matrices before the powers of chunks: into the basis in which states are composed, and back.
const MATRICES_BEFORE: u32 = 2;

/// Those before the powers of threads' runs, in the propagation: also the powers of a slice, and of the first one.
const PROPAGATE_MATRICES_BEFORE: u32 = 4;

/// A kernel with its specialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FilterKernel {
    Reduce {
        rows: u32,
        tree: Tree,
    },
    Propagate {
        tree: Tree,
    },
    /// `several`: whether sequences have several slices.
    Apply {
        rows: u32,
        tree: Tree,
        several: bool,
    },
}

/// Specialisation of kernels for a bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct FilterAccess {
    pub order: u32,
    pub rows: RowAccess,
    pub writable_inputs: bool,
    pub reverse: bool,
}

impl FilterKernel {
    pub fn permutation(self, precision: Precision, form: FilterAccess) -> Permutation {
        let (signal, store) = match form.rows {
            RowAccess::Vector => ([LOAD_VECTOR, SIGNAL_VECTOR], STORE_VECTOR),
            RowAccess::Scalar | RowAccess::Shifted => ([LOAD_SCALAR, SIGNAL_SCALAR], STORE_SCALAR),
        };
        let (Self::Reduce { tree, .. } | Self::Propagate { tree } | Self::Apply { tree, .. }) = self;
        let subgroups = tree.log_run > 0;
        let scan = if subgroups { &[SHUFFLE, SCAN_SUBGROUP][..] } else { &[SCAN] };
        let (kernel, own, rows) = match self {
            Self::Reduce { rows, .. } => ("reduce", [&signal[..], &[REDUCE]].concat(), rows),
            Self::Propagate { .. } => ("propagate", vec![PROPAGATE], 0),
            Self::Apply { rows, several, .. } => {
                let before = if several { BEFORE_READ } else { BEFORE_FIRST };
                ("apply", [&signal[..], &[store, before, APPLY]].concat(), rows)
            }
        };
        let FilterAccess { order, .. } = form;
        let before = if rows > 0 { MATRICES_BEFORE } else { PROPAGATE_MATRICES_BEFORE };
        let mut constants = vec![
            ("ORDER", order),
            ("ORDER_BEFORE", order - 1),
            ("TAPS", order + 1),
            ("COEFFICIENT_QUADS", COEFFICIENT_QUADS),
            ("MATRIX_QUADS", super::powers::matrix_quads(order as usize)),
            ("MATRICES_BEFORE", before),
        ];
        let mut overrides = tree.place_overrides();
        if rows > 0 {
            constants.extend([("ROWS", rows), ("QUADS", rows / 4)]);
            overrides.push(("REVERSE", form.reverse.into()));
        } else {
            constants.push(("AHEAD", SLICES_AHEAD));
        }
        Permutation {
            kernel,
            precision,
            writable_inputs: form.writable_inputs,
            subgroups,
            parts: [&[PROBLEM, STATE, ENTRY][..], scan, &own].concat(),
            constants,
            overrides,
            caller: None,
        }
    }
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations() -> Vec<Permutation> {
    let tree = Tree { workgroup: 64, log_chunks: 6, systems_first: false, log_run: 0 };
    let shuffled = Tree { log_run: 5, ..tree };
    let abreast = Tree { log_chunks: 2, systems_first: true, ..tree };
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        let each = crate::plan::rows_each(precision);
        for order in 1..=super::MAX_ORDER as u32 {
            for rows in [RowAccess::Scalar, RowAccess::Vector] {
                let switch = (rows == RowAccess::Vector) == (order % 2 == 0);
                let form = FilterAccess { order, rows, writable_inputs: switch, reverse: switch };
                for tree in [tree, shuffled] {
                    all.push(FilterKernel::Propagate { tree }.permutation(precision, form));
                }
                for tree in [tree, shuffled, abreast] {
                    all.push(FilterKernel::Reduce { rows: each, tree }.permutation(precision, form));
                    for several in [false, true] {
                        all.push(FilterKernel::Apply { rows: each, tree, several }.permutation(precision, form));
                    }
                }
            }
        }
    }
    all
}
