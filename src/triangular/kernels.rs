//! Every kernel of triangular systems and all its permutations, in one place.

use super::abreast::Abreast;
#[cfg(feature = "internals")]
use super::single::Keeping;
use super::single::Whole;
use crate::gpu::Capabilities;
use crate::plan::Offsets;
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts, uniform_struct};

parts! {
    ENTRY = "shared/entry";
    WORDS_F32 = "shared/words_f32";
    WORDS_F64 = "shared/words_f64";
    PROBLEM = "triangular/problem";
    LOAD_UNITS = "triangular/triangle_units";
    LOAD_UNITS_PANELS = "triangular/load_units_panels";
    LOAD_SCALAR = "triangular/triangle_scalar";
    LOAD_SCALAR_PANELS = "triangular/load_scalar_panels";
    DOWN = "triangular/down";
    ACROSS = "triangular/across";
    DIAGONAL = "triangular/diagonal";
    KEEP_NOTHING = "triangular/keep_nothing";
    KEEP_BLOCK = "triangular/keep_block";
    CHAINED = "triangular/chained";
    TRACE_NOTHING = "triangular/trace_nothing";
    TRACE_ORDER = "triangular/trace_order";
    LAUNCH_INVERT = "triangular/launch_invert";
    LAUNCH_SOLVE = "triangular/launch_solve";
    LAUNCH_SUBTRACT = "triangular/launch_subtract";
}

uniform_struct! {
    /// Parameters of a dispatch for kernels of triangular systems (`shaders/triangular/problem.wgsl`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct TriangularParams {
        pub n: u32,
        pub lda: u32,
        pub blocks: u32,
        pub problems: u32,
        pub groups: u32,
        pub columns: u32,
        pub matrix_stride: u32,
        pub increment: u32,
        pub first: u32,
        pub column_stride: u32,
        pub vector_stride: u32,
        pub workgroups: u32,
        pub panel: u32,
        pub panel_first: u32,
        pub launch: u32,
        pub rows_each: u32,
        pub patience: u32,
        pub invert_from: u32,
        /// Always 0, but opaque to the compiler; used by `rounded`.
        pub zero: u32,
        pub stored: u32,
        pub first_system: u32,
        pub systems_each: u32,
    }
}

impl Offsets for TriangularParams {}

/// How a workgroup divides a block row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Division {
    /// Rows of a block.
    pub block: u32,
    pub threads: u32,
    /// Right-hand sides at once.
    pub columns: u32,
}

impl Division {
    /// Lanes along memory, four entries each.
    fn quads(self) -> u32 {
        self.block / 4
    }

    fn groups(self) -> u32 {
        self.threads / self.quads()
    }

    fn stripes(self) -> u32 {
        self.block / self.groups()
    }

    /// Threads that share a row of the inverse.
    fn parts(self) -> u32 {
        self.threads / self.block
    }

    /// Whether every thread has 8 or 16 entries of the inverse: with more, compilers take minutes.
    pub fn is_possible(self) -> bool {
        [8, 16].contains(&(self.block * self.block / self.threads))
    }

    /// Numbers in workgroup memory through which threads exchange sums and steps of the inversion.
    fn work(self, across: bool) -> u32 {
        let sums = if across { self.quads() * (self.block + 1) } else { self.groups() * self.block };
        sums.max(16 * self.block)
    }

    fn row(self, precision: Precision) -> u32 {
        self.block + 16 / precision.bytes() as u32
    }

    /// Bytes of workgroup memory of a kernel that waits for `xs` blocks at once, twice.
    pub fn memory(self, precision: Precision, across: bool, xs: u32, keeps: bool) -> u64 {
        let Self { block, threads, columns } = self;
        let kept = if keeps { block * block } else { 0 };
        let diagonal = block * self.row(precision) + block;
        let numbers = diagonal + xs * columns + self.work(across) + block * columns + threads + kept;
        // And some words.
        u64::from(numbers) * precision.bytes() + 32
    }
}

/// A kernel with its specialisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TriangularKernel {
    Single(Whole),
    Abreast(Abreast),
    /// A step of launches one after the other, of `rows` block rows.
    Launch {
        kind: Launch,
        division: Division,
        rows: u32,
    },
    /// With the number of blocks to wait for at once, and the place of the next block meanwhile.
    Chained {
        division: Division,
        ahead: u32,
        precache: u32,
    },
}

/// The launches of [`Algorithm::LaunchSynced`](super::options::Algorithm::LaunchSynced).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Launch {
    /// Inverts all diagonal blocks.
    Invert,
    /// Solves the block rows of a step.
    Solve,
    /// Subtracts them from the later ones.
    Subtract,
}

/// Specialisation of kernels for a plan and a bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct TriangularAccess {
    pub across: bool,
    pub reversed: bool,
    pub unit_diagonal: bool,
    /// Fewer columns are stored than there are rows.
    pub trapezoid: bool,
    /// Columns begin at multiples of 16 bytes.
    pub whole_units: bool,
    /// The matrix comes in two bindings.
    pub panels: bool,
    pub writable_inputs: bool,
    /// A block row that its workgroup does not solve, for tests.
    pub withheld: Option<u32>,
    /// The order of events is noted.
    pub traced: bool,
}

impl TriangularAccess {
    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        let Self { across, reversed, unit_diagonal, trapezoid, .. } = self;
        [("ACROSS", across), ("REVERSED", reversed), ("UNIT_DIAGONAL", unit_diagonal), ("TRAPEZOID", trapezoid)]
            .map(|(name, yes)| (name, yes.into()))
            .to_vec()
    }
}

impl TriangularKernel {
    /// Threads of a workgroup.
    pub fn threads(self) -> u32 {
        match self {
            Self::Single(whole) => whole.threads(),
            Self::Abreast(division) => division.threads(),
            Self::Launch { division, .. } | Self::Chained { division, .. } => division.threads,
        }
    }

    /// Bytes of workgroup memory.
    pub fn memory(self, precision: Precision, across: bool) -> u64 {
        match self {
            Self::Single(whole) => whole.memory(precision),
            Self::Abreast(division) => division.memory(precision, across),
            Self::Launch { division, rows, .. } => division.memory(precision, across, rows * division.block, false),
            Self::Chained { division, ahead, precache } => {
                division.memory(precision, across, 2 * ahead * division.block, precache == 1)
            }
        }
    }

    pub fn permutation(self, precision: Precision, form: TriangularAccess) -> Permutation {
        match self {
            Self::Single(whole) => whole.permutation(precision, form),
            Self::Abreast(division) => division.permutation(precision, form),
            Self::Launch { kind, division, rows } => {
                let (name, own) = match kind {
                    Launch::Invert => ("launch_invert", LAUNCH_INVERT),
                    Launch::Solve => ("launch_solve", LAUNCH_SOLVE),
                    Launch::Subtract => ("launch_subtract", LAUNCH_SUBTRACT),
                };
                division.permutation(precision, form, rows * division.block, (name, vec![own], vec![]))
            }
            Self::Chained { division, ahead, precache } => {
                let words = match precision {
                    Precision::F32 => WORDS_F32,
                    Precision::F64 => WORDS_F64,
                };
                let keep = if precache == 1 { KEEP_BLOCK } else { KEEP_NOTHING };
                let withheld = form.withheld.map(|row| ("WITHHELD", row));
                let overrides = [("PRECACHE", precache)].into_iter().chain(withheld).collect();
                let trace = if form.traced { TRACE_ORDER } else { TRACE_NOTHING };
                let own = ("chained", vec![words, keep, trace, CHAINED], overrides);
                division.permutation(precision, form, 2 * ahead * division.block, own)
            }
        }
    }
}

/// A kernel's name, parts and overrides.
type Own = (&'static str, Vec<Part>, Vec<(&'static str, u32)>);

impl Division {
    /// The permutation of a kernel that holds `xs` solved rows of each right-hand side.
    fn permutation(
        self,
        precision: Precision,
        form: TriangularAccess,
        xs: u32,
        (kernel, own, own_overrides): Own,
    ) -> Permutation {
        let Self { block, threads, columns } = self;
        let bytes = precision.bytes() as u32;
        let load = match (form.whole_units, form.panels) {
            (true, false) => LOAD_UNITS,
            (true, true) => LOAD_UNITS_PANELS,
            (false, false) => LOAD_SCALAR,
            (false, true) => LOAD_SCALAR_PANELS,
        };
        let access = if form.across { ACROSS } else { DOWN };
        let shared = [PROBLEM, load, access, DIAGONAL];
        let width = if form.whole_units { 16 / bytes } else { 1 };
        let stripes = self.stripes();
        let sums = if form.across { stripes } else { 4 };
        let span = block / self.parts();
        let constants = vec![
            ("BLOCK", block),
            ("THREADS", threads),
            ("COLUMNS", columns),
            ("WIDTH", width),
            ("LOADS", 4 / width),
            ("FOUR", 4),
            ("EIGHT", 8),
            ("EIGHT_UNITS", bytes / 2),
            ("RECIPROCALS", block),
            ("AHEAD", xs / block / 2),
            ("AT_ONCE", (xs / block).min(4)),
            ("STRIPES", stripes),
            ("PIECE", 4 * stripes),
            ("INDICES", 4 / width * stripes),
            ("SUMS", sums),
            ("ALL_SUMS", sums * columns),
            ("ADDENDS", if form.across { self.quads() } else { self.groups() }),
            ("XS", xs),
            ("ALL_XS", xs * columns),
            ("WORK", self.work(form.across)),
            ("LEFT", block * columns),
            ("SPAN_ENTRIES", span),
            ("EIGHTS", span / 8),
            ("PART_COUNT", self.parts()),
            ("WORDS", words(precision) as u32),
            ("PANELS", 1 + u32::from(form.panels)),
        ];
        Permutation {
            kernel,
            precision,
            writable_inputs: form.writable_inputs,
            subgroups: false,
            parts: [&shared[..], &own, &[ENTRY]].concat(),
            constants,
            overrides: [vec![("WORKGROUP", threads)], form.overrides(), own_overrides].concat(),
            caller: None,
        }
    }
}

/// Words per number passed between workgroups.
pub(crate) fn words(precision: Precision) -> u64 {
    precision.bytes() / 4
}

/// Whether workgroups can pass numbers to each other: f64 numbers are split as 64-bit integers.
pub(crate) fn can_chain(capabilities: &Capabilities, precision: Precision) -> bool {
    precision == Precision::F32 || capabilities.features.int64_atomics
}

/// One of each kernel in every form, for the tests.
#[cfg(feature = "internals")]
pub fn permutations() -> Vec<Permutation> {
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        for (at, across) in [false, true].into_iter().enumerate() {
            for (whole_units, panels) in [(false, false), (true, false), (false, true), (true, true)] {
                let flag = whole_units != panels;
                let form = TriangularAccess {
                    across,
                    reversed: flag,
                    unit_diagonal: !flag,
                    whole_units,
                    panels,
                    writable_inputs: panels,
                    withheld: None,
                    trapezoid: whole_units && across == flag,
                    traced: panels && across,
                };
                let division = |threads, columns| Division { block: 32, threads, columns };
                let (one, several) = (division(64, 1), division(128, 4));
                let division = if at == 0 { one } else { several };
                let launch = |kind| TriangularKernel::Launch { kind, division, rows: if at == 0 { 4 } else { 1 } };
                let whole =
                    |groups, columns, keeping| TriangularKernel::Single(Whole { rows: 32, groups, columns, keeping });
                let kernels = [
                    TriangularKernel::Abreast(Abreast {
                        columns: 8,
                        spans: if at == 0 { 4 } else { 2 },
                        runs: 1 + u32::from(flag),
                    }),
                    whole(4, 1, Keeping::Workgroup),
                    whole(1, 2, Keeping::Registers { run: 1, runs: 4 }),
                    whole(2, 1, Keeping::Registers { run: 4, runs: 1 }),
                    launch(Launch::Invert),
                    launch(Launch::Solve),
                    launch(Launch::Subtract),
                    TriangularKernel::Chained { division: one, ahead: 2, precache: 2 * u32::from(flag) },
                    TriangularKernel::Chained { division: several, ahead: 4, precache: 1 + u32::from(flag) },
                ];
                all.extend(kernels.map(|kernel| kernel.permutation(precision, form)));
            }
        }
    }
    all
}
