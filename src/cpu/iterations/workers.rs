//! Threads that share the rows of vectors.

use std::ops::Range;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Rooted;
use crate::error::{Error, Result};
use crate::real::Scalar;

/// CPU threads for [`PreparedIteration`](super::PreparedIteration). Each takes an equal share of consecutive rows, so sums do not depend on
/// the order in which threads finish.
pub struct Workers {
    /// None for the caller's thread.
    pool: Option<ThreadPool>,
    threads: usize,
}

impl Workers {
    /// The caller's thread for `threads` = 1, else a pool of `threads` threads.
    ///
    /// # Errors
    /// [`Error::Options`] for 0 threads; [`Error::Device`] if the system starts no more threads.
    pub fn new(threads: usize) -> Result<Self> {
        if threads == 0 {
            return Err(Error::Options("0 threads; take at least 1".into()));
        }
        let start = || ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = (threads > 1).then(start).transpose();
        let failed = |error: rayon::ThreadPoolBuildError| Error::Device {
            what: format!("{threads} threads"),
            message: error.to_string(),
        };
        Ok(Self { pool: pool.map_err(failed)?, threads })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Rows per thread, a multiple of `unit`.
    pub(super) fn share(&self, rows: usize, unit: usize) -> usize {
        match self.pool {
            Some(_) => rows.div_ceil(self.threads).next_multiple_of(unit),
            None => rows.next_multiple_of(unit),
        }
    }

    /// Runs `work` on shares of two vectors, of `share` rows each (the last may be shorter), and adds up its results. `work` takes the first
    /// row of its share, and the two parts.
    pub(super) fn shares<S: Rooted>(
        &self,
        share: usize,
        [a, b]: [&mut [S]; 2],
        work: impl Fn(usize, &mut [S], &mut [S]) -> S + Sync,
    ) -> S {
        match &self.pool {
            None => {
                let shares = a.chunks_mut(share).zip(b.chunks_mut(share)).enumerate();
                added(shares.map(|(at, (a, b))| work(at * share, a, b)))
            }
            Some(pool) => {
                let shares = a.par_chunks_mut(share).zip(b.par_chunks_mut(share)).enumerate();
                let parts: Vec<S> = pool.install(|| shares.map(|(at, (a, b))| work(at * share, a, b)).collect());
                added(parts.into_iter())
            }
        }
    }

    /// Runs `each` for every row of a vector, and adds up its results.
    pub(super) fn update<S: Rooted>(&self, out: &mut [S], each: impl Fn(usize, &mut S) -> S + Sync) -> S {
        let share = self.share(out.len(), 1);
        let all = |first: usize, out: &mut [S]| {
            out.iter_mut().enumerate().fold(S::ZERO, |sum, (at, out)| sum + each(first + at, out))
        };
        match &self.pool {
            None => all(0, out),
            Some(pool) => {
                let shares = out.par_chunks_mut(share).enumerate();
                let parts: Vec<S> = pool.install(|| shares.map(|(at, out)| all(at * share, out)).collect());
                added(parts.into_iter())
            }
        }
    }

    /// The sum of `part` over shares of the rows.
    pub(super) fn sum<S: Rooted>(&self, rows: usize, part: impl Fn(Range<usize>) -> S + Sync) -> S {
        let Some(pool) = &self.pool else { return part(0..rows) };
        let share = self.share(rows, 1);
        let shares = (0..rows.div_ceil(share)).into_par_iter();
        let of = |at: usize| part(at * share..rows.min((at + 1) * share));
        let parts: Vec<S> = pool.install(|| shares.map(of).collect());
        added(parts.into_iter())
    }
}

fn added<S: Scalar>(parts: impl Iterator<Item = S>) -> S {
    parts.fold(S::ZERO, |sum, part| sum + part)
}
