//! What the launches of recurrences are filled with for the scans of a tridiagonal solve.

use super::Access;
use super::parts::*;
use crate::plan::RowAccess;
use crate::precision::Precision;
use crate::recurrence::launches::{Filling, affine};
use crate::recurrence::{kernels, moebius};

/// Which of the three recurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    Pivots,
    /// Of the right-hand side.
    Forward,
    /// The substitution.
    Backward,
}

impl Phase {
    pub fn filling(self, precision: Precision, access: Access) -> Filling {
        let whole = access.rows == RowAccess::Vector;
        let of = |scalar, vector| if whole { vector } else { scalar };
        let load = of(kernels::LOAD_SCALAR, kernels::LOAD_VECTOR);
        let store = of(STORE_SCALAR, STORE_VECTOR);
        let entries = of(ENTRIES_SCALAR, ENTRIES_VECTOR);
        let common = [load, entries];
        let rows = of(kernels::ROWS_SCALAR, kernels::ROWS_VECTOR);
        let of_numbers = [rows, kernels::LOAD_CHUNK, kernels::SLICE];
        let solves = [kernels::SOLVE_CHUNK];
        // What the rows are read by reports what is wrong with them, and the substitution reads what it writes.
        let (map, shuffle, own, solve) = match self {
            Self::Pivots => (
                moebius::map(precision),
                moebius::SHUFFLE,
                vec![SCAN_MATRIX, of(SCAN_MATRIX_SCALAR, SCAN_MATRIX_VECTOR), moebius::CHUNK],
                vec![store, SCAN_PIVOTS],
            ),
            Self::Forward => (
                affine(precision),
                kernels::SHUFFLE,
                [&of_numbers[..], &[of(SCAN_FORWARD_SCALAR, SCAN_FORWARD_VECTOR)]].concat(),
                [&[store][..], &solves].concat(),
            ),
            Self::Backward => (
                affine(precision),
                kernels::SHUFFLE,
                [&of_numbers[..], &[store, of(SCAN_BACKWARD_SCALAR, SCAN_BACKWARD_VECTOR)]].concat(),
                solves.to_vec(),
            ),
        };
        let mut overrides = access.overrides();
        if self == Self::Backward {
            overrides.push(("REVERSE", 1));
        }
        Filling {
            map,
            shuffle,
            initial: kernels::INITIAL_ZERO,
            rows: [&common[..], &own].concat(),
            solve,
            overrides,
            initial_constants: vec![],
            initial_overrides: vec![],
            writable_inputs: access.writable_inputs,
        }
    }
}
