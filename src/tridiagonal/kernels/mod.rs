//! What all tridiagonal kernels have in common: how they are described, assembled, and left to each other.

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

/// What an algorithm makes of a shape.
pub type Program = crate::plan::Program<Gated>;
/// One dispatch.
pub type Step = crate::plan::Step<Gated>;

/// How often all the rows are read where no verdict asks for more.
pub fn row_reads(program: &Program) -> usize {
    let asks = |step: &Step| step.indirect.is_some() || matches!(step.kernel.gate, Gate::Takes { .. });
    program.steps.iter().filter(|step| !asks(step) && step.slots.contains(&Slot::Inputs)).count()
}

/// The kernels of one algorithm, or of a step around the algorithms, with what they are specialised for.
pub trait Kernel: Copy + Into<KernelId> {
    /// What is asked of a kernel wherever it is assembled, bound or tested.
    fn properties(self) -> Properties;

    /// The kernel for one way to reach the caller's vectors.
    fn permutation(self, precision: Precision, access: Access) -> Permutation;

    /// Every kernel with every constant that changes its text, and the gates that it may stand behind. Numbers that are only
    /// overrides have a typical value.
    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)>;
}

/// What is asked of a kernel wherever it is assembled, bound or tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// Whether it touches the caller's inputs, so that their access matters.
    pub reads_caller: bool,
    /// Whether it uses subgroup operations.
    pub uses_subgroups: bool,
    /// Whether it can take four rows per load.
    pub has_vector_form: bool,
    /// Whether it solves periodic systems as they are, without a correction.
    pub closes_rings: bool,
}

impl Properties {
    /// Of kernels that need a correction for periodic systems: whether they touch the caller's inputs, use subgroups, have a vector form.
    pub fn new(reads_caller: bool, uses_subgroups: bool, has_vector_form: bool) -> Self {
        Self { reads_caller, uses_subgroups, has_vector_form, closes_rings: false }
    }
}
