//! What a kernel may be specialised for.

use super::parts::*;
use crate::plan::{MAX_LOG_LANES, RowAccess, Tree};
use crate::shader::Part;
use crate::tridiagonal::options::{Diagonal, MatrixForm};

/// How a bind reaches the caller's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Access {
    /// How rows are loaded and stored.
    pub rows: RowAccess,
    /// Inputs share a buffer with x.
    pub writable_inputs: bool,
    /// What the vectors hold.
    pub matrix: MatrixForm,
    /// The right-hand side is that of the correction of a periodic system.
    pub correcting: bool,
}

impl Access {
    /// As the kernels are told, but for what they take for granted.
    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        let MatrixForm { diagonal, structure, periodic } = self.matrix;
        let mut overrides = vec![("EXCESS", (diagonal == Diagonal::Excess).into())];
        let more =
            [("STRUCTURE", structure as u32), ("PERIODIC", periodic.into()), ("CORRECTING", self.correcting.into())];
        overrides.extend(more.into_iter().filter(|(_, value)| *value != 0));
        overrides
    }
}

/// What a thread of a partition's kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// So many rows of the caller's.
    Rows(u32),
    /// So many blocks of the level below.
    Blocks(u32),
}

impl Leaf {
    pub fn is_rows(self) -> bool {
        matches!(self, Self::Rows(_))
    }

    /// How leaves merge.
    pub fn merged(self, tree: Tree) -> Part {
        if self.is_rows() && tree.log_run > 0 { LEAF_CHAIN } else { LEAF_BLOCKS }
    }
}

/// Where a slice learns the unknowns beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// From the level above, or there are none.
    Read,
    /// From the blocks of all slices of its problem, so many a thread; of a leaf of blocks, as
    /// many as the leaf has.
    Gather(u32),
}

impl Neighbours {
    pub fn parts(self) -> Vec<Part> {
        match self {
            Self::Read => vec![NEIGHBOURS_READ],
            Self::Gather(_) => vec![NEIGHBOURS_GATHER],
        }
    }

    /// The parts for a leaf that brings no family along.
    pub fn add_to(self, parts: &mut Vec<Part>, constants: &mut Vec<(&'static str, u32)>) {
        if let Self::Gather(blocks) = self {
            constants.push(("BLOCKS", blocks));
        }
        parts.extend(self.parts());
    }
}

/// Where the rows of cyclic and tree partitioning reduction come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// From and to the caller's vectors.
    Caller,
    /// From and to scratch.
    Scratch,
    /// From the ends of slices, joined to their overall system; to scratch.
    Joined,
}

/// What pivoting makes of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Variant {
    /// Partitions that are singular on their own are mended.
    pub mending: bool,
    /// Systems are periodic, and solved as they are.
    pub closed: bool,
}

impl Variant {
    /// The files that fill its two roles.
    pub fn parts(self) -> [Part; 2] {
        [
            if self.mending { PIVOTING_SINGULAR } else { PIVOTING_DETECT },
            if self.closed { PIVOTING_CLOSED } else { PIVOTING_OPEN },
        ]
    }

    /// The override that it sets.
    pub fn overrides(self) -> Option<(&'static str, u32)> {
        self.closed.then_some(("CLOSED", 1))
    }
}

impl Tree {
    /// The same with shuffles, where two rounds of them merge all its chunks.
    pub fn merged_by_shuffles(self, subgroup_lanes: u32) -> Self {
        let with = self.with_shuffles(subgroup_lanes);
        if self.log_chunks <= 2 * with.log_run { with } else { self }
    }

    /// The chunks' place, and how they merge.
    pub fn parts(self) -> Vec<Part> {
        if self.log_run > 0 { vec![TREE_SUBGROUP] } else { vec![TREE] }
    }

    pub fn constants(self) -> Vec<(&'static str, u32)> {
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

    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        [self.place_overrides(), vec![("NODES", self.nodes())]].concat()
    }

    /// What partitions of so many rows leave at last.
    pub fn rows_at_top(self, rows: u32) -> u32 {
        let mut count = 2 * self.chunks();
        while count >= rows {
            count = 2 * (count / rows);
        }
        count
    }

    /// How many levels of partitions of so many rows stand below one of `top` rows, and where that begins, as `pivoting_tree.wgsl` lays
    /// them out; `partial`: short levels are filled up.
    pub fn levels_below(self, rows: u32, top: u32, partial: bool) -> [u32; 2] {
        let (mut count, mut start, mut levels) = (2 * self.chunks(), 0, 0);
        while count > top {
            let filled = if partial && count > 2 { count.max(rows) } else { count };
            start += self.lanes() * (filled + (filled - 1) / rows);
            levels += 1;
            count = 2 * (count / rows).max(1);
        }
        [levels, start]
    }

    /// Rows of all levels above partitions of so many, at the most, as `pivoting_tree.wgsl` lays them out.
    pub fn coarse_nodes(self, rows: u32) -> u32 {
        // Above the lower levels: two rows per lane, and the unknowns beside its slice.
        let [_, top] = self.levels_below(rows, 2, true);
        top + 3 * self.lanes()
    }
}

/// A workgroup's slices in tree partitioning reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slices {
    /// Rows a thread (P).
    pub rows: u32,
    /// Its threads; with shuffles in the last steps.
    pub threads: Tree,
}

impl Slices {
    /// Rows a slice (S).
    pub fn len(self) -> u32 {
        self.rows * self.threads.chunks()
    }

    /// Rows of both sub-systems that pass through workgroup memory.
    pub fn held(self) -> u32 {
        if self.threads.log_run > 0 && self.threads.log_chunks <= self.threads.log_run {
            1
        } else {
            2 * self.threads.workgroup
        }
    }

    pub fn parts(self) -> Vec<Part> {
        let together = if self.threads.log_run > 0 { TPR_SHUFFLES } else { TPR_MEMORY };
        vec![together]
    }

    pub fn constants(self) -> Vec<(&'static str, u32)> {
        vec![("HALF", self.rows / 2), ("ROW_STEPS", self.rows.ilog2() - 1), ("KEPT", 3 * self.rows / 2)]
    }

    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        [self.threads.place_overrides(), vec![("HELD", self.held())]].concat()
    }
}

/// A workgroup of cyclic reduction, and how many systems share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threads {
    pub workgroup: u32,
    pub lanes: u32,
    /// Neighbouring threads take neighbouring systems.
    pub systems_first: bool,
}
