//! Every kernel of the recurrences and all its permutations, in one place.

#[cfg(feature = "internals")]
use super::formulas::{Formulas, Fused};
use super::launches::{Filling, Launch, affine, scan};
use super::one_pass_tree::OnePassTree;
use super::p_scheme;
use super::system::Constants;
use crate::plan::{RowAccess, Tree};
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};

parts! {
    PROBLEM = "shared/problem";
    ENTRY = "shared/entry";
    LOAD_SCALAR = "shared/element_scalar";
    LOAD_VECTOR = "shared/element_vector";
    SCAN = "shared/scan";
    SCAN_SUBGROUP = "shared/scan_subgroup";
    STORE_SCALAR = "shared/store_scalar";
    STORE_UNITS = "shared/store_units";
    STORE_VECTOR = "shared/store_vector";
    WORDS_F32 = "shared/words_f32";
    WORDS_F64 = "shared/words_f64";
    DIGITS_F32 = "recurrence/digits_f32";
    DIGITS_F64 = "recurrence/digits_f64";
    AFFINE = "recurrence/affine";
    NEAR = "recurrence/near";
    INITIAL = "recurrence/initial";
    INITIAL_ZERO = "recurrence/initial_zero";
    ROWS_SCALAR = "recurrence/recurrence_rows_scalar";
    ROWS_VECTOR = "recurrence/recurrence_rows_vector";
    ROWS_COMPUTED = "recurrence/recurrence_rows_computed";
    LOAD_CHUNK = "recurrence/load_chunk";
    SLICE = "recurrence/slice";
    HELD_CHUNK = "recurrence/held_chunk";
    HELD_RUNS = "recurrence/held_runs";
    SOLVE_CHUNK = "recurrence/solve_chunk";
    CHECK_GIVEN = "recurrence/check_given";
    S_SCALAR = "recurrence/s_scalar";
    S_UNITS = "recurrence/s_units";
    S_VECTOR = "recurrence/s_vector";
    S_COMPUTED = "recurrence/s_computed";
    T_SCALAR = "recurrence/t_scalar";
    T_UNITS = "recurrence/t_units";
    T_VECTOR = "recurrence/t_vector";
    T_COMPUTED = "recurrence/t_computed";
    FAR_SLICE = "recurrence/far_slice";
    AFFINE_SLICE = "recurrence/affine_slice";
    SHUFFLE = "recurrence/shuffle";
    WINDOW_MEMORY = "recurrence/window_memory";
    WINDOW_SUBGROUP = "recurrence/window_subgroup";
    BEFORE_FIRST = "recurrence/before_first";
    BEFORE_READ = "recurrence/before_read";
    REDUCE = "recurrence/reduce";
    PROPAGATE = "recurrence/propagate";
    APPLY = "recurrence/apply";
    ONE_PASS = "recurrence/one_pass";
}

/// A kernel with its specialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RecurrenceKernel {
    Reduce {
        rows: u32,
        tree: Tree,
    },
    Propagate {
        tree: Tree,
    },
    /// `several`: whether sequences have several slices.
    Apply {
        rows: u32,
        tree: Tree,
        several: bool,
    },
    OnePass(OnePassTree),
    PScheme(p_scheme::PSchemeKernel),
}

/// Specialisation of kernels for a bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct RecurrenceAccess {
    pub rows: RowAccess,
    pub writable_inputs: bool,
    pub reverse: bool,
    pub constants: Constants,
    /// A slice that publishes nothing in one pass, for tests.
    pub withheld: Option<u32>,
}

/// Binding of the values before the first rows.
pub(super) const INITIAL_AT: u32 = 3;

impl RecurrenceKernel {
    pub fn permutation(self, precision: Precision, form: RecurrenceAccess) -> Permutation {
        match self {
            Self::Reduce { rows, tree } => {
                Launch::Reduce.permutation(precision, (rows, tree), filling(precision, form))
            }
            Self::Propagate { tree } => Launch::Propagate.permutation(precision, (0, tree), filling(precision, form)),
            Self::Apply { rows, tree, several } => {
                Launch::Apply { several }.permutation(precision, (rows, tree), filling(precision, form))
            }
            Self::OnePass(held) => one_pass(precision, form, held),
            Self::PScheme(kernel) => kernel.permutation(precision, form),
        }
    }
}

/// The parts of the three launches for linear recurrences.
fn filling(precision: Precision, form: RecurrenceAccess) -> Filling {
    let ([load, s, t, all], store) = match form.rows {
        RowAccess::Vector => ([LOAD_VECTOR, S_VECTOR, T_VECTOR, ROWS_VECTOR], STORE_VECTOR),
        RowAccess::Scalar | RowAccess::Shifted => ([LOAD_SCALAR, S_SCALAR, T_SCALAR, ROWS_SCALAR], STORE_SCALAR),
    };
    Filling {
        map: affine(precision),
        shuffle: SHUFFLE,
        initial: INITIAL,
        rows: vec![load, s, t, all, LOAD_CHUNK, SLICE],
        solve: vec![store, CHECK_GIVEN, SOLVE_CHUNK],
        overrides: coefficient_overrides(form),
        initial_constants: vec![("INITIAL_BINDING", INITIAL_AT)],
        initial_overrides: vec![("INITIALS", (!form.constants.initial).into())],
        writable_inputs: form.writable_inputs,
    }
}

fn one_pass(precision: Precision, form: RecurrenceAccess, held: OnePassTree) -> Permutation {
    let (words, word_count) = match precision {
        Precision::F32 => (WORDS_F32, 1),
        Precision::F64 => (WORDS_F64, 2),
    };
    let OnePassTree { rows, tree } = held;
    let subgroups = tree.log_run > 0;
    let Filling {
        map, shuffle, initial, rows: of_rows, solve, overrides, initial_constants, initial_overrides, ..
    } = filling(precision, form);
    let own = match subgroups {
        true => vec![shuffle, HELD_RUNS, WINDOW_SUBGROUP],
        false => [&scan(tree, shuffle)[..], &[HELD_CHUNK, WINDOW_MEMORY]].concat(),
    };
    let common = [PROBLEM, ENTRY, initial, words, ONE_PASS];
    let mut constants = vec![("ROWS", rows), ("QUADS", rows / 4), ("WORDS", word_count)];
    constants.extend([("UNITS", 4), ("HALF", rows / 2), ("HALF_UNIT", rows / 8)]);
    constants.extend(initial_constants);
    let part = |part: Part| if subgroups { in_runs(part) } else { Some(part) };
    let mut overrides = [tree.place_overrides(), overrides, initial_overrides].concat();
    overrides.push(("SLICE_CHUNKS", held.slice_chunks()));
    overrides.extend(form.withheld.map(|slice| ("WITHHELD", slice)));
    Permutation {
        kernel: "one_pass",
        precision,
        writable_inputs: form.writable_inputs,
        subgroups,
        parts: [&common[..], &map, &of_rows, &solve, &own].concat().into_iter().filter_map(part).collect(),
        constants,
        overrides,
        caller: None,
    }
}

/// The replacement of a part for runs of lanes, which load and store units, and scan in their own way.
fn in_runs(part: Part) -> Option<Part> {
    let units = [(S_VECTOR, S_UNITS), (T_VECTOR, T_UNITS), (STORE_VECTOR, STORE_UNITS)];
    let replaced = units.into_iter().find(|(plain, _)| *plain == part).map(|(_, by)| by);
    let unneeded =
        [LOAD_VECTOR, ROWS_SCALAR, ROWS_VECTOR, LOAD_CHUNK, SOLVE_CHUNK, SLICE, AFFINE_SLICE].contains(&part);
    replaced.or((!unneeded).then_some(part))
}

pub(super) fn digits(precision: Precision) -> Part {
    match precision {
        Precision::F32 => DIGITS_F32,
        Precision::F64 => DIGITS_F64,
    }
}

/// Parts for kernels that process single rows, without their loads.
pub(super) fn single_rows(precision: Precision) -> [Part; 3] {
    [PROBLEM, digits(precision), AFFINE]
}

/// Overrides for the order of rows and for constant coefficients.
pub(super) fn coefficient_overrides(form: RecurrenceAccess) -> Vec<(&'static str, u32)> {
    let Constants { s, t, .. } = form.constants;
    vec![("REVERSE", form.reverse.into()), ("CONSTANT_S", s.into()), ("CONSTANT_T", t.into())]
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations(several: &[Formulas]) -> Vec<Permutation> {
    let tree = Tree { workgroup: 64, log_chunks: 6, systems_first: false, log_run: 0 };
    let shuffled = Tree { log_run: 5, ..tree };
    let abreast = Tree { log_chunks: 2, systems_first: true, ..tree };
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        let each = crate::plan::rows_each(precision);
        for rows in [RowAccess::Scalar, RowAccess::Vector] {
            for (writable_inputs, reverse, constant) in
                [(false, false, false), (true, true, false), (false, true, true)]
            {
                let constants = Constants { s: constant, t: constant, initial: !constant };
                let form = RecurrenceAccess { rows, writable_inputs, reverse, constants, withheld: None };
                if rows == RowAccess::Scalar {
                    all.extend(p_scheme::permutations(precision, form));
                }
                for tree in [tree, shuffled] {
                    all.push(RecurrenceKernel::Propagate { tree }.permutation(precision, form));
                    all.push(RecurrenceKernel::OnePass(OnePassTree::new(precision, tree)).permutation(precision, form));
                }
                for tree in [tree, shuffled, abreast] {
                    all.push(RecurrenceKernel::Reduce { rows: each, tree }.permutation(precision, form));
                    for several in [false, true] {
                        all.push(RecurrenceKernel::Apply { rows: each, tree, several }.permutation(precision, form));
                    }
                }
            }
            let constants = Constants::default();
            let vector = rows == RowAccess::Vector;
            let form = RecurrenceAccess { rows, writable_inputs: vector, reverse: vector, constants, withheld: None };
            for formulas in several {
                // Other tests report faults of a formula.
                let Ok(fused) = Fused::new(formulas, precision) else { continue };
                let kernels = [
                    RecurrenceKernel::Reduce { rows: each, tree },
                    RecurrenceKernel::Apply { rows: each, tree, several: true },
                    RecurrenceKernel::OnePass(OnePassTree::new(precision, tree)),
                ];
                all.extend(kernels.map(|kernel| fused.permutation(kernel.permutation(precision, form))));
            }
        }
    }
    all
}
