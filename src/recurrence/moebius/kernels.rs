//! The kernels of Moebius recurrences: the three launches with 2 x 2 matrices as maps.

use crate::plan::RowAccess;
use crate::precision::Precision;
use crate::recurrence::kernels::{self, digits};
use crate::recurrence::launches::{Filling, LaunchKernel};
use crate::shader::{Part, Permutation, parts};

parts! {
    ROWS = "moebius/moebius_rows";
    CHUNK = "moebius/moebius_chunk";
    SOLVE = "moebius/moebius_values";
    MAP = "moebius/map";
    SLICE = "moebius/moebius_slice";
    SHUFFLE = "moebius/shuffle";
    ROWS_SCALAR = "moebius/moebius_rows_scalar";
    ROWS_VECTOR = "moebius/moebius_rows_vector";
}

/// Binding of the values before the first rows.
pub(super) const INITIAL_AT: u32 = 9;

/// Numbers that a map takes in memory, and a point: two columns, an exponent, and padding for alignment.
pub(crate) const MAP_VALUES: u64 = 6;
pub(crate) const POINT_VALUES: u64 = 2;

/// Rows per thread.
pub(crate) fn rows_each(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 8,
        Precision::F64 => 4,
    }
}

/// Maps, how they compose, and how those of a slice are scanned.
pub(crate) fn map(precision: Precision) -> Vec<Part> {
    vec![digits(precision), MAP, SLICE]
}

/// Specialisation of kernels for a bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct MoebiusAccess {
    pub rows: RowAccess,
    pub writable_inputs: bool,
    pub reverse: bool,
    /// Which of a, b, c, d and the initial value are constants.
    pub constants: [bool; 5],
}

/// A launch with matrices as maps.
pub(super) fn permutation(kernel: LaunchKernel, precision: Precision, form: MoebiusAccess) -> Permutation {
    let (load, all, store) = match form.rows {
        RowAccess::Vector => (kernels::LOAD_VECTOR, ROWS_VECTOR, kernels::STORE_VECTOR),
        RowAccess::Scalar | RowAccess::Shifted => (kernels::LOAD_SCALAR, ROWS_SCALAR, kernels::STORE_SCALAR),
    };
    let names = ["CONSTANT_A", "CONSTANT_B", "CONSTANT_C", "CONSTANT_D"];
    let constant = names.into_iter().zip(form.constants).map(|(name, constant)| (name, constant.into()));
    let filling = Filling {
        map: map(precision),
        shuffle: SHUFFLE,
        initial: kernels::INITIAL,
        rows: vec![load, ROWS, all, CHUNK],
        solve: vec![store, SOLVE],
        overrides: constant.chain([("REVERSE", form.reverse.into())]).collect(),
        initial_constants: vec![("INITIAL_BINDING", INITIAL_AT)],
        initial_overrides: vec![("INITIALS", (!form.constants[4]).into())],
        writable_inputs: form.writable_inputs,
    };
    kernel.permutation(precision, filling)
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations() -> Vec<Permutation> {
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        for (access, writable_inputs) in [
            (RowAccess::Scalar, false),
            (RowAccess::Vector, false),
            (RowAccess::Scalar, true),
            (RowAccess::Vector, true),
        ] {
            let form = MoebiusAccess {
                rows: access,
                writable_inputs,
                reverse: writable_inputs,
                constants: [!writable_inputs; 5],
            };
            let launches = LaunchKernel::all(rows_each(precision)).into_iter();
            all.extend(launches.map(|kernel| permutation(kernel, precision, form)));
        }
    }
    all
}
