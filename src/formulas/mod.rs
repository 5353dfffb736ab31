//! Formulas of the caller's that kernels compute: read, checked, made functions of WGSL, and bound with the vectors that they read.

mod budget;
mod compiled;
mod fused;
mod lockstep;
mod safety;
mod words;

pub(crate) use compiled::{Source, SourceKind};
pub(crate) use fused::{Dialect, Fused};
