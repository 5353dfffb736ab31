//! Cyclic reduction, parallel cyclic reduction, and their combination (`shaders/tridiagonal/cyclic*.wgsl`, `parallel_*.wgsl`).
//!
//! With n rows: CR takes floor(log2 n) steps down and as many back, and reduces each row once (n - 1 reductions in all). PCR takes
//! ceil(log2 n) steps of n reductions.

use super::Algorithm;
use super::{Divide, PlanRequest};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, POWERS_TO_1024, Params, Slot, check_memory, check_workgroup, policy};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Level, Program, Properties};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};

policy! {
    /// How [`Algorithm::Cr`](super::Algorithm::Cr), [`Algorithm::Pcr`](super::Algorithm::Pcr) and [`Algorithm::CrPcr`](super::Algorithm::CrPcr) divide their work on chip.
    CyclicPolicy {
        /// Threads per system.
        threads: u32 in POWERS_TO_1024;
        /// Systems per workgroup.
        systems: u32 in POWERS_TO_1024;
        /// Rows that [`Algorithm::CrPcr`](super::Algorithm::CrPcr) leaves to the parallel part.
        parallel: u32 in &[16, 32, 64, 128, 256, 512, 1024];
        /// Most rows per system in workgroup memory, as far as they fit. Steps on longer systems take a dispatch each, through device memory.
        held: u32 in &[2, 64, 256, 1024, MOST_HELD];
        /// Most rows per lane that the parallel part keeps in registers and passes on by shuffles. With 0, or for systems with more rows, it uses
        /// workgroup memory.
        lane_rows: u32 in &[0, 1, 4, 16];
        /// Most subgroups per system with rows in registers. G subgroups first take log2 G steps through workgroup memory; then each subgroup has
        /// every G-th row.
        subgroups: u32 in &[1, 2, 4, 8, 16, 32];
        /// Place rows in workgroup memory such that rows 2, 4, 8, ... apart lie in different banks.
        spread: bool in OFF_ON;
    }
}

/// Rows that a thread of the parallel part may take.
const ITEMS: [u32; 3] = [1, 4, 16];
/// Rows per group in which `spread` exchanges places.
const SPREAD_ROWS: u32 = 8;
/// Threads of the steps through device memory.
const WORKGROUP: u32 = 256;
/// Most rows per system on chip.
const MOST_HELD: u32 = 4096;
/// Numbers of a row: p, q, r and the complement.
pub(crate) const ROW_VALUES: u64 = 4;

/// Rows that a workgroup's memory holds.
pub(crate) fn capacity(capabilities: &Capabilities, precision: Precision) -> u32 {
    let memory = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
    ((memory / (ROW_VALUES * precision.bytes())) as u32).min(MOST_HELD)
}

/// Steps of cyclic reduction before the parallel part, for rows on chip.
fn reduction_steps(algorithm: Algorithm, n: u32, parallel_rows: u32) -> u32 {
    match algorithm {
        Algorithm::Pcr => 0,
        Algorithm::CrPcr => (0..).find(|steps| n >> steps <= parallel_rows).unwrap_or_default(),
        _ => n.ilog2(),
    }
}

/// The policy with its number of systems lowered until workgroup memory suffices.
fn fitted(capabilities: &Capabilities, precision: Precision, held: u32, policy: CyclicPolicy) -> CyclicPolicy {
    let mut policy = policy;
    while policy.systems > 1 && check(capabilities, precision, held, policy).is_err() {
        policy.systems /= 2;
    }
    policy
}

/// [`Error::Limit`](crate::Error::Limit) if the device cannot run a policy for systems of `held` rows.
fn check(capabilities: &Capabilities, precision: Precision, held: u32, policy: CyclicPolicy) -> Result<()> {
    let CyclicPolicy { threads, systems, .. } = policy;
    check_workgroup(capabilities, "threads x systems of the policy of cyclic reduction", threads * systems)?;
    let bytes = u64::from(rows_held(held, policy)) * u64::from(systems) * ROW_VALUES * precision.bytes();
    check_memory(capabilities, "the systems of a workgroup of cyclic reduction", bytes)
}

/// Places in workgroup memory of a system of n rows.
fn rows_held(n: u32, policy: CyclicPolicy) -> u32 {
    if policy.spread { n.next_multiple_of(SPREAD_ROWS) } else { n }
}

/// Adds the dispatch that solves systems on chip.
pub(crate) fn on_chip(
    program: &mut Program,
    capabilities: &Capabilities,
    precision: Precision,
    (algorithm, policy): (Algorithm, CyclicPolicy),
    params: Params,
    level: Level,
    slots: &[Slot],
) {
    let n = params.n;
    let lanes = capabilities.subgroup_lanes;
    let steps = reduction_steps(algorithm, n, policy.parallel);
    let left = n >> steps;
    // Enough threads: the parallel part takes at most 16 rows per thread.
    let most = ITEMS[ITEMS.len() - 1];
    let threads = policy.threads.max(left.div_ceil(most).next_power_of_two());
    let CyclicPolicy { systems, .. } = fitted(capabilities, precision, n, CyclicPolicy { threads, ..policy });
    let systems_first = params.systems_first() && systems > 1;
    let workgroup = threads * systems;
    // Shuffles stay within a subgroup; each subgroup stays within a system.
    let span = lanes.min(threads);
    let is_whole = !systems_first && (threads >= lanes || systems == 1 || lanes.is_multiple_of(threads));
    let most_groups = policy.subgroups.min(threads / span);
    let rows = ITEMS.into_iter().find(|rows| rows * span * most_groups >= left && *rows <= policy.lane_rows);
    let parallel = match rows {
        Some(rows) if lanes > 1 && is_whole => {
            Parallel::Lanes { rows, span, groups: left.div_ceil(rows * span).next_power_of_two() }
        }
        _ => Parallel::Threads { rows: ITEMS.into_iter().find(|rows| rows * threads >= left).unwrap_or(most) },
    };
    program.push(
        CyclicKernel::OnChip {
            level,
            parallel,
            threads: Threads { workgroup, lanes: systems, systems_first },
            rows_held: rows_held(n, policy),
            spread: policy.spread,
        },
        Params { steps, ..params },
        u64::from(params.problems.div_ceil(systems)),
        slots,
    );
}

fn tasks(params: &Params, rows: u32) -> u64 {
    (u64::from(rows) * u64::from(params.problems)).div_ceil(u64::from(WORKGROUP))
}

impl CyclicPolicy {
    /// One thread; systems on chip where they fit, rows in their order, shuffles of single rows.
    pub(crate) const PLAIN: Self =
        Self { threads: 1, systems: 1, parallel: 16, held: MOST_HELD, lane_rows: 1, subgroups: 1, spread: false };
}

impl Divide for CyclicPolicy {
    /// One thread per row that the first step reduces; several small systems per workgroup.
    fn default_for(request: &PlanRequest<'_>) -> Self {
        let &PlanRequest { capabilities, precision, algorithm, ref params, .. } = request;
        let held = params.n.min(capacity(capabilities, precision));
        let parallel = if capabilities.subgroup_lanes > 1 { capabilities.subgroup_lanes.clamp(16, 64) } else { 64 };
        let busy = if algorithm == Algorithm::Pcr { held } else { held / 2 };
        let threads = busy.next_power_of_two().min(256);
        // Systems side by side: eight lanes fill a memory sector.
        let wanted = if params.systems_first() { 8 } else { 1 }.max(64 / threads);
        let systems = wanted.min(params.problems.next_power_of_two()).min(256 / threads);
        fitted(capabilities, precision, held, CyclicPolicy { threads, systems, parallel, ..CyclicPolicy::PLAIN })
    }

    /// The dispatches of CR, PCR or CR-PCR.
    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, algorithm, .. } = request;
        let mut program = Program::default();
        let most = capacity(capabilities, precision).min(self.held);
        let held = params.n.min(most);
        check(capabilities, precision, held, self)?;
        if params.n <= held {
            program.values_per_row = 5.0;
            let slots = [Slot::Inputs, Slot::Status, Slot::Output];
            on_chip(&mut program, capabilities, precision, (algorithm, self), params, Level::Caller, &slots);
        } else if algorithm == Algorithm::Pcr {
            parallel_steps(&mut program, precision, params);
        } else {
            reduction_levels(&mut program, capabilities, precision, (algorithm, self), params, most);
        }
        Ok(program)
    }
}

fn parallel_steps(program: &mut Program, precision: Precision, params: Params) {
    let rows = u64::from(params.problems) * u64::from(params.n);
    let arrays = [0, 1].map(|_| program.scratch(rows * ROW_VALUES * precision.bytes()));
    // Each step reads and writes four numbers per row; the last writes one.
    program.values_per_row = 8.0 * (f64::from(params.n).log2().ceil() - 1.0) + 5.0;
    let mut distance = 1;
    let mut from = None;
    while distance < params.n {
        let here = Params { steps: distance, ..params };
        let last = distance * 2 >= params.n;
        let target = from.map_or(0, |index: usize| 1 - index);
        match from {
            None => program.push(
                CyclicKernel::ParallelStep { level: Level::Caller, workgroup: WORKGROUP },
                here,
                tasks(&params, params.n),
                &[Slot::Inputs, Slot::Status, Slot::Scratch { binding: 7, index: arrays[target] }],
            ),
            Some(index) if last => program.push(
                CyclicKernel::ParallelFinish { workgroup: WORKGROUP },
                here,
                tasks(&params, params.n),
                &[Slot::Scratch { binding: 1, index: arrays[index] }, Slot::Status, Slot::Output],
            ),
            Some(index) => program.push(
                CyclicKernel::ParallelStep { level: Level::Scratch, workgroup: WORKGROUP },
                here,
                tasks(&params, params.n),
                &[
                    Slot::Scratch { binding: 1, index: arrays[index] },
                    Slot::Scratch { binding: 7, index: arrays[target] },
                ],
            ),
        }
        from = Some(target);
        distance *= 2;
    }
}

fn reduction_levels(
    program: &mut Program,
    capabilities: &Capabilities,
    precision: Precision,
    chosen: (Algorithm, CyclicPolicy),
    params: Params,
    most_held: u32,
) {
    // Down: 4 read and 2 written; up: 4 read (every other row, but whole sectors), 0.5 of the
    // next level's x, 1 written. Each level has half the rows of the one before.
    program.values_per_row = 2.0 * (6.0 + 5.5);
    let problems = u64::from(params.problems);
    // (params, rows scratch, x scratch) of each level; the caller's has neither.
    let mut levels: Vec<(Params, Option<(usize, usize)>)> = vec![(params, None)];
    while let Some(&(here, scratch)) = levels.last() {
        if here.n <= most_held {
            break;
        }
        let next = here.n / 2;
        let rows = program.scratch(problems * u64::from(next) * ROW_VALUES * precision.bytes());
        let x = program.scratch(problems * u64::from(next) * precision.bytes());
        let target = Slot::Scratch { binding: 7, index: rows };
        let (level, slots) = match scratch {
            None => (Level::Caller, vec![Slot::Inputs, Slot::Status, target]),
            Some((own, _)) => (Level::Scratch, vec![Slot::Scratch { binding: 1, index: own }, target]),
        };
        program.push(
            CyclicKernel::Reduce { level, workgroup: WORKGROUP },
            Params { rows_out: next, ..here },
            tasks(&params, next),
            &slots,
        );
        levels.push((Params { n: next, ..params }, Some((rows, x))));
    }
    let mut solved = 0;
    for (index, &(here, scratch)) in levels.iter().enumerate().rev() {
        let slots = match scratch {
            None => vec![Slot::Inputs, Slot::Status, Slot::Output],
            Some((rows, x)) => {
                vec![Slot::Scratch { binding: 1, index: rows }, Slot::Scratch { binding: 6, index: x }]
            }
        };
        if index + 1 == levels.len() {
            on_chip(program, capabilities, precision, chosen, here, Level::Scratch, &slots);
        } else {
            let level = if scratch.is_some() { Level::Scratch } else { Level::Caller };
            let below = Slot::Scratch { binding: 7, index: solved };
            program.push(
                CyclicKernel::Substitute { level, workgroup: WORKGROUP },
                Params { rows_out: here.n / 2, ..here },
                tasks(&params, here.n - here.n / 2),
                &[&slots[..], &[below]].concat(),
            );
        }
        if let Some((_, x)) = scratch {
            solved = x;
        }
    }
}

parts! {
    PARALLEL_WORKGROUP = "tridiagonal/parallel_workgroup";
    PARALLEL_SUBGROUP = "tridiagonal/parallel_subgroup";
    PARALLEL_LANES = "tridiagonal/parallel_lanes";
    PARALLEL_STEP = "tridiagonal/parallel_step";
    PARALLEL_FINISH = "tridiagonal/parallel_finish";
    CYCLIC_RUN = "tridiagonal/cyclic_run";
    CYCLIC_REDUCE = "tridiagonal/cyclic_reduce";
    CYCLIC_SUBSTITUTE = "tridiagonal/cyclic_substitute";
}

/// The threads of a workgroup of cyclic reduction, and the number of systems that share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threads {
    pub workgroup: u32,
    pub lanes: u32,
    /// Neighbouring threads take neighbouring systems.
    pub systems_first: bool,
}

/// How the parallel part passes rows on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parallel {
    /// Through workgroup memory, `rows` per thread.
    Threads { rows: u32 },
    /// By shuffles among `span` lanes in each of `groups` subgroups per system, `rows` per lane.
    Lanes { rows: u32, span: u32, groups: u32 },
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CyclicKernel {
    /// Whole systems on chip.
    OnChip {
        level: Level,
        parallel: Parallel,
        threads: Threads,
        rows_held: u32,
        spread: bool,
    },
    Reduce {
        level: Level,
        workgroup: u32,
    },
    Substitute {
        level: Level,
        workgroup: u32,
    },
    ParallelStep {
        level: Level,
        workgroup: u32,
    },
    ParallelFinish {
        workgroup: u32,
    },
}

impl Kernel for CyclicKernel {
    fn properties(self) -> Properties {
        match self {
            Self::OnChip { level, parallel, .. } => {
                let shuffles = matches!(parallel, Parallel::Lanes { .. });
                Properties::new(level == Level::Caller, shuffles, false)
            }
            Self::Reduce { level, .. } | Self::Substitute { level, .. } | Self::ParallelStep { level, .. } => {
                Properties::new(level != Level::Scratch, false, false)
            }
            Self::ParallelFinish { .. } => Properties::new(false, false, false),
        }
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let (kernel, parts, workgroup) = match self {
            Self::OnChip { level, parallel, threads, rows_held, spread } => {
                let mut overrides = vec![
                    ("WORKGROUP", threads.workgroup),
                    ("LANES", threads.lanes),
                    ("SYSTEMS_FIRST", threads.systems_first.into()),
                    ("ROWS_HELD", rows_held),
                    ("SPREAD", spread.into()),
                ];
                let (parallel, constants) = match parallel {
                    Parallel::Threads { rows } => (PARALLEL_WORKGROUP, vec![("ITEMS", rows)]),
                    Parallel::Lanes { rows: 1, groups: 1, .. } => (PARALLEL_SUBGROUP, vec![]),
                    Parallel::Lanes { rows, span, groups } => {
                        overrides.extend([("SPAN", span), ("GROUPS", groups)]);
                        (PARALLEL_LANES, vec![("ITEMS", rows), ("LOG_ITEMS", rows.ilog2())])
                    }
                };
                let parts = [&with.source(level)[..], &[with.sink(level), parallel, CYCLIC_RUN, ENTRY]].concat();
                return with.permutation("cyclic", parts, constants, overrides);
            }
            Self::Reduce { level, workgroup } => {
                ("cyclic_reduce", [&with.source(level)[..], &[CYCLIC_REDUCE]].concat(), workgroup)
            }
            Self::Substitute { level, workgroup } => {
                let parts = [&with.source(level)[..], &[with.sink(level), CYCLIC_SUBSTITUTE]].concat();
                ("cyclic_substitute", parts, workgroup)
            }
            Self::ParallelStep { level, workgroup } => {
                ("parallel_step", [&with.source(level)[..], &[PARALLEL_STEP]].concat(), workgroup)
            }
            Self::ParallelFinish { workgroup } => {
                let parts = [&with.source(Level::Scratch)[..], &[SINK_X, PARALLEL_FINISH]].concat();
                ("parallel_finish", parts, workgroup)
            }
        };
        with.permutation(kernel, parts, vec![], vec![("WORKGROUP", workgroup)])
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let workgroup = all::WORKGROUP;
        let mut kernels = vec![Self::ParallelFinish { workgroup }];
        for level in [Level::Caller, Level::Scratch] {
            kernels.extend([
                Self::Reduce { level, workgroup },
                Self::Substitute { level, workgroup },
                Self::ParallelStep { level, workgroup },
            ]);
        }
        for level in [Level::Caller, Level::Scratch, Level::Joined] {
            let threads = Threads { workgroup, lanes: 2, systems_first: false };
            let on_chip = |parallel| Self::OnChip { level, parallel, threads, rows_held: 256, spread: false };
            kernels.extend(ITEMS.map(|rows| on_chip(Parallel::Threads { rows })));
            kernels.push(on_chip(Parallel::Lanes { rows: 1, span: 4, groups: 1 }));
            kernels.extend(ITEMS.map(|rows| on_chip(Parallel::Lanes { rows, span: 4, groups: 2 })));
        }
        kernels.into_iter().map(|kernel| (kernel, vec![Gate::Open])).collect()
    }
}
