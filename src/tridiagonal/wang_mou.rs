//! Wang and Mou's method (`shaders/tridiagonal/wang_mou*.wgsl`).
//!
//! X. Wang, Z. G. Mou, "A divide-and-conquer method of solving tridiagonal systems on hypercube
//! massively parallel computers", SPDP 1991; in slices as A. P. Diéguez, M. Amor, J. Lobeiras and
//! R. Doallo have it (IEEE Transactions on Computers 67, 2018). The method stands at
//! [`cpu::wang_mou`](mod@crate::cpu::wang_mou); `tests/tree_partitioning.rs` follows the example below.
//!
//! Every element is a triad: its block's first row, its own row, its block's last row, each in terms
//! of the two unknowns beside the block. A step eliminates the two unknowns at the seam of neighbouring
//! blocks from both blocks' triads, so that blocks double. With the paper's N = 16, in terms of the
//! unknowns that a row couples, counted from 1, the own rows of block 5 to 8 are
//!
//! | step | blocks | own rows |
//! | --- | --- | --- |
//! | 0 | of 1 | {4 5 6} {5 6 7} {6 7 8} {7 8 9} |
//! | 1 | of 2 | {4 5 7} {4 6 7} {6 7 9} {6 8 9} |
//! | 2 | of 4 | {4 5 9} {4 6 9} {4 7 9} {4 8 9} |
//! | 3 | of 8 | {5 9} {6 9} {7 9} {8 9} |
//! | 4 | of 16 | {5} {6} {7} {8} |
//!
//! After log2 N steps an own row holds its unknown alone: there is no way back. A thread has 1, 2 or 4
//! rows, which share their block's other two. The steps within a subgroup are shuffles, those beyond
//! go through workgroup memory. A system larger than a workgroup is divided into slices (S = 4: the
//! first two steps in the table), whose rows are kept, each in terms of the two unknowns beside its
//! slice; these come from the slices' blocks as for the partition, and a second pass puts them in: 44
//! bytes per row in f32, 20 where a system is one slice.

use super::kernels::{KernelId, Program, WANG_MOU_ROWS};
use super::partition::{Passes, Spread, spread, two_passes};
use super::policy::{PartitionPolicy, WangMouPolicy};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot, check_workgroup};
use crate::precision::Precision;

/// Neighbouring systems that a workgroup takes where those lie closer than rows.
const LANES: u32 = 16;

/// As many rows per thread as one load brings, and a workgroup large enough for whole small systems.
pub(crate) fn default_policy(_: &Capabilities, precision: Precision, params: &Params) -> WangMouPolicy {
    let rows = if precision == Precision::F32 { WANG_MOU_ROWS[2] } else { WANG_MOU_ROWS[1] };
    let workgroup = if params.n <= 1024 { 256 } else { 128 };
    WangMouPolicy { workgroup, rows, shuffles: true, gather: true }
}

/// The dispatches for a shape.
///
/// # Errors
/// [`Error::Limit`](crate::Error::Limit) for a policy that cannot run.
pub fn plan(
    capabilities: &Capabilities,
    precision: Precision,
    policy: WangMouPolicy,
    params: Params,
) -> Result<Program> {
    let WangMouPolicy { workgroup, rows, shuffles, gather } = policy;
    check_workgroup(capabilities, "the workgroup of Wang and Mou's policy", workgroup)?;
    let mut program = Program::default();
    // Slices and what lies above them are the partition's.
    let slicing = PartitionPolicy { workgroup, rows, lanes: LANES.min(workgroup / 4), shuffles, gather, together: 0 };
    let base = spread(capabilities, precision, &params, slicing);
    let Spread { tree, slices } = base;
    let (here, workgroups) = base.params(&params);
    program.values_per_row = 5.0;
    if slices == 1 {
        let slots = [Slot::Inputs, Slot::Status, Slot::Output];
        program.push(KernelId::WangMou { rows, tree }, here, workgroups, &slots);
        return Ok(program);
    }
    program.values_per_row = 11.0 + 30.0 / f64::from(tree.chunks() * rows);
    let kept = workgroups * u64::from(tree.workgroup * rows) * 3 * precision.bytes();
    let kept = Slot::Scratch { binding: 8, index: program.scratch(kept) };
    let reduce = KernelId::WangMouReduce { rows, tree };
    let solve = |neighbours| KernelId::WangMouSubstitute { rows, tree, neighbours };
    let passes = Passes { reduce, solve, kept: Some(kept) };
    two_passes(&mut program, capabilities, precision, &params, slicing, base, passes);
    Ok(program)
}
