//! Every kernel of the iterations and its permutations; those of HISA and BHISA stand in [`blocks`].

mod blocks;
mod parts;
mod words;

use self::parts::*;
pub use self::words::QuasiParams;
pub(crate) use self::words::word;
use crate::plan::Tree;
use crate::precision::Precision;
use crate::shader::{Part, Permutation};

/// Threads of the kernels that process rows in order.
pub(crate) const WORKGROUP: u32 = 256;
/// Threads that gather the pieces of long rows.
const PIECE_THREADS: u32 = 64;

/// The phase in which a step runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// An iteration.
    Run = 0,
    /// A cycle has ended.
    Verify = 1,
    /// The solve has ended.
    Done = 2,
    /// A cycle begins.
    Begin = 3,
}

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum QuasiKernel {
    /// If `scaled`, the right-hand side is multiplied by the rows' powers of two.
    Largest {
        scaled: bool,
    },
    Start,
    Scale {
        guessed: bool,
        scaled: bool,
    },
    Norm {
        cycled: bool,
    },
    Finish,
    LongRows {
        piece: u32,
    },
    Residual,
    Jacobi,
    /// Decision from the residual (and step) of a splitting.
    Fixed {
        by_step: bool,
        exact: bool,
    },
    FixedResidual {
        exact: bool,
        noted: bool,
    },
    Correct,
    StepTaken {
        exact: bool,
    },
    Verified,
    /// The end of the recorded steps.
    Close {
        cycled: bool,
    },
    BeginCycle {
        outer: Precision,
    },
    Ready,
    Collect {
        outer: Precision,
    },
    Dot,
    Copy,
    Shade,
    Add,
    /// y += s x or y -= s x, with s a scalar of the iteration.
    ScaledAdd {
        scalar: Scalar,
        minus: bool,
    },
    Product,
    ProductDots,
    Divide,
    Bicgstab(Bicgstab),
    Bicg(Bicg),
    Tfqmr(Tfqmr),
    Gmres(Gmres),
    Sweep,
    /// A block with this number of rows per thread (1: cyclic reduction); `tree` places the threads.
    Block {
        block: u32,
        rows: u32,
        tree: Tree,
    },
    /// The factors of blocks, a thread per chunk of `rows` rows.
    Factor {
        rows: u32,
        tree: Tree,
    },
    /// An iteration by these factors.
    Factored {
        rows: u32,
        tree: Tree,
    },
    /// The first pass of HISA's iteration over slices of T, and the second.
    HisaReduce {
        rows: u32,
        tree: Tree,
    },
    HisaSolve {
        rows: u32,
        tree: Tree,
    },
}

/// Scalars of an iteration, by their place (`scalars.wgsl`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    Alpha = 1,
    Eta = 5,
}

/// Steps of BiCGSTAB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Bicgstab {
    Alpha,
    Omega,
    Beta,
    X,
    R,
    P,
}

/// Steps of BiCG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Bicg {
    Alpha,
    Beta,
    Direction,
    R,
    Iterated,
}

/// Steps of TFQMR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Tfqmr {
    Begin,
    Alpha,
    Half,
    W,
    Turn,
    V,
}

/// Steps of GMRES; some take several vectors at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Gmres {
    Begin,
    Dots,
    Entries(u32),
    Subtract(u32),
    Column,
    Rescale,
    Solve,
    Combine(u32),
}

/// The driver of a kernel's own part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Each thread takes four rows.
    Each,
    /// The same, with this number of sums.
    Summed(u32),
    /// One workgroup adds up this number of sums and decides.
    Decide(u32),
    /// The part has a `run` of its own.
    Own,
}

fn row_scale(scaled: bool) -> Part {
    if scaled { ROW_SCALE_GIVEN } else { ROW_SCALE_NONE }
}

impl QuasiKernel {
    /// Its kind, its parts and its overrides.
    fn own(self) -> (Kind, Vec<Part>, Vec<(&'static str, u32)>) {
        use Kind::{Decide, Each, Own, Summed};
        let product = |own| vec![X_READ, own];
        let decide = |own| vec![GATHER_SUM, own];
        let outer = |precision, own| match precision {
            Precision::F32 => vec![OUTER_SAME, own],
            Precision::F64 => vec![OUTER_F64, own],
        };
        let plain = |(kind, parts)| (kind, parts, vec![]);
        match self {
            Self::Largest { scaled } => plain((Own, vec![row_scale(scaled), LARGEST])),
            Self::Start => (Decide(1), vec![GATHER_LARGEST, DECIDE_START], vec![("ALWAYS", 1)]),
            Self::Scale { guessed, scaled } => {
                let guess = if guessed { GUESS_GIVEN } else { GUESS_NONE };
                plain((Summed(1), vec![row_scale(scaled), guess, SCALE]))
            }
            Self::Norm { cycled } => (Decide(1), vec![GATHER_SUM, DECIDE_NORM], vec![("CYCLED", cycled.into())]),
            Self::Finish => plain((Each, vec![FINISH])),
            Self::LongRows { .. } => plain((Own, vec![LONG_ROWS])),
            Self::Residual => plain((Summed(1), product(RESIDUAL))),
            Self::Jacobi => plain((Summed(3), product(JACOBI))),
            Self::Fixed { by_step, exact } => {
                (Decide(3), vec![GATHER_SUM, DECIDE_FIXED], vec![("BY_STEP", by_step.into()), ("EXACT", exact.into())])
            }
            Self::FixedResidual { exact, noted } => {
                (Decide(1), vec![GATHER_SUM, DECIDE_RESIDUAL], vec![("EXACT", exact.into()), ("NOTED", noted.into())])
            }
            Self::Correct => plain((Summed(2), vec![CORRECT])),
            Self::StepTaken { exact } => (Decide(2), vec![GATHER_SUM, DECIDE_STEP], vec![("EXACT", exact.into())]),
            Self::Verified => plain((Decide(1), vec![GATHER_SUM, DECIDE_VERIFY])),
            Self::Close { cycled } => {
                (Decide(1), vec![GATHER_SUM, DECIDE_CLOSE], vec![("ALWAYS", 1), ("CYCLED", cycled.into())])
            }
            Self::BeginCycle { outer: precision } => plain((Each, outer(precision, BEGIN))),
            Self::Ready => plain((Decide(1), vec![GATHER_SUM, DECIDE_RUN])),
            Self::Collect { outer: precision } => plain((Each, outer(precision, COLLECT))),
            Self::Dot => plain((Summed(3), vec![DOT])),
            Self::Copy => plain((Each, vec![COPY])),
            Self::Shade => plain((Each, vec![SHADE])),
            Self::Add => plain((Each, vec![ADD])),
            Self::ScaledAdd { scalar, minus } => {
                (Each, vec![SCALED_ADD], vec![("SCALAR", scalar as u32), ("MINUS", minus.into())])
            }
            Self::Product => plain((Each, product(PRODUCT))),
            Self::ProductDots => plain((Summed(3), product(PRODUCT_DOTS))),
            Self::Divide => plain((Each, vec![DIVIDE])),
            Self::Bicgstab(step) => plain(match step {
                Bicgstab::Alpha => (Decide(3), decide(BICGSTAB_ALPHA)),
                Bicgstab::Omega => (Decide(2), decide(BICGSTAB_OMEGA)),
                Bicgstab::Beta => (Decide(3), decide(BICGSTAB_BETA)),
                Bicgstab::X => (Each, vec![BICGSTAB_X]),
                Bicgstab::R => (Summed(3), vec![BICGSTAB_R]),
                Bicgstab::P => (Each, vec![BICGSTAB_P]),
            }),
            Self::Bicg(step) => plain(match step {
                Bicg::Alpha => (Decide(3), decide(BICG_ALPHA)),
                Bicg::Beta => (Decide(2), decide(BICG_BETA)),
                Bicg::Direction => (Each, vec![DIRECTION]),
                Bicg::R => (Summed(1), vec![BICG_R]),
                Bicg::Iterated => (Decide(1), decide(DECIDE_ITERATED)),
            }),
            Self::Tfqmr(step) => {
                let (kind, parts) = match step {
                    Tfqmr::Begin => (Decide(3), vec![GATHER_SUM, TFQMR_BEGIN]),
                    Tfqmr::Alpha => (Decide(2), decide(TFQMR_ALPHA)),
                    Tfqmr::Half => (Decide(3), decide(TFQMR_HALF)),
                    Tfqmr::W => (Summed(3), vec![TFQMR_W]),
                    Tfqmr::Turn => (Each, vec![TFQMR_TURN]),
                    Tfqmr::V => (Summed(2), vec![TFQMR_V]),
                };
                (kind, parts, if step == Tfqmr::Alpha { vec![("BOUND", 1)] } else { vec![] })
            }
            Self::Gmres(step) => {
                let vectors = |count| vec![("VECTORS", count)];
                match step {
                    Gmres::Begin => plain((Decide(1), decide(GMRES_BEGIN))),
                    Gmres::Dots => plain((Summed(4), vec![GMRES_DOTS])),
                    Gmres::Entries(count) => (Decide(4), decide(GMRES_ENTRIES), vectors(count)),
                    Gmres::Subtract(count) => (Summed(1), vec![GMRES_SUBTRACT], vectors(count)),
                    Gmres::Column => plain((Decide(1), decide(GMRES_COLUMN))),
                    Gmres::Rescale => plain((Each, vec![GMRES_RESCALE])),
                    Gmres::Solve => plain((Decide(1), decide(GMRES_SOLVE))),
                    Gmres::Combine(count) => (Each, vec![GMRES_COMBINE], vectors(count)),
                }
            }
            Self::Sweep => plain((Own, vec![SWEEP])),
            // Assembled below.
            Self::Block { .. }
            | Self::Factor { .. }
            | Self::Factored { .. }
            | Self::HisaReduce { .. }
            | Self::HisaSolve { .. } => plain((Own, vec![])),
        }
    }

    /// Number of sums that it leaves for a decision.
    pub fn sums(self) -> u32 {
        match self {
            Self::Block { .. } | Self::Factored { .. } | Self::HisaSolve { .. } => 3,
            Self::Largest { .. } => 1,
            _ => match self.own().0 {
                Kind::Summed(count) => count,
                _ => 0,
            },
        }
    }

    /// Whether each thread takes four rows.
    pub fn is_by_rows(self) -> bool {
        matches!(self, Self::Largest { .. }) || matches!(self.own().0, Kind::Each | Kind::Summed(_))
    }

    pub fn is_decision(self) -> bool {
        matches!(self.own().0, Kind::Decide(_))
    }

    /// The kernel for a phase, or two; each thread takes `rounds` times four rows; a thread count for decisions.
    pub fn permutation(self, precision: Precision, form: StepSettings) -> Permutation {
        match self {
            Self::Block { block, rows, tree } => return blocks::blocks(precision, form, block, rows, tree),
            Self::Factor { rows, tree } => return blocks::factor(precision, rows, tree),
            Self::Factored { rows, tree } => return blocks::factored(precision, form, rows, tree),
            Self::HisaReduce { rows, tree } | Self::HisaSolve { rows, tree } => {
                return blocks::hisa(self, precision, form, rows, tree);
            }
            _ => {}
        }
        let (kind, own, mut overrides) = self.own();
        let frame = |parts: &[Part]| [&[PARAMS][..], parts].concat();
        let (parts, sums, workgroup) = match kind {
            Kind::Each => (frame(&[&own[..], &[EACH, ENTRY]].concat()), 0, WORKGROUP),
            Kind::Summed(sums) => (frame(&[&own[..], &[EACH_SUMMED, ENTRY]].concat()), sums, WORKGROUP),
            Kind::Decide(sums) => (frame(&[&[DECIDE][..], &own, &[ENTRY]].concat()), sums, form.decision_threads),
            Kind::Own => {
                let workgroup = if matches!(self, Self::LongRows { .. }) { PIECE_THREADS } else { WORKGROUP };
                (frame(&[&own[..], &[ENTRY]].concat()), 0, workgroup)
            }
        };
        overrides.push(("WORKGROUP", workgroup));
        if self.is_by_rows() {
            overrides.push(("ROUNDS", form.rounds));
        }
        if !matches!(self, Self::Largest { .. }) {
            overrides.extend(form.gates());
        }
        let piece = if let Self::LongRows { piece } = self { piece } else { 0 };
        let kernel = own.last().and_then(|part| part.name.split('/').nth(1));
        Permutation {
            kernel: kernel.unwrap_or("step"),
            precision,
            writable_inputs: false,
            subgroups: false,
            parts,
            constants: vec![("SUMS", sums.max(1)), ("PIECE_QUADS", piece / 4)],
            overrides,
            caller: None,
        }
    }
}

/// Specialisation of kernels for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StepSettings {
    pub phases: [Phase; 2],
    pub rounds: u32,
    pub decision_threads: u32,
}

impl StepSettings {
    fn gates(self) -> [(&'static str, u32); 2] {
        [("GATE", self.phases[0] as u32), ("GATE_TOO", self.phases[1] as u32)]
    }
}

/// The kernel that splits a matrix in device memory, whose entries may be in a wider precision than the result.
pub(crate) fn split_permutation(precision: Precision, entries_in: Precision) -> Permutation {
    let outer = if entries_in == Precision::F64 { OUTER_F64 } else { OUTER_SAME };
    Permutation {
        kernel: "split",
        precision,
        writable_inputs: false,
        subgroups: false,
        parts: vec![PARAMS, outer, SPLIT, ENTRY],
        constants: vec![],
        overrides: vec![("WORKGROUP", WORKGROUP)],
        caller: None,
    }
}
