//! Overlapped slices of interleaved sequences (`shaders/filter/overlapped.wgsl`): a thread filters one slice of a sequence. It starts some rows
//! earlier from state 0; by the slice, a state's influence has decayed below rounding.

use rayon::prelude::*;

use super::constants::{Numbers, Table};
use super::kernels::FilterKernel;
use super::one_pass::{Dispatches, over_initial};
use super::powers::Powers;
use super::programs::{Program, three_launch};
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{OverlappedSlices, Params, SequenceSlicing, Slot, rows_each};
use crate::real::Real;

/// The most rows of an overlap.
const MOST_OVERLAP: u32 = 4096;

/// From this number of threads on, this algorithm is faster than the three launches (benches/results/filter-log.md).
const FEWEST_THREADS: u64 = 1 << 14;

/// Longer overlaps were not measured.
const MOST_MEASURED_OVERLAP: u32 = 512;

/// How a filter's sequences are divided into overlapped slices.
pub(super) struct Overlapped {
    slices: OverlappedSlices,
    overlap_rows: u32,
}

impl Overlapped {
    /// The overlap is long enough that the power of each filter's matrix over its rows has no entry above the square of the unit roundoff.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a filter remembers more rows than an overlap can have.
    pub fn new<T: Real>(capabilities: &Capabilities, numbers: &Numbers<'_>) -> Result<Self> {
        let slices = OverlappedSlices::of(capabilities, rows_each(T::PRECISION));
        let blocks = MOST_OVERLAP / slices.rows;
        let least = T::UNIT_ROUNDOFF * T::UNIT_ROUNDOFF;
        let of_filter = |powers: &Powers| powers.faded(slices.rows.into(), blocks, least);
        let each: Vec<_> = numbers.powers.par_iter().map(of_filter).collect();
        let most = each.into_iter().try_fold(0, |most, own| own.map(|own| own.max(most)));
        let blocks = most.ok_or_else(|| Error::Unsupported {
            what: format!("overlapped for a filter that remembers more than {MOST_OVERLAP} rows"),
            hint: "its poles are too close to the unit circle; take three-launch or auto".into(),
        })?;
        Ok(Self { slices, overlap_rows: blocks * slices.rows })
    }

    /// Whether this algorithm beats the three launches, for parameters that [suit](OverlappedSlices::suit) it.
    pub fn is_faster(&self, params: Params) -> bool {
        let threads = self.slices.threads(params, self.overlap_rows, self.overlap_rows);
        self.overlap_rows <= MOST_MEASURED_OVERLAP && threads >= FEWEST_THREADS
    }

    /// The one dispatch; if y replaces x, the three launches, since a thread also reads rows of others.
    pub(super) fn program<T: Real>(
        self,
        capabilities: &Capabilities,
        numbers: &Numbers<'_>,
        of_shape: Params,
        (sequence_slicing, reverse): (SequenceSlicing, bool),
    ) -> Dispatches {
        let order = numbers.bank.order() as u64;
        let Self { slices, overlap_rows } = self;
        let (params, workgroups) = slices.params(of_shape, overlap_rows, overlap_rows);
        let mut program = Program::default();
        let table = |_| Table { levels: vec![], forgotten: None, powers: vec![] };
        let filters = numbers.slots::<T, _>(&mut program, 0, table);
        let read = 1.0 + f64::from(params.slices - 1) * f64::from(overlap_rows) / f64::from(params.n);
        program.values_per_row = 1.0 + read;
        let vectors =
            [Slot::Input(0), Slot::Input(1), Slot::Status, Slot::Output, Slot::Beside { binding: 9, index: 0 }];
        let slots = [&vectors[..], &filters].concat();
        program.push(FilterKernel::Overlapped(slices), params, workgroups, &slots);
        let over_initial = (params.slices > 1).then(|| over_initial(&mut program, of_shape, order, T::PRECISION));
        let in_place = three_launch::<T>(capabilities, numbers, sequence_slicing, of_shape, reverse);
        program.in_place = Some(program.adopt(in_place).steps);
        Dispatches { program, over_initial }
    }
}
