//! What the plans of all families are made of: shapes of batches, dispatches with their scratch, and
//! their binding to buffers.

mod access;
mod bound;
mod limits;
mod named;
mod program;
mod shape;
mod tree;

pub(crate) use access::{RowAccess, Vector, Vectors};
pub(crate) use bound::bind;
pub use bound::{Bound, Status};
pub(crate) use limits::{check_binding, check_numbering, check_precision};
pub(crate) use named::named;
pub(crate) use program::{Params, Program, Slot, Step};
pub use shape::{Layout, Shape};
pub(crate) use tree::{MAX_LOG_LANES, Tree};
