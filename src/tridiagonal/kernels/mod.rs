//! Every tridiagonal kernel and all its permutations, in one place.

#[cfg(feature = "testing")]
mod all;
mod assembly;
mod forms;
mod gate;
pub(crate) mod parts;
mod phases;

#[cfg(feature = "testing")]
pub(crate) use all::permutations;
pub(crate) use assembly::row_constants;
pub(crate) use forms::{Access, Leaf, Level, Neighbours, Slices, Threads, Variant};
pub(crate) use gate::{BOTH, Behind, COUPLED, Follower, Gate, Gated, NOT_DOMINANT, SOUND, VERDICTS_AT, judged};
pub(crate) use parts::{
    BLOCKS, PARALLEL_ITEMS, PARTITION_ROWS, PIVOTING_PARTITIONS, SEGMENT, THOMAS_ROWS, TPR_ROWS, WANG_MOU_ROWS,
};
pub(crate) use phases::Phase;

use crate::plan::{Slot, Tree};
use crate::recurrence::launches::Launch;

/// What an algorithm makes of a shape.
pub(crate) type Program = crate::plan::Program<Gated>;
/// One dispatch.
pub(crate) type Step = crate::plan::Step<Gated>;

/// How often all the rows are read where no verdict asks for more.
pub(crate) fn row_reads(program: &Program) -> usize {
    let asks = |step: &Step| step.given.is_some() || matches!(step.kernel.gate, Gate::Takes { .. });
    program.steps.iter().filter(|step| !asks(step) && step.slots.contains(&Slot::Inputs)).count()
}

/// A kernel and what it is specialised for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KernelId {
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

impl KernelId {
    /// Whether the kernel touches the caller's inputs, so that their access matters.
    pub fn reads_caller(self) -> bool {
        !matches!(
            self,
            Self::VerdictClear { .. }
                | Self::PartitionReduce { leaf: Leaf::Blocks(_), .. }
                | Self::PartitionSolve { leaf: Leaf::Blocks(_), .. }
                | Self::PivotingReduce { level: Level::Scratch, .. }
                | Self::PivotingSolve { level: Level::Scratch, .. }
                | Self::ParallelFinish { .. }
                | Self::Cyclic { level: Level::Scratch, .. }
                | Self::CyclicReduce { level: Level::Scratch, .. }
                | Self::CyclicSubstitute { level: Level::Scratch, .. }
                | Self::ParallelStep { level: Level::Scratch, .. }
                | Self::Cyclic { level: Level::Joined, .. }
                | Self::TprReduce { level: Level::Joined, .. }
                | Self::TprSubstitute { level: Level::Joined, .. }
                | Self::Scan { launch: Launch::Propagate, .. }
        )
    }

    fn uses_subgroups(self) -> bool {
        match self {
            Self::Cyclic { subgroups, .. } => subgroups,
            Self::PartitionReduce { tree, .. }
            | Self::PartitionSolve { tree, .. }
            | Self::PartitionHalo { tree, .. }
            | Self::PartitionTogether { tree, .. }
            | Self::PivotingSolve { tree, .. }
            | Self::WangMou { tree, .. }
            | Self::WangMouReduce { tree, .. }
            | Self::WangMouSubstitute { tree, .. }
            | Self::Scan { tree, .. } => tree.log_run > 0,
            Self::Tpr { slices } | Self::TprReduce { slices, .. } | Self::TprSubstitute { slices, .. } => {
                slices.threads.log_run > 0
            }
            _ => false,
        }
    }

    /// Whether it can take four rows per load.
    pub fn has_vector_form(self) -> bool {
        match self {
            Self::PartitionReduce { .. }
            | Self::PartitionSolve { .. }
            | Self::PartitionHalo { .. }
            | Self::PartitionTogether { .. }
            | Self::PivotingReduce { level: Level::Caller, .. }
            | Self::PivotingSolve { level: Level::Caller, .. }
            | Self::ThomasEliminate { .. }
            | Self::ThomasSubstitute { .. }
            | Self::Scan { .. } => true,
            Self::Tpr { slices }
            | Self::TprReduce { level: Level::Caller, slices }
            | Self::TprSubstitute { level: Level::Caller, slices } => slices.rows >= 4,
            Self::WangMou { rows, .. } | Self::WangMouReduce { rows, .. } | Self::WangMouSubstitute { rows, .. } => {
                rows >= 4
            }
            _ => false,
        }
    }
}
