//! Matrices larger than one binding.

use super::kernels::TriangularParams;
use super::shape::Shape;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::plan::Slot;
use crate::precision::Precision;

/// The matrix in one or two bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Panels {
    /// The second binding, if any: its first block over memory, and its entries.
    second: Option<Second>,
    /// Entries of the first binding.
    first_len: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Second {
    block: u32,
    /// In bytes.
    offset: u64,
    /// Entries in this binding before the block's first entry.
    entries_before: u64,
}

impl Panels {
    /// One binding if it suffices; otherwise the second begins at a block of columns, if the kernels have blocks.
    pub fn of(gpu: &Gpu, precision: Precision, shape: &Shape, block: Option<u32>, most: u64) -> Result<Self> {
        let limits = &gpu.capabilities().limits;
        let bytes = precision.bytes();
        // Kernels count the entries of a binding in u32.
        let most = most.min(u64::from(u32::MAX) * bytes);
        let len = shape.matrix_len().unwrap_or(usize::MAX) as u64;
        // Loads of whole units may read past the last entry.
        let needed = len.saturating_mul(bytes).saturating_add(4 * bytes);
        if needed <= most {
            return Ok(Self { second: None, first_len: len });
        }
        let limit =
            |limit, needed, available| Error::Limit { what: "the matrix (in bytes)".into(), needed, limit, available };
        let Some(block) = block.filter(|_| shape.batch == 1 || shape.matrix_stride == 0) else {
            return Err(limit("max_storage_buffer_binding_size", needed, most));
        };
        let column = shape.leading as u64 * bytes;
        let alignment = u64::from(limits.min_storage_buffer_offset_alignment);
        let whole = (most / column.max(1)).min(shape.stored as u64) / u64::from(block);
        let start = whole * u64::from(block) * column;
        let offset = start / alignment * alignment;
        if whole == 0 || needed - offset > most {
            return Err(limit("max_storage_buffer_binding_size, twice,", needed, 2 * most));
        }
        let second = Second { block: whole as u32, offset, entries_before: (start - offset) / bytes };
        Ok(Self { second: Some(second), first_len: whole * u64::from(block) * shape.leading as u64 })
    }

    pub fn is_split(&self) -> bool {
        self.second.is_some()
    }

    pub fn params(&self, params: TriangularParams) -> TriangularParams {
        match self.second {
            Some(second) => {
                TriangularParams { panel: second.block, panel_first: second.entries_before as u32, ..params }
            }
            None => params,
        }
    }

    /// Bindings of the matrix.
    pub fn slots(&self, precision: Precision, len: u64) -> Vec<Slot> {
        match self.second {
            None => vec![Slot::Input(0)],
            Some(Second { offset, .. }) => {
                let bytes = precision.bytes();
                // Up to a whole unit, as the vector rounds its own length.
                let end = (len * bytes).next_multiple_of(4 * bytes);
                let first = (self.first_len * bytes).next_multiple_of(16);
                vec![
                    Slot::InputPart { binding: 1, index: 0, offset: 0, bytes: first },
                    Slot::InputPart { binding: 2, index: 0, offset, bytes: end - offset },
                ]
            }
        }
    }
}
