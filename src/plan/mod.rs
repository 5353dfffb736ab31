//! What the plans of all families are made of: shapes of batches, policies, dispatches with their
//! scratch, and their binding to buffers.

mod access;
mod bound;
mod limits;
mod named;
mod policy;
mod program;
mod shape;
mod spread;
mod tree;

pub(crate) use access::{RowAccess, Vector, Vectors};
pub use bound::{Bound, Status};
pub(crate) use bound::{bind, bind_with};
pub(crate) use limits::{check_binding, check_numbering, check_precision, check_scratch};
pub(crate) use named::named;
pub use policy::Parameter;
pub(crate) use policy::{
    Field, OFF_ON, POWERS_TO_1024, check_memory, check_values, check_workgroup, policies, read_values,
};
pub(crate) use program::{Params, Program, Slot, Step};
pub use shape::{Layout, Shape};
pub(crate) use spread::{SLICES_AHEAD, Spread, propagating, rows_each, spread, workgroup};
pub(crate) use tree::{MAX_LOG_LANES, Tree};
