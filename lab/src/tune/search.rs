//! The search for the fastest policy: from the default, one or two parameters at a time, or whatever else
//! is suggested.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use trisolve::tuning::Entry;
use trisolve::{Precision, Result};

/// What to tune, of a family with such algorithms.
#[derive(Debug, Clone)]
pub struct TuneOptions<A> {
    /// A few places only.
    pub quick: bool,
    /// f32 and f64, or one of them.
    pub precisions: Vec<Precision>,
    /// Of triangular systems' `auto`, which needs the others, the winner is noted where all others are tuned.
    pub algorithms: Vec<A>,
    /// After this no new candidate is tried.
    pub at_most: Duration,
    /// What is known already: places that it lacks come first.
    pub known: Vec<Entry>,
}

/// How far the search is.
#[derive(Debug, Clone)]
pub struct TuneProgress {
    /// Searches done, and in all.
    pub done: usize,
    /// Searches in all.
    pub of: usize,
    /// What comes next.
    pub next: String,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Tuned {
    /// For the table.
    pub entries: Vec<Entry>,
    /// Candidates that were measured.
    pub tried: usize,
    /// Searches that the time did not allow for, or the device's memory.
    pub skipped: Vec<String>,
    /// Candidates whose answer was wrong: defects of trisolve or of the driver.
    pub wrong: Vec<String>,
}

/// What a candidate has to gain, as a share, to be taken: less is noise.
pub const GAIN: f64 = 0.02;

/// How often the fastest and the start take turns on a device whose times vary.
pub const TURNS: usize = 4;

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The fastest values, the start's where nothing was faster by more than noise.
    pub values: Vec<u32>,
    /// Their seconds: the most that was measured, of the start's the least.
    pub seconds: f64,
    /// The least and the most that was measured of them.
    pub range: (f64, f64),
    /// The seconds of the start, measured beside them.
    pub start_seconds: f64,
    /// Candidates that were measured.
    pub tried: usize,
}

/// What measures candidates.
pub trait Bench {
    /// Is told what comes next.
    fn prepare(&mut self, _next: &[Vec<u32>]) {}

    /// A candidate's seconds (those of an equal one, unless asked to do it afresh), `None` where it
    /// cannot run or is not worth trying.
    ///
    /// # Errors
    /// What is not the candidate's fault.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>>;
}

/// Moves from `start` or the fastest of what is `suggested` to faster ones of its `neighbours` as long as
/// that gains, then compares with the start once more. So many candidates are prepared `together`.
/// Everything suggested is tried, and neighbours until `deadline`, which preparing them puts off: what is
/// prepared serves other searches as well.
///
/// # Errors
/// The bench's.
pub fn fastest(
    start: &[u32],
    suggested: Vec<Vec<u32>>,
    neighbours: impl Fn(&[u32]) -> Vec<Vec<u32>>,
    mut deadline: Instant,
    together: usize,
    bench: &mut impl Bench,
) -> Result<Option<Found>> {
    let Some(first) = bench.seconds(start, true)? else {
        return Ok(None);
    };
    let mut known = HashMap::from([(start.to_vec(), Some(first))]);
    let (mut best, mut seconds) = (start.to_vec(), first);
    let mut candidates = suggested;
    let mut in_any_case = true;
    loop {
        let before = best.clone();
        candidates.retain(|candidate| !known.contains_key(candidate));
        for several in candidates.chunks(together) {
            if !in_any_case && Instant::now() > deadline {
                break;
            }
            let preparing = Instant::now();
            bench.prepare(several);
            deadline += preparing.elapsed();
            for candidate in several {
                if !in_any_case && Instant::now() > deadline {
                    break;
                }
                let measured = bench.seconds(candidate, false)?;
                known.insert(candidate.clone(), measured);
                // The first that gains is gone on from; the rest of these has to beat it.
                if let Some(measured) = measured.filter(|measured| *measured < (1.0 - GAIN) * seconds) {
                    (best, seconds) = (candidate.clone(), measured);
                }
            }
        }
        if best == before && !in_any_case {
            break;
        }
        in_any_case = false;
        candidates = neighbours(&best);
    }
    let tried = known.values().flatten().count();
    let mut starts = (first, first);
    let mut range = (seconds, seconds);
    let mut take = |values: &[u32], range: &mut (f64, f64)| -> Result<()> {
        let seconds = bench.seconds(values, true)?.unwrap_or(f64::INFINITY);
        *range = (range.0.min(seconds), range.1.max(seconds));
        Ok(())
    };
    take(start, &mut starts)?;
    // Measured again, since the fastest of many may have been lucky; and in turns with the start where that varies.
    let noisy = starts.1 > (1.0 + GAIN) * starts.0;
    for _ in 0..if noisy { TURNS } else { 1 } {
        if best != start {
            take(&best, &mut range)?;
        }
        if noisy {
            take(start, &mut starts)?;
        }
    }
    let (start_seconds, mut seconds) = (starts.0, range.1);
    if best == start || seconds > (1.0 - GAIN) * start_seconds {
        (best, seconds, range) = (start.to_vec(), start_seconds, starts);
    }
    Ok(Some(Found { values: best, seconds, range, start_seconds, tried }))
}

/// Each parameter at each of its `legal` values, near ones of all parameters first; then two parameters a
/// step each, together or against each other: what leaves a product or a quotient as it was.
pub fn neighbours(legal: &[&[u32]], at: &[u32]) -> Vec<Vec<u32>> {
    let with = |changes: &[(usize, u32)]| {
        let mut values = at.to_vec();
        for &(parameter, value) in changes {
            values[parameter] = value;
        }
        values
    };
    let stepped = |parameter: usize, steps: isize| {
        let here = legal[parameter].iter().position(|&value| value == at[parameter])?;
        legal[parameter].get(here.checked_add_signed(steps)?).copied()
    };
    let mut all = Vec::new();
    let most = legal.iter().map(|values| values.len()).max().unwrap_or(0) as isize;
    for steps in (1..most).flat_map(|steps| [steps, -steps]) {
        let moved = (0..legal.len()).filter_map(|parameter| Some(with(&[(parameter, stepped(parameter, steps)?)])));
        all.extend(moved);
    }
    for first in 0..legal.len() {
        for second in first + 1..legal.len() {
            for (steps, also) in [(1, 1), (-1, -1), (1, -1), (-1, 1)] {
                if let (Some(a), Some(b)) = (stepped(first, steps), stepped(second, also)) {
                    all.push(with(&[(first, a), (second, b)]));
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measures with a function.
    struct By<F>(F);

    impl<F: FnMut(&[u32]) -> Option<f64>> Bench for By<F> {
        fn seconds(&mut self, values: &[u32], _: bool) -> Result<Option<f64>> {
            Ok(self.0(values))
        }
    }

    /// From a start, with the legal values of each parameter.
    fn search(start: &[u32], legal: &[&[u32]], measure: impl FnMut(&[u32]) -> Option<f64>) -> Option<Found> {
        let deadline = Instant::now() + Duration::from_secs(60);
        fastest(start, vec![], |at| neighbours(legal, at), deadline, 2, &mut By(measure)).unwrap()
    }

    #[test]
    fn a_valley_along_a_product_is_found() {
        let powers: Vec<u32> = (0..8).map(|i| 1 << i).collect();
        // Fast where a = 32, at b = a / 4 only.
        let measure = |values: &[u32]| {
            let (a, b) = (values[0], values[1]);
            (a == 4 * b).then(|| 1.0 + (f64::from(a) / 32.0).log2().abs())
        };
        let found = search(&[4, 1], &[&powers, &powers], measure).unwrap();
        assert_eq!((found.values, found.seconds, found.start_seconds), (vec![32, 8], 1.0, 4.0));
    }

    #[test]
    fn what_is_suggested_is_tried_in_any_case() {
        let measure = |values: &[u32]| Some(if values[0] > 6 { 1.0 } else { 2.0 });
        let suggested = vec![vec![5], vec![7]];
        let found = fastest(&[1], suggested, |_| vec![vec![8]], Instant::now(), 1, &mut By(measure)).unwrap();
        assert_eq!(found.map(|found| (found.values, found.tried)), Some((vec![7], 3)));
    }

    #[test]
    fn near_values_of_all_parameters_come_first() {
        let at = neighbours(&[&[1, 2, 4, 8], &[0, 1]], &[2, 0]);
        assert_eq!(at[..4], [[4, 0], [2, 1], [1, 0], [8, 0]]);
        // And one step of both, as far as there is one.
        assert_eq!(at[4..], [[4, 1], [1, 1]]);
    }

    #[test]
    fn noise_moves_nothing() {
        let mut turn = 0;
        let found = search(&[2], &[&[1, 2, 3]], |_| {
            turn += 1;
            Some(1.0 + 0.01 * f64::from(turn % 2))
        });
        assert_eq!(found.unwrap().values, [2]);
    }

    #[test]
    fn a_lucky_measurement_is_measured_again() {
        let mut turn = 0;
        let found = search(&[2], &[&[2, 3]], |values| {
            turn += 1;
            Some(if values == [3] && turn < 4 { 0.5 } else { 1.0 })
        });
        let found = found.unwrap();
        assert_eq!((found.values, found.tried), (vec![2], 2));
    }

    #[test]
    fn what_varies_has_to_gain_in_every_turn() {
        let mut turn = 0;
        let found = search(&[2], &[&[2, 3]], |values| {
            turn += 1;
            // Both between 1 and 2, however they come to meet.
            Some(if (turn + values[0]) % 3 == 0 { 2.0 } else { 1.0 })
        });
        let found = found.unwrap();
        assert_eq!((found.values, found.range), (vec![2], (1.0, 2.0)));
    }

    #[test]
    fn a_start_that_cannot_run_finds_nothing() {
        assert_eq!(search(&[1], &[&[1, 2]], |_| None), None);
    }
}
