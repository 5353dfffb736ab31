//! Every tridiagonal kernel and all its permutations, in one place.

#[cfg(feature = "internals")]
mod all;
mod assembly;
mod forms;
mod gate;
pub(crate) mod parts;
mod phases;

#[cfg(feature = "internals")]
pub use all::permutations;
pub use assembly::row_constants;
pub use forms::{Access, Leaf, Level, Neighbours, Slices, Threads, Variant};
pub use gate::{BOTH, Behind, COUPLED, Follower, Gate, Gated, NOT_DOMINANT, SOUND, VERDICTS_AT, judged};
pub use parts::{
    BLOCKS, PARALLEL_ITEMS, PARTITION_ROWS, PIVOTING_PARTITIONS, SEGMENT, THOMAS_ROWS, TPR_ROWS, WANG_MOU_ROWS,
};
pub use phases::Phase;

use crate::plan::{Slot, Tree};
use crate::recurrence::launches::Launch;

/// What an algorithm makes of a shape.
pub type Program = crate::plan::Program<Gated>;
/// One dispatch.
pub type Step = crate::plan::Step<Gated>;

/// How often all the rows are read where no verdict asks for more.
pub(crate) fn row_reads(program: &Program) -> usize {
    let asks = |step: &Step| step.given.is_some() || matches!(step.kernel.gate, Gate::Takes { .. });
    program.steps.iter().filter(|step| !asks(step) && step.slots.contains(&Slot::Inputs)).count()
}

/// A kernel and what it is specialised for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KernelId {
    PartitionReduce {
        leaf: Leaf,
        tree: Tree,
    },
    PartitionSolve {
        leaf: Leaf,
        tree: Tree,
        neighbours: Neighbours,
    },
    /// Slices with so many chunks of their neighbours on either side.
    PartitionHalo {
        rows: u32,
        tree: Tree,
        halo: u32,
    },
    /// All slices at once; so many slices' blocks per thread.
    PartitionTogether {
        rows: u32,
        tree: Tree,
        blocks: u32,
    },
    /// Of partitions of so many rows.
    PivotingReduce {
        level: Level,
        rows: u32,
        tree: Tree,
        variant: Variant,
    },
    PivotingSolve {
        level: Level,
        rows: u32,
        tree: Tree,
        variant: Variant,
        /// A slice is all of its system.
        whole: bool,
    },
    ThomasEliminate {
        workgroup: u32,
    },
    ThomasSubstitute {
        workgroup: u32,
    },
    Cyclic {
        level: Level,
        subgroups: bool,
        items: u32,
        threads: Threads,
        rows_held: u32,
    },
    CyclicReduce {
        level: Level,
        workgroup: u32,
    },
    CyclicSubstitute {
        level: Level,
        workgroup: u32,
    },
    ParallelStep {
        level: Level,
        workgroup: u32,
    },
    ParallelFinish {
        workgroup: u32,
    },
    Tpr {
        slices: Slices,
    },
    TprReduce {
        level: Level,
        slices: Slices,
    },
    TprSubstitute {
        level: Level,
        slices: Slices,
    },
    WangMou {
        rows: u32,
        tree: Tree,
    },
    WangMouReduce {
        rows: u32,
        tree: Tree,
    },
    WangMouSubstitute {
        rows: u32,
        tree: Tree,
        neighbours: Neighbours,
    },
    /// One of the launches of one of the recurrences.
    Scan {
        phase: Phase,
        launch: Launch,
        rows: u32,
        tree: Tree,
    },
    /// What was found of problems is forgotten.
    VerdictClear {
        workgroup: u32,
    },
    /// What periodic systems lack of their correction.
    RingShare {
        workgroup: u32,
    },
    RingClose {
        workgroup: u32,
    },
    /// In f64, if `wide`.
    RefineResidual {
        workgroup: u32,
        wide: bool,
    },
    RefineAdd {
        workgroup: u32,
    },
    Residual {
        workgroup: u32,
    },
}

/// What is asked of a kernel wherever it is assembled, bound or tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// Whether it touches the caller's inputs, so that their access matters.
    pub reads_caller: bool,
    pub uses_subgroups: bool,
    /// Whether it can take four rows per load.
    pub has_vector_form: bool,
}

impl KernelId {
    /// One line per kernel.
    pub fn properties(self) -> Properties {
        let has = |reads_caller, uses_subgroups, has_vector_form| Properties {
            reads_caller,
            uses_subgroups,
            has_vector_form,
        };
        let shuffles = |tree: Tree| tree.log_run > 0;
        match self {
            Self::PartitionReduce { leaf, tree } => has(leaf.is_rows(), shuffles(tree), true),
            Self::PartitionSolve { leaf, tree, .. } => has(leaf.is_rows(), shuffles(tree), true),
            Self::PartitionHalo { tree, .. } => has(true, shuffles(tree), true),
            Self::PartitionTogether { tree, .. } => has(true, shuffles(tree), true),
            Self::PivotingReduce { level, .. } => has(level != Level::Scratch, false, level == Level::Caller),
            Self::PivotingSolve { level, tree, .. } => {
                has(level != Level::Scratch, shuffles(tree), level == Level::Caller)
            }
            Self::ThomasEliminate { .. } => has(true, false, true),
            Self::ThomasSubstitute { .. } => has(true, false, true),
            Self::Cyclic { level, subgroups, .. } => has(level == Level::Caller, subgroups, false),
            Self::CyclicReduce { level, .. } => has(level != Level::Scratch, false, false),
            Self::CyclicSubstitute { level, .. } => has(level != Level::Scratch, false, false),
            Self::ParallelStep { level, .. } => has(level != Level::Scratch, false, false),
            Self::ParallelFinish { .. } => has(false, false, false),
            Self::Tpr { slices } => has(true, shuffles(slices.threads), slices.rows >= 4),
            Self::TprReduce { level, slices } | Self::TprSubstitute { level, slices } => {
                let whole = level == Level::Caller && slices.rows >= 4;
                has(level != Level::Joined, shuffles(slices.threads), whole)
            }
            Self::WangMou { rows, tree } => has(true, shuffles(tree), rows >= 4),
            Self::WangMouReduce { rows, tree } => has(true, shuffles(tree), rows >= 4),
            Self::WangMouSubstitute { rows, tree, .. } => has(true, shuffles(tree), rows >= 4),
            Self::Scan { launch, tree, .. } => has(launch != Launch::Propagate, shuffles(tree), true),
            Self::VerdictClear { .. } => has(false, false, false),
            Self::RingShare { .. } => has(true, false, false),
            Self::RingClose { .. } => has(true, false, false),
            Self::RefineResidual { .. } => has(true, false, false),
            Self::RefineAdd { .. } => has(true, false, false),
            Self::Residual { .. } => has(true, false, false),
        }
    }
}
