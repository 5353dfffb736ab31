//! The kernels of the partition, and their trees of chunks.

#[cfg(feature = "internals")]
use super::{BLOCKS, ROWS};
use crate::plan::{MAX_LOG_LANES, Tree};
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Properties, loaded};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};

parts! {
    TREE = "tridiagonal/tree";
    TREE_SUBGROUP = "tridiagonal/tree_subgroup";
    LEAF_BLOCKS = "tridiagonal/leaf_blocks";
    LEAF_CHAIN = "tridiagonal/leaf_chain";
    CHUNK = "tridiagonal/chunk";
    CHUNK_SOLVE = "tridiagonal/chunk_solve";
    FAMILY_LEAF = "tridiagonal/family_leaf";
    FAMILY_SOLVE = "tridiagonal/family_solve";
    NEIGHBOURS_READ = "tridiagonal/neighbours_read";
    NEIGHBOURS_GATHER = "tridiagonal/neighbours_gather";
    WORDS_F32 = "shared/words_f32";
    WORDS_F64 = "shared/words_f64";
    VERDICT_SLICE = "tridiagonal/verdict_slice";
    VERDICT_SLICE_PACKED = "tridiagonal/verdict_slice_packed";
    PARTITION_HALO = "tridiagonal/partition_halo";
    PARTITION_TOGETHER = "tridiagonal/partition_together";
    PARTITION_REDUCE = "tridiagonal/partition_reduce";
    PARTITION_SOLVE = "tridiagonal/partition_solve";
}

/// The input of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// This many of the caller's rows.
    Rows(u32),
    /// This many blocks of the level below.
    Blocks(u32),
}

impl Leaf {
    pub fn is_rows(self) -> bool {
        matches!(self, Self::Rows(_))
    }

    /// The module that merges leaves.
    pub fn merged(self, tree: Tree) -> Part {
        if self.is_rows() && tree.log_run > 0 { LEAF_CHAIN } else { LEAF_BLOCKS }
    }
}

/// The source of the unknowns beside a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// The level above; or there are no neighbours.
    Read,
    /// The blocks of all slices of the problem, this many per thread; for a leaf of blocks, the leaf's number.
    Gather(u32),
}

impl Neighbours {
    fn part(self) -> Part {
        match self {
            Self::Read => NEIGHBOURS_READ,
            Self::Gather(_) => NEIGHBOURS_GATHER,
        }
    }

    /// Adds the part, and the number of blocks unless the leaf has set it.
    pub fn add_to(self, parts: &mut Vec<Part>, constants: &mut Vec<(&'static str, u32)>) {
        if let Self::Gather(blocks) = self {
            constants.push(("BLOCKS", blocks));
        }
        parts.push(self.part());
    }
}

impl Tree {
    /// The same tree with shuffles, if two rounds of them merge all its chunks.
    pub fn merged_by_shuffles(self, subgroup_lanes: u32) -> Self {
        let with = self.with_shuffles(subgroup_lanes);
        if self.log_chunks <= 2 * with.log_run { with } else { self }
    }

    /// The modules that place and merge the chunks.
    pub fn parts(self) -> Vec<Part> {
        if self.log_run > 0 { vec![TREE_SUBGROUP] } else { vec![TREE] }
    }

    pub fn constants(self) -> Vec<(&'static str, u32)> {
        if self.log_run > 0 { vec![("LOG_LANES", MAX_LOG_LANES)] } else { vec![] }
    }

    /// Nodes of all levels, as `tree.wgsl` lays them out; with shuffles, nodes of the runs.
    pub fn nodes(self) -> u32 {
        if self.log_run > 0 {
            return (self.workgroup >> self.log_run).max(1);
        }
        let mut count = self.chunks();
        let mut nodes = 0;
        while count > 1 {
            let parents = (count / 4).max(1);
            nodes += count.min(4) * (parents * self.problems() + 2);
            count = parents;
        }
        nodes + self.problems()
    }

    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        [self.place_overrides(), vec![("NODES", self.nodes())]].concat()
    }
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartitionKernel {
    Reduce {
        leaf: Leaf,
        tree: Tree,
    },
    Solve {
        leaf: Leaf,
        tree: Tree,
        neighbours: Neighbours,
    },
    /// Slices with `halo` chunks of their neighbours per side. `packed`: of all systems, which have no gaps between them, as one.
    Halo {
        rows: u32,
        tree: Tree,
        halo: u32,
        packed: bool,
    },
    /// All slices at once; `blocks` is the number of slices' blocks per thread.
    Together {
        rows: u32,
        tree: Tree,
        blocks: u32,
    },
}

impl Kernel for PartitionKernel {
    fn properties(self) -> Properties {
        let (accesses_caller, tree) = match self {
            Self::Reduce { leaf, tree } | Self::Solve { leaf, tree, .. } => (leaf.is_rows(), tree),
            Self::Halo { tree, .. } | Self::Together { tree, .. } => (true, tree),
        };
        Properties::new(accesses_caller, tree.log_run > 0, true)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let caller = &with.caller[..];
        let of_rows = |rows| with.row_constants(rows, loaded(rows));
        match self {
            Self::Reduce { leaf, tree } => {
                let (read, constants) = match leaf {
                    Leaf::Rows(rows) => ([caller, &[with.load, CHUNK]].concat(), of_rows(rows)),
                    Leaf::Blocks(blocks) => (vec![PROBLEM, FAMILY_LEAF], vec![("BLOCKS", blocks)]),
                };
                let own = [leaf.merged(tree), VERDICT_OPEN, PARTITION_REDUCE, ENTRY];
                let parts = [&read[..], &tree.parts(), &own].concat();
                with.permutation("partition_reduce", parts, [constants, tree.constants()].concat(), tree.overrides())
            }
            Self::Solve { leaf, tree, neighbours } => {
                let (mut parts, mut constants) = match leaf {
                    Leaf::Rows(rows) => {
                        ([caller, &[with.load, FAULT, CHUNK, CHUNK_SOLVE], &with.stores(tree)].concat(), of_rows(rows))
                    }
                    Leaf::Blocks(blocks) => (vec![PROBLEM, FAMILY_LEAF, FAMILY_SOLVE], vec![("BLOCKS", blocks)]),
                };
                parts.extend(tree.parts());
                parts.push(leaf.merged(tree));
                match leaf {
                    Leaf::Rows(_) => neighbours.add_to(&mut parts, &mut constants),
                    // A leaf of blocks has set their number.
                    Leaf::Blocks(_) => parts.push(neighbours.part()),
                }
                let verdict = if leaf.is_rows() { VERDICT_REPORT } else { VERDICT_OPEN };
                parts.extend([verdict, PARTITION_SOLVE, ENTRY]);
                with.permutation("partition_solve", parts, [constants, tree.constants()].concat(), tree.overrides())
            }
            Self::Halo { rows, tree, halo, packed } => {
                let (with, verdict) = match packed {
                    true => (Assembly::packed(self.properties(), precision, access), VERDICT_SLICE_PACKED),
                    false => (with, VERDICT_SLICE),
                };
                let own = [Leaf::Rows(rows).merged(tree), verdict, PARTITION_HALO, ENTRY];
                let parts = [
                    &with.caller[..],
                    &[with.load, FAULT, CHUNK, CHUNK_SOLVE],
                    &with.stores(tree),
                    &tree.parts(),
                    &own,
                ]
                .concat();
                let sizes = with.row_constants(rows, loaded(rows));
                let constants = [sizes, tree.constants(), vec![("ROUNDING", rounding(precision))]].concat();
                with.permutation("partition_halo", parts, constants, [tree.overrides(), vec![("HALO", halo)]].concat())
            }
            Self::Together { rows, tree, blocks } => {
                let (words, count) = match precision {
                    Precision::F32 => (WORDS_F32, 1),
                    Precision::F64 => (WORDS_F64, 2),
                };
                let own = [Leaf::Rows(rows).merged(tree), words, PARTITION_TOGETHER, ENTRY];
                let load = [with.load, FAULT, CHUNK, CHUNK_SOLVE];
                let parts = [caller, &load, &with.stores(tree), &tree.parts(), &own].concat();
                let sizes = vec![("BLOCKS", blocks), ("BLOCK_VALUES", 8), ("WORDS", count)];
                let constants = [of_rows(rows), tree.constants(), sizes].concat();
                with.permutation("partition_together", parts, constants, tree.overrides())
            }
        }
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let judges = Gate::Judges { followers: 5, chained: 0 };
        let chained = Gate::Judges { followers: 3, chained: 2 };
        let follows = Gate::Follows { accepted: 12, followers: 5, reports: false };
        let confirms = Gate::Confirms { accepted: 12, followers: 5 };
        let mut kernels = Vec::new();
        let leaves = ROWS.map(Leaf::Rows).into_iter().chain(BLOCKS.map(Leaf::Blocks));
        for (leaf, tree) in leaves.flat_map(|leaf| all::trees().map(|tree| (leaf, tree))) {
            let (reduces, solves, gathered) = match leaf {
                // Gates and neighbours are modules of their own, which know no number of rows.
                Leaf::Rows(rows) if rows != ROWS[0] => (vec![Gate::Open], vec![Gate::Open], vec![BLOCKS[0]]),
                Leaf::Rows(_) => {
                    let gates = vec![Gate::Open, judges, follows, confirms];
                    (gates.clone(), gates, BLOCKS.to_vec())
                }
                Leaf::Blocks(blocks) => (vec![Gate::Open, follows], vec![Gate::Open, follows], vec![blocks]),
            };
            kernels.push((Self::Reduce { leaf, tree }, reduces));
            let neighbours = gathered.into_iter().map(Neighbours::Gather).chain([Neighbours::Read]);
            kernels.extend(neighbours.map(|neighbours| (Self::Solve { leaf, tree, neighbours }, solves.clone())));
        }
        for rows in ROWS {
            kernels.extend([all::TREE, all::TREE.with_shuffles(8)].map(|tree| {
                let tree = Tree { log_chunks: 6, ..tree };
                (Self::Halo { rows, tree, halo: 8, packed: false }, vec![judges, chained])
            }));
            let tree = Tree { log_chunks: 6, ..all::TREE.with_shuffles(8) };
            kernels.push((Self::Halo { rows, tree, halo: 2, packed: true }, vec![chained]));
            let tree = all::TREE.with_shuffles(8);
            kernels.extend(BLOCKS.map(|blocks| (Self::Together { rows, tree, blocks }, vec![Gate::Open])));
        }
        kernels
    }
}

/// Outside influence on a slice must be below two to minus this: a quarter of a unit of roundoff.
pub fn rounding(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 26,
        Precision::F64 => 55,
    }
}
