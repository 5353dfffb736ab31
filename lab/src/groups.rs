//! Residuals of batches, on all cores.

use std::ops::Range;

use rayon::prelude::*;

/// Groups of sequences: enough for all cores, and few enough that a group's rows fill cache lines.
const GROUPS: usize = 64;

/// The largest residual of groups of neighbouring sequences; NaN if one is NaN. `residual`: of the sequences in a range.
pub(super) fn largest_residual(sequences: Range<usize>, residual: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    let each = sequences.len().div_ceil(GROUPS).max(1);
    let starts: Vec<_> = sequences.clone().step_by(each).collect();
    starts.into_par_iter().map(|start| residual(start..sequences.end.min(start + each))).reduce(|| 0.0, largest)
}

/// The larger of two; NaN if one is NaN.
pub(super) fn largest(most: f64, own: f64) -> f64 {
    if own.is_nan() || own > most { own } else { most }
}
