//! Overlapped slices of interleaved sequences: a thread takes a slice of one sequence, and begins at rows before the slice.

use super::params::Params;
use super::slicing::workgroup;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;

/// Threads per workgroup.
const THREADS: u32 = 64;

/// Threads in all that keep a large device busy.
const BUSY: u64 = 1 << 16;

/// Shorter sequences stay with the three launches, which solve them in one dispatch.
const LEAST_ROWS: u32 = 65;

/// Neighbouring sequences whose rows fill a line of memory, in f32.
const LINE: u32 = 32;

/// Rejects layouts in which slices cannot overlap.
///
/// # Errors
/// [`Error::Unsupported`] if rows lie closer than sequences.
pub(crate) fn check_overlapped_layout(params: &Params) -> Result<()> {
    if params.systems_first() {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: "overlapped for this layout".into(),
        hint:
            "it needs sequences closer together than rows (system_stride below element_stride); take one-pass or auto"
                .into(),
    })
}

/// A kernel for overlapped slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OverlappedSlices {
    /// Rows that a thread loads at once.
    pub rows: u32,
    pub workgroup: u32,
}

impl OverlappedSlices {
    /// `rows`: rows that a thread loads at once, a power of two.
    pub fn of(capabilities: &Capabilities, rows: u32) -> Self {
        Self { rows, workgroup: workgroup(capabilities, THREADS) }
    }

    /// Whether sequences are long enough, and neighbours close enough, that slices may beat the three launches.
    pub fn suit(params: &Params) -> bool {
        params.systems_first() && params.group >= LINE.min(params.problems) && params.n >= LEAST_ROWS
    }

    /// Threads of the dispatch, for these arguments of [`OverlappedSlices::params`].
    pub fn threads(self, params: Params, overlap_rows: u32, least: u32) -> u64 {
        self.params(params, overlap_rows, least).1 * u64::from(self.workgroup)
    }

    /// The parameters of the dispatch, and its workgroups. `overlap_rows`, a multiple of `rows`: rows before a slice; `least`: the fewest rows of a
    /// slice.
    pub fn params(self, params: Params, overlap_rows: u32, least: u32) -> (Params, u64) {
        let in_all = u64::from(params.n) * u64::from(params.problems);
        let even = in_all.div_ceil(BUSY).max(least.into()).max(1).next_multiple_of(self.rows.into());
        let whole = u64::from(params.n).next_multiple_of(self.rows.into());
        // Slices end within u32, since all rows are numbered in it.
        let slice_rows = even.min(whole) as u32;
        let slices = params.n.div_ceil(slice_rows);
        let workgroups = (u64::from(slices) * u64::from(params.problems)).div_ceil(self.workgroup.into());
        (Params { slices, slice_rows, overlap_rows, ..params }, workgroups)
    }
}
