//! Kernels from WGSL files that state their imports: the linker, and what a kernel is specialised for.

mod linker;
mod module;
mod permutation;
mod tree;
mod uniform;
mod unroll;

pub(crate) use linker::Linked;
pub(crate) use permutation::{CallerCode, Checks, Part, Permutation, parts};
pub(crate) use uniform::uniform_struct;

#[cfg(all(test, feature = "testing"))]
mod tests;
