//! Times by the host's clock.

use std::time::{Duration, Instant};

use trisolve::Result;

/// Runs for the duration `warm_up`, then `runs` times, at least once. Returns the median of each time that a run returns, and the least of
/// the first.
///
/// # Errors
/// The first error of a run.
pub fn wall_clock<const N: usize>(
    warm_up: Duration,
    runs: usize,
    mut run: impl FnMut() -> Result<[f64; N]>,
) -> Result<([f64; N], f64)> {
    let begin = Instant::now();
    while begin.elapsed() < warm_up {
        run()?;
    }
    let all = (0..runs.max(1)).map(|_| run()).collect::<Result<Vec<_>>>()?;
    let sorted = |at: usize| {
        let mut seconds: Vec<_> = all.iter().map(|times| times[at]).collect();
        seconds.sort_by(f64::total_cmp);
        seconds
    };
    Ok((std::array::from_fn(|at| sorted(at)[all.len() / 2]), sorted(0)[0]))
}
