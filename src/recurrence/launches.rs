//! Three launches over rows that compose as maps (`shaders/recurrence/{reduce,propagate,apply}.wgsl`), whatever the
//! maps: each slice reduced to one, these applied one after the other, slices solved from the value before them. Where
//! a sequence is one slice, the last launch alone.

use super::kernels::*;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::gpu::wgsl::{Part, Permutation, Precision};
use crate::plan::{Params, Program, Slot, Tree};

/// Which of the launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Launch {
    Reduce,
    Propagate,
    /// Of a sequence of several slices, or of one.
    Apply {
        several: bool,
    },
}

/// What maps and values are, and where rows come from and values go.
pub(crate) struct Filling {
    /// Maps, how they compose, and how those of a slice are scanned.
    pub map: Vec<Part>,
    /// Maps of other lanes.
    pub shuffle: Part,
    /// The value before the first row.
    pub initial: Part,
    /// Rows, and a chunk of them as a map.
    pub rows: Vec<Part>,
    /// The values of a chunk.
    pub solve: Vec<Part>,
    /// What the rows are specialised for.
    pub overrides: Vec<(&'static str, u32)>,
    /// Where the values before the first rows are bound, and whether each sequence has its own.
    pub initial_constants: Vec<(&'static str, u32)>,
    pub initial_overrides: Vec<(&'static str, u32)>,
    pub writable_inputs: bool,
}

/// Affine maps of numbers.
pub(crate) fn affine(precision: Precision) -> Vec<Part> {
    vec![digits(precision), AFFINE, NEAR, AFFINE_SLICE]
}

/// How chunks' maps are scanned, through workgroup memory or with shuffles.
pub(super) fn scan(tree: Tree, shuffle: Part) -> Vec<Part> {
    match tree.log_run > 0 {
        true => vec![SCANNED, shuffle, SCAN_SUBGROUP],
        false => vec![SCANNED, SCAN],
    }
}

impl Launch {
    /// Assembled for so many rows a thread.
    pub fn permutation(self, precision: Precision, (rows, tree): (u32, Tree), filling: Filling) -> Permutation {
        let mut parts = [&[PROBLEM, PLACE, ENTRY], &filling.map[..], &scan(tree, filling.shuffle)].concat();
        let mut constants = vec![("ROWS", rows), ("QUADS", rows / 4)];
        let mut overrides = tree.place_overrides();
        let kernel = match self {
            Self::Reduce => {
                parts.extend([&filling.rows[..], &[SLICE_MAPS, REDUCE]].concat());
                overrides.extend(filling.overrides);
                "reduce"
            }
            Self::Propagate => {
                parts.extend([filling.initial, SLICE_MAPS, SLICE_VALUES, PROPAGATE]);
                constants = vec![("AHEAD", MAPS_AHEAD)];
                constants.extend(filling.initial_constants);
                overrides.extend(filling.initial_overrides);
                "propagate"
            }
            Self::Apply { several } => {
                let before = if several { [SLICE_VALUES, BEFORE_READ] } else { [filling.initial, BEFORE_FIRST] };
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

/// Threads a workgroup, where nobody says otherwise.
pub(crate) const WORKGROUP: u32 = 256;

/// Neighbouring sequences that a workgroup takes where those lie closer than rows.
const LANES: u32 = 16;

/// Maps of slices that a thread asks for at once.
pub(super) const MAPS_AHEAD: u32 = 8;

/// How the rows of a sequence are spread over workgroups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub rows: u32,
    pub tree: Tree,
    pub slices: u32,
}

/// No more threads a workgroup than the device has: a power of two.
pub(crate) fn workgroup(capabilities: &Capabilities, wanted: u32) -> u32 {
    let limits = &capabilities.limits;
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    // Runs of lanes are composed by a run of lanes.
    let shuffled = match capabilities.subgroup_lanes {
        0 | 1 => u32::MAX,
        lanes => lanes.saturating_mul(lanes),
    };
    wanted.min(shuffled).min(1 << most.max(1).ilog2())
}

/// For a shape, with so many rows a thread and threads a workgroup, at the most.
pub(crate) fn spread(rows: u32, workgroup: u32, params: &Params) -> Spread {
    let needed = params.n.div_ceil(rows).next_power_of_two();
    let problems = params.problems.next_power_of_two();
    let systems_first = params.systems_first();
    let abreast = if systems_first { LANES.min(problems).min(workgroup) } else { 1 };
    let chunks = needed.min(workgroup / abreast);
    // Short sequences share a workgroup.
    let lanes = if chunks == needed { (workgroup / chunks).min(problems) } else { abreast };
    let tree = Tree { workgroup: chunks * lanes, log_chunks: chunks.ilog2(), systems_first, log_run: 0 };
    Spread { rows, tree, slices: params.n.div_ceil(rows * chunks) }
}

impl Spread {
    /// The same with shuffles, where subgroups are large enough for them.
    pub fn with_shuffles(self, capabilities: &Capabilities) -> Self {
        Self { tree: self.tree.with_shuffles(capabilities.subgroup_lanes), ..self }
    }

    /// The parameters of launches over rows, and their workgroups.
    pub fn params(&self, params: Params) -> (Params, u64) {
        let workgroups = u64::from(params.problems.div_ceil(self.tree.lanes())) * u64::from(self.slices);
        (Params { slices: self.slices, ..params }, workgroups)
    }

    /// Slices of all sequences.
    pub fn in_all(&self, params: &Params) -> u64 {
        u64::from(params.problems) * u64::from(self.slices)
    }
}

/// What the launches are bound to.
pub(crate) struct Bindings<'a> {
    /// What rows come from.
    pub rows: &'a [Slot],
    /// What holds the values before the first rows, if anything does.
    pub initial: &'a [Slot],
    /// Where values and what is wrong with them go.
    pub values: &'a [Slot],
    /// Indices of the scratch for slices' maps and values, where there are several.
    pub slices: Option<(usize, usize)>,
}

/// Adds the launches.
pub(crate) fn push<K>(
    program: &mut Program<K>,
    kernel: impl Fn(Launch, u32, Tree) -> K,
    spread: Spread,
    params: Params,
    Bindings { rows: row_slots, initial, values, slices }: Bindings<'_>,
) {
    let (here, workgroups) = spread.params(params);
    let Spread { rows, tree, .. } = spread;
    let Some((maps, before)) = slices else {
        let apply = kernel(Launch::Apply { several: false }, rows, tree);
        program.push(apply, here, workgroups, &[row_slots, initial, values].concat());
        return;
    };
    let maps = Slot::Scratch { binding: 7, index: maps };
    let before = Slot::Scratch { binding: 8, index: before };
    program.push(kernel(Launch::Reduce, rows, tree), here, workgroups, &[row_slots, &[maps]].concat());
    let alone = Tree { log_chunks: tree.workgroup.ilog2(), systems_first: false, ..tree };
    let propagate = kernel(Launch::Propagate, 0, alone);
    program.push(propagate, here, here.problems.into(), &[initial, &[maps, before]].concat());
    let apply = kernel(Launch::Apply { several: true }, rows, tree);
    program.push(apply, here, workgroups, &[row_slots, values, &[before]].concat());
}

/// [`Error::Unsupported`] where numbers of a precision cannot be taken apart.
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
