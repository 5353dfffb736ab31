//! What a test may ask for: every permutation there is.

use super::forms::*;
use super::gate::{Gate, Gated};
use super::parts::*;
use super::{KernelId, Phase};
use crate::plan::{RowAccess, Tree};
use crate::precision::Precision;
use crate::recurrence::launches::Launch;
use crate::shader::Permutation;
use crate::tridiagonal::options::{MatrixForm, Structure};

impl KernelId {
    /// Every kernel with every constant that changes its text; numbers that are only overrides
    /// stand at a typical value.
    pub fn all() -> Vec<Self> {
        let workgroup = 64;
        let tree = Tree { workgroup, log_chunks: 4, systems_first: false, log_run: 0 };
        let shuffled = tree.with_shuffles(8);
        // A system that is no longer than a thread's rows.
        let single = Tree { log_chunks: 0, ..tree }.with_shuffles(8);
        let mut all = vec![
            Self::ThomasEliminate { workgroup },
            Self::ThomasSubstitute { workgroup },
            Self::ParallelFinish { workgroup },
            Self::VerdictClear { workgroup },
            Self::RingShare { workgroup },
            Self::RingClose { workgroup },
            Self::RefineResidual { workgroup, wide: false },
            Self::RefineResidual { workgroup, wide: true },
            Self::RefineAdd { workgroup },
            Self::Residual { workgroup },
        ];
        let leaves = PARTITION_ROWS.map(Leaf::Rows).into_iter().chain(BLOCKS.map(Leaf::Blocks));
        for (leaf, tree) in leaves.flat_map(|leaf| [tree, shuffled, single].map(|tree| (leaf, tree))) {
            all.push(Self::PartitionReduce { leaf, tree });
            all.push(Self::PartitionSolve { leaf, tree, neighbours: Neighbours::Read });
            let gathered = match leaf {
                Leaf::Rows(_) => BLOCKS.to_vec(),
                Leaf::Blocks(blocks) => vec![blocks],
            };
            all.extend(gathered.into_iter().map(|blocks| {
                let neighbours = Neighbours::Gather(blocks);
                Self::PartitionSolve { leaf, tree, neighbours }
            }));
        }
        for rows in PARTITION_ROWS {
            all.extend([tree, shuffled].map(|tree| {
                let tree = Tree { log_chunks: 6, ..tree };
                Self::PartitionHalo { rows, tree, halo: 8 }
            }));
            all.extend(BLOCKS.map(|blocks| Self::PartitionTogether { rows, tree: shuffled, blocks }));
        }
        for (level, rows) in
            [Level::Caller, Level::Scratch].into_iter().flat_map(|level| PIVOTING_PARTITIONS.map(|rows| (level, rows)))
        {
            for variant in [(false, false), (true, false), (false, true), (true, true)] {
                let variant = Variant { mending: variant.0, closed: variant.1 };
                all.push(Self::PivotingReduce { level, rows, tree, variant });
                // Of 16 rows this tree leaves four at the top.
                let solve = |tree| Self::PivotingSolve { level, rows, tree, variant, whole: true };
                all.extend([tree, shuffled].map(solve));
            }
        }
        for level in [Level::Caller, Level::Scratch] {
            all.push(Self::CyclicReduce { level, workgroup });
            all.push(Self::CyclicSubstitute { level, workgroup });
            all.push(Self::ParallelStep { level, workgroup });
        }
        for level in [Level::Caller, Level::Scratch, Level::Joined] {
            let threads = Threads { workgroup, lanes: 2, systems_first: false };
            for items in PARALLEL_ITEMS {
                all.push(Self::Cyclic { level, subgroups: false, items, threads, rows_held: 256 });
            }
            all.push(Self::Cyclic { level, subgroups: true, items: 1, threads, rows_held: 256 });
        }
        for (rows, threads) in TPR_ROWS.into_iter().flat_map(|rows| [tree, shuffled, single].map(|tree| (rows, tree))) {
            let slices = Slices { rows, threads };
            all.push(Self::Tpr { slices });
            for level in [Level::Caller, Level::Joined] {
                all.push(Self::TprReduce { level, slices });
                all.push(Self::TprSubstitute { level, slices });
            }
        }
        for (rows, tree) in WANG_MOU_ROWS.into_iter().flat_map(|rows| [tree, shuffled, single].map(|tree| (rows, tree)))
        {
            all.push(Self::WangMou { rows, tree });
            all.push(Self::WangMouReduce { rows, tree });
            let gathered = BLOCKS.map(Neighbours::Gather);
            all.extend(gathered.into_iter().chain([Neighbours::Read]).map(|neighbours| Self::WangMouSubstitute {
                rows,
                tree,
                neighbours,
            }));
        }
        for phase in [Phase::Pivots, Phase::Forward, Phase::Backward] {
            let rows = 8;
            for tree in [tree, shuffled] {
                all.push(Self::Scan { phase, launch: Launch::Propagate, rows: 0, tree });
                all.extend(
                    [Launch::Reduce, Launch::Apply { several: false }, Launch::Apply { several: true }]
                        .map(|launch| Self::Scan { phase, launch, rows, tree }),
                );
            }
        }
        all
    }

    /// What it may have to do with verdicts.
    fn gates(self) -> Vec<Gate> {
        let judges = Gate::Judges { followers: 5, chained: 0 };
        let chained = Gate::Judges { followers: 3, chained: 2 };
        let follows = Gate::Follows { accepted: 12, followers: 5, reports: false };
        let reports = Gate::Follows { accepted: 12, followers: 5, reports: true };
        let confirms = Gate::Confirms { accepted: 12, followers: 5 };
        match self {
            Self::PartitionHalo { .. } | Self::VerdictClear { .. } => vec![judges, chained],
            Self::PartitionReduce { leaf: Leaf::Rows(_), .. } => vec![Gate::Open, judges, follows, confirms],
            Self::PartitionSolve { leaf: Leaf::Rows(_), .. } => {
                vec![Gate::Open, Gate::Reports, judges, follows, reports]
            }
            Self::PivotingSolve { level: Level::Caller, .. } => vec![Gate::Open, follows, Gate::Takes { accepted: 12 }],
            Self::PartitionReduce { .. }
            | Self::PartitionSolve { .. }
            | Self::PivotingReduce { .. }
            | Self::PivotingSolve { .. } => vec![Gate::Open, follows],
            Self::PartitionTogether { .. }
            | Self::ThomasEliminate { .. }
            | Self::ThomasSubstitute { .. }
            | Self::Cyclic { .. }
            | Self::CyclicReduce { .. }
            | Self::CyclicSubstitute { .. }
            | Self::ParallelStep { .. }
            | Self::ParallelFinish { .. }
            | Self::Tpr { .. }
            | Self::TprReduce { .. }
            | Self::TprSubstitute { .. }
            | Self::WangMou { .. }
            | Self::WangMouReduce { .. }
            | Self::WangMouSubstitute { .. }
            | Self::Scan { .. }
            | Self::RingShare { .. }
            | Self::RingClose { .. }
            | Self::RefineResidual { .. }
            | Self::RefineAdd { .. }
            | Self::Residual { .. } => vec![Gate::Open],
        }
    }
}

/// Every permutation that any device may be given.
pub fn permutations() -> Vec<Permutation> {
    let mut all = Vec::new();
    let gates = |kernel: KernelId| kernel.gates().into_iter().map(move |gate| Gated { gate, ..kernel.into() });
    for kernel in KernelId::all().into_iter().flat_map(gates) {
        for precision in [Precision::F32, Precision::F64] {
            for rows in [RowAccess::Scalar, RowAccess::Shifted, RowAccess::Vector] {
                for writable_inputs in [false, true] {
                    all.push(kernel.permutation(precision, Access { rows, writable_inputs, ..Access::default() }));
                }
            }
        }
    }
    // Structure is a matter of overrides: each once with each way to reach the rows.
    let form = |structure, periodic| MatrixForm { structure, periodic, ..MatrixForm::default() };
    for (rows, matrix, correcting) in [
        (RowAccess::Scalar, form(Structure::Transposed, false), false),
        (RowAccess::Shifted, form(Structure::Symmetric, true), false),
        (RowAccess::Vector, form(Structure::Constant, true), true),
    ] {
        let access = Access { rows, matrix, ..Access::default() };
        let kernels = KernelId::all().into_iter().filter(|kernel| kernel.properties().reads_caller);
        let first = |kernel: KernelId| Gated { gate: kernel.gates()[0], correcting, ..kernel.into() };
        all.extend(kernels.map(|kernel| first(kernel).permutation(Precision::F32, access)));
    }
    all.sort();
    all.dedup();
    all
}
