//! Common parts of the plans of all families: shapes of batches, policies, dispatches with their scratch, and binding to buffers.

mod access;
mod bound;
mod limits;
mod named;
mod overlapped;
pub(crate) mod params;
mod policy;
pub(crate) mod program;
mod scattered;
mod shape;
mod slicing;
mod solved;
mod tree;

pub use crate::status::Status;
pub(crate) use access::{RowAccess, Starts, Vector, Vectors};
pub use bound::Bound;
pub(crate) use bound::{bind, bind_numbered, bind_with};
pub(crate) use limits::{check_binding, check_numbering, check_precision, check_scratch, check_sequences};
pub(crate) use named::named;
pub(crate) use overlapped::{OverlappedSlices, check_overlapped_layout};
pub(crate) use params::{Offsets, Params};
pub use policy::Parameter;
pub(crate) use policy::{
    Field, Numbers, OFF_ON, POWERS_TO_1024, check_memory, check_values, check_workgroup, policies, policy, read_values,
};
pub(crate) use program::{IndirectArgs, Program, Slot, Step};
pub(crate) use scattered::Scattered;
pub use shape::{Along, Layout, Shape};
pub(crate) use slicing::{
    PACKED_BELOW, SLICES_AHEAD, SequenceSlicing, WORKGROUP, chunks_over, propagating, rows_each, sequence_slicing,
    sequence_slicing_over, workgroup,
};
pub(crate) use solved::{Runs, Solved};
pub(crate) use tree::{MAX_LOG_LANES, Tree};

/// Accessors of all plans; `Shape` is their family's.
macro_rules! plan_accessors {
    () => {
        /// The shape planned for.
        pub fn shape(&self) -> &Shape {
            &self.shape
        }

        /// Where the time went in which the plan was made: planning and compiling.
        pub fn timing(&self) -> $crate::gpu::Timing {
            self.timing
        }

        /// Dispatches of one solve.
        pub fn dispatches(&self) -> usize {
            self.program.steps.len()
        }

        /// Bytes of scratch that the plan holds on the device.
        pub fn scratch_bytes(&self) -> u64 {
            self.scratch.iter().map(wgpu::Buffer::size).sum()
        }

        /// Fills the scratch with NaN, which exposes reads of unwritten values.
        #[cfg(feature = "internals")]
        #[doc(hidden)]
        pub fn poison_scratch(&self) {
            self.program.poison(&self.gpu, &self.scratch);
        }
    };
}
pub(crate) use plan_accessors;
