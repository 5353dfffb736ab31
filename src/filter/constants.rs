//! The numbers of a filter that its kernels read: coefficients, responses, and powers of its matrix.

use rayon::prelude::*;

use super::SECTION_ORDER;
use super::bank::Bank;
use super::cascade::Cascade;
use super::matrix::Matrix;
use super::powers::{Powers, matrix_quads, row_quads};
use crate::plan::{Program, Slot};
use crate::real::Real;

/// The sizes of a filter, which kernels are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct FilterSizes {
    /// Numbers of the state.
    pub order: u32,
    /// 1 for the direct form.
    pub sections: u32,
}

impl FilterSizes {
    pub fn of(filter: &Cascade) -> Self {
        Self { order: filter.order() as u32, sections: filter.sections().len() as u32 }
    }

    /// Coefficients that kernels read: of the direct form `b` and then `a`, of each section likewise, without `a[0]`.
    pub fn coefficients(self) -> u32 {
        match self.sections {
            1 => 2 * self.order + 1,
            sections => sections * (2 * SECTION_ORDER as u32 + 1),
        }
    }

    /// Quads before the matrices (`shaders/filter/constants.wgsl`): the coefficients, and last the number of slices after which a state has no effect.
    pub fn coefficient_quads(self) -> u32 {
        (self.coefficients() + 1).div_ceil(4)
    }

    /// Quads of the response of a row.
    pub fn response_quads(self) -> u32 {
        row_quads(self.order as usize)
    }

    /// The quad at which the responses begin, for this number of levels.
    pub fn responses_at(self, levels: u32) -> u32 {
        self.coefficient_quads() + (MATRICES_BEFORE + levels) * matrix_quads(self.order as usize)
    }

    /// Quads of the constants, for this number of levels and of rows per chunk.
    pub fn constant_quads(self, levels: u32, rows: u32) -> u32 {
        self.responses_at(levels) + rows * self.response_quads()
    }
}

/// Matrices before the powers: into the basis in which states are composed, and back.
const MATRICES_BEFORE: u32 = 2;

/// For filters that never forget: more slices than any sequence has, and exact in f32.
const NEVER: f64 = 3e9;

/// The matrices of one filter that kernels read, and the number of slices after which a state has no effect.
pub(super) struct Table {
    /// Powers of 1, 2, 4, ... chunks.
    pub levels: Vec<Matrix>,
    pub forgotten: Option<u32>,
    pub powers: Vec<Matrix>,
}

/// The filters of a plan with their matrices.
pub(super) struct Numbers<'a> {
    pub bank: &'a Bank,
    /// Of each filter.
    pub powers: Vec<Powers>,
}

impl<'a> Numbers<'a> {
    pub fn new(bank: &'a Bank) -> Self {
        Self { bank, powers: bank.filters().par_iter().map(Powers::new).collect() }
    }

    /// Whether the powers over this number of rows are in the range of T.
    pub fn reach<T: Real>(&self, rows: u32) -> bool {
        self.powers.iter().all(|own| own.rows_within::<T>(rows.into()) >= rows.into())
    }

    /// Coefficients, the basis, levels; then the responses of this number of rows to a state.
    fn constants<T: Real>(filter: &Cascade, powers: &Powers, table: &Table, rows: u32) -> Vec<T> {
        let of_sections = filter.sections().iter().flat_map(|section| section.b().iter().chain(&section.a()[1..]));
        let mut values: Vec<T> = of_sections.map(|&c| T::from_f64(c)).collect();
        values.resize(4 * FilterSizes::of(filter).coefficient_quads() as usize - 1, T::ZERO);
        values.push(T::from_f64(table.forgotten.map_or(NEVER, f64::from)));
        let basis = [powers.basis.into, powers.basis.back];
        values.extend(basis.iter().chain(&table.levels).flat_map(|power| powers.entries::<T>(power)));
        let mut response = powers.output;
        for _ in 0..rows {
            values.extend(powers.row::<T>(response));
            response = powers.basis.one.times_row(&response);
        }
        values
    }

    /// Adds constants, with the responses of `rows` rows, and powers, if there are any, to the program; returns their slots. `table` makes the matrices of the filter with an index.
    pub fn slots<T: Real, K>(
        &self,
        program: &mut Program<K>,
        rows: u32,
        table: impl Fn(usize) -> Table + Sync,
    ) -> Vec<Slot> {
        let parts = |(at, (filter, powers)): (usize, (&Cascade, &Powers))| {
            let table = table(at);
            let matrices: Vec<T> = table.powers.iter().flat_map(|power| powers.entries::<T>(power)).collect();
            [Self::constants::<T>(filter, powers, &table, rows), matrices]
        };
        let all: Vec<_> = self.bank.filters().par_iter().zip(&self.powers).enumerate().map(parts).collect();
        match &all[..] {
            [[constants, powers]] => [(4, constants), (3, powers)]
                .into_iter()
                .filter(|(_, values)| !values.is_empty())
                .map(|(binding, values)| Slot::Scratch { binding, index: program.constants(values) })
                .collect(),
            _ => vec![Slot::Scratch {
                binding: 3,
                index: program.constants(&all.into_iter().flatten().flatten().collect::<Vec<T>>()),
            }],
        }
    }
}
