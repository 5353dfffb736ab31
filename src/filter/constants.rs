//! The numbers of a filter that its kernels read: coefficients, responses, and powers of its matrix.

use super::coefficients::Coefficients;
use super::matrix::Matrix;
use super::powers::{Powers, matrix_quads};
use crate::plan::{Program, Slot};
use crate::real::Real;

/// Quads before the matrices (`shaders/filter/constants.wgsl`): at most 9 coefficients, and the number of slices after which a state has no effect.
pub(super) const COEFFICIENT_QUADS: u32 = 3;

/// Matrices before the powers: into the basis in which states are composed, and back.
const MATRICES_BEFORE: u32 = 2;

/// Index of this number.
const FORGOTTEN_AT: usize = 11;

/// For filters that never forget: more slices than any sequence has, and exact in f32.
const NEVER: f64 = 3e9;

/// Quads of the constants, for this number of levels and of rows per chunk.
pub(super) fn constant_quads(order: u32, levels: u32, rows: u32) -> u32 {
    responses_at(order, levels) + rows
}

/// The quad at which the responses begin.
pub(super) fn responses_at(order: u32, levels: u32) -> u32 {
    COEFFICIENT_QUADS + (MATRICES_BEFORE + levels) * matrix_quads(order as usize)
}

/// A filter's numbers in its precision.
pub(super) struct Numbers<'a> {
    pub coefficients: &'a Coefficients,
    pub powers: &'a Powers,
}

impl Numbers<'_> {
    /// Coefficients, the basis, powers of 1, 2, 4, ... chunks; then the responses of this number of rows to a state.
    fn constants<T: Real>(&self, levels: &[Matrix], rows: u32, forgotten: Option<u32>) -> Vec<T> {
        let Self { coefficients, powers } = self;
        let mut values: Vec<T> =
            coefficients.b().iter().chain(&coefficients.a()[1..]).map(|&c| T::from_f64(c)).collect();
        values.resize(4 * COEFFICIENT_QUADS as usize, T::ZERO);
        values[FORGOTTEN_AT] = T::from_f64(forgotten.map_or(NEVER, f64::from));
        let basis = [powers.basis.into, powers.basis.back];
        values.extend(basis.iter().chain(levels).flat_map(|power| powers.entries::<T>(power)));
        // The first row of the matrix back is the output of the first row.
        let mut response = Matrix::ZERO;
        response.0[0] = powers.basis.back.0[0];
        for _ in 0..rows {
            values.extend(powers.row::<T>(&response));
            response = response.times(&powers.basis.one);
        }
        values
    }

    /// The slot of the constants.
    pub fn constants_slot<T: Real, K>(
        &self,
        program: &mut Program<K>,
        levels: &[Matrix],
        rows: u32,
        forgotten: Option<u32>,
    ) -> Slot {
        let values = self.constants::<T>(levels, rows, forgotten);
        Slot::Scratch { binding: 4, index: program.constants(&values) }
    }

    /// The slot of powers of the matrix.
    pub fn powers_slot<T: Real, K>(&self, program: &mut Program<K>, all: &[Matrix]) -> Slot {
        let values: Vec<T> = all.iter().flat_map(|power| self.powers.entries::<T>(power)).collect();
        Slot::Scratch { binding: 3, index: program.constants(&values) }
    }
}
