//! Cyclic reduction, parallel cyclic reduction, and their combination (`shaders/tridiagonal/cyclic*.wgsl`, `parallel_*.wgsl`).
//!
//! With n rows: CR takes floor(log2 n) steps down and as many back, and reduces each row once (n - 1 reductions in all). PCR takes
//! ceil(log2 n) steps of n reductions.

pub mod kernels;
pub mod policy;

use self::kernels::{CyclicKernel, Parallel, Threads};
pub use self::policy::CyclicPolicy;
use self::policy::{ROW_VALUES, capacity, check, fitted, rows_held};
use super::{Algorithm, Divide, PlanRequest};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot};
use crate::precision::Precision;
use crate::tridiagonal::kernels::{Level, Program};

/// Rows that a thread of the parallel part may take.
const ITEMS: [u32; 3] = [1, 4, 16];
/// Threads of the steps through device memory.
const WORKGROUP: u32 = 256;

/// Steps of cyclic reduction before the parallel part, for rows on chip.
fn reduction_steps(algorithm: Algorithm, n: u32, parallel_rows: u32) -> u32 {
    match algorithm {
        Algorithm::Pcr => 0,
        Algorithm::CrPcr => (0..).find(|steps| n >> steps <= parallel_rows).unwrap_or_default(),
        _ => n.ilog2(),
    }
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
            threads: Threads { workgroup, problems: systems, systems_first },
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

impl Divide for CyclicPolicy {
    fn default_for(request: &PlanRequest<'_>) -> Self {
        policy::default_policy(request)
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
