//! Thomas's algorithm as three scans (`shaders/tridiagonal/scan_*.wgsl`, and the launches of recurrences).
//!
//! Gaussian elimination is three recurrences (H. S. Stone, "An Efficient Parallel Algorithm for the Solution of a
//! Tridiagonal Linear System of Equations", 1973), here with p as pivots and x over y:
//!
//! 1. p\[i\] = b\[i\] - a\[i\] c\[i-1\] / p\[i-1\]: a [Moebius recurrence](crate::recurrence::moebius), for all right-hand
//!    sides of a system at once. A. Wakatani announces it as the next step of P-scheme ("Evaluation of P-Scheme/G
//!    Algorithm for Solving Recurrence Equations", 2013, section V).
//! 2. y\[i\] = -(a\[i\] / p\[i\]) y\[i-1\] + d\[i\] / p\[i\]: a [linear one](crate::recurrence).
//! 3. x\[i\] = -(c\[i\] / p\[i\]) x\[i+1\] + y\[i\]: another, in reverse.
//!
//! Each is three launches, or one where a system is one slice (of 2048 rows for the pivots, 4096 for the others; f64: half).
//!
//! | of a row, in one launch / in three | operations | of them divisions | numbers read, written |
//! | --- | --- | --- | --- |
//! | pivots | 25 / 44 | 2 / 2 | 3, 1 / 6, 1 |
//! | right-hand side | 7 / 12 | 2 / 4 | 3, 1 / 6, 1 |
//! | substitution | 6 / 10 | 1 / 2 | 3, 1 / 6, 1 |
//!
//! With as many again for powers of two and the threads' maps; one after the other it is 8 operations per row. In all 12 numbers per
//! row (f32: 48 bytes), else 21 (84 bytes) and 1% more; of each further right-hand side of a system 8 or 14. Steps: the rows of
//! a thread (8, 16 and 16), twice, and log2 of the threads, in each scan. Scratch: a pivot for each entry that a diagonal spans,
//! and some percent for slices.
//!
//! # Numbers
//!
//! As Thomas's algorithm it exchanges no rows. The first recurrence is not that of c' itself but of the dominance, |c|/|p|
//! and what that lacks of 1 as a quotient (`scan_matrix.wgsl`): of a diagonally dominant matrix no number in it
//! is negative, and pivots have all their digits, however the rows are composed. The substitutions then add, in the worst
//! case, some units of roundoff per row: a relative error in proportion to n, where the textbook's elimination of (-1 2 -1)
//! has one in proportion to n^2.

use super::kernels::{Gated, KernelId, Phase, Program};
use super::policy::ScanPolicy;
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{Params, Slot, Spread, WORKGROUP, check_memory, check_workgroup, rows_each, spread_over};
use crate::precision::Precision;
use crate::recurrence::launches::{Bindings, check_digits, push};
use crate::recurrence::moebius;

/// Where the pivots are bound for reading.
const PIVOTS_AT: u32 = 9;

/// As recurrences have it, or the most that there is room for.
pub(crate) fn default_policy(capabilities: &Capabilities, precision: Precision, params: &Params) -> ScanPolicy {
    let policy = |workgroup| ScanPolicy { workgroup, shuffles: true };
    let fits = |&policy: &ScanPolicy| check(capabilities, precision, policy, params).is_ok();
    [WORKGROUP, 128, 64].map(policy).into_iter().find(fits).unwrap_or(policy(32))
}

/// [`Error::Limit`](crate::Error::Limit) where a policy cannot run.
fn check(capabilities: &Capabilities, precision: Precision, policy: ScanPolicy, params: &Params) -> Result<()> {
    check_workgroup(capabilities, "the workgroup of scan's policy", policy.workgroup)?;
    // Linear recurrences need more: each thread's map in two forms, and that of each sequence. Some bytes are shared.
    let tree = spread_over(rows_each(precision), policy.workgroup, params).tree;
    let numbers = u64::from(7 * tree.workgroup + 4 * tree.lanes() + 16);
    check_memory(capabilities, "the maps of a workgroup of scan's policy", numbers * precision.bytes())
}

/// The dispatches.
///
/// # Errors
/// [`Error::Limit`](crate::Error::Limit) for a policy that cannot run, [`Error::Unsupported`](crate::Error::Unsupported)
/// for f64 without 64-bit integers.
pub fn plan(capabilities: &Capabilities, precision: Precision, policy: ScanPolicy, params: Params) -> Result<Program> {
    let ScanPolicy { workgroup, shuffles } = policy;
    check(capabilities, precision, policy, &params)?;
    check_digits(capabilities, precision, "scan", "another algorithm")?;
    let bytes = precision.bytes();
    let of_matrix = params.of_matrix();
    let spread = |rows, params: &Params| {
        let spread = spread_over(rows, workgroup, params);
        let shuffled = spread.with_shuffles(capabilities);
        // Runs of lanes are composed by a run of lanes.
        let fits = shuffled.tree.workgroup.ilog2() <= 2 * shuffled.tree.log_run;
        if shuffles && fits { shuffled } else { spread }
    };
    let pivots = spread(moebius::rows_each(precision), &of_matrix);
    let solves = spread(rows_each(precision), &params);
    let mut program = Program::default();
    let several = [(pivots, &of_matrix, moebius::MAP_VALUES, moebius::POINT_VALUES), (solves, &params, 4, 1)];
    let several = several.into_iter().filter(|(spread, ..)| spread.slices > 1);
    let sizes = several.map(|(spread, params, map, value)| {
        let in_all = spread.in_all(params) * bytes;
        (map * in_all, value * in_all)
    });
    // One after the other, they share it.
    let shared = sizes.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
    let shared = shared.map(|(maps, values)| (program.scratch(maps), program.scratch(values)));
    let kept = program.scratch(params.matrix_len() * bytes);
    let of = |spread: Spread| shared.filter(|_| spread.slices > 1);
    let moved = |spread: Spread, map_values: f64| match spread.slices {
        1 => 4.0,
        _ => 7.0 + map_values / f64::from(spread.rows * spread.tree.chunks()),
    };
    let columns = f64::from(params.problems / of_matrix.problems);
    program.values_per_row = moved(pivots, 22.0) / columns + 2.0 * moved(solves, 14.0);
    let read = Slot::Scratch { binding: PIVOTS_AT, index: kept };
    let kernel = |phase| move |launch, rows, tree| Gated::from(KernelId::Scan { phase, launch, rows, tree });
    let matrix = [0, 1, 2].map(Slot::Input);
    let values = [Slot::Status, Slot::Scratch { binding: 6, index: kept }];
    let bindings = Bindings { rows: &matrix, initial: &[], values: &values, slices: of(pivots) };
    push(&mut program, kernel(Phase::Pivots), pivots, of_matrix, bindings);
    let rows = [Slot::Inputs, read];
    let bindings = Bindings { rows: &rows, initial: &[], values: &[Slot::Status, Slot::Output], slices: of(solves) };
    push(&mut program, kernel(Phase::Forward), solves, params, bindings);
    // y is read from where x goes.
    let rows = [Slot::Input(0), Slot::Input(2), Slot::Output, read];
    let bindings = Bindings { rows: &rows, initial: &[], values: &[Slot::Status], slices: of(solves) };
    push(&mut program, kernel(Phase::Backward), solves, params, bindings);
    Ok(program)
}
