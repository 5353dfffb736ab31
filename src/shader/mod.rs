//! Kernels from WGSL files that state their imports: the linker, and what a kernel is specialised for.

mod linker;
mod module;
mod tree;
mod unroll;

pub(crate) use linker::{Linked, Request, link};
pub(crate) use tree::module;

#[cfg(all(test, feature = "testing"))]
mod tests;
