//! Every tridiagonal kernel and all its permutations, in one place.

use super::shape::Shape;
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
    LOAD_SHIFTED = "tridiagonal/load_shifted";
    STORE_SCALAR = "tridiagonal/store_scalar";
    STORE_VECTOR = "tridiagonal/store_vector";
    STORE_PAIRS = "tridiagonal/store_pairs";
    STORE_SHIFTED = "tridiagonal/store_shifted";
    PIECE_F32 = "tridiagonal/piece_f32";
    PIECE_F64 = "tridiagonal/piece_f64";
    PLACE = "tridiagonal/place";
    TREE = "tridiagonal/tree";
    TREE_DESCEND = "tridiagonal/tree_descend";
    TREE_SUBGROUP = "tridiagonal/tree_subgroup";
    TREE_SUBGROUP_DESCEND = "tridiagonal/tree_subgroup_descend";
    CHUNK = "tridiagonal/chunk";
    CHUNK_SOLVE = "tridiagonal/chunk_solve";
    FAMILY = "tridiagonal/family";
    FAMILY_LEAF = "tridiagonal/family_leaf";
    FAMILY_SOLVE = "tridiagonal/family_solve";
    NEIGHBOURS_READ = "tridiagonal/neighbours_read";
    NEIGHBOURS_GATHER = "tridiagonal/neighbours_gather";
    PARTITION_REDUCE = "tridiagonal/partition_reduce";
    PARTITION_SOLVE = "tridiagonal/partition_solve";
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

/// How rows lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum RowAccess {
    /// At any stride.
    #[default]
    Scalar,
    /// Side by side: whole vectors, shifted into place.
    Shifted,
    /// Side by side, every problem's first at a multiple of four: four rows a load.
    Vector,
}

impl RowAccess {
    /// The best for a shape.
    pub fn of(shape: &Shape) -> Self {
        if shape.rows_aligned_to(4) {
            Self::Vector
        } else if shape.rows_side_by_side() {
            Self::Shifted
        } else {
            Self::Scalar
        }
    }
}

/// How a bind reaches the caller's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Access {
    /// How rows are loaded and stored.
    pub rows: RowAccess,
    /// Inputs share a buffer with x.
    pub writable_inputs: bool,
    /// The diagonal is given as its excess.
    pub excess: bool,
}

fn row_constants(precision: Precision, rows: u32, loaded: u32) -> Vec<(&'static str, u32)> {
    let piece = 16 / precision.bytes() as u32;
    vec![
        ("PIECE", piece),
        ("PIECES", rows / piece),
        ("PIECE_PAIRS", rows / piece / 2),
        ("ROWS_AND_PIECE", rows + piece),
        ("QUADS_SHIFTED", loaded / 4 + 1),
        ("LOADED_SHIFTED", loaded + 4),
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

/// What a thread of a partition's kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Leaf {
    /// So many rows of the caller's.
    Rows(u32),
    /// So many blocks of the level below.
    Blocks(u32),
}

/// Where a slice learns the unknowns beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Neighbours {
    /// From the level above, or there are none.
    Read,
    /// From the blocks of all slices of its problem, so many a thread; of a leaf of blocks, as
    /// many as the leaf has.
    Gather(u32),
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
    PartitionReduce { leaf: Leaf, tree: Tree },
    PartitionSolve { leaf: Leaf, tree: Tree, neighbours: Neighbours },
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
            Self::PartitionReduce { leaf: Leaf::Blocks(_), .. }
                | Self::PartitionSolve { leaf: Leaf::Blocks(_), .. }
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
            Self::PartitionReduce { tree, .. } | Self::PartitionSolve { tree, .. } => tree.log_run > 0,
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
        let rows = if self.has_vector_form() { access.rows } else { RowAccess::Scalar };
        let (own_rows, load, store) = match rows {
            RowAccess::Scalar => (ROWS_SCALAR, LOAD_SCALAR, STORE_SCALAR),
            RowAccess::Shifted => (ROWS_VECTOR, LOAD_SHIFTED, STORE_SCALAR),
            RowAccess::Vector => (ROWS_VECTOR, LOAD_VECTOR, STORE_VECTOR),
        };
        let piece = match precision {
            Precision::F32 => PIECE_F32,
            Precision::F64 => PIECE_F64,
        };
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
            Self::PartitionReduce { leaf, tree } => {
                let (read, constants) = match leaf {
                    Leaf::Rows(held) => {
                        ([&caller[..], &[ROWS, load, CHUNK]].concat(), row_constants(precision, held, loaded(held)))
                    }
                    Leaf::Blocks(blocks) => (vec![PROBLEM, FAMILY, FAMILY_LEAF], vec![("BLOCKS", blocks)]),
                };
                (
                    "partition_reduce",
                    [&read[..], &[PLACE, tree.part(), PARTITION_REDUCE]].concat(),
                    [constants, tree.constants()].concat(),
                    tree.overrides(),
                )
            }
            Self::PartitionSolve { leaf, tree, neighbours } => {
                let (mut parts, mut constants) = match leaf {
                    Leaf::Rows(held) => {
                        // Lanes that help each other store need neighbours of their problem.
                        let store = match rows {
                            _ if tree.log_run == 0 || tree.log_chunks == 0 => vec![store],
                            RowAccess::Scalar => vec![STORE_SCALAR],
                            RowAccess::Shifted => vec![piece, STORE_SHIFTED],
                            RowAccess::Vector => vec![piece, STORE_PAIRS],
                        };
                        (
                            [&caller[..], &[ROWS, load, FAULT, CHUNK, CHUNK_SOLVE], &store].concat(),
                            row_constants(precision, held, loaded(held)),
                        )
                    }
                    Leaf::Blocks(blocks) => {
                        (vec![PROBLEM, FAMILY, FAMILY_LEAF, FAMILY_SOLVE], vec![("BLOCKS", blocks)])
                    }
                };
                parts.extend([PLACE, tree.part(), tree.descend_part()]);
                match (neighbours, leaf) {
                    (Neighbours::Read, _) => parts.push(NEIGHBOURS_READ),
                    (Neighbours::Gather(_), Leaf::Blocks(_)) => parts.push(NEIGHBOURS_GATHER),
                    (Neighbours::Gather(blocks), Leaf::Rows(_)) => {
                        parts.extend([FAMILY, NEIGHBOURS_GATHER]);
                        constants.push(("BLOCKS", blocks));
                    }
                }
                parts.push(PARTITION_SOLVE);
                ("partition_solve", parts, [constants, tree.constants()].concat(), tree.overrides())
            }
            Self::ThomasEliminate { workgroup } => (
                "thomas_eliminate",
                [&caller[..], &[ROWS, load, THOMAS, THOMAS_ELIMINATE]].concat(),
                row_constants(precision, THOMAS_ROWS, THOMAS_ROWS),
                vec![("WORKGROUP", workgroup)],
            ),
            Self::ThomasSubstitute { workgroup } => (
                "thomas_substitute",
                [&caller[..], &[ROWS, load, store, FAULT, THOMAS, THOMAS_SUBSTITUTE]].concat(),
                row_constants(precision, THOMAS_ROWS, THOMAS_ROWS),
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
        let leaves = PARTITION_ROWS.map(Leaf::Rows).into_iter().chain(BLOCKS.map(Leaf::Blocks));
        for (leaf, tree) in leaves.flat_map(|leaf| [(leaf, tree), (leaf, shuffled)]) {
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
            for rows in [RowAccess::Scalar, RowAccess::Shifted, RowAccess::Vector] {
                for writable_inputs in [false, true] {
                    all.push(kernel.permutation(precision, Access { rows, writable_inputs, excess: false }));
                }
            }
        }
    }
    all.sort();
    all.dedup();
    all
}
