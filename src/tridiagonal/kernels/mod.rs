//! Description, assembly and verdicts of all tridiagonal kernels.

mod access;
#[cfg(feature = "internals")]
pub mod all;
mod assembly;
pub mod gate;
pub mod parts;

pub use access::{Access, Level};
pub use assembly::{Assembly, loaded, row_constants};
pub use gate::{Gate, Gated};

pub use super::algorithms::KernelId;
use crate::plan::Slot;
use crate::precision::Precision;
use crate::shader::Permutation;

/// The dispatches of an algorithm for a shape.
pub type Program = crate::plan::Program<Gated>;
/// One dispatch.
pub type Step = crate::plan::Step<Gated>;

/// Passes over all rows, if no verdict asks for more.
pub fn row_reads(program: &Program) -> usize {
    let asks = |step: &Step| step.indirect.is_some() || matches!(step.kernel.gate, Gate::Takes { .. });
    program.steps.iter().filter(|step| !asks(step) && step.slots.contains(&Slot::Inputs)).count()
}

/// The kernels of one algorithm, or of a step around the algorithms, with their specialisation.
pub trait Kernel: Copy + Into<KernelId> {
    /// Properties for assembly, binding and tests.
    fn properties(self) -> Properties;

    /// The kernel for one access to the caller's vectors.
    fn permutation(self, precision: Precision, access: Access) -> Permutation;

    /// The kernels with each constant that changes their text, and their possible gates; constants that know nothing of each other are not
    /// all combined. Numbers that are only overrides have a typical value.
    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)>;
}

/// Properties of a kernel for assembly, binding and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// Whether it reads or writes the caller's vectors, so that their access matters.
    pub accesses_caller: bool,
    /// Whether it uses subgroup operations.
    pub uses_subgroups: bool,
    /// Whether it can load four rows at once.
    pub has_vector_form: bool,
    /// Whether it solves periodic systems directly, without a correction.
    pub closes_rings: bool,
}

impl Properties {
    /// For kernels that need a correction for periodic systems: whether they access the caller's vectors, use subgroups, have a vector form.
    pub fn new(accesses_caller: bool, uses_subgroups: bool, has_vector_form: bool) -> Self {
        Self { accesses_caller, uses_subgroups, has_vector_form, closes_rings: false }
    }
}
