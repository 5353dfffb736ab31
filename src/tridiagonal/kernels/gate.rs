//! Verdicts: the first dispatch to read the rows writes one per problem, and later dispatches select their problems by it.

use super::parts::*;
use super::{Access, Assembly, Kernel, KernelId, Program, Properties, Step};
use crate::gpu::grid_for;
use crate::plan::{IndirectArgs, Params, Slot};
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};

parts! {
    ENTRY_FOLLOW = "tridiagonal/entry_follow";
    VERDICT_JUDGE = "tridiagonal/verdict_judge";
    VERDICT_FOLLOW = "tridiagonal/verdict_follow";
    VERDICT_ACCEPT = "tridiagonal/verdict_accept";
    VERDICT_ACCEPT_REPORT = "tridiagonal/verdict_accept_report";
    VERDICT_TAKE = "tridiagonal/verdict_take";
    VERDICT_CONFIRM = "tridiagonal/verdict_confirm";
    VERDICT_CHAIN = "tridiagonal/verdict_chain";
    VERDICT_NO_CHAIN = "tridiagonal/verdict_no_chain";
    VERDICT_CLEAR = "tridiagonal/verdict_clear";
}

/// Clears the verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VerdictKernel {
    workgroup: u32,
}

impl Kernel for VerdictKernel {
    fn properties(self) -> Properties {
        Properties::new(false, false, false)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let parts = vec![PROBLEM, VERDICT_CLEAR];
        with.permutation("verdict_clear", parts, vec![], vec![("WORKGROUP", self.workgroup)])
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let gates = vec![Gate::Judges { followers: 5, chained: 0 }, Gate::Judges { followers: 3, chained: 2 }];
        vec![(Self { workgroup: super::all::WORKGROUP }, gates)]
    }
}

/// Verdicts on a problem, as numbers.
pub const SOUND: u32 = 0;
/// Outside influence reaches slices that were solved alone, or such a slice with rows of several packed problems is in doubt.
pub const COUPLED: u32 = 1;
/// Rows are not dominant, or overflow.
pub const NOT_DOMINANT: u32 = 2;
/// Both.
pub const BOTH: u32 = 3;

/// Binding of the verdicts.
pub const VERDICTS_AT: u32 = 9;
/// Binding of a chain's grids.
const CHAIN: u32 = 10;
/// Up to this many workgroups, launching and exiting early is faster than an indirect dispatch plus clearing the verdicts.
const MOST_DIRECT: u64 = 1 << 11;
/// Above this many workgroups, none should read verdicts in vain.
const MOST_ASKING: u64 = 1 << 14;
/// Threads per workgroup of the clearing kernel.
const CLEARING: u32 = 256;

/// How a kernel uses verdicts; `followers` is the number of indirect dispatches that follow them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Gate {
    /// Ignores verdicts and solves all problems.
    #[default]
    Open,
    /// Solves all problems, and reports those that are not dominant. The kernel has [`VERDICT_REPORT`].
    Reports,
    /// Judges which problems are not dominant, and skips these. `chained` dispatches in a chain precede the followers.
    Judges { followers: u32, chained: u32 },
    /// Solves the problems whose verdict is among `accepted`, and may report those that are not dominant.
    Follows { accepted: u32, followers: u32, reports: bool },
    /// Solves these problems, and judges them again.
    Confirms { accepted: u32, followers: u32 },
    /// As `Follows`, for a single follower with one workgroup per problem; it also clears the verdicts.
    Takes { accepted: u32 },
}

/// A kernel behind its gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gated {
    pub kernel: KernelId,
    pub gate: Gate,
    /// For the correction of a periodic system, instead of the right-hand side.
    pub correcting: bool,
}

impl<K: Kernel> From<K> for Gated {
    fn from(kernel: K) -> Self {
        Self { kernel: kernel.into(), gate: Gate::Open, correcting: false }
    }
}

impl Gated {
    pub fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let access = Access { correcting: self.correcting, ..access };
        let mut permutation = self.kernel.permutation(precision, access);
        let open = [VERDICT_OPEN, VERDICT_REPORT];
        let has = |part: &Part| permutation.parts.contains(part);
        let (replaced, parts, overrides) = match self.gate {
            Gate::Open => return permutation,
            Gate::Reports => {
                debug_assert!(has(&VERDICT_REPORT), "{self:?} would report nothing");
                (vec![], vec![], vec![("REPORTS", 1)])
            }
            Gate::Judges { followers, chained } => {
                let judges = open.iter().any(has).then_some(VERDICT_JUDGE);
                let chain = if chained > 0 { VERDICT_CHAIN } else { VERDICT_NO_CHAIN };
                let parts: Vec<_> = std::iter::once(chain).chain(judges).collect();
                let chained = (chained > 0).then_some(("CHAINED", chained));
                (open.to_vec(), parts, [("FOLLOWERS", followers)].into_iter().chain(chained).collect())
            }
            Gate::Takes { accepted } => {
                ([&open[..], &[ENTRY]].concat(), vec![VERDICT_TAKE, ENTRY_FOLLOW], vec![("ACCEPTED", accepted)])
            }
            Gate::Confirms { accepted, followers } => (
                [&open[..], &[ENTRY]].concat(),
                vec![VERDICT_NO_CHAIN, VERDICT_JUDGE, VERDICT_CONFIRM, ENTRY_FOLLOW],
                vec![("FOLLOWERS", followers), ("ACCEPTED", accepted)],
            ),
            Gate::Follows { accepted, followers, reports } => {
                let accept = if has(&VERDICT_REPORT) { VERDICT_ACCEPT_REPORT } else { VERDICT_ACCEPT };
                (
                    [&open[..], &[ENTRY]].concat(),
                    vec![VERDICT_FOLLOW, accept, ENTRY_FOLLOW],
                    vec![("FOLLOWERS", followers), ("ACCEPTED", accepted), ("REPORTS", u32::from(reports))],
                )
            }
        };
        permutation.parts.retain(|part| !replaced.contains(part));
        permutation.parts.extend(parts);
        permutation.overrides.extend(overrides);
        permutation
    }
}

/// The same dispatch with a gate.
fn gated(step: &Step, gate: Gate, verdicts: &[Slot]) -> Step {
    let slots = [&step.slots[..], verdicts].concat();
    Step { kernel: Gated { gate, ..step.kernel }, slots, ..step.clone() }
}

/// A dispatch, and the verdicts of the problems that it solves.
pub type Follower<'a> = (&'a Step, &'a [u32]);

/// The dispatches that follow a judging dispatch.
#[derive(Clone, Copy, Default)]
pub struct Behind<'a> {
    /// Run for any verdict.
    pub always: &'a [Follower<'a>],
    /// Run if there is work. The first of them reads all rows of its problems, and judges the rows that the first dispatch has not read.
    pub chained: &'a [Follower<'a>],
    /// Run if there is work.
    pub woken: &'a [Follower<'a>],
}

fn bits(verdicts: &[u32]) -> u32 {
    verdicts.iter().fold(0, |bits, verdict| bits | 1 << verdict)
}

/// The words of the indirect dispatches' grids, as verdicts.wgsl lays them out; `most` is the device's limit of workgroups per dimension.
fn grids(most: u32, followers: &[Follower<'_>]) -> Vec<u32> {
    // A grid that is too large becomes an error of binding.
    let grids: Vec<_> = followers.iter().map(|(step, _)| grid_for(most, step.workgroups).unwrap_or([0, 0])).collect();
    let own = grids.iter().zip(followers).flat_map(|([_, rows], (_, verdicts))| [0, *rows, 1, bits(verdicts)]);
    own.chain(grids.iter().map(|[columns, _]| *columns)).collect()
}

/// The judging dispatch, the dispatches that follow it, and the one that clears the verdicts. `most` is the device's limit of workgroups
/// per dimension.
pub fn judged(
    program: &mut Program,
    problems: u32,
    most: u32,
    judge: &Step,
    Behind { always, chained, woken }: Behind<'_>,
) -> Vec<Step> {
    if let ([], [], &[(step, verdicts)]) = (always, chained, woken)
        && step.params.slices == 1
        && step.kernel.gate != Gate::Reports
        && step.workgroups <= MOST_DIRECT
    {
        let index = program.constants(&vec![0u32; problems as usize + 2]);
        let slot = Slot::Scratch { binding: VERDICTS_AT, index };
        let judges = Gate::Judges { followers: 0, chained: 0 };
        let gates = [(judge, judges), (step, Gate::Takes { accepted: bits(verdicts) })];
        return gates.map(|(step, gate)| gated(step, gate, &[slot])).to_vec();
    }
    let followers = woken.len() as u32;
    let mut words = grids(most, woken);
    words.resize(words.len() + 2 + problems as usize, 0);
    let index = program.constants(&words);
    let slot = Slot::Scratch { binding: VERDICTS_AT, index };
    let chain = (!chained.is_empty()).then(|| program.constants(&grids(most, chained)));
    let all: Vec<_> = [slot].into_iter().chain(chain.map(|index| Slot::Scratch { binding: CHAIN, index })).collect();
    let judges = Gate::Judges { followers, chained: chained.len() as u32 };
    let follows = |step: &Step, verdicts| {
        let reports = step.kernel.gate == Gate::Reports;
        Gate::Follows { accepted: bits(verdicts), followers, reports }
    };
    let mut steps = vec![gated(judge, judges, &all)];
    steps.extend(always.iter().map(|(step, verdicts)| gated(step, follows(step, verdicts), &[slot])));
    let indirect = |scratch: usize, at: usize| Some(IndirectArgs { scratch, offset: 16 * at as u64 });
    for (at, ((step, verdicts), chain)) in chained.iter().zip(chain.iter().cycle()).enumerate() {
        let gate = match at {
            0 => Gate::Confirms { accepted: bits(verdicts), followers },
            _ => follows(step, verdicts),
        };
        steps.push(Step { indirect: indirect(*chain, at), ..gated(step, gate, &[slot]) });
    }
    // Verdicts only gain bits: these stay accepted.
    let stay = |verdicts: &[u32]| verdicts.iter().all(|verdict| verdicts.contains(&(verdict | BOTH)));
    let many = problems == 1 && woken.iter().any(|(step, _)| step.workgroups > MOST_ASKING);
    steps.extend(woken.iter().enumerate().map(|(at, &(step, verdicts))| {
        // A dispatch that is launched only for work need not read verdicts; reading them takes a tenth of a long solve. Short solves are
        // faster if all dispatches bind the verdicts alike: no barriers between them.
        let certain = many && stay(verdicts);
        let step = if certain { step.clone() } else { gated(step, follows(step, verdicts), &[slot]) };
        Step { indirect: indirect(index, at), ..step }
    }));
    let clear = Gated { gate: judges, ..VerdictKernel { workgroup: CLEARING }.into() };
    let workgroups = u64::from(problems.max(followers).max(chained.len() as u32).div_ceil(CLEARING)).min(64);
    let params = Params::contiguous(1, problems);
    steps.push(Step { kernel: clear, params, workgroups, slots: all, indirect: None });
    steps
}
