//! The search for the fastest policy: it changes one or two parameters at a time, from the default or a suggested policy on.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use trisolve::gpu::PassTimer;
use trisolve::internals::tuning::{FARTHEST, Key, near};
use trisolve::tuning::Entry;
use trisolve::{Error, Precision, Result};

/// The options of a tuning run for a family with algorithms `A`.
#[derive(Debug, Clone)]
pub struct TuneOptions<A> {
    /// Tune only a few places.
    pub quick: bool,
    /// The precisions to tune.
    pub precisions: Vec<Precision>,
    /// The algorithms to tune. For triangular systems, `auto` stores the fastest of the others, which have to be tuned too.
    pub algorithms: Vec<A>,
    /// After this time no new candidate is measured.
    pub at_most: Duration,
    /// The entries that are known already; other places come first.
    pub known: Vec<Entry>,
}

/// The progress of a tuning run.
#[derive(Debug, Clone)]
pub struct TuneProgress {
    /// Searches that are done.
    pub done: usize,
    /// Searches in all.
    pub of: usize,
    /// The name of the next search.
    pub next: String,
}

/// The results of a tuning run.
#[derive(Debug, Clone, Default)]
pub struct Tuned {
    /// The entries for the tuning table.
    pub entries: Vec<Entry>,
    /// Candidates that were measured.
    pub tried: usize,
    /// Searches that were skipped for lack of time or device memory.
    pub skipped: Vec<String>,
    /// Candidates that gave a wrong answer: defects of trisolve or of the driver.
    pub wrong: Vec<String>,
}

/// The share of time that a candidate has to gain; a smaller gain is noise.
pub const GAIN: f64 = 0.02;

/// The number of turns of the fastest candidate and the start, on a device whose times vary.
pub const TURNS: usize = 4;

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The fastest values; the start's if no candidate was faster by more than noise.
    pub values: Vec<u32>,
    /// Their seconds: the largest measurement, for the start the smallest.
    pub seconds: f64,
    /// The smallest and the largest measurement of these values.
    pub range: (f64, f64),
    /// The seconds of the start, measured at the same time.
    pub start_seconds: f64,
    /// Candidates that were measured.
    pub tried: usize,
}

impl Found {
    /// The entry for the tuning table, with the policy as text (empty for the default).
    pub fn entry(&self, key: Key, policy: String) -> Entry {
        let microseconds = |seconds: f64| (seconds * 1e9).round() / 1e3;
        Entry { key, policy, tuned_us: microseconds(self.seconds), default_us: microseconds(self.start_seconds) }
    }
}

/// The time for the next of `searches` searches: more than its share, since other searches end early.
pub fn share(left: Duration, searches: usize) -> Duration {
    left / searches.max(2) as u32 * 3 / 2
}

/// The values of at most `most` policies that were found at places near `key`: in this run, or earlier at most one step away.
/// `values` parses a policy.
pub fn nearby(
    found: &[Entry],
    known: &[Entry],
    key: &Key,
    most: usize,
    start: &[u32],
    values: impl Fn(&str) -> Option<Vec<u32>>,
) -> Vec<Vec<u32>> {
    let entries = near(found, key, FARTHEST).chain(near(known, key, 1.0));
    let all = entries.filter_map(|(entry, _)| values(&entry.policy));
    all.filter(|values| values != start).take(most).collect()
}

/// The plan; `None` if this device cannot run the candidate.
///
/// # Errors
/// Errors that are not the candidate's fault.
pub fn unless_refused<P>(plan: Result<P>) -> Result<Option<P>> {
    match plan {
        Ok(plan) => Ok(Some(plan)),
        Err(Error::Limit { .. } | Error::OutOfMemory { .. } | Error::Options(_) | Error::Kernel { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The median seconds of a candidate whose first run took `first` seconds. Slow candidates get fewer runs.
pub fn median(timer: &PassTimer, first: f64, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<f64> {
    let warm_up = Duration::from_secs_f64((50.0 * first).min(0.02));
    let runs = if first > 0.02 { 3 } else { 9 };
    Ok(timer.measure(warm_up, runs, record)?.median())
}

/// Measures candidates.
pub trait Bench {
    /// Prepares the next candidates, for example compiles their kernels.
    fn prepare(&mut self, _next: &[Vec<u32>]) {}

    /// A candidate's seconds; `None` if it cannot run or is not worth trying. Without `afresh`, an earlier measurement of an equal
    /// candidate counts.
    ///
    /// # Errors
    /// Errors that are not the candidate's fault.
    fn seconds(&mut self, values: &[u32], afresh: bool) -> Result<Option<f64>>;
}

/// Finds the fastest candidate. It starts with `start` or the fastest of the `suggested` ones, moves to faster `neighbours` as
/// long as that gains, and compares the result with the start once more. It measures all suggested candidates, and neighbours
/// until `deadline`. `together` candidates are prepared at once; the time for that extends the deadline, since other searches use
/// the prepared candidates too.
///
/// # Errors
/// The errors of the bench.
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
                // The following candidates have to beat the first one that gains.
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
    // Measured again, since the fastest of many may have been lucky; in turns with the start if the start's times vary.
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

/// Each parameter at each of its `legal` values, near values first; then two parameters by one step each, in the same or in
/// opposite directions, which keeps a quotient or a product.
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
