//! Figure 1 of the P-scheme paper: the original substitution and P-scheme on the cores of the host.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use trisolve::{Result, cpu};

use super::p_scheme_sample::{CONSTANT, FactorCost, largest_difference, summands};
use super::wall_clock::wall_clock;

/// Least rows per chunk on one core, unless there are fewer.
const LEAST_ROWS: usize = 64;
/// Most chunks on one core, the paper's best number for case M. Chunks of up to 300 rows also keep case L's products normal numbers of f32:
/// subnormal ones are slow on many processors.
const MOST_CHUNKS: usize = 4096;

/// The measurement of a method on the host; seconds are medians of wall-clock times.
#[derive(Debug, Clone, Copy)]
pub struct HostRun {
    /// Threads that work at once.
    pub cores: usize,
    /// Chunks (P); 0 for the substitution, which divides nothing.
    pub chunks: usize,
    /// Seconds of all rows.
    pub seconds: f64,
    /// The least of the runs.
    pub least_seconds: f64,
    /// Seconds of pre-computation, propagation and determination; 0 for the substitution.
    pub phases: [f64; 3],
    /// The largest difference from the substitution's values, relative to the largest value.
    pub difference: f64,
}

/// The rows of one core.
struct Part<'a> {
    phases: cpu::PScheme<f32>,
    start: usize,
    t: &'a [f32],
    before: Vec<f32>,
}

/// Measures a case: the substitution on one core, and P-scheme on each of these numbers of cores. With several cores, each has one chunk, as
/// on the distributed-memory machines for which P-scheme was made; one core has up to 4096 chunks. Memory is allocated, and touched, before
/// the timed runs.
///
/// # Errors
/// [`Error::Shape`](trisolve::Error::Shape) for no rows; [`Error::Options`](trisolve::Error::Options) if the threads cannot be started.
pub fn measure_on_host(
    rows: usize,
    cost: FactorCost,
    cores: &[usize],
    (warm_up, runs): (Duration, usize),
) -> Result<Vec<HostRun>> {
    let t = summands(rows, 7);
    let mut expected = vec![0f32; rows];
    let ([seconds], least_seconds) = wall_clock(warm_up, runs, || {
        let start = Instant::now();
        cost.substitute(black_box(&t), black_box(&mut expected));
        Ok([start.elapsed().as_secs_f64()])
    })?;
    let substitution = HostRun { cores: 1, chunks: 0, seconds, least_seconds, phases: [0.0; 3], difference: 0.0 };
    let with = |cores| match cost {
        FactorCost::Light => p_scheme(|_| CONSTANT, &t, &expected, cores, (warm_up, runs)),
        _ => p_scheme(|row| cost.factor(row), &t, &expected, cores, (warm_up, runs)),
    };
    std::iter::once(Ok(substitution)).chain(cores.iter().map(|&cores| with(cores))).collect()
}

fn p_scheme(
    factor: impl Fn(usize) -> f32 + Sync,
    t: &[f32],
    expected: &[f32],
    cores: usize,
    (warm_up, runs): (Duration, usize),
) -> Result<HostRun> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(cores)
        .build()
        .map_err(|error| trisolve::Error::Device { what: format!("{cores} threads"), message: error.to_string() })?;
    let each = t.len().div_ceil(cores).max(1);
    let chunks = if cores == 1 { (t.len() / LEAST_ROWS).clamp(1, MOST_CHUNKS) } else { 1 };
    let mut parts = (0..)
        .step_by(each)
        .zip(t.chunks(each))
        .map(|(start, t)| Ok(Part { phases: cpu::PScheme::new(t, t, chunks)?, start, t, before: vec![] }))
        .collect::<Result<Vec<_>>>()?;
    // The lengths agree, so this is never refused.
    let precompute = |part: &mut Part<'_>| part.phases.precompute(|i| factor(part.start + i), part.t).is_ok();
    let ([seconds, precompute, propagate, determine], least_seconds) = wall_clock(warm_up, runs, || {
        pool.install(|| {
            let start = Instant::now();
            let is_done = if cores == 1 {
                parts.iter_mut().all(precompute)
            } else {
                parts.par_iter_mut().map(precompute).reduce(|| true, |a, b| a & b)
            };
            black_box(is_done);
            let precomputed = start.elapsed().as_secs_f64();
            let mut value = 0.0;
            for part in &mut parts {
                part.before = part.phases.propagate(value);
                value = part.before.last().copied().unwrap_or_default();
            }
            let propagated = start.elapsed().as_secs_f64();
            let determine = |part: &mut Part<'_>| part.phases.determine(&part.before);
            if cores == 1 {
                parts.iter_mut().for_each(determine);
            } else {
                parts.par_iter_mut().for_each(determine);
            }
            let seconds = start.elapsed().as_secs_f64();
            Ok([seconds, precomputed, propagated - precomputed, seconds - propagated])
        })
    })?;
    let values = parts.iter().flat_map(|part| part.phases.values());
    let difference = largest_difference(values, expected);
    let phases = [precompute, propagate, determine];
    Ok(HostRun { cores, chunks: chunks * parts.len(), seconds, least_seconds, phases, difference })
}
