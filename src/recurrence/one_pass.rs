//! One pass of linear recurrences (`shaders/recurrence/one_pass.wgsl`): each slice publishes its map, then its last value, and takes the value
//! before it from what the slices before it have published.

use super::kernels::*;
use super::launches::{Filling, scan};
use super::programs::Program;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{PACKED_BELOW, Params, RowAccess, Slot, Tree, rows_each, workgroup};
use crate::precision::Precision;
use crate::shader::{Part, Permutation};

/// Threads per workgroup; in f64, as many as have registers for their rows.
const fn threads(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 512,
        Precision::F64 => 256,
    }
}

/// Up to this number of rows in all, this number of threads: larger workgroups would make too few slices to keep a large device busy.
const FEW: (u64, u32) = (1 << 25, 256);

/// Least runs of lanes per workgroup; one of them holds rows of the previous slice.
const LEAST_RUNS: u32 = 4;

/// Least threads of a workgroup without shuffles.
const LEAST_ALONE: u32 = 64;

/// Lanes that regroup units, as a power of two.
const LEAST_LOG_RUN: u32 = 2;

/// With shuffles, a chunk is four units of 16 bytes; neighbouring lanes load neighbouring units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OnePassTree {
    /// Rows of a chunk.
    pub rows: u32,
    pub tree: Tree,
    /// Rows before a sequence in its first unit, at the most.
    pub most_lead: u32,
    /// Takes all sequences, which have no gaps between them, as one.
    pub packed: bool,
}

impl OnePassTree {
    pub fn new(precision: Precision, tree: Tree) -> Self {
        Self { rows: rows_each(precision), tree, most_lead: 0, packed: false }
    }

    /// For a shape with this access to its rows. Sequences without gaps are taken as one if `packs`.
    pub fn of(
        capabilities: &Capabilities,
        precision: Precision,
        params: &Params,
        (rows, packs): (RowAccess, bool),
    ) -> Self {
        if let Some(params) = params.packed().filter(|_| packs) {
            let one = Self::of(capabilities, precision, &params, (RowAccess::Vector, false));
            return Self { packed: true, ..one };
        }
        let few = u64::from(params.n) * u64::from(params.problems) <= FEW.0;
        let most = workgroup(capabilities, if few { FEW.1 } else { threads(precision) });
        let lanes = capabilities.subgroup_lanes;
        // The fewest threads that hold a short sequence as one slice.
        let holds = |threads: &u32| (threads - lanes) * rows_each(precision) >= params.n + rows.most_lead(precision);
        let sizes = std::iter::successors(Some((LEAST_RUNS * lanes).max(LEAST_ALONE)), |threads| Some(2 * threads));
        let threads = sizes.take_while(|threads| *threads < most).find(holds).unwrap_or(most);
        let alone = Tree { workgroup: threads, log_chunks: threads.ilog2(), systems_first: false, log_run: 0 };
        let shuffled = alone.with_shuffles(lanes);
        let fits = shuffled.log_run >= LEAST_LOG_RUN && shuffled.workgroup >> shuffled.log_run >= LEAST_RUNS;
        match fits {
            true => Self { most_lead: rows.most_lead(precision), ..Self::new(precision, shuffled) },
            false => Self::new(precision, alone),
        }
    }

    /// Whether one pass beats three-launch on sequences of one slice each. Three-launch loads unaligned rows more slowly, but takes several short
    /// sequences per workgroup.
    pub fn is_faster(self, n: u32, rows: RowAccess) -> bool {
        if self.packed {
            return self.tree.log_run > 0 && (rows == RowAccess::Shifted || n < PACKED_BELOW);
        }
        self.tree.log_run > 0
            && rows == RowAccess::Shifted
            && 3 * u64::from(self.tree.workgroup * self.rows) <= 8 * u64::from(n)
    }

    /// Chunks per slice: with shuffles, the first run of a workgroup holds the previous slice's chunks.
    pub fn slice_chunks(self) -> u32 {
        let before = if self.tree.log_run > 0 { 1 << self.tree.log_run } else { 0 };
        self.tree.workgroup - before
    }

    /// Adds the one dispatch.
    pub fn push(self, program: &mut Program, precision: Precision, params: Params) {
        let params = if self.packed { params.packed().unwrap_or(params) } else { params };
        let slice_rows = self.slice_chunks() * self.rows;
        let params = Params { slices: (params.n + self.most_lead).div_ceil(slice_rows), ..params };
        let in_all = u64::from(params.problems) * u64::from(params.slices);
        let bytes = 4 * u64::from(map_words(precision) + words(precision).1);
        // For even and odd launches, and the number of slices taken.
        let told = program.kept_scratch(2 * bytes * in_all + 4, 0xff);
        // Words published, read and cleared.
        program.values_per_row +=
            3.0 * bytes as f64 / precision.bytes() as f64 * f64::from(params.slices) / f64::from(params.n);
        let slots = [Slot::Inputs, Slot::Status, Slot::Output, Slot::Scratch { binding: 7, index: told }];
        program.push(RecurrenceKernel::OnePass(self), params, in_all, &slots);
    }

    /// Its access to rows: with shuffles, whole units wherever rows begin.
    pub fn access(self, rows: RowAccess) -> RowAccess {
        let in_units = self.packed || self.tree.log_run > 0;
        if in_units && rows == RowAccess::Shifted { RowAccess::Vector } else { rows }
    }

    /// The kernel with these parts, of rows with this access; a slice that publishes nothing, for tests.
    pub fn permutation(
        self,
        precision: Precision,
        filling: Filling,
        rows_access: RowAccess,
        withheld: Option<u32>,
    ) -> Permutation {
        let OnePassTree { rows, tree, .. } = self;
        let subgroups = tree.log_run > 0;
        let held = match subgroups {
            true => vec![filling.shuffle, HELD_RUNS, WINDOW_SUBGROUP, TOLD],
            false => [&scan(tree, filling.shuffle)[..], &[HELD_CHUNK, WINDOW_MEMORY, TOLD]].concat(),
        };
        let (of_words, word_count) = words(precision);
        let Filling { map, initial, rows: of_rows, solve, writable_inputs, .. } = filling;
        let parts = [&[PROBLEM, ENTRY, initial, of_words, ONE_PASS], &map[..], &of_rows, &solve, &held].concat();
        let headed = |part: Part| if self.packed && part == HEADS_NONE { HEADS } else { part };
        let part = |part: Part| if subgroups { in_runs(headed(part)) } else { Some(headed(part)) };
        let mut constants = vec![("ROWS", rows), ("QUADS", rows / 4), ("WORDS", word_count)];
        constants.extend([("MAP_WORDS", map_words(precision)), ("VALUE_WORDS", word_count)]);
        constants.extend([("UNITS", 4), ("HALF", rows / 2), ("LOG_UNITS", 2)]);
        constants.extend(filling.initial_constants);
        let mut overrides = [tree.place_overrides(), filling.overrides, filling.initial_overrides].concat();
        overrides.extend(withheld.map(|slice| ("WITHHELD", slice)));
        overrides.push(("SLICE_CHUNKS", self.slice_chunks()));
        overrides.push(("SHIFTED", (!self.packed && self.access(rows_access) != rows_access).into()));
        Permutation {
            kernel: "one_pass",
            precision,
            writable_inputs,
            subgroups,
            parts: parts.into_iter().filter_map(part).collect(),
            constants,
            overrides,
            caller: None,
        }
    }
}

/// The module that makes words of numbers, and the words of a number.
pub(crate) const fn words(precision: Precision) -> (Part, u32) {
    match precision {
        Precision::F32 => (WORDS_F32, 1),
        Precision::F64 => (WORDS_F64, 2),
    }
}

/// Words that a slice publishes of its map: two numbers and two exponents. Its last value follows.
const fn map_words(precision: Precision) -> u32 {
    2 * words(precision).1 + 2
}

/// Rejects layouts and options that one pass does not support.
///
/// # Errors
/// [`Error::Options`] if it should be deterministic; [`Error::Unsupported`] if sequences lie closer than rows.
pub(crate) fn check_one_pass(deterministic: bool, params: &Params) -> Result<()> {
    if deterministic {
        return Err(Error::Options(
            "one-pass composes what it meets first, so its last bits depend on timing: take three-launch or \
             auto for a deterministic solve"
                .into(),
        ));
    }
    if params.systems_first() {
        return Err(Error::Unsupported {
            what: "one-pass for this layout".into(),
            hint: "it needs rows closer together than sequences (element_stride below system_stride); take three-launch or auto".into(),
        });
    }
    Ok(())
}

/// The replacement of a part for runs of lanes, which load and store units, and scan in their own way.
fn in_runs(part: Part) -> Option<Part> {
    let units = [(S_VECTOR, S_UNITS), (T_VECTOR, T_UNITS), (STORE_VECTOR, STORE_UNITS)];
    let replaced = units.into_iter().find(|(plain, _)| *plain == part).map(|(_, by)| by);
    let unneeded =
        [LOAD_VECTOR, ROWS_SCALAR, ROWS_VECTOR, LOAD_CHUNK, SOLVE_CHUNK, SLICE, AFFINE_SLICE].contains(&part);
    replaced.or((!unneeded).then_some(part))
}
