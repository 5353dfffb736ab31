//! Dispatches that leave problems to each other: the first to read the rows give verdicts, those behind follow them.

use super::parts::*;
use super::{Access, KernelId, Program, Step};
use crate::gpu::wgsl::{Permutation, Precision};
use crate::plan::Slot;

/// Verdicts on a problem, as numbers.
pub(crate) const SOUND: u32 = 0;
/// The outside reaches slices that were to be solved alone.
pub(crate) const COUPLED: u32 = 1;
/// Rows are not dominant, or overflow.
pub(crate) const NOT_DOMINANT: u32 = 2;
/// Both.
pub(crate) const BOTH: u32 = 3;

/// Where the verdicts are bound.
const VERDICTS: u32 = 9;

/// Workgroups of a dispatch that mostly has nothing to do: as many as any device runs at once.
const MOST_FOLLOWING: u64 = 1 << 13;

/// What a kernel has to do with verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Gate {
    /// Nothing: all problems are its own.
    #[default]
    Open,
    /// It says which are not dominant, and leaves them.
    Judges,
    /// It takes those whose verdict has its bit among these.
    Follows {
        accepted: u32,
        /// Of its dispatches the last, which clears the verdicts.
        last: bool,
    },
}

impl Gate {
    /// Takes the problems of such verdicts.
    pub fn accepting(verdicts: &[u32]) -> Self {
        Self::Follows { accepted: verdicts.iter().fold(0, |bits, verdict| bits | 1 << verdict), last: false }
    }
}

/// A kernel behind its gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Gated {
    pub kernel: KernelId,
    pub gate: Gate,
}

impl From<KernelId> for Gated {
    fn from(kernel: KernelId) -> Self {
        Self { kernel, gate: Gate::Open }
    }
}

impl Gated {
    pub fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let mut permutation = self.kernel.permutation(precision, access);
        let (verdict, entry) = match self.gate {
            Gate::Open => return permutation,
            Gate::Judges => (VERDICT_JUDGE, ENTRY),
            Gate::Follows { last: false, .. } => (VERDICT_FOLLOW, ENTRY_FOLLOW),
            Gate::Follows { last: true, .. } => (VERDICT_LAST, ENTRY_FOLLOW),
        };
        let parts = permutation.parts.into_iter().filter(|part| ![VERDICT_OPEN, ENTRY].contains(part));
        permutation.parts = parts.chain([verdict, entry]).collect();
        if let Gate::Follows { accepted, .. } = self.gate {
            permutation.overrides.push(("ACCEPTED", accepted));
        }
        permutation
    }
}

/// The same dispatch behind a gate, with the verdicts in a scratch buffer.
pub(crate) fn gated(step: Step, gate: Gate, verdicts: usize) -> Step {
    let slots = [&step.slots[..], &[verdicts_slot(verdicts)]].concat();
    let workgroups = match gate {
        Gate::Follows { .. } => step.workgroups.min(MOST_FOLLOWING),
        Gate::Open | Gate::Judges => step.workgroups,
    };
    Step { kernel: Gated { gate, ..step.kernel }, slots, workgroups, ..step }
}

pub(crate) fn verdicts_slot(index: usize) -> Slot {
    Slot::Scratch { binding: VERDICTS, index }
}

/// Scratch for the verdicts of so many problems, and how many slices of each have read one.
pub(crate) fn verdicts(program: &mut Program, problems: u32) -> usize {
    program.kept_scratch(8 * u64::from(problems), 0)
}
