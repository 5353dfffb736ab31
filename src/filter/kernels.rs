//! The kernels of the filters: the three launches, with states as maps. All rows share one matrix, whose powers the host computes; so a
//! map is only the state that rows leave, and the launches have modules of their own (`shaders/filter/`).

use crate::plan::{RowAccess, SLICES_AHEAD};
use crate::precision::Precision;
use crate::recurrence::launches::{Launch, LaunchKernel, scan};
use crate::shader::{Permutation, parts};

parts! {
    PROBLEM = "shared/problem";
    ENTRY = "shared/entry";
    LOAD_SCALAR = "shared/element_scalar";
    LOAD_VECTOR = "shared/element_vector";
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

/// Specialisation of kernels for a bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct FilterAccess {
    pub order: u32,
    pub rows: RowAccess,
    pub writable_inputs: bool,
    pub reverse: bool,
}

/// A launch with states as maps.
pub(super) fn permutation(kernel: LaunchKernel, precision: Precision, form: FilterAccess) -> Permutation {
    let LaunchKernel { launch, rows, tree } = kernel;
    let (signal, store) = match form.rows {
        RowAccess::Vector => ([LOAD_VECTOR, SIGNAL_VECTOR], STORE_VECTOR),
        RowAccess::Scalar | RowAccess::Shifted => ([LOAD_SCALAR, SIGNAL_SCALAR], STORE_SCALAR),
    };
    let over_rows = [("ROWS", rows), ("QUADS", rows / 4)];
    let (kernel, own, sizes, before) = match launch {
        Launch::Reduce => ("reduce", [&signal[..], &[REDUCE]].concat(), &over_rows[..], MATRICES_BEFORE),
        Launch::Propagate(_) => {
            ("propagate", vec![PROPAGATE], &[("AHEAD", SLICES_AHEAD)][..], PROPAGATE_MATRICES_BEFORE)
        }
        Launch::Apply { several } => {
            let start = if several { BEFORE_READ } else { BEFORE_FIRST };
            ("apply", [&signal[..], &[store, start, APPLY]].concat(), &over_rows[..], MATRICES_BEFORE)
        }
    };
    let FilterAccess { order, .. } = form;
    let mut constants = vec![
        ("ORDER", order),
        ("ORDER_BEFORE", order - 1),
        ("TAPS", order + 1),
        ("COEFFICIENT_QUADS", COEFFICIENT_QUADS),
        ("MATRIX_QUADS", super::powers::matrix_quads(order as usize)),
        ("MATRICES_BEFORE", before),
    ];
    constants.extend(sizes);
    let mut overrides = tree.place_overrides();
    overrides.extend((!matches!(launch, Launch::Propagate(_))).then_some(("REVERSE", form.reverse.into())));
    Permutation {
        kernel,
        precision,
        writable_inputs: form.writable_inputs,
        subgroups: tree.log_run > 0,
        parts: [&[PROBLEM, STATE, ENTRY][..], &scan(tree, SHUFFLE), &own].concat(),
        constants,
        overrides,
        caller: None,
    }
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations() -> Vec<Permutation> {
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        let each = crate::plan::rows_each(precision);
        for order in 1..=super::MAX_ORDER as u32 {
            for rows in [RowAccess::Scalar, RowAccess::Vector] {
                let switch = (rows == RowAccess::Vector) == (order % 2 == 0);
                let form = FilterAccess { order, rows, writable_inputs: switch, reverse: switch };
                all.extend(LaunchKernel::all(each).into_iter().map(|kernel| permutation(kernel, precision, form)));
            }
        }
    }
    all
}
