//! Three launches over rows that compose as maps of any kind (`shaders/recurrence/{reduce,propagate,apply}.wgsl`): reduce each slice to one
//! map; apply these maps sequentially; solve each slice from the value before it. If a sequence is one slice, only the last launch runs.
//! Many slices form groups, whose maps are composed and applied by as many workgroups, before and behind a propagation over the groups.

use super::kernels::*;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{Params, Program, SLICES_AHEAD, SequenceSlicing, Slot, Tree};
use crate::precision::Precision;
use crate::shader::{Part, Permutation};

/// One of the launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Launch {
    Reduce,
    Propagate(Propagation),
    /// `several`: whether sequences have several slices.
    Apply {
        several: bool,
    },
}

/// A launch of the propagation over slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// Over all slices, or all groups of them.
    Whole,
    /// The map of each group.
    GroupMaps,
    /// The values before a group's slices, from the value before the group.
    GroupValues,
}

/// A launch with its specialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LaunchKernel {
    pub launch: Launch,
    /// Rows per thread; 0 for the propagation, which reads none.
    pub rows: u32,
    pub tree: Tree,
}

/// The parts for one kind of map: maps and values, the source of rows and the destination of values.
pub struct Filling {
    /// Maps, their composition, and the scan of a slice's maps.
    pub map: Vec<Part>,
    /// Shuffles of maps between lanes.
    pub shuffle: Part,
    /// The value before the first row.
    pub initial: Part,
    /// Rows, and the map of a chunk of rows.
    pub rows: Vec<Part>,
    /// The values of a chunk.
    pub solve: Vec<Part>,
    /// Overrides that specialise the rows.
    pub overrides: Vec<(&'static str, u32)>,
    /// The binding of the values before the first rows, and whether each sequence has its own.
    pub initial_constants: Vec<(&'static str, u32)>,
    pub initial_overrides: Vec<(&'static str, u32)>,
    pub writable_inputs: bool,
}

/// Affine maps of numbers.
pub(crate) fn affine(precision: Precision) -> Vec<Part> {
    vec![digits(precision), AFFINE, NEAR, FAR_SLICE, AFFINE_SLICE, HEADS_NONE]
}

/// The scan of the chunks' maps, through workgroup memory or with shuffles.
pub(crate) fn scan(tree: Tree, shuffle: Part) -> Vec<Part> {
    match tree.log_run > 0 {
        true => vec![shuffle, SCAN_SUBGROUP],
        false => vec![SCAN],
    }
}

impl Launch {
    /// The kernel for this number of rows per thread.
    pub fn permutation(self, precision: Precision, (rows, tree): (u32, Tree), filling: Filling) -> Permutation {
        let mut parts = [&[PROBLEM, ENTRY], &filling.map[..], &scan(tree, filling.shuffle)].concat();
        let mut constants = vec![("ROWS", rows), ("QUADS", rows / 4)];
        let mut overrides = tree.place_overrides();
        let kernel = match self {
            Self::Reduce => {
                parts.extend([&filling.rows[..], &[REDUCE]].concat());
                overrides.extend(filling.overrides);
                "reduce"
            }
            Self::Propagate(kind) => {
                constants = vec![("AHEAD", SLICES_AHEAD)];
                match kind {
                    Propagation::Whole => {
                        parts.extend([filling.initial, PROPAGATE]);
                        constants.extend(filling.initial_constants);
                        overrides.extend(filling.initial_overrides);
                        "propagate"
                    }
                    Propagation::GroupMaps => {
                        parts.push(GROUP_MAPS);
                        "group_maps"
                    }
                    Propagation::GroupValues => {
                        parts.push(GROUP_VALUES);
                        "group_values"
                    }
                }
            }
            Self::Apply { several } => {
                let before = if several { vec![BEFORE_READ] } else { vec![filling.initial, BEFORE_FIRST] };
                parts.extend([&filling.rows[..], &filling.solve, &before, &[APPLY]].concat());
                overrides.extend(filling.overrides);
                if !several {
                    constants.extend(filling.initial_constants);
                    overrides.extend(filling.initial_overrides);
                }
                "apply"
            }
        };
        Permutation {
            kernel,
            precision,
            writable_inputs: filling.writable_inputs,
            subgroups: tree.log_run > 0,
            parts,
            constants,
            overrides,
            caller: None,
        }
    }
}

impl LaunchKernel {
    pub fn permutation(self, precision: Precision, filling: Filling) -> Permutation {
        self.launch.permutation(precision, (self.rows, self.tree), filling)
    }

    /// Each launch with each kind of tree, for the tests.
    #[cfg(feature = "internals")]
    pub fn all(rows: u32) -> Vec<Self> {
        let tree = Tree { workgroup: 64, log_chunks: 6, systems_first: false, log_run: 0 };
        let shuffled = Tree { log_run: 5, ..tree };
        let abreast = Tree { log_chunks: 2, systems_first: true, ..tree };
        let over_rows = [Launch::Reduce, Launch::Apply { several: false }, Launch::Apply { several: true }];
        let kinds = [Propagation::Whole, Propagation::GroupMaps, Propagation::GroupValues];
        let propagate = kinds
            .into_iter()
            .flat_map(|kind| [tree, shuffled].map(|tree| Self { launch: Launch::Propagate(kind), rows: 0, tree }));
        let each = [tree, shuffled, abreast].into_iter().flat_map(|tree| over_rows.map(|launch| (launch, tree)));
        propagate.chain(each.map(|(launch, tree)| Self { launch, rows, tree })).collect()
    }
}

/// Bindings of the launches.
pub(crate) struct Bindings<'a> {
    /// Sources of the rows.
    pub rows: &'a [Slot],
    /// What the propagation reads beside the slices' maps: the values before the first rows, if any.
    pub initial: &'a [Slot],
    /// Destinations of values and status words.
    pub values: &'a [Slot],
    /// Indices of the scratch for slices' maps and values, if there are several slices.
    pub slices: Option<(usize, usize)>,
    /// For maps that form groups.
    pub groups: Option<MapBytes>,
}

/// Bytes of a map, and of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MapBytes {
    pub map: u64,
    pub value: u64,
}

impl MapBytes {
    /// Of affine maps.
    pub fn affine(precision: Precision) -> Self {
        Self { map: 4 * precision.bytes(), value: precision.bytes() }
    }
}

/// Threads that compose a group of slices.
const GROUP_THREADS: u32 = 256;

/// Adds the propagation over slices, whose maps and values are at these indices of the scratch. More slices than one group holds form
/// groups, if the sizes of maps are given.
pub(crate) fn push_propagation<K>(
    program: &mut Program<K>,
    kernel: impl Fn(LaunchKernel) -> K,
    tree: Tree,
    params: Params,
    initial: &[Slot],
    (maps, values): (usize, usize),
    groups: Option<MapBytes>,
) {
    let launch = |kind, tree| kernel(LaunchKernel { launch: Launch::Propagate(kind), rows: 0, tree });
    let at = |binding, index| Slot::Scratch { binding, index };
    let (maps, values) = (at(7, maps), at(8, values));
    let threads = GROUP_THREADS.min(tree.workgroup);
    let count = params.slices.div_ceil(threads * SLICES_AHEAD);
    let Some(bytes) = groups.filter(|_| count > 1) else {
        program.push(
            launch(Propagation::Whole, tree),
            params,
            params.problems.into(),
            &[initial, &[maps, values]].concat(),
        );
        return;
    };
    let in_all = u64::from(params.problems) * u64::from(count);
    let (group_maps, group_values) = (program.scratch(bytes.map * in_all), program.scratch(bytes.value * in_all));
    let own = Tree { workgroup: threads, log_chunks: threads.ilog2(), ..tree };
    let grouped = Params { children: count, ..params };
    program.push(launch(Propagation::GroupMaps, own), grouped, in_all, &[maps, at(8, group_maps)]);
    let over = Params { slices: count, ..params };
    let slots = [initial, &[at(7, group_maps), at(8, group_values)]].concat();
    program.push(launch(Propagation::Whole, own), over, params.problems.into(), &slots);
    program.push(launch(Propagation::GroupValues, own), grouped, in_all, &[maps, values, at(9, group_values)]);
}

/// Adds the launches.
pub(crate) fn push<K>(
    program: &mut Program<K>,
    kernel: impl Fn(LaunchKernel) -> K,
    sequence_slicing: SequenceSlicing,
    params: Params,
    bindings: Bindings<'_>,
) {
    let SequenceSlicing { tree, .. } = sequence_slicing;
    let propagating = Tree { log_chunks: tree.workgroup.ilog2(), systems_first: false, ..tree };
    push_propagating(program, kernel, (sequence_slicing, propagating), params, bindings);
}

/// Adds the launches, with the threads of the propagation.
pub(crate) fn push_propagating<K>(
    program: &mut Program<K>,
    kernel: impl Fn(LaunchKernel) -> K,
    (sequence_slicing, propagating): (SequenceSlicing, Tree),
    params: Params,
    Bindings { rows: row_slots, initial, values, slices, groups }: Bindings<'_>,
) {
    let (here, workgroups) = sequence_slicing.params(params);
    let SequenceSlicing { rows, tree, .. } = sequence_slicing;
    let over_rows = |launch| kernel(LaunchKernel { launch, rows, tree });
    let Some((maps, before)) = slices else {
        let apply = over_rows(Launch::Apply { several: false });
        program.push(apply, here, workgroups, &[row_slots, initial, values].concat());
        return;
    };
    let slices_maps = Slot::Scratch { binding: 7, index: maps };
    program.push(over_rows(Launch::Reduce), here, workgroups, &[row_slots, &[slices_maps]].concat());
    push_propagation(program, &kernel, propagating, here, initial, (maps, before), groups);
    let before = Slot::Scratch { binding: 8, index: before };
    program.push(
        over_rows(Launch::Apply { several: true }),
        here,
        workgroups,
        &[row_slots, values, &[before]].concat(),
    );
}

/// [`Error::Unsupported`] if the device cannot split numbers of a precision into exponent and digits.
pub(crate) fn check_digits(capabilities: &Capabilities, precision: Precision, what: &str, instead: &str) -> Result<()> {
    if precision == Precision::F64 && !capabilities.features.int64_atomics {
        return Err(Error::Unsupported {
            what: format!("{what} in f64"),
            hint: format!(
                "the kernels take exponents apart with 64-bit integers, which this device has not; take f32, or {instead}"
            ),
        });
    }
    Ok(())
}
