//! Every kernel of the recurrences and all its permutations, in one place.

#[cfg(feature = "internals")]
use super::formulas::{Formulas, permutation};
#[cfg(feature = "internals")]
use super::launches::Launch;
use super::launches::{Filling, LaunchKernel, affine};
use super::one_pass::OnePassTree;
use super::overlapped::OverlappedKernel;
use super::p_scheme;
use super::system::Constants;
use crate::plan::RowAccess;
#[cfg(feature = "internals")]
use crate::plan::{OverlappedSlices, Tree};
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
    HEADS = "recurrence/affine_heads";
    HEADS_NONE = "recurrence/affine_heads_none";
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
    GROUP_MAPS = "recurrence/group_maps";
    GROUP_VALUES = "recurrence/group_values";
    APPLY = "recurrence/apply";
    ONE_PASS = "recurrence/one_pass";
    OVERLAPPED = "recurrence/overlapped";
    TOLD = "recurrence/told_affine";
}

/// A kernel with its specialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RecurrenceKernel {
    Launch(LaunchKernel),
    OnePass(OnePassTree),
    Overlapped(OverlappedKernel),
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
            Self::Launch(kernel) => kernel.permutation(precision, filling(precision, form)),
            Self::OnePass(tree) => {
                let own = RecurrenceAccess { rows: tree.access(form.rows), ..form };
                tree.permutation(precision, filling(precision, own), form.rows, form.withheld)
            }
            Self::Overlapped(kernel) => kernel.permutation(precision, filling(precision, form)),
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
                    let slices = OverlappedSlices { rows: each / 2, workgroup: 64 };
                    let followers = if reverse { 1 } else { 3 };
                    let kernel = RecurrenceKernel::Overlapped(OverlappedKernel { slices, followers });
                    all.push(kernel.permutation(precision, form));
                }
                let launches = LaunchKernel::all(each).into_iter().map(RecurrenceKernel::Launch);
                let one_pass =
                    [tree, shuffled].map(|tree| RecurrenceKernel::OnePass(OnePassTree::new(precision, tree)));
                all.extend(launches.chain(one_pass).map(|kernel| kernel.permutation(precision, form)));
            }
            if rows == RowAccess::Vector {
                let form = RecurrenceAccess { rows: RowAccess::Shifted, ..RecurrenceAccess::default() };
                let plain = OnePassTree::new(precision, shuffled);
                let reverse = RecurrenceAccess { reverse: true, ..form };
                let forms = [
                    (OnePassTree { most_lead: 3, ..plain }, form),
                    (OnePassTree { packed: true, ..plain }, form),
                    (OnePassTree { packed: true, ..OnePassTree::new(precision, tree) }, reverse),
                ];
                all.extend(forms.map(|(tree, form)| RecurrenceKernel::OnePass(tree).permutation(precision, form)));
            }
            let constants = Constants::default();
            let vector = rows == RowAccess::Vector;
            let form = RecurrenceAccess { rows, writable_inputs: vector, reverse: vector, constants, withheld: None };
            for formulas in several {
                // Other tests report faults of a formula.
                let Ok(fused) = formulas.fused(precision) else { continue };
                let kernels = [
                    RecurrenceKernel::Launch(LaunchKernel { launch: Launch::Reduce, rows: each, tree }),
                    RecurrenceKernel::Launch(LaunchKernel {
                        launch: Launch::Apply { several: true },
                        rows: each,
                        tree,
                    }),
                    RecurrenceKernel::OnePass(OnePassTree::new(precision, tree)),
                ];
                all.extend(kernels.map(|kernel| permutation(&fused, kernel.permutation(precision, form))));
            }
        }
    }
    all
}
