//! The kernels of the filters: three launches and one pass, with states as maps. All rows share one matrix, whose powers the host computes; so
//! a map is only the state that rows leave, and the launches have modules of their own (`shaders/filter/`).

use super::constants::FilterSizes;
use super::one_pass::{OnePassTree, SLICES_AT_ONCE};
use super::powers::matrix_quads;
use crate::plan::{OverlappedSlices, RowAccess, SLICES_AHEAD};
use crate::precision::Precision;
use crate::recurrence::launches::{Launch, LaunchKernel, scan};
use crate::recurrence::one_pass::words;
use crate::shader::{Part, Permutation, parts};

parts! {
    PROBLEM = "shared/problem";
    ENTRY = "shared/entry";
    LOAD_SCALAR = "shared/element_scalar";
    LOAD_VECTOR = "shared/element_vector";
    STORE_SCALAR = "shared/store_scalar";
    STORE_VECTOR = "shared/store_vector";
    STORE_UNITS = "shared/store_units";
    CHUNK_STATES = "filter/chunk_states";
    SHUFFLE = "filter/shuffle";
    SIGNAL_SCALAR = "filter/signal_scalar";
    SIGNAL_UNITS = "filter/signal_units";
    SIGNAL_VECTOR = "filter/signal_vector";
    SIGNAL_SHARED = "filter/signal_shared";
    NUMBERS_ALIKE = "filter/numbers_alike";
    NUMBERS_BANK = "filter/numbers_bank";
    BEFORE_FIRST = "filter/before_first";
    BEFORE_READ = "filter/before_read";
    REDUCE = "filter/reduce";
    PROPAGATE = "filter/propagate";
    DIRECT_FORM = "filter/direct_form";
    CASCADE = "filter/cascade";
    APPLY = "filter/apply";
    OUTPUTS_CHUNK = "filter/outputs_chunk";
    OUTPUTS_UNITS = "filter/outputs_units";
    HEADS = "filter/signal_heads";
    HEADS_NONE = "filter/signal_heads_none";
    SEARCH_MEMORY = "filter/search_memory";
    SEARCH_SUBGROUP = "filter/search_subgroup";
    ONE_PASS = "filter/one_pass";
    PUT_FINALS = "filter/put_finals";
    OVERLAPPED = "filter/overlapped";
}

/// Powers before those of threads' runs, in the propagation: of a slice, and of the first one.
const PROPAGATE_POWERS_BEFORE: u32 = 2;

/// Threads of a workgroup that puts final states.
pub(super) const PUT_THREADS: u32 = 64;

/// A kernel with its specialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FilterKernel {
    Launch(LaunchKernel),
    OnePass(OnePassTree),
    Overlapped(OverlappedSlices),
    /// Final states over the initial ones.
    PutFinals,
}

/// Specialisation of kernels for a bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct FilterAccess {
    pub sizes: FilterSizes,
    /// A filter per sequence.
    pub bank: bool,
    /// One signal for all sequences.
    pub shares_input: bool,
    pub rows: RowAccess,
    pub writable_inputs: bool,
    pub reverse: bool,
    /// Sequences have initial states.
    pub initials: bool,
    /// A slice that publishes nothing in one pass, for tests.
    pub withheld: Option<u32>,
}

impl FilterKernel {
    pub fn permutation(self, precision: Precision, form: FilterAccess) -> Permutation {
        match self {
            Self::Launch(kernel) => launch(kernel, precision, form),
            Self::OnePass(tree) => one_pass(tree, precision, form),
            Self::Overlapped(kernel) => overlapped(kernel, precision, form),
            Self::PutFinals => Permutation {
                kernel: "put_finals",
                precision,
                writable_inputs: form.writable_inputs,
                subgroups: false,
                parts: vec![PROBLEM, ENTRY, PUT_FINALS],
                constants: vec![("ORDER", form.sizes.order)],
                overrides: vec![("WORKGROUP", PUT_THREADS)],
                caller: None,
            },
        }
    }
}

/// The constants of a filter's sizes, with so many levels and responses among its numbers.
fn constants(sizes: FilterSizes, levels: u32, responses: u32) -> Vec<(&'static str, u32)> {
    vec![
        ("ORDER", sizes.order),
        ("ORDER_BEFORE", sizes.order - 1),
        ("TAPS", sizes.order + 1),
        ("SECTIONS", sizes.sections),
        ("COEFFICIENTS", sizes.coefficients()),
        ("COEFFICIENT_QUADS", sizes.coefficient_quads()),
        ("RESPONSE_QUADS", sizes.response_quads()),
        ("MATRIX_QUADS", matrix_quads(sizes.order as usize)),
        ("CONSTANT_QUADS", sizes.constant_quads(levels, responses)),
    ]
}

impl FilterAccess {
    /// What filters a row, and where its numbers are.
    fn form(self) -> [Part; 2] {
        let row = if self.sizes.sections == 1 { DIRECT_FORM } else { CASCADE };
        [row, if self.bank { NUMBERS_BANK } else { NUMBERS_ALIKE }]
    }
}

/// A launch with states as maps.
fn launch(LaunchKernel { launch, rows, tree }: LaunchKernel, precision: Precision, form: FilterAccess) -> Permutation {
    let (mut signal, store) = match form.rows {
        RowAccess::Vector => ([LOAD_VECTOR, SIGNAL_VECTOR], STORE_VECTOR),
        RowAccess::Scalar | RowAccess::Shifted => ([LOAD_SCALAR, SIGNAL_SCALAR], STORE_SCALAR),
    };
    if form.shares_input {
        signal[1] = SIGNAL_SHARED;
    }
    let over_rows = [("ROWS", rows), ("QUADS", rows / 4)];
    let (kernel, own, row_sizes, before) = match launch {
        Launch::Reduce => ("reduce", [&signal[..], &[REDUCE]].concat(), &over_rows[..], 0),
        Launch::Propagate(_) => ("propagate", vec![PROPAGATE], &[("AHEAD", SLICES_AHEAD)][..], PROPAGATE_POWERS_BEFORE),
        Launch::Apply { several } => {
            let start = if several { BEFORE_READ } else { BEFORE_FIRST };
            ("apply", [&signal[..], &[store, start, APPLY]].concat(), &over_rows[..], 0)
        }
    };
    let mut constants = constants(form.sizes, 0, 0);
    constants.push(("POWERS_BEFORE", before));
    constants.extend(row_sizes);
    let mut overrides = tree.place_overrides();
    overrides.extend((!matches!(launch, Launch::Propagate(_))).then_some(("REVERSE", form.reverse.into())));
    Permutation {
        kernel,
        precision,
        writable_inputs: form.writable_inputs,
        subgroups: tree.log_run > 0,
        parts: [&[PROBLEM, CHUNK_STATES, ENTRY, HEADS_NONE][..], &form.form(), &scan(tree, SHUFFLE), &own].concat(),
        constants,
        overrides,
        caller: None,
    }
}

/// Everything in one launch.
fn one_pass(own: OnePassTree, precision: Precision, form: FilterAccess) -> Permutation {
    let OnePassTree { rows, log_units, tree, packed } = own;
    let (words, word_count) = words(precision);
    let in_units = log_units > 0;
    let (mut signal, store) = match form.rows {
        RowAccess::Vector | RowAccess::Shifted if in_units => (vec![SIGNAL_UNITS], STORE_UNITS),
        RowAccess::Vector => (vec![LOAD_VECTOR, SIGNAL_VECTOR], STORE_VECTOR),
        RowAccess::Scalar | RowAccess::Shifted => (vec![LOAD_SCALAR, SIGNAL_SCALAR], STORE_SCALAR),
    };
    if form.shares_input {
        signal.pop();
        signal.push(SIGNAL_SHARED);
    }
    let held = if in_units { [OUTPUTS_UNITS, SEARCH_SUBGROUP] } else { [OUTPUTS_CHUNK, SEARCH_MEMORY] };
    let mut constants = constants(form.sizes, own.levels(), rows);
    constants.extend([
        ("RESPONSES_AT", form.sizes.responses_at(own.levels())),
        ("POWERS_BEFORE", 0),
        ("SLICES_AT", own.powers_of_chunks()),
        ("SLICES_AT_ONCE", SLICES_AT_ONCE),
        ("ROWS", rows),
        ("QUADS", rows / 4),
        ("HALF", rows / 2),
        ("UNITS", 1 << log_units),
        ("LOG_UNITS", log_units),
        ("WORDS", word_count),
    ]);
    let mut overrides = tree.place_overrides();
    overrides.push(("REVERSE", form.reverse.into()));
    overrides.push(("SHIFTED", (in_units && !packed && form.rows == RowAccess::Shifted).into()));
    if packed {
        overrides.extend([("REPLACES_WITHIN", 1), ("INITIALS", form.initials.into())]);
    }
    overrides.extend(form.withheld.map(|slice| ("WITHHELD", slice)));
    Permutation {
        kernel: "one_pass",
        precision,
        writable_inputs: form.writable_inputs,
        subgroups: tree.log_run > 0,
        parts: [
            &[PROBLEM, CHUNK_STATES, ENTRY, words, store, ONE_PASS, if packed { HEADS } else { HEADS_NONE }][..],
            &form.form(),
            &scan(tree, SHUFFLE),
            &signal,
            &held,
        ]
        .concat(),
        constants,
        overrides,
        caller: None,
    }
}

/// Overlapped slices of interleaved sequences.
fn overlapped(
    OverlappedSlices { rows, workgroup }: OverlappedSlices,
    precision: Precision,
    form: FilterAccess,
) -> Permutation {
    let signal = if form.shares_input { SIGNAL_SHARED } else { SIGNAL_SCALAR };
    let mut constants = constants(form.sizes, 0, 0);
    constants.extend([("ROWS", rows), ("QUADS", rows / 4)]);
    Permutation {
        kernel: "overlapped",
        precision,
        writable_inputs: form.writable_inputs,
        subgroups: false,
        parts: [&[PROBLEM, ENTRY, HEADS_NONE, LOAD_SCALAR, signal, STORE_SCALAR, OVERLAPPED][..], &form.form()]
            .concat(),
        constants,
        overrides: vec![("WORKGROUP", workgroup), ("REVERSE", form.reverse.into())],
        caller: None,
    }
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations() -> Vec<Permutation> {
    use crate::plan::Tree;
    let tree = Tree { workgroup: 64, log_chunks: 6, systems_first: false, log_run: 0 };
    let shuffled = Tree { log_run: 5, ..tree };
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        let each = crate::plan::rows_each(precision);
        let direct = (1..=super::MAX_ORDER as u32).map(|order| FilterSizes { order, sections: 1 });
        let cascades = (2..=super::MAX_SECTIONS as u32).map(|sections| FilterSizes { order: 2 * sections, sections });
        for (at, sizes) in direct.chain(cascades).enumerate() {
            let each_row = [RowAccess::Scalar, RowAccess::Vector, RowAccess::Shifted];
            // Banks of one order and of cascades.
            let banks = [(false, false), (true, false), (true, true)];
            let banks = if [1, 4].contains(&at) { &banks[..] } else { &banks[..1] };
            for (rows, &(bank, shares_input)) in
                each_row.into_iter().flat_map(|rows| banks.iter().map(move |of| (rows, of)))
            {
                let switch = (rows == RowAccess::Vector) == (at % 2 == 1);
                let form = FilterAccess {
                    sizes,
                    bank,
                    shares_input,
                    rows,
                    writable_inputs: switch,
                    reverse: switch,
                    initials: switch,
                    withheld: None,
                };
                if rows == RowAccess::Scalar {
                    let kernel = FilterKernel::Overlapped(OverlappedSlices { rows: each, workgroup: 64 });
                    all.push(kernel.permutation(precision, form));
                }
                if rows != RowAccess::Shifted {
                    let launches = LaunchKernel::all(each).into_iter().map(FilterKernel::Launch);
                    all.extend(launches.map(|kernel| kernel.permutation(precision, form)));
                }
                let alone = OnePassTree { rows: each, log_units: 0, tree, packed: false };
                let units = [2, 3].map(|log_units| OnePassTree {
                    rows: (each / 4) << log_units,
                    log_units,
                    tree: shuffled,
                    packed: false,
                });
                let packed = OnePassTree { packed: true, ..units[1] };
                let kernels = [alone, units[0], units[1]].into_iter().chain((!bank).then_some(packed));
                all.extend(kernels.map(|tree| FilterKernel::OnePass(tree).permutation(precision, form)));
                all.push(FilterKernel::PutFinals.permutation(precision, form));
            }
        }
    }
    all
}
