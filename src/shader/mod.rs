//! Kernels from WGSL files that state their imports: the linker, and the specialisation of kernels.

pub(crate) mod linker;
mod module;
pub(crate) mod permutation;
pub(crate) mod tree;
mod uniform;
mod unroll;

pub(crate) use permutation::{CallerCode, CallerFunction, Checks, Part, Permutation, parts};
pub(crate) use uniform::uniform_struct;
