//! Dispatches that leave problems to each other: the first to read the rows give verdicts, those behind follow them.

use super::parts::*;
use super::{Access, KernelId, Program, Step};
use crate::gpu::grid_for;
use crate::gpu::wgsl::{Permutation, Precision};
use crate::plan::{Given, Params, Slot};

/// Verdicts on a problem, as numbers.
pub(crate) const SOUND: u32 = 0;
/// The outside reaches slices that were to be solved alone.
pub(crate) const COUPLED: u32 = 1;
/// Rows are not dominant, or overflow.
pub(crate) const NOT_DOMINANT: u32 = 2;
/// Both.
pub(crate) const BOTH: u32 = 3;

/// Where the verdicts are bound.
const BINDING: u32 = 9;
/// So many workgroups find out sooner that they have nothing to do than an indirect dispatch is not launched and its verdicts
/// are cleared.
const MOST_DIRECT: u64 = 1 << 11;
/// Of more workgroups none should ask for verdicts in vain.
const MOST_ASKING: u64 = 1 << 14;
/// Threads a workgroup of what clears them.
const CLEARING: u32 = 256;

/// What a kernel has to do with verdicts, which so many indirect dispatches follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Gate {
    /// Nothing: all problems are its own.
    #[default]
    Open,
    /// It says which are not dominant, and leaves them.
    Judges { followers: u32 },
    /// It takes those whose verdict has its bit among these.
    Follows { accepted: u32, followers: u32 },
    /// The same of the only dispatch that follows, of one workgroup a problem, which takes the verdicts away.
    Takes { accepted: u32 },
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
        let (replaced, parts, overrides) = match self.gate {
            Gate::Open => return permutation,
            Gate::Judges { followers } => {
                let judges = permutation.parts.contains(&VERDICT_OPEN).then_some(VERDICT_JUDGE);
                let parts: Vec<_> = [VERDICTS].into_iter().chain(judges).collect();
                (vec![VERDICT_OPEN], parts, vec![("FOLLOWERS", followers)])
            }
            Gate::Takes { accepted } => {
                (vec![VERDICT_OPEN, ENTRY], vec![VERDICT_TAKE, ENTRY_FOLLOW], vec![("ACCEPTED", accepted)])
            }
            Gate::Follows { accepted, followers } => (
                vec![VERDICT_OPEN, ENTRY],
                vec![VERDICT_FOLLOW, ENTRY_FOLLOW],
                vec![("FOLLOWERS", followers), ("ACCEPTED", accepted)],
            ),
        };
        permutation.parts.retain(|part| !replaced.contains(part));
        permutation.parts.extend(parts);
        permutation.overrides.extend(overrides);
        permutation
    }
}

/// The same dispatch behind a gate.
fn gated(step: &Step, gate: Gate, verdicts: Slot) -> Step {
    let slots = [&step.slots[..], &[verdicts]].concat();
    Step { kernel: Gated { gate, ..step.kernel }, slots, ..step.clone() }
}

/// A dispatch, and the verdicts that make a problem concern it.
pub(crate) type Follower<'a> = (&'a Step, &'a [u32]);

/// Dispatches that judge so many problems, those that always follow, those that follow where there is work, and what clears
/// the verdicts behind them. The grids are for a device of so many workgroups a dimension.
pub(crate) fn judged(
    program: &mut Program,
    problems: u32,
    most: u32,
    judge: &Step,
    [always, woken]: [&[Follower<'_>]; 2],
) -> Vec<Step> {
    let bits = |verdicts: &[u32]| verdicts.iter().fold(0, |bits, verdict| bits | 1 << verdict);
    if let ([], &[(step, verdicts)]) = (always, woken)
        && step.params.slices == 1
        && step.workgroups <= MOST_DIRECT
    {
        let index = program.constants(&vec![0u32; problems as usize + 1]);
        let slot = Slot::Scratch { binding: BINDING, index };
        let gates = [(judge, Gate::Judges { followers: 0 }), (step, Gate::Takes { accepted: bits(verdicts) })];
        return gates.map(|(step, gate)| gated(step, gate, slot)).to_vec();
    }
    let followers = woken.len() as u32;
    let mut words = Vec::new();
    // A grid that is too large is an error of binding.
    let grids: Vec<_> = woken.iter().map(|(step, _)| grid_for(most, step.workgroups).unwrap_or([0, 0])).collect();
    for ([_, rows], (_, verdicts)) in grids.iter().zip(woken) {
        words.extend([0, *rows, 1, bits(verdicts)]);
    }
    words.extend(grids.iter().map(|[columns, _]| *columns));
    words.resize(words.len() + 1 + problems as usize, 0);
    let index = program.constants(&words);
    let slot = Slot::Scratch { binding: BINDING, index };
    let behind = |step: &Step, gate| gated(step, gate, slot);
    let follows = |verdicts| Gate::Follows { accepted: bits(verdicts), followers };
    let mut steps = vec![behind(judge, Gate::Judges { followers })];
    steps.extend(always.iter().map(|(step, verdicts)| behind(step, follows(verdicts))));
    // Verdicts gather: these stay accepted.
    let stay = |verdicts: &[u32]| verdicts.iter().all(|verdict| verdicts.contains(&(verdict | BOTH)));
    let many = problems == 1 && woken.iter().any(|(step, _)| step.workgroups > MOST_ASKING);
    let certain = |verdicts: &[u32]| many && stay(verdicts);
    steps.extend(woken.iter().enumerate().map(|(at, &(step, verdicts))| {
        // What would not be there without work for it need not ask, which takes a tenth of a long solve. Short ones gain where
        // all have the verdicts bound alike: no barriers between them.
        let step = if certain(verdicts) { step.clone() } else { behind(step, follows(verdicts)) };
        Step { given: Some(Given { scratch: index, offset: 16 * at as u64 }), ..step }
    }));
    let clear = Gated { kernel: KernelId::VerdictClear { workgroup: CLEARING }, gate: Gate::Judges { followers } };
    let workgroups = u64::from(problems.max(followers).div_ceil(CLEARING)).min(64);
    let params = Params::contiguous(1, problems);
    steps.push(Step { kernel: clear, params, workgroups, slots: vec![slot], given: None });
    steps
}
