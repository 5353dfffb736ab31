//! Cyclic reduction, its parallel form, and both in turn
//! (`shaders/tridiagonal/cyclic*.wgsl`, `parallel_*.wgsl`).
//!
//! With n rows: CR takes floor(log2 n) steps down and as many back, each row reduced once
//! (n - 1 reductions in all); PCR ceil(log2 n) steps of n reductions.

use super::kernels::{KernelId, Level, PARALLEL_ITEMS};
use super::options::Algorithm;
use super::program::{Params, Program, Slot};
use crate::gpu::Capabilities;
use crate::gpu::wgsl::Precision;

const WORKGROUP: u32 = 256;
/// Numbers of a row: p, q, r and the complement.
const ROW_VALUES: u64 = 4;

/// Rows that a workgroup's memory holds.
fn capacity(capabilities: &Capabilities, precision: Precision) -> u32 {
    let memory = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
    ((memory / (ROW_VALUES * precision.bytes())) as u32).min(WORKGROUP * PARALLEL_ITEMS[2])
}

/// Steps of cyclic reduction before the parallel part, for rows on chip.
fn reduction_steps(algorithm: Algorithm, n: u32, parallel_rows: u32) -> u32 {
    match algorithm {
        Algorithm::Pcr => 0,
        Algorithm::Cr => n.ilog2(),
        _ => {
            let mut steps = 0;
            while n >> steps > parallel_rows {
                steps += 1;
            }
            steps
        }
    }
}

/// The dispatch that solves systems on chip.
fn on_chip(
    program: &mut Program,
    capabilities: &Capabilities,
    algorithm: Algorithm,
    params: Params,
    level: Level,
    slots: &[Slot],
) {
    let n = params.n;
    let lanes = capabilities.subgroup_lanes;
    let steps = reduction_steps(algorithm, n, if lanes > 1 { lanes } else { 64 });
    let left = n >> steps;
    let subgroups = lanes > 1 && left <= lanes;
    let workgroup = n.next_power_of_two().clamp(32, WORKGROUP).min(capabilities.limits.max_compute_workgroup_size_x);
    let items = PARALLEL_ITEMS.into_iter().find(|items| items * workgroup >= left).unwrap_or(PARALLEL_ITEMS[2]);
    program.push(
        KernelId::Cyclic { level, subgroups, items: if subgroups { 1 } else { items }, workgroup, rows_held: n },
        Params { steps, ..params },
        u64::from(params.problems),
        slots,
    );
}

fn tasks(params: &Params, rows: u32) -> u64 {
    (u64::from(rows) * u64::from(params.problems)).div_ceil(u64::from(WORKGROUP))
}

/// Adds the dispatches of CR, PCR or CR-PCR.
pub(crate) fn plan(capabilities: &Capabilities, precision: Precision, algorithm: Algorithm, params: Params) -> Program {
    let mut program = Program::default();
    if params.n <= capacity(capabilities, precision) {
        program.values_per_row = 5.0;
        on_chip(&mut program, capabilities, algorithm, params, Level::Caller, &[Slot::Inputs, Slot::Trouble, Slot::X]);
    } else if algorithm == Algorithm::Pcr {
        parallel_steps(&mut program, precision, params);
    } else {
        reduction_levels(&mut program, capabilities, precision, algorithm, params);
    }
    program
}

fn parallel_steps(program: &mut Program, precision: Precision, params: Params) {
    let rows = u64::from(params.problems) * u64::from(params.n);
    let arrays = [0, 1].map(|_| program.scratch(rows * ROW_VALUES * precision.bytes()));
    // Four numbers a row read and written in each step, one written in the last.
    program.values_per_row = 8.0 * (f64::from(params.n).log2().ceil() - 1.0) + 5.0;
    let mut distance = 1;
    let mut from = None;
    while distance < params.n {
        let here = Params { steps: distance, ..params };
        let last = distance * 2 >= params.n;
        let target = from.map_or(0, |index: usize| 1 - index);
        match from {
            None => program.push(
                KernelId::ParallelStep { level: Level::Caller, workgroup: WORKGROUP },
                here,
                tasks(&params, params.n),
                &[Slot::Inputs, Slot::Trouble, Slot::Scratch { binding: 7, index: arrays[target] }],
            ),
            Some(index) if last => program.push(
                KernelId::ParallelFinish { workgroup: WORKGROUP },
                here,
                tasks(&params, params.n),
                &[Slot::Scratch { binding: 1, index: arrays[index] }, Slot::Trouble, Slot::X],
            ),
            Some(index) => program.push(
                KernelId::ParallelStep { level: Level::Scratch, workgroup: WORKGROUP },
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
    algorithm: Algorithm,
    params: Params,
) {
    // Down: 4 read and 2 written; up: 4 read (every other row, but whole sectors), 0.5 of the
    // next level's x, 1 written. Each level has half the rows of the one before.
    program.values_per_row = 2.0 * (6.0 + 5.5);
    let problems = u64::from(params.problems);
    let capacity = capacity(capabilities, precision);
    // (params, rows scratch, x scratch) of each level; the caller's has neither.
    let mut levels: Vec<(Params, Option<(usize, usize)>)> = vec![(params, None)];
    while let Some(&(here, scratch)) = levels.last() {
        if here.n <= capacity {
            break;
        }
        let next = here.n / 2;
        let rows = program.scratch(problems * u64::from(next) * ROW_VALUES * precision.bytes());
        let x = program.scratch(problems * u64::from(next) * precision.bytes());
        let target = Slot::Scratch { binding: 7, index: rows };
        let (level, slots) = match scratch {
            None => (Level::Caller, vec![Slot::Inputs, Slot::Trouble, target]),
            Some((own, _)) => (Level::Scratch, vec![Slot::Scratch { binding: 1, index: own }, target]),
        };
        program.push(
            KernelId::CyclicReduce { level, workgroup: WORKGROUP },
            Params { rows_out: next, ..here },
            tasks(&params, next),
            &slots,
        );
        levels.push((Params { n: next, ..params }, Some((rows, x))));
    }
    let mut solved = 0;
    for (index, &(here, scratch)) in levels.iter().enumerate().rev() {
        let slots = match scratch {
            None => vec![Slot::Inputs, Slot::Trouble, Slot::X],
            Some((rows, x)) => {
                vec![Slot::Scratch { binding: 1, index: rows }, Slot::Scratch { binding: 6, index: x }]
            }
        };
        if index + 1 == levels.len() {
            on_chip(program, capabilities, algorithm, here, Level::Scratch, &slots);
        } else {
            let level = if scratch.is_some() { Level::Scratch } else { Level::Caller };
            let below = Slot::Scratch { binding: 7, index: solved };
            program.push(
                KernelId::CyclicSubstitute { level, workgroup: WORKGROUP },
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
