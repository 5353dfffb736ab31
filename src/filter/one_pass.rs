//! One pass (`shaders/filter/one_pass.wgsl`): each slice publishes its final state for initial state 0, then its final state, and takes its initial
//! state from what the slices before it have published.

use rayon::prelude::*;

use super::constants::{Numbers, Table};
use super::kernels::{FilterKernel, PUT_THREADS};
use super::programs::Program;
use crate::gpu::Capabilities;
use crate::plan::{Params, RowAccess, Slot, Step, Tree, rows_each, workgroup};
use crate::precision::Precision;
use crate::real::Real;

/// Threads per workgroup.
const THREADS: u32 = 128;

/// With fewer slices per sequence, smaller workgroups are used if this leaves fewer idle rows.
const MANY_SLICES: u32 = 16;

/// Bytes of a unit.
const UNIT: u32 = 16;

/// The tables hold powers of 0 to this number - 1 slices, then of multiples of it.
pub(super) const SLICES_AT_ONCE: u32 = 64;

/// Workgroups that start together take slices from up to this number of sequences or segments, so that the previous slice is usually published.
const CONCURRENT_SEQUENCES: u32 = 256;

/// The first workgroup of a segment filters the last `forgotten` slices of the previous one again. A segment has at least this many slices per repeated
/// slice.
const SLICES_PER_REPEATED: u32 = 16;

/// How a workgroup holds a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OnePassTree {
    /// Rows of a chunk.
    pub rows: u32,
    /// With shuffles, a chunk is 2^this units of 16 bytes; neighbouring lanes load neighbouring units. 0 without shuffles.
    pub log_units: u32,
    pub tree: Tree,
    /// Takes all sequences, which have no gaps between them, as one.
    pub packed: bool,
}

impl OnePassTree {
    /// For sequences of `n` rows.
    pub fn of(capabilities: &Capabilities, precision: Precision, n: u32) -> Self {
        let lanes = capabilities.subgroup_lanes;
        let log_units = if lanes > 1 { lanes.ilog2().min(3) } else { 0 };
        let rows = if log_units > 1 { UNIT / precision.bytes() as u32 } else { 0 } << log_units;
        let each = if rows > 0 { rows } else { rows_each(precision) };
        let most = workgroup(capabilities, THREADS);
        let least = if rows > 0 { lanes } else { most.min(32) };
        let sizes =
            std::iter::successors(Some(most), |threads| Some(threads / 2)).take_while(|&threads| threads >= least);
        let padded = |threads: u32| u64::from(n.div_ceil(threads * each)) * u64::from(threads * each);
        let threads = match n.div_ceil(most * each) >= MANY_SLICES {
            true => most,
            false => sizes.min_by_key(|&threads| padded(threads)).unwrap_or(most),
        };
        let alone = Tree { workgroup: threads, log_chunks: threads.ilog2(), systems_first: false, log_run: 0 };
        let shuffled = alone.with_shuffles(lanes);
        if rows > 0 && shuffled.log_run >= log_units {
            return Self { rows, log_units, tree: shuffled, packed: false };
        }
        Self { rows: rows_each(precision), log_units: 0, tree: alone, packed: false }
    }

    /// For sequences without gaps, taken as one; `None` if the device has no shuffles.
    pub fn of_packed(capabilities: &Capabilities, precision: Precision, packed: &Params) -> Option<Self> {
        let tree = Self::of(capabilities, precision, packed.n);
        (tree.log_units > 0).then_some(Self { packed: true, ..tree })
    }

    /// The rows of a slice.
    pub fn slice_rows(self) -> u32 {
        self.tree.workgroup * self.rows
    }

    /// Whether one pass beats three-launch on sequences of one slice each. Three-launch loads rows more slowly, above all unaligned ones, but takes
    /// several short sequences per workgroup.
    pub fn is_faster(self, n: u32, access: RowAccess) -> bool {
        if self.packed {
            return true;
        }
        let padded = u64::from(n.div_ceil(self.slice_rows())) * u64::from(self.slice_rows());
        let most = if access == RowAccess::Shifted { 8 } else { 4 };
        self.log_units > 0 && access != RowAccess::Scalar && 3 * padded <= most * u64::from(n)
    }

    /// Powers of 2^level chunks, in the constants.
    pub fn levels(self) -> u32 {
        self.tree.log_chunks.max(1)
    }

    /// Powers before those of slices: of 0 to all chunks.
    pub fn powers_of_chunks(self) -> u32 {
        self.tree.chunks() + 1
    }

    /// The one dispatch. `lead`: most rows before a sequence in its first unit.
    pub(super) fn program<T: Real>(self, numbers: &Numbers<'_>, of_shape: Params, lead: u32) -> Dispatches {
        let mut program = Program::default();
        let packed = of_shape.packed().filter(|_| self.packed);
        let (params, lead) = packed.map_or((of_shape, lead), |packed| (packed, 0));
        let order = numbers.bank.order() as u64;
        let (rows, chunks, slice_rows) = (self.rows, self.tree.chunks(), self.slice_rows());
        let slices = (params.n + lead).div_ceil(slice_rows);
        let forgotten: Vec<_> =
            numbers.powers.par_iter().map(|own| own.forgotten::<T>(slice_rows.into(), slices)).collect();
        let all_forget =
            forgotten.iter().copied().reduce(|one, other| one.zip(other).map(|(one, other)| one.max(other)));
        let (segments, segment_slices) = segments(params.problems, slices, all_forget.flatten());
        let params = Params { slices, segments, segment_slices, ..params };
        let at_once = u64::from(slice_rows) * u64::from(SLICES_AT_ONCE);
        let table = |filter: usize| {
            let own = &numbers.powers[filter];
            let mut powers = own.of_power(rows.into(), chunks);
            powers.extend(own.of_power(slice_rows.into(), SLICES_AT_ONCE - 1));
            powers.extend(&own.of_power(at_once, slices / SLICES_AT_ONCE)[1..]);
            let levels = (0..self.levels()).map(|level| own.of(u64::from(rows) << level)).collect();
            Table { levels, forgotten: forgotten[filter], powers }
        };
        let of_filters = numbers.slots::<T, _>(&mut program, rows, table);
        let told = 2 * order * T::PRECISION.bytes();
        let in_all = u64::from(params.problems) * u64::from(slices);
        let words = program.kept_scratch(2 * told * in_all, 0xff);
        let begun = program.kept_scratch(4, 0);
        let vectors = [
            Slot::Input(0),
            Slot::Input(1),
            Slot::Status,
            Slot::Output,
            Slot::Scratch { binding: 7, index: words },
            Slot::Scratch { binding: 8, index: begun },
            Slot::Beside { binding: 9, index: 0 },
        ];
        let slots = [&vectors[..], &of_filters].concat();
        // Per slice: states published, read and cleared.
        program.values_per_row = 2.0 + 6.0 * order as f64 / f64::from(slice_rows);
        let workgroups = u64::from(params.problems) * u64::from(segments) * u64::from(segment_slices);
        program.push(FilterKernel::OnePass(self), params, workgroups, &slots);
        let over_initial =
            (slices > 1 || packed.is_some()).then(|| over_initial(&mut program, of_shape, order, T::PRECISION));
        Dispatches { program, over_initial }
    }
}

/// The dispatches of an algorithm.
pub(super) struct Dispatches {
    pub program: Program,
    /// Those for final states that overwrite the initial ones, if a sequence has several slices, or several are taken as one.
    pub over_initial: Option<Vec<Step<FilterKernel>>>,
}

/// The same dispatches with the final states in scratch, then in their place.
pub(super) fn over_initial(
    program: &mut Program,
    params: Params,
    order: u64,
    precision: Precision,
) -> Vec<Step<FilterKernel>> {
    let states = u64::from(params.problems) * order;
    let index = program.scratch(states * precision.bytes());
    let mut over = Program { steps: program.steps.clone(), ..Program::default() };
    for slot in over.steps.iter_mut().flat_map(|step| &mut step.slots) {
        if matches!(slot, Slot::Beside { .. }) {
            *slot = Slot::Scratch { binding: 9, index };
        }
    }
    let slots = [Slot::Scratch { binding: 7, index }, Slot::Beside { binding: 9, index: 0 }];
    over.push(FilterKernel::PutFinals, params, states.div_ceil(PUT_THREADS.into()), &slots);
    over.steps
}

/// The segments of a sequence, and their slices. `forgotten`: the number of slices after which a state has no effect.
fn segments(problems: u32, slices: u32, forgotten: Option<u32>) -> (u32, u32) {
    let wanted = CONCURRENT_SEQUENCES.div_ceil(problems);
    let possible = forgotten.map_or(1, |forgotten| slices / (SLICES_PER_REPEATED * forgotten.max(1)));
    let segment_slices = slices.div_ceil(wanted.min(possible).max(1));
    (slices.div_ceil(segment_slices), segment_slices)
}
