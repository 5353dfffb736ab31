//! A kernel from its parts.

use super::forms::*;
use super::parts::*;
use super::{Access, KernelId};
use crate::plan::{RowAccess, Tree};
use crate::precision::Precision;
use crate::shader::Permutation;
use crate::tridiagonal::options::MatrixForm;

impl KernelId {
    pub fn permutation(self, precision: Precision, access: Access) -> Permutation {
        // To these, rows are as they are given.
        let closed = matches!(self, Self::PivotingReduce { variant, .. } | Self::PivotingSolve { variant, .. } if variant.closed);
        let periodic = access.matrix.periodic && !closed;
        let access = Access { matrix: MatrixForm { periodic, ..access.matrix }, ..access };
        let rows = if self.properties().has_vector_form { access.rows } else { RowAccess::Scalar };
        let (own_rows, load, store) = match rows {
            RowAccess::Scalar => ([ROWS_SCALAR, ENTRIES_SCALAR], LOAD_SCALAR, STORE_SCALAR),
            RowAccess::Shifted => ([ROWS_VECTOR, ENTRIES_VECTOR], LOAD_SHIFTED, STORE_SCALAR),
            RowAccess::Vector => ([ROWS_VECTOR, ENTRIES_VECTOR], LOAD_VECTOR, STORE_VECTOR),
        };
        let piece = match precision {
            Precision::F32 => PIECE_F32,
            Precision::F64 => PIECE_F64,
        };
        let caller = [&[PROBLEM][..], &own_rows].concat();
        let source = |level| match level {
            Level::Caller => [&caller[..], &[SOURCE_EQUATIONS]].concat(),
            Level::Scratch => vec![PROBLEM, SOURCE_ROWS],
            Level::Joined => vec![PROBLEM, SOURCE_JOINED],
        };
        let sink = |level| match level {
            Level::Caller => SINK_X,
            Level::Scratch | Level::Joined => SINK_LEVEL,
        };
        // Lanes that help each other store need neighbours of their problem.
        let stores = |tree: Tree| match rows {
            _ if tree.log_run == 0 || tree.log_chunks == 0 => vec![store],
            RowAccess::Scalar => vec![STORE_SCALAR],
            RowAccess::Shifted => vec![piece, STORE_SHIFTED],
            RowAccess::Vector => vec![piece, STORE_PAIRS],
        };
        let triads = |tree: Tree| vec![if tree.log_run > 0 { WANG_MOU_SHUFFLES } else { WANG_MOU_MEMORY }];
        let scale = match precision {
            Precision::F32 => SCALE_F32,
            Precision::F64 => SCALE_F64,
        };
        let partitioned = |level| match level {
            Level::Caller => [&caller[..], &[load, scale, PIVOTING_ROWS]].concat(),
            Level::Scratch | Level::Joined => vec![PROBLEM, scale, PIVOTING_LEVEL],
        };
        let (kernel, parts, constants, overrides) = match self {
            Self::PartitionReduce { leaf, tree } => {
                let (read, constants) = match leaf {
                    Leaf::Rows(held) => {
                        ([&caller[..], &[load, CHUNK]].concat(), row_constants(precision, held, loaded(held)))
                    }
                    Leaf::Blocks(blocks) => (vec![PROBLEM, FAMILY_LEAF], vec![("BLOCKS", blocks)]),
                };
                let merged = leaf.merged(tree);
                (
                    "partition_reduce",
                    [&read[..], &tree.parts(), &[merged, VERDICT_OPEN, PARTITION_REDUCE, ENTRY]].concat(),
                    [constants, tree.constants()].concat(),
                    tree.overrides(),
                )
            }
            Self::PartitionSolve { leaf, tree, neighbours } => {
                let (mut parts, mut constants) = match leaf {
                    Leaf::Rows(held) => (
                        [&caller[..], &[load, FAULT, CHUNK, CHUNK_SOLVE], &stores(tree)].concat(),
                        row_constants(precision, held, loaded(held)),
                    ),
                    Leaf::Blocks(blocks) => (vec![PROBLEM, FAMILY_LEAF, FAMILY_SOLVE], vec![("BLOCKS", blocks)]),
                };
                parts.extend(tree.parts());
                parts.push(leaf.merged(tree));
                match leaf {
                    Leaf::Rows(_) => neighbours.add_to(&mut parts, &mut constants),
                    // A leaf of blocks brings the family with it.
                    Leaf::Blocks(_) => parts.extend(neighbours.parts()),
                }
                parts.extend([VERDICT_OPEN, PARTITION_SOLVE, ENTRY]);
                ("partition_solve", parts, [constants, tree.constants()].concat(), tree.overrides())
            }
            Self::PartitionHalo { rows: held, tree, halo } => (
                "partition_halo",
                [
                    &caller[..],
                    &[load, FAULT, CHUNK, CHUNK_SOLVE],
                    // Shifted stores want a slice's chunks to begin with a run of lanes.
                    &if rows == RowAccess::Shifted { vec![STORE_SCALAR] } else { stores(tree) },
                    &tree.parts(),
                    &[Leaf::Rows(held).merged(tree), PARTITION_HALO, ENTRY],
                ]
                .concat(),
                [
                    row_constants(precision, held, loaded(held)),
                    tree.constants(),
                    vec![("ROUNDING", rounding(precision))],
                ]
                .concat(),
                [tree.overrides(), vec![("HALO", halo)]].concat(),
            ),
            Self::PartitionTogether { rows: held, tree, blocks } => {
                let (words, count) = match precision {
                    Precision::F32 => (WORDS_F32, 1),
                    Precision::F64 => (WORDS_F64, 2),
                };
                let parts = [
                    &caller[..],
                    &[load, FAULT, CHUNK, CHUNK_SOLVE],
                    &stores(tree),
                    &tree.parts(),
                    &[Leaf::Rows(held).merged(tree), words, PARTITION_TOGETHER, ENTRY],
                ];
                let own = vec![("BLOCKS", blocks), ("BLOCK_VALUES", 8), ("WORDS", count)];
                (
                    "partition_together",
                    parts.concat(),
                    [row_constants(precision, held, loaded(held)), tree.constants(), own].concat(),
                    tree.overrides(),
                )
            }
            Self::PivotingReduce { level, rows: held, tree, variant } => (
                "pivoting_reduce",
                [&partitioned(level)[..], &variant.parts(), &[VERDICT_OPEN, PIVOTING_RISE, PIVOTING_REDUCE, ENTRY]]
                    .concat(),
                pivoting_constants(precision, held),
                pivoting_overrides(held, tree, variant, false),
            ),
            Self::PivotingSolve { level, rows: held, tree, variant, whole } => {
                let put = match level {
                    Level::Caller => [&[FAULT][..], &stores(tree), &[PIVOTING_PUT]].concat(),
                    Level::Scratch | Level::Joined => vec![PIVOTING_PUT_LEVEL],
                };
                (
                    "pivoting_solve",
                    [
                        &partitioned(level)[..],
                        &put,
                        &variant.parts(),
                        &[VERDICT_OPEN, PIVOTING_FALL, PIVOTING_SOLVE, ENTRY],
                    ]
                    .concat(),
                    pivoting_constants(precision, held),
                    pivoting_overrides(held, tree, variant, whole),
                )
            }
            Self::ThomasEliminate { workgroup } => (
                "thomas_eliminate",
                [&caller[..], &[load, THOMAS_ELIMINATE]].concat(),
                row_constants(precision, THOMAS_ROWS, THOMAS_ROWS),
                vec![("WORKGROUP", workgroup)],
            ),
            Self::ThomasSubstitute { workgroup } => (
                "thomas_substitute",
                [&caller[..], &[load, store, FAULT, THOMAS_SUBSTITUTE]].concat(),
                row_constants(precision, THOMAS_ROWS, THOMAS_ROWS),
                vec![("WORKGROUP", workgroup)],
            ),
            Self::Cyclic { level, subgroups, items, threads, rows_held } => {
                let parallel = if subgroups { PARALLEL_SUBGROUP } else { PARALLEL_WORKGROUP };
                (
                    "cyclic",
                    [&source(level)[..], &[sink(level), parallel, CYCLIC_RUN, ENTRY]].concat(),
                    if subgroups { vec![] } else { vec![("ITEMS", items)] },
                    vec![
                        ("WORKGROUP", threads.workgroup),
                        ("LANES", threads.lanes),
                        ("SYSTEMS_FIRST", threads.systems_first.into()),
                        ("ROWS_HELD", rows_held),
                    ],
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
                [&source(level)[..], &[PARALLEL_STEP]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::ParallelFinish { workgroup } => (
                "parallel_finish",
                [&source(Level::Scratch)[..], &[SINK_X, PARALLEL_FINISH]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::Tpr { slices } => (
                "tpr",
                [
                    &caller[..],
                    &[load, FAULT, OWN_ROWS],
                    &slices.parts(),
                    &stores(slices.threads),
                    &[TPR_PUT_ROWS, TPR, ENTRY],
                ]
                .concat(),
                [row_constants(precision, slices.rows, slices.rows), slices.constants()].concat(),
                slices.overrides(),
            ),
            Self::TprReduce { level, slices } => {
                let own = match level {
                    Level::Caller => [&caller[..], &[load, OWN_ROWS]].concat(),
                    Level::Scratch | Level::Joined => [&source(level)[..], &[TPR_OWN_SOURCE]].concat(),
                };
                (
                    "tpr_reduce",
                    [&own[..], &slices.parts(), &[TPR_REDUCE, ENTRY]].concat(),
                    [row_constants(precision, slices.rows, slices.rows), slices.constants()].concat(),
                    slices.overrides(),
                )
            }
            Self::TprSubstitute { level, slices } => {
                let own = match level {
                    Level::Caller => {
                        [&caller[..], &[load, FAULT, OWN_ROWS], &stores(slices.threads), &[TPR_PUT_ROWS]].concat()
                    }
                    Level::Scratch | Level::Joined => {
                        [&source(level)[..], &[TPR_OWN_SOURCE, sink(level), TPR_PUT_LEVEL]].concat()
                    }
                };
                (
                    "tpr_substitute",
                    [&own[..], &slices.parts(), &[TPR_SUBSTITUTE, ENTRY]].concat(),
                    [row_constants(precision, slices.rows, slices.rows), slices.constants()].concat(),
                    slices.overrides(),
                )
            }
            Self::WangMou { rows: held, tree } => (
                "wang_mou",
                [&caller[..], &[load, FAULT, OWN_ROWS], &triads(tree), &stores(tree), &[WANG_MOU, ENTRY]].concat(),
                [row_constants(precision, held, held), tree.constants()].concat(),
                tree.place_overrides(),
            ),
            Self::WangMouReduce { rows: held, tree } => (
                "wang_mou_reduce",
                [&caller[..], &[load, OWN_ROWS], &triads(tree), &[WANG_MOU_REDUCE, ENTRY]].concat(),
                [row_constants(precision, held, held), tree.constants(), vec![("KEPT", 3 * held)]].concat(),
                tree.place_overrides(),
            ),
            Self::WangMouSubstitute { rows: held, tree, neighbours } => {
                let mut parts = [&caller[..], &[FAULT], &tree.parts()].concat();
                let mut constants =
                    [row_constants(precision, held, held), tree.constants(), vec![("KEPT", 3 * held)]].concat();
                neighbours.add_to(&mut parts, &mut constants);
                parts.extend(stores(tree));
                parts.extend([WANG_MOU_SUBSTITUTE, ENTRY]);
                ("wang_mou_substitute", parts, constants, tree.overrides())
            }
            Self::Scan { phase, launch, rows, tree } => {
                let writable_inputs = access.writable_inputs && self.properties().reads_caller;
                let filling = phase.filling(precision, Access { writable_inputs, ..access });
                return launch.permutation(precision, (rows, tree), filling);
            }
            Self::VerdictClear { workgroup } => {
                ("verdict_clear", vec![PROBLEM, VERDICT_CLEAR], vec![], vec![("WORKGROUP", workgroup)])
            }
            Self::RingShare { workgroup } => {
                ("ring_share", [&caller[..], &[RING_SHARE]].concat(), vec![], vec![("WORKGROUP", workgroup)])
            }
            Self::RingClose { workgroup } => (
                "ring_close",
                [&caller[..], &[EACH_ROW, RING_CLOSE, ENTRY]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::RefineResidual { workgroup, wide } => {
                let wide = if wide { WIDE_F64 } else { WIDE_OWN };
                let parts = [&caller[..], &[wide, EACH_ROW, REFINE_RESIDUAL, ENTRY]].concat();
                ("refine_residual", parts, vec![], vec![("WORKGROUP", workgroup)])
            }
            Self::RefineAdd { workgroup } => (
                "refine_add",
                [&caller[..], &[EACH_ROW, REFINE_ADD, ENTRY]].concat(),
                vec![],
                vec![("WORKGROUP", workgroup)],
            ),
            Self::Residual { workgroup } => (
                "residual",
                [&caller[..], &[RESIDUAL, ENTRY]].concat(),
                vec![("SEGMENT", SEGMENT)],
                vec![("WORKGROUP", workgroup)],
            ),
        };
        let mut overrides = overrides;
        if self.properties().reads_caller {
            overrides.extend(access.overrides());
        }
        Permutation {
            kernel,
            precision,
            writable_inputs: access.writable_inputs && self.properties().reads_caller,
            subgroups: self.properties().uses_subgroups,
            parts,
            constants,
            overrides,
            caller: None,
        }
    }
}

pub fn row_constants(precision: Precision, rows: u32, loaded: u32) -> Vec<(&'static str, u32)> {
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
        ("LOADED_LESS", loaded - 1),
        ("LOADED_QUADS", loaded / 4),
        ("PARTS", rows / loaded),
    ]
}

fn pivoting_constants(precision: Precision, rows: u32) -> Vec<(&'static str, u32)> {
    let own = [("INNER", rows - 2), ("PAIRS", rows / 2), ("LOG_STEP", (rows / 2).ilog2())];
    [&row_constants(precision, rows, loaded(rows))[..], &own].concat()
}

/// `whole` where slices are all of their systems, so that the top may be solved from more than two rows.
fn pivoting_overrides(rows: u32, tree: Tree, variant: Variant, whole: bool) -> Vec<(&'static str, u32)> {
    let top = tree.rows_at_top(rows);
    // A ring's first and last row tie each other, and of more rows there is a partition to be had.
    let solved = whole && !variant.closed && top <= 4;
    let partial = top > 2 && !solved;
    let top = if solved { top } else { 2 };
    let [levels, start] = tree.levels_below(rows, top, partial);
    let own = [
        ("NODES", tree.coarse_nodes(rows)),
        ("PARTIAL", partial.into()),
        ("TOP", top),
        ("LEVELS", levels),
        ("TOP_START", start),
    ];
    tree.place_overrides().into_iter().chain(own).chain(variant.overrides()).collect()
}

/// The outside may reach a slice by less than two to minus this: a quarter of a unit of roundoff.
fn rounding(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 26,
        Precision::F64 => 55,
    }
}

/// Rows loaded together: all, as far as they leave registers for the work.
fn loaded(rows: u32) -> u32 {
    if rows > 16 { 8 } else { rows }
}
