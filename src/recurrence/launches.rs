//! Three launches over rows that compose as maps (`shaders/recurrence/{reduce,propagate,apply}.wgsl`), whatever the
//! maps: each slice reduced to one, these applied one after the other, slices solved from the value before them. Where
//! a sequence is one slice, the last launch alone.

use super::kernels::*;
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{Params, Program, SLICES_AHEAD, SequenceSlicing, Slot, Tree};
use crate::precision::Precision;
use crate::shader::{Part, Permutation};

/// Which of the launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Launch {
    Reduce,
    Propagate,
    /// Of a sequence of several slices, or of one.
    Apply {
        several: bool,
    },
}

/// What maps and values are, and where rows come from and values go.
pub struct Filling {
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
    vec![digits(precision), AFFINE, NEAR, FAR_SLICE, AFFINE_SLICE]
}

/// How chunks' maps are scanned, through workgroup memory or with shuffles.
pub(super) fn scan(tree: Tree, shuffle: Part) -> Vec<Part> {
    match tree.log_run > 0 {
        true => vec![shuffle, SCAN_SUBGROUP],
        false => vec![SCAN],
    }
}

impl Launch {
    /// Assembled for so many rows per thread.
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
            Self::Propagate => {
                parts.extend([filling.initial, PROPAGATE]);
                constants = vec![("AHEAD", SLICES_AHEAD)];
                constants.extend(filling.initial_constants);
                overrides.extend(filling.initial_overrides);
                "propagate"
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
    sequence_slicing: SequenceSlicing,
    params: Params,
    Bindings { rows: row_slots, initial, values, slices }: Bindings<'_>,
) {
    let (here, workgroups) = sequence_slicing.params(params);
    let SequenceSlicing { rows, tree, .. } = sequence_slicing;
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
