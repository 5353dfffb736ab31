//! The kernels of HISA, by slices of T, and of BHISA: an elimination per block, or its kept factors.

use super::parts::*;
use super::{QuasiKernel, StepSettings, Tree};
use crate::precision::Precision;
use crate::shader::Permutation;
use crate::tridiagonal::algorithms::cyclic::kernels::PARALLEL_WORKGROUP;
use crate::tridiagonal::algorithms::partition::kernels::{CHUNK, CHUNK_SOLVE, Leaf};
use crate::tridiagonal::kernels::row_constants;

/// Rows of a block that each thread eliminates before the threads' rows merge.
pub(super) fn blocks(precision: Precision, form: StepSettings, block: u32, rows: u32, tree: Tree) -> Permutation {
    let around = [PARAMS, X_READ, BLOCK_ROWS];
    let (parts, mut constants, mut overrides) = if rows == 1 {
        (
            [&around[..], &[BLOCK_CYCLIC, PARALLEL_WORKGROUP, BHISA_CYCLIC, ENTRY]].concat(),
            vec![("ITEMS", 1)],
            vec![("WORKGROUP", tree.workgroup), ("PROBLEMS", tree.problems()), ("ROWS_HELD", block)],
        )
    } else {
        (
            [
                &around[..],
                &[BLOCK_LOAD, CHUNK, CHUNK_SOLVE],
                &tree.parts(),
                &[Leaf::Rows(rows).merged(tree), BHISA, ENTRY],
            ]
            .concat(),
            [row_constants(precision, rows, rows), tree.constants()].concat(),
            tree.overrides(),
        )
    };
    constants.push(("SUMS", 3));
    overrides.extend(form.gates());
    Permutation {
        kernel: if rows == 1 { "bhisa_cyclic" } else { "bhisa" },
        precision,
        writable_inputs: false,
        subgroups: tree.log_run > 0 && rows > 1,
        parts,
        constants,
        overrides,
        caller: None,
    }
}

/// The kernel that computes the factors of blocks.
pub(super) fn factor(precision: Precision, rows: u32, tree: Tree) -> Permutation {
    Permutation {
        kernel: "bhisa_factor",
        precision,
        writable_inputs: false,
        subgroups: false,
        parts: vec![PARAMS, BHISA_FACTOR, ENTRY],
        constants: row_constants(precision, rows, rows),
        overrides: tree.place_overrides(),
        caller: None,
    }
}

/// An iteration by the factors of blocks.
pub(super) fn factored(precision: Precision, form: StepSettings, rows: u32, tree: Tree) -> Permutation {
    let chunk_rows = if rows == 1 { FACTORED_SINGLE } else { FACTORED_QUADS };
    let overrides = [tree.place_overrides(), form.gates().to_vec()].concat();
    Permutation {
        kernel: "bhisa_factored",
        precision,
        writable_inputs: false,
        subgroups: false,
        parts: vec![PARAMS, X_READ, chunk_rows, BHISA_FACTORED, ENTRY],
        constants: [row_constants(precision, rows, rows), vec![("SUMS", 3), ("CHUNK_STEPS", tree.log_chunks)]].concat(),
        overrides,
        caller: None,
    }
}

/// A pass of HISA over slices of T.
pub(super) fn hisa(
    kernel: QuasiKernel,
    precision: Precision,
    form: StepSettings,
    rows: u32,
    tree: Tree,
) -> Permutation {
    let merged = Leaf::Rows(rows).merged(tree);
    let (name, own) = match kernel {
        QuasiKernel::HisaReduce { .. } => ("hisa_reduce", vec![X_READ, HISA_RIGHT, CHUNK, merged, HISA_REDUCE]),
        _ => ("hisa_solve", vec![HISA_STEP, CHUNK, CHUNK_SOLVE, merged, HISA_SOLVE]),
    };
    let sizes = vec![("SUMS", kernel.sums().max(1))];
    Permutation {
        kernel: name,
        precision,
        writable_inputs: false,
        subgroups: tree.log_run > 0,
        parts: [&[PARAMS][..], &tree.parts(), &own, &[ENTRY]].concat(),
        constants: [row_constants(precision, rows, rows), tree.constants(), sizes].concat(),
        overrides: [tree.overrides(), form.gates().to_vec()].concat(),
        caller: None,
    }
}
