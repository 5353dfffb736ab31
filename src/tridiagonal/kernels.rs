//! Every tridiagonal kernel and all its permutations, in one place.

use crate::gpu::wgsl::{Part, Permutation, Precision, parts};

parts! {
    PROBLEM = "tridiagonal/problem";
    TROUBLE = "tridiagonal/trouble";
    EQUATIONS = "tridiagonal/equations";
    ROWS_SCALAR = "tridiagonal/rows_scalar";
    ROWS_VECTOR = "tridiagonal/rows_vector";
    FAULT = "tridiagonal/fault";
    ROWS = "tridiagonal/rows";
    LOAD_SCALAR = "tridiagonal/load_scalar";
    LOAD_VECTOR = "tridiagonal/load_vector";
    STORE_SCALAR = "tridiagonal/store_scalar";
    STORE_VECTOR = "tridiagonal/store_vector";
    PLACE = "tridiagonal/place";
    TREE = "tridiagonal/tree";
    TREE_DESCEND = "tridiagonal/tree_descend";
    TREE_SUBGROUP = "tridiagonal/tree_subgroup";
    TREE_SUBGROUP_DESCEND = "tridiagonal/tree_subgroup_descend";
    CHUNK = "tridiagonal/chunk";
    FAMILY = "tridiagonal/family";
    PARTITION_REDUCE = "tridiagonal/partition_reduce";
    PARTITION_SOLVE = "tridiagonal/partition_solve";
    BLOCKS_REDUCE = "tridiagonal/blocks_reduce";
    BLOCKS_SOLVE = "tridiagonal/blocks_solve";
    THOMAS = "tridiagonal/thomas";
    THOMAS_ELIMINATE = "tridiagonal/thomas_eliminate";
    THOMAS_SUBSTITUTE = "tridiagonal/thomas_substitute";
    SOURCE_EQUATIONS = "tridiagonal/source_equations";
    SOURCE_ROWS = "tridiagonal/source_rows";
    SINK_X = "tridiagonal/sink_x";
    SINK_LEVEL = "tridiagonal/sink_level";
    SCRATCH = "tridiagonal/scratch";
    PARALLEL_WORKGROUP = "tridiagonal/parallel_workgroup";
    PARALLEL_SUBGROUP = "tridiagonal/parallel_subgroup";
    PARALLEL_ROW = "tridiagonal/parallel_row";
    PARALLEL_STEP = "tridiagonal/parallel_step";
    PARALLEL_FINISH = "tridiagonal/parallel_finish";
    CYCLIC = "tridiagonal/cyclic";
    CYCLIC_REDUCE = "tridiagonal/cyclic_reduce";
    CYCLIC_SUBSTITUTE = "tridiagonal/cyclic_substitute";
    RESIDUAL = "tridiagonal/residual";
}

/// Rows a thread of the partition may take.
pub(crate) const PARTITION_ROWS: [u32; 5] = [4, 8, 12, 16, 32];
/// Blocks a thread of the levels above may take.
pub(crate) const BLOCKS: [u32; 4] = [1, 2, 4, 8];
/// Rows between two kept states of Thomas's elimination.
pub(crate) const THOMAS_ROWS: u32 = 16;
/// Rows a thread of the parallel part of cyclic reduction may take.
pub(crate) const PARALLEL_ITEMS: [u32; 3] = [1, 4, 16];
/// Rows a workgroup of the residual takes.
pub(crate) const SEGMENT: u32 = 4096;

/// How a bind reaches the caller's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Access {
    /// Four rows a load.
    pub vector: bool,
    /// Inputs share a buffer with x.
    pub writable_inputs: bool,
    /// The diagonal is given as its excess.
    pub excess: bool,
}

fn row_constants(rows: u32, loaded: u32) -> Vec<(&'static str, u32)> {
    vec![
        ("ROWS", rows),
        ("QUADS", rows / 4),
        ("LOADED", loaded),
        ("LOADED_QUADS", loaded / 4),
        ("PARTS", rows / loaded),
    ]
}

/// Rows loaded together: all, as far as they leave registers for the work.
fn loaded(rows: u32) -> u32 {
    if rows > 16 { 8 } else { rows }
}

/// Where cyclic reduction's rows come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Level {
    /// From and to the caller's vectors.
    Caller,
    /// From and to scratch.
    Scratch,
}

/// Levels that shuffles merge at the most, twice: more than 64 lanes are not used.
const MAX_LOG_LANES: u32 = 6;

/// A workgroup's tree of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tree {
    pub workgroup: u32,
    /// 2^this chunks of each problem.
    pub log_chunks: u32,
    /// Neighbouring threads take neighbouring problems.
    pub systems_first: bool,
    /// Merge with shuffles among 2^this lanes; 0 goes through workgroup memory.
    pub log_run: u32,
}

impl Tree {
    pub fn chunks(self) -> u32 {
        1 << self.log_chunks
    }

    /// Problems a workgroup.
    pub fn lanes(self) -> u32 {
        self.workgroup >> self.log_chunks
    }

    /// The same with shuffles, where subgroups are large enough for them.
    pub fn with_shuffles(self, subgroup_lanes: u32) -> Self {
        let log_run = subgroup_lanes.ilog2().min(MAX_LOG_LANES);
        let fits = log_run > 0
            && !self.systems_first
            && self.log_chunks <= 2 * log_run
            && self.workgroup.is_multiple_of(subgroup_lanes);
        if fits { Self { log_run, ..self } } else { self }
    }

    fn part(self) -> Part {
        if self.log_run > 0 { TREE_SUBGROUP } else { TREE }
    }

    fn descend_part(self) -> Part {
        if self.log_run > 0 { TREE_SUBGROUP_DESCEND } else { TREE_DESCEND }
    }

    fn constants(self) -> Vec<(&'static str, u32)> {
        if self.log_run > 0 { vec![("LOG_LANES", MAX_LOG_LANES)] } else { vec![] }
    }

    /// Nodes of all levels, as `tree.wgsl` lays them out; of the runs, for shuffles.
    pub fn nodes(self) -> u32 {
        if self.log_run > 0 {
            return (self.workgroup >> self.log_run).max(1);
        }
        let mut count = self.chunks();
        let mut nodes = 0;
        while count > 1 {
            let parents = (count / 4).max(1);
            nodes += count.min(4) * (parents * self.lanes() + 2);
            count = parents;
        }
        nodes + self.lanes()
    }

    fn overrides(self) -> Vec<(&'static str, u32)> {
        let mut overrides = vec![
            ("WORKGROUP", self.workgroup),
            ("LOG_CHUNKS", self.log_chunks),
            ("SYSTEMS_FIRST", self.systems_first.into()),
            ("NODES", self.nodes()),
        ];
        if self.log_run > 0 {
            overrides.push(("LOG_RUN", self.log_run));
        }
        overrides
    }
}

/// A kernel and what it is specialised for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KernelId {
    PartitionReduce { rows: u32, tree: Tree },
    PartitionSolve { rows: u32, tree: Tree },
    BlocksReduce { blocks: u32, tree: Tree },
    BlocksSolve { blocks: u32, tree: Tree },
    ThomasEliminate { workgroup: u32 },
    ThomasSubstitute { workgroup: u32 },
    Cyclic { level: Level, subgroups: bool, items: u32, workgroup: u32, rows_held: u32 },
    CyclicReduce { level: Level, workgroup: u32 },
    CyclicSubstitute { level: Level, workgroup: u32 },
    ParallelStep { level: Level, workgroup: u32 },
    ParallelFinish { workgroup: u32 },
    Residual { workgroup: u32 },
}

impl KernelId {
    /// Whether the kernel touches the caller's inputs, so that their access matters.
    pub fn reads_caller(self) -> bool {
        !matches!(
            self,
            Self::BlocksReduce { .. }
                | Self::BlocksSolve { .. }
                | Self::ParallelFinish { .. }
                | Self::Cyclic { level: Level::Scratch, .. }
                | Self::CyclicReduce { level: Level::Scratch, .. }
                | Self::CyclicSubstitute { level: Level::Scratch, .. }
                | Self::ParallelStep { level: Level::Scratch, .. }
        )
    }

    fn uses_subgroups(self) -> bool {
        match self {
            Self::Cyclic { subgroups, .. } => subgroups,
            Self::PartitionReduce { tree, .. }
            | Self::PartitionSolve { tree, .. }
            | Self::BlocksReduce { tree, .. }
            | Self::BlocksSolve { tree, .. } => tree.log_run > 0,
            _ => false,
        }
    }

    /// Whether it can take four rows a load.
    pub fn has_vector_form(self) -> bool {
        matches!(
            self,
            Self::PartitionReduce { .. }
                | Self::PartitionSolve { .. }
                | Self::ThomasEliminate { .. }
                | Self::ThomasSubstitute { .. }
        )
    }

    pub fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let vector = access.vector && self.has_vector_form();
        let own_rows = if vector { ROWS_VECTOR } else { ROWS_SCALAR };
        let (load, store) = if vector { (LOAD_VECTOR, STORE_VECTOR) } else { (LOAD_SCALAR, STORE_SCALAR) };
        let caller = [PROBLEM, TROUBLE, EQUATIONS, own_rows];
        let source = |level| match level {
            Level::Caller => [&caller[..], &[SOURCE_EQUATIONS, SCRATCH]].concat(),
            Level::Scratch => vec![PROBLEM, SCRATCH, SOURCE_ROWS],
        };
        let sink = |level| match level {
            Level::Caller => SINK_X,
            Level::Scratch => SINK_LEVEL,
        };
        let (kernel, parts, constants, overrides) = match self {
            Self::PartitionReduce { rows, tree } => (
                "partition_reduce",
                [&caller[..], &[ROWS, load, PLACE, tree.part(), CHUNK, PARTITION_REDUCE]].concat(),
                [row_constants(rows, loaded(rows)), tree.constants()].concat(),
                tree.overrides(),
            ),
            Self::PartitionSolve { rows, tree } => (
                "partition_solve",
                [
                    &caller[..],
                    &[ROWS, load, store, FAULT, PLACE, tree.part(), CHUNK, PARTITION_SOLVE, tree.descend_part()],
                ]
                .concat(),
                [row_constants(rows, loaded(rows)), tree.constants()].concat(),
                tree.overrides(),
            ),
            Self::BlocksReduce { blocks, tree } => (
                "blocks_reduce",
                vec![PROBLEM, PLACE, tree.part(), FAMILY, BLOCKS_REDUCE],
                [vec![("BLOCKS", blocks)], tree.constants()].concat(),
                tree.overrides(),
            ),
            Self::BlocksSolve { blocks, tree } => (
                "blocks_solve",
                vec![PROBLEM, PLACE, tree.part(), FAMILY, BLOCKS_SOLVE, tree.descend_part()],
                [vec![("BLOCKS", blocks)], tree.constants()].concat(),
                tree.overrides(),
            ),
            Self::ThomasEliminate { workgroup } => (
                "thomas_eliminate",
                [&caller[..], &[ROWS, load, THOMAS, THOMAS_ELIMINATE]].concat(),
                row_constants(THOMAS_ROWS, THOMAS_ROWS),
                vec![("WORKGROUP", workgroup)],
            ),
            Self::ThomasSubstitute { workgroup } => (
                "thomas_substitute",
                [&caller[..], &[ROWS, load, store, FAULT, THOMAS, THOMAS_SUBSTITUTE]].concat(),
                row_constants(THOMAS_ROWS, THOMAS_ROWS),
                vec![("WORKGROUP", workgroup)],
            ),
            Self::Cyclic { level, subgroups, items, workgroup, rows_held } => {
                let parallel = if subgroups { PARALLEL_SUBGROUP } else { PARALLEL_WORKGROUP };
                (
                    "cyclic",
                    [&source(level)[..], &[sink(level), parallel, CYCLIC]].concat(),
                    if subgroups { vec![] } else { vec![("ITEMS", items)] },
                    vec![("WORKGROUP", workgroup), ("ROWS_HELD", rows_held)],
                )
            }
            Self::CyclicReduce { level, workgroup } => (
                "cyclic_reduce",
                [&source(level)[..], &[CYCLIC_REDUCE]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::CyclicSubstitute { level, workgroup } => (
                "cyclic_substitute",
                [&source(level)[..], &[sink(level), CYCLIC_SUBSTITUTE]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::ParallelStep { level, workgroup } => (
                "parallel_step",
                [&source(level)[..], &[PARALLEL_ROW, PARALLEL_STEP]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::ParallelFinish { workgroup } => (
                "parallel_finish",
                [&source(Level::Scratch)[..], &[TROUBLE, SINK_X, PARALLEL_ROW, PARALLEL_FINISH]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::Residual { workgroup } => (
                "residual",
                [&caller[..], &[RESIDUAL]].concat(),
                vec![("SEGMENT", SEGMENT)],
                vec![("WORKGROUP", workgroup)],
            ),
        };
        let mut overrides = overrides;
        if self.reads_caller() {
            overrides.push(("EXCESS", access.excess.into()));
        }
        Permutation {
            kernel,
            precision,
            writable_inputs: access.writable_inputs && self.reads_caller(),
            subgroups: self.uses_subgroups(),
            parts,
            constants,
            overrides,
        }
    }

    #[cfg(feature = "testing")]
    /// Every kernel with every constant that changes its text; numbers that are only overrides
    /// stand at a typical value.
    pub fn all() -> Vec<Self> {
        let workgroup = 64;
        let tree = Tree { workgroup, log_chunks: 4, systems_first: false, log_run: 0 };
        let shuffled = tree.with_shuffles(8);
        let mut all = vec![
            Self::ThomasEliminate { workgroup },
            Self::ThomasSubstitute { workgroup },
            Self::ParallelFinish { workgroup },
            Self::Residual { workgroup },
        ];
        for rows in PARTITION_ROWS {
            for tree in [tree, shuffled] {
                all.push(Self::PartitionReduce { rows, tree });
                all.push(Self::PartitionSolve { rows, tree });
            }
        }
        for blocks in BLOCKS {
            for tree in [tree, shuffled] {
                all.push(Self::BlocksReduce { blocks, tree });
                all.push(Self::BlocksSolve { blocks, tree });
            }
        }
        for level in [Level::Caller, Level::Scratch] {
            all.push(Self::CyclicReduce { level, workgroup });
            all.push(Self::CyclicSubstitute { level, workgroup });
            all.push(Self::ParallelStep { level, workgroup });
            for items in PARALLEL_ITEMS {
                all.push(Self::Cyclic { level, subgroups: false, items, workgroup, rows_held: 256 });
            }
            all.push(Self::Cyclic { level, subgroups: true, items: 1, workgroup, rows_held: 256 });
        }
        all
    }
}

#[cfg(feature = "testing")]
/// Every permutation that any device may be given.
pub(crate) fn permutations() -> Vec<Permutation> {
    let mut all = Vec::new();
    for kernel in KernelId::all() {
        for precision in [Precision::F32, Precision::F64] {
            for vector in [false, true] {
                for writable_inputs in [false, true] {
                    all.push(kernel.permutation(precision, Access { vector, writable_inputs, excess: false }));
                }
            }
        }
    }
    all.sort();
    all.dedup();
    all
}
