//! One pass over maps of any kind (`shaders/recurrence/one_pass.wgsl`): each slice publishes its map, then its last value, and takes the value
//! before it from what the slices before it have published.

use super::kernels::*;
use super::launches::Filling;
use crate::error::{Error, Result};
use crate::plan::{Params, Program, Slot, Tree};
use crate::precision::Precision;
use crate::shader::{Part, Permutation};

/// Words of 4 bytes that a slice publishes of its map, and of its last value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ToldWords {
    pub map: u32,
    pub value: u32,
}

/// The module that makes words of numbers, and the words of a number.
pub(crate) const fn words(precision: Precision) -> (Part, u32) {
    match precision {
        Precision::F32 => (WORDS_F32, 1),
        Precision::F64 => (WORDS_F64, 2),
    }
}

impl ToldWords {
    fn bytes(self) -> u64 {
        4 * u64::from(self.map + self.value)
    }
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

/// Adds the one dispatch. `vectors`: what it reads and writes beside the published words.
pub(crate) fn push<K>(
    program: &mut Program<K>,
    kernel: K,
    params: Params,
    vectors: &[Slot],
    (precision, told): (Precision, ToldWords),
) {
    let in_all = u64::from(params.problems) * u64::from(params.slices);
    // For even and odd launches, and the number of slices taken.
    let words = program.kept_scratch(2 * told.bytes() * in_all + 4, 0xff);
    // Words published, read and cleared.
    program.values_per_row +=
        3.0 * told.bytes() as f64 / precision.bytes() as f64 * f64::from(params.slices) / f64::from(params.n);
    let slots = [vectors, &[Slot::Scratch { binding: 7, index: words }]].concat();
    program.push(kernel, params, in_all, &slots);
}

/// The kernel with these parts. `own`: how a thread holds its rows, how maps are scanned, how workgroups look back, and the words of maps;
/// `withheld`: a slice that publishes nothing, for tests.
pub(crate) fn permutation(
    precision: Precision,
    (rows, tree): (u32, Tree),
    told: ToldWords,
    own: Vec<Part>,
    filling: Filling,
    withheld: Option<u32>,
) -> Permutation {
    let (words, word_count) = words(precision);
    let Filling { map, initial, rows: of_rows, solve, writable_inputs, .. } = filling;
    let mut constants = vec![("ROWS", rows), ("QUADS", rows / 4), ("WORDS", word_count)];
    constants.extend([("MAP_WORDS", told.map), ("VALUE_WORDS", told.value)]);
    constants.extend(filling.initial_constants);
    let mut overrides = [tree.place_overrides(), filling.overrides, filling.initial_overrides].concat();
    overrides.extend(withheld.map(|slice| ("WITHHELD", slice)));
    Permutation {
        kernel: "one_pass",
        precision,
        writable_inputs,
        subgroups: tree.log_run > 0,
        parts: [&[PROBLEM, ENTRY, initial, words, ONE_PASS], &map[..], &of_rows, &solve, &own].concat(),
        constants,
        overrides,
        caller: None,
    }
}
