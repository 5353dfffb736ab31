//! Overlapped slices of interleaved sequences (`shaders/recurrence/overlapped.wgsl`): a thread computes a slice of one sequence from a value that rows
//! before the slice lead to, whatever came before them. If some slice has no such rows, the three launches follow.

use super::kernels::*;
use super::launches::Filling;
use super::programs::{Program, three_launch};
use crate::gpu::{Capabilities, grid_for};
use crate::plan::{IndirectArgs, OverlappedSlices, Params, SequenceSlicing, Slot, rows_each};
use crate::precision::Precision;
use crate::shader::Permutation;

/// The most rows before a slice that a thread composes: where factors are random in (-1, 1), some 60 suffice.
const MOST_OVERLAP: u32 = 256;

/// The largest value that a slice may have, as a power of two, as in the kernel.
const LOG_LARGEST: u32 = 40;

/// The fewest rows of a slice.
const LEAST_SLICE: u32 = 256;

/// From this number of threads on, this algorithm is faster than the three launches (benches/results/recurrence-log.md).
const FEWEST_THREADS: u64 = 1 << 15;

/// Whether a constant factor leaves nothing of a value within two thirds of `MOST_OVERLAP` rows, beside sums of about 1. Beside smaller sums the
/// kernel may still find too few rows. It rounds the bits lost per group of rows down.
pub(super) fn forgets(precision: Precision, factor: f64) -> bool {
    let needed = f64::from(LOG_LARGEST + precision.digits());
    -factor.abs().log2() * f64::from(MOST_OVERLAP) >= 1.5 * needed
}

fn slices(capabilities: &Capabilities, precision: Precision) -> OverlappedSlices {
    OverlappedSlices::of(capabilities, rows_each(precision) / 2)
}

/// Whether this algorithm beats the three launches, if sequences forget.
pub(super) fn is_faster(capabilities: &Capabilities, precision: Precision, params: Params) -> bool {
    let threads = slices(capabilities, precision).threads(params, MOST_OVERLAP, LEAST_SLICE);
    OverlappedSlices::suit(&params) && threads >= FEWEST_THREADS
}

/// The kernel with its specialisation. `followers`: dispatches that run if values are not settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OverlappedKernel {
    pub slices: OverlappedSlices,
    pub followers: u32,
}

/// The words that the kernel and the dispatches behind it share: the grid of each; the first size of each grid, which the kernel puts into the
/// grid if the dispatch should run; the number of workgroups that have ended. `most`: the device's limit of workgroups per dimension.
fn follower_words(most: u32, workgroups: impl Iterator<Item = u64>) -> Vec<u32> {
    // A grid that is too large becomes an error of binding.
    let grids: Vec<_> = workgroups.map(|workgroups| grid_for(most, workgroups).unwrap_or([0, 0])).collect();
    let own = grids.iter().flat_map(|[_, rows]| [0, *rows, 1, 0]);
    own.chain(grids.iter().map(|[columns, _]| *columns)).chain([0]).collect()
}

/// The launch, and the three that follow if they are needed. If w replaces a coefficient, the three launches, since a thread also reads rows of
/// others.
pub(super) fn program(
    capabilities: &Capabilities,
    precision: Precision,
    sequence_slicing: SequenceSlicing,
    params: Params,
) -> Program {
    let slices = slices(capabilities, precision);
    let (own, workgroups) = slices.params(params, MOST_OVERLAP, LEAST_SLICE);
    let launches = three_launch(precision, sequence_slicing, params);
    let followers = launches.steps.len() as u32;
    let most = capabilities.limits.max_compute_workgroups_per_dimension;
    let mut program = Program { values_per_row: 3.0, ..Program::default() };
    let words = program.constants(&follower_words(most, launches.steps.iter().map(|step| step.workgroups)));
    let slots = [Slot::Inputs, Slot::Output, Slot::Scratch { binding: 7, index: words }];
    let kernel = RecurrenceKernel::Overlapped(OverlappedKernel { slices, followers });
    program.push(kernel, own, workgroups, &slots);
    let steps = program.adopt(launches).steps;
    program.in_place = Some(steps.clone());
    program.steps.extend(steps.into_iter().enumerate().map(|(at, mut step)| {
        step.indirect = Some(IndirectArgs { scratch: words, offset: 16 * at as u64 });
        step
    }));
    program
}

impl OverlappedKernel {
    pub fn permutation(self, precision: Precision, filling: Filling) -> Permutation {
        let Self { slices: OverlappedSlices { rows, workgroup }, followers } = self;
        let mut constants = vec![("ROWS", rows), ("QUADS", rows / 4)];
        constants.extend([("FOLLOWERS", followers), ("FOLLOWER_WORDS", 5 * followers + 1)]);
        constants.extend(filling.initial_constants);
        let own = [PROBLEM, ENTRY, filling.initial, digits(precision), OVERLAPPED];
        Permutation {
            kernel: "overlapped",
            precision,
            writable_inputs: filling.writable_inputs,
            subgroups: false,
            parts: [&own[..], &[LOAD_SCALAR, S_SCALAR, T_SCALAR, STORE_SCALAR]].concat(),
            constants,
            overrides: [vec![("WORKGROUP", workgroup)], filling.overrides, filling.initial_overrides].concat(),
            caller: None,
        }
    }
}
