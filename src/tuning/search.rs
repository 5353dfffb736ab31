//! The search for the fastest policy: from the default, one or two parameters at a time, or whatever else
//! is suggested.

use std::collections::HashMap;
use std::time::Instant;

use crate::error::Result;

/// What a candidate has to gain, as a share, to be taken: less is noise.
pub const GAIN: f64 = 0.02;

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The fastest values, the start's where nothing was faster by more than noise.
    pub values: Vec<u32>,
    /// Their seconds.
    pub seconds: f64,
    /// The seconds of the start, measured beside them.
    pub start_seconds: f64,
    /// Candidates that were measured.
    pub tried: usize,
}

/// Moves from `start` to faster ones of its `neighbours` as long as that gains, then compares with
/// the start once more. `prepare` is told what comes next, so many `together`; `measure` gives a
/// candidate's seconds (those of an equal one, unless asked to do it afresh), `None` where it cannot
/// run or is not worth trying. After `deadline` no new candidate is tried.
///
/// # Errors
/// The measurement's.
pub fn fastest(
    start: &[u32],
    neighbours: impl Fn(&[u32]) -> Vec<Vec<u32>>,
    deadline: Instant,
    together: usize,
    mut prepare: impl FnMut(&[Vec<u32>]),
    mut measure: impl FnMut(&[u32], bool) -> Result<Option<f64>>,
) -> Result<Option<Found>> {
    let Some(first) = measure(start, true)? else {
        return Ok(None);
    };
    let mut known = HashMap::from([(start.to_vec(), Some(first))]);
    let (mut best, mut seconds) = (start.to_vec(), first);
    loop {
        let before = best.clone();
        let mut candidates = neighbours(&best);
        candidates.retain(|candidate| !known.contains_key(candidate));
        for several in candidates.chunks(together) {
            if Instant::now() > deadline {
                break;
            }
            prepare(several);
            for candidate in several {
                if Instant::now() > deadline {
                    break;
                }
                let measured = measure(candidate, false)?;
                known.insert(candidate.clone(), measured);
                // The first that gains is gone on from; the rest of these has to beat it.
                if let Some(measured) = measured.filter(|measured| *measured < (1.0 - GAIN) * seconds) {
                    (best, seconds) = (candidate.clone(), measured);
                }
            }
        }
        if best == before {
            break;
        }
    }
    let tried = known.values().flatten().count();
    let start_seconds = measure(start, true)?.unwrap_or(first).min(first);
    // Measured twice, since the fastest of many may have been lucky.
    if best != start {
        seconds = measure(&best, true)?.unwrap_or(f64::INFINITY).max(seconds);
    }
    if seconds > (1.0 - GAIN) * start_seconds {
        (best, seconds) = (start.to_vec(), start_seconds);
    }
    Ok(Some(Found { values: best, seconds, start_seconds, tried }))
}

/// Each parameter at each of its `legal` values, then two parameters a step each, together or against each
/// other: what leaves a product or a quotient as it was.
pub fn neighbours(legal: &[&[u32]], at: &[u32]) -> Vec<Vec<u32>> {
    let with = |changes: &[(usize, u32)]| {
        let mut values = at.to_vec();
        for &(parameter, value) in changes {
            values[parameter] = value;
        }
        values
    };
    let mut all = Vec::new();
    for (parameter, values) in legal.iter().enumerate() {
        all.extend(values.iter().filter(|&&value| value != at[parameter]).map(|&value| with(&[(parameter, value)])));
    }
    let stepped = |parameter: usize, up: bool| {
        let here = legal[parameter].iter().position(|&value| value == at[parameter])?;
        let there = if up { here + 1 } else { here.checked_sub(1)? };
        legal[parameter].get(there).copied()
    };
    for first in 0..legal.len() {
        for second in first + 1..legal.len() {
            for (up, also_up) in [(true, true), (false, false), (true, false), (false, true)] {
                if let (Some(a), Some(b)) = (stepped(first, up), stepped(second, also_up)) {
                    all.push(with(&[(first, a), (second, b)]));
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn a_valley_along_a_product_is_found() {
        let powers: Vec<u32> = (0..8).map(|i| 1 << i).collect();
        // Fast where a = 32, at b = a / 4 only.
        let measure = |values: &[u32], _| {
            let (a, b) = (values[0], values[1]);
            Ok((a == 4 * b).then(|| 1.0 + (f64::from(a) / 32.0).log2().abs()))
        };
        let found =
            fastest(&[4, 1], |at| neighbours(&[&powers, &powers], at), soon(), 2, |_| (), measure).unwrap().unwrap();
        assert_eq!((found.values, found.seconds, found.start_seconds), (vec![32, 8], 1.0, 4.0));
    }

    #[test]
    fn noise_moves_nothing() {
        let mut turn = 0;
        let measure = |_: &[u32], _| {
            turn += 1;
            Ok(Some(1.0 + 0.01 * f64::from(turn % 2)))
        };
        let found = fastest(&[2], |at| neighbours(&[&[1, 2, 3]], at), soon(), 2, |_| (), measure).unwrap().unwrap();
        assert_eq!(found.values, [2]);
    }

    #[test]
    fn a_lucky_measurement_is_measured_again() {
        let mut turn = 0;
        let measure = |values: &[u32], _| {
            turn += 1;
            Ok(Some(if values == [3] && turn < 4 { 0.5 } else { 1.0 }))
        };
        let found = fastest(&[2], |at| neighbours(&[&[2, 3]], at), soon(), 2, |_| (), measure).unwrap().unwrap();
        assert_eq!((found.values, found.tried), (vec![2], 2));
    }

    #[test]
    fn a_start_that_cannot_run_finds_nothing() {
        assert_eq!(fastest(&[1], |at| neighbours(&[&[1, 2]], at), soon(), 2, |_| (), |_, _| Ok(None)).unwrap(), None);
    }
}
