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

/// Words of a number.
pub(crate) const fn words_each(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 1,
        Precision::F64 => 2,
    }
}

impl ToldWords {
    /// Of affine maps: two numbers with an exponent each; a number.
    pub fn affine(precision: Precision) -> Self {
        let each = words_each(precision);
        Self { map: 2 * each + 2, value: each }
    }

    fn bytes(self) -> u64 {
        4 * u64::from(self.map + self.value)
    }
}

/// Whether one pass can be: it takes sequences whose rows lie closer than the sequences, and the last bits of its values depend on timing.
///
/// # Errors
/// [`Error::Options`] if it should be deterministic, [`Error::Unsupported`] for other layouts.
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
            hint: "it takes sequences whose rows lie closer than the sequences; take three-launch or auto".into(),
        });
    }
    Ok(())
}

/// Adds the one dispatch, of slices of `slice_rows` rows. `vectors`: what it reads and writes beside the published words.
pub(crate) fn push<K>(
    program: &mut Program<K>,
    kernel: K,
    params: Params,
    vectors: &[Slot],
    (precision, told, slice_rows): (Precision, ToldWords, u32),
) {
    let in_all = u64::from(params.problems) * u64::from(params.slices);
    // For even and odd launches, and the number of slices taken.
    let words = program.kept_scratch(2 * told.bytes() * in_all + 4, 0xff);
    // Words published, read and cleared.
    program.values_per_row += 3.0 * told.bytes() as f64 / precision.bytes() as f64 / f64::from(slice_rows);
    let slots = [vectors, &[Slot::Scratch { binding: 7, index: words }]].concat();
    program.push(kernel, params, in_all, &slots);
}

/// The kernel with these parts. `held`: how a thread holds its rows, how maps are scanned, and how workgroups look back; `withheld`: a slice that
/// publishes nothing, for tests.
pub(crate) fn permutation(
    precision: Precision,
    (rows, tree): (u32, Tree),
    told: ToldWords,
    held: Vec<Part>,
    filling: Filling,
    withheld: Option<u32>,
) -> Permutation {
    let words = match precision {
        Precision::F32 => WORDS_F32,
        Precision::F64 => WORDS_F64,
    };
    let Filling { map, initial, rows: of_rows, solve, writable_inputs, .. } = filling;
    let mut constants = vec![("ROWS", rows), ("QUADS", rows / 4), ("WORDS", words_each(precision))];
    constants.extend([("MAP_WORDS", told.map), ("VALUE_WORDS", told.value)]);
    constants.extend(filling.initial_constants);
    let mut overrides = [tree.place_overrides(), filling.overrides, filling.initial_overrides].concat();
    overrides.extend(withheld.map(|slice| ("WITHHELD", slice)));
    Permutation {
        kernel: "one_pass",
        precision,
        writable_inputs,
        subgroups: tree.log_run > 0,
        parts: [&[PROBLEM, ENTRY, initial, words, ONE_PASS], &map[..], &of_rows, &solve, &held].concat(),
        constants,
        overrides,
        caller: None,
    }
}
