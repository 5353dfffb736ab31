//! P-scheme: each chunk is solved with 0 as the value before it, then corrected (`shaders/recurrence/p_scheme_*.wgsl`).
//!
//! A. Wakatani, "Evaluation of P-Scheme/G Algorithm for Solving Recurrence Equations", 2013. A sequence of N rows is divided into P chunks
//! of M = ceil(N / P) rows, one thread each (G workgroups of T threads):
//!
//! 1. Pre-computation: w\[i\] for the value 0 before the chunk, and a\[i\] = s\[start\] ... s\[i\].
//! 2. Propagation: the value before each chunk, from the chunks' last w and a, in order. Here one workgroup per sequence composes them;
//!    each thread composes a run of neighbouring chunks.
//! 3. Determination: w\[i\] + a\[i\] times the value before the chunk.
//!
//! All threads process the same row of their chunks at the same time. So the arrays are *rearranged* first: row i of all chunks precedes
//! row i + 1 of any chunk. This is a transposition in tiles of 32 by 32 through workgroup memory. The array of values has N + P places: the
//! value before each chunk is stored again in front of the chunk's own values (a copy of the last value of the previous chunk). The
//! previous value therefore always lies P places earlier. By default the pre-computation keeps it in a register; with the policy's `preceding`
//! it reads it from memory, as in the paper's figures 2 and 3.
//!
//! | of N rows in P chunks | steps | operations | numbers read, written |
//! | --- | --- | --- | --- |
//! | rearranging s and t | 1 | | 2N, 2N |
//! | pre-computation | N/P | 3 (N - P) | 2N, 2N |
//! | propagation | P (here 2 P/1024 and 10 for 1024 threads) | 2P | 4P (exponents too), P |
//! | determination | N/P | 2 (N - P) | 2N, N |
//! | rearranging w | 1 | | N, N |
//!
//! In all 13 numbers per row (f32: 52 bytes) in five launches, or 7 (28 bytes) in three without rearranging, or if the phases rearrange:
//! they load and store the caller's rows through workgroup memory. Sequentially it is 2N
//! operations ([`cpu::p_scheme`](crate::cpu::p_scheme) has the phases one by one). Scratch: 2N + P numbers, and 5 per chunk.
//!
//! # Numbers
//!
//! a\[i\] is stored as a plain number, but computed with an exponent, as are the chunks' maps: products that leave the range temporarily
//! stay correct. If the stored numbers do not determine a value, a thread of the third phase recomputes it from the coefficients,
//! sequentially. This concerns all rows from the first infinite or NaN value on. It also concerns all rows of a chunk with a product below
//! the range, if the value before the chunk is so much larger than the rows' own values that it could affect them (f32: 2^63 times; f64:
//! 2^511). The recomputation moves no more memory than the work that it replaces, but accesses the caller's vectors at a stride.

mod kernels;
pub(crate) mod model;

pub use crate::tuning::{PSchemeFit, PSchemeModel};
pub(crate) use kernels::PSchemeKernel;
#[cfg(feature = "internals")]
pub(super) use kernels::permutations;
use kernels::{Arrays, Preceding};
pub use model::PSchemePhases;
pub(super) use model::default_policy;
pub use model::key;

use super::kernels::RecurrenceKernel;
use super::launches::{MapBytes, push_propagation};
use super::policy::PSchemePolicy;
use super::programs::{Program, propagating};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot, check_memory, check_workgroup};
use crate::precision::Precision;

/// Numbers per row for both coefficients, including reads and writes of the rearranged arrays.
pub(super) fn coefficient_moves(policy: PSchemePolicy) -> f64 {
    if policy.rearranged && !policy.staged { 3.0 } else { 1.0 }
}

/// The dispatches.
///
/// # Errors
/// [`Error::Limit`](crate::Error::Limit) if the device cannot run the policy.
pub(super) fn program(
    capabilities: &Capabilities,
    precision: Precision,
    policy: PSchemePolicy,
    params: Params,
) -> Result<Program> {
    let PSchemePolicy { threads, tiled, grouped, .. } = policy;
    check_workgroup(capabilities, "threads of P-scheme's policy", threads)?;
    let arrays = match (policy.rearranged, policy.staged) {
        (false, _) => Arrays::Given,
        (true, false) => Arrays::Rearranged,
        (true, true) => Arrays::Staged,
    };
    if arrays == Arrays::Staged {
        let bytes = u64::from(threads) * (u64::from(kernels::ROWS) + 2) * precision.bytes();
        check_memory(capabilities, "the stage of P-scheme's policy", bytes)?;
    }
    let rearranged = arrays == Arrays::Rearranged;
    let preceding = Preceding::of(policy.preceding, arrays);
    let params = Params { slices: policy.chunks(params.n), ..params };
    let each = params.n.div_ceil(params.slices);
    let chunks = u64::from(params.problems) * u64::from(params.slices);
    // In rearranged arrays, chunks with fewer rows have full places.
    let rows = if arrays != Arrays::Given {
        chunks * u64::from(each)
    } else {
        u64::from(params.problems) * u64::from(params.n)
    };
    let bytes = precision.bytes();
    let mut program = Program::default();
    let (maps_at, values_at) = (program.scratch(4 * chunks * bytes), program.scratch((chunks + rows) * bytes));
    let scratch = |binding, index| Slot::Scratch { binding, index };
    let (maps, values) = (scratch(7, maps_at), scratch(8, values_at));
    let products = scratch(9, program.scratch(rows * bytes));
    let trusted = scratch(10, program.scratch(chunks * bytes));
    let given = [Slot::Input(0), Slot::Input(1)];
    let tiles = u64::from(params.problems)
        * u64::from(params.slices.div_ceil(kernels::SIDE))
        * u64::from(each.div_ceil(kernels::SIDE));
    let workgroups = chunks.div_ceil(threads.into());
    if rearranged {
        let kernel = RecurrenceKernel::PScheme(PSchemeKernel::Rearrange { tiled });
        program.push(kernel, params, tiles, &[&given[..], &[values, products]].concat());
    }
    let kernel = RecurrenceKernel::PScheme(PSchemeKernel::Precompute { threads, arrays, preceding });
    let own = [Slot::Status, maps, values, products, trusted];
    program.push(kernel, params, workgroups, &[&given[..], &own].concat());
    let tree = propagating(capabilities, precision, params.slices);
    // As in three launches, with a chunk as a slice; its value is stored before the chunk's own.
    let groups = grouped.then_some(MapBytes::affine(precision));
    let initial = [Slot::Input(2)];
    push_propagation(&mut program, RecurrenceKernel::Launch, tree, params, &initial, (maps_at, values_at), groups);
    let kernel = RecurrenceKernel::PScheme(PSchemeKernel::Determine { threads, arrays });
    let mut own = vec![values, products, trusted];
    own.extend((!rearranged).then_some(Slot::Output));
    program.push(kernel, params, workgroups, &[&given[..], &own].concat());
    if rearranged {
        let kernel = RecurrenceKernel::PScheme(PSchemeKernel::Restore { tiled });
        program.push(kernel, params, tiles, &[values, Slot::Output]);
    }
    let of_chunks = 14.0 * f64::from(params.slices) / f64::from(params.n);
    program.values_per_row = if rearranged { 13.0 } else { 7.0 } + of_chunks;
    Ok(program)
}
