//! Overlapped slices of interleaved sequences (`shaders/filter/overlapped.wgsl`): a thread filters a slice of one sequence, and begins at rows
//! before the slice from which no state is left in it.

use super::constants::{Numbers, Table};
use super::kernels::FilterKernel;
use super::one_pass::OnePassProgram;
use super::powers::Powers;
use super::programs::Program;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{Params, SequenceSlicing, Slot, rows_each, workgroup};
use crate::precision::Precision;
use crate::real::Real;

/// Threads per workgroup.
const THREADS: u32 = 64;

/// Threads in all that keep a large device busy.
const BUSY: u64 = 1 << 16;

/// The most rows of an overlap.
const MOST_OVERLAP: u32 = 4096;

/// A slice has at least this many times the rows of its overlap.
const SLICE_PER_OVERLAP: u32 = 3;

/// A kernel for overlapped slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Overlapped {
    /// Rows that a thread loads at once.
    pub rows: u32,
    pub workgroup: u32,
}

impl Overlapped {
    pub fn of(capabilities: &Capabilities, precision: Precision) -> Self {
        Self { rows: rows_each(precision), workgroup: workgroup(capabilities, THREADS) }
    }

    /// Rows before a slice, a multiple of those loaded at once, behind which no filter of the bank keeps more of a state than the square of the unit
    /// roundoff.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a filter remembers more rows than an overlap can have.
    pub(super) fn overlap<T: Real>(self, numbers: &Numbers<'_>) -> Result<u32> {
        let blocks = MOST_OVERLAP / self.rows;
        let least = T::UNIT_ROUNDOFF * T::UNIT_ROUNDOFF;
        let of_filter = |powers: &Powers| powers.faded(self.rows.into(), blocks, least);
        let most = numbers.powers.iter().map(of_filter).try_fold(0, |most, own| own.map(|own| own.max(most)));
        most.map(|blocks| blocks * self.rows).ok_or_else(|| Error::Unsupported {
            what: format!("overlapped for a filter that remembers more than {MOST_OVERLAP} rows"),
            hint: "its poles are too close to the unit circle; take three-launch or auto".into(),
        })
    }

    /// The one dispatch; if y replaces x, the three launches, since a thread also reads rows of others.
    pub(super) fn program<T: Real>(
        self,
        capabilities: &Capabilities,
        numbers: &Numbers<'_>,
        (params, overlap_rows): (Params, u32),
        (sequence_slicing, reverse): (SequenceSlicing, bool),
    ) -> OnePassProgram {
        let order = numbers.bank.order() as u64;
        let rows = u64::from(params.n) * u64::from(params.problems);
        let even = rows.div_ceil(BUSY).max(u64::from(SLICE_PER_OVERLAP * overlap_rows)).max(1);
        let slice_rows = even.next_multiple_of(self.rows.into()).min(u64::from(params.n.next_multiple_of(self.rows)));
        let slice_rows = slice_rows as u32;
        let slices = params.n.div_ceil(slice_rows);
        let of_shape = params;
        let params = Params { slices, slice_rows, overlap_rows, ..params };
        let mut program = Program::default();
        let table = |_| Table { levels: vec![], forgotten: None, powers: vec![] };
        let filters = numbers.slots::<T, _>(&mut program, 0, table);
        let read = 1.0 + f64::from(slices - 1) * f64::from(overlap_rows) / f64::from(params.n);
        program.values_per_row = 1.0 + read;
        let vectors =
            [Slot::Input(0), Slot::Input(1), Slot::Status, Slot::Output, Slot::Beside { binding: 9, index: 0 }];
        let workgroups = (u64::from(slices) * u64::from(params.problems)).div_ceil(self.workgroup.into());
        let slots = [&vectors[..], &filters].concat();
        program.push(FilterKernel::Overlapped(self), params, workgroups, &slots);
        let over_initial =
            (slices > 1).then(|| super::one_pass::over_initial(&mut program, of_shape, order, T::PRECISION));
        let in_place = super::programs::three_launch::<T>(capabilities, numbers, sequence_slicing, of_shape, reverse);
        program.in_place = Some(program.adopt(in_place).steps);
        OnePassProgram { program, over_initial }
    }
}
