//! A plan tied to vectors: a solve run by the host, or recorded by an engine.

use std::sync::Arc;
use std::time::Instant;

use super::engine::Engine;
use super::kernels::word;
use super::options::Settled;
use super::report::{Found, Report};
use super::store::Recorded;
use crate::error::{Error, Result};
use crate::precision::Precision;

/// A solve, ready to be run or recorded again and again.
pub struct Bound {
    engine: Arc<Engine>,
    settled: Settled,
    precision: Precision,
    start: Vec<Recorded>,
    finish: Vec<Recorded>,
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("settled", &self.settled).finish()
    }
}

fn record_all(all: &[Recorded], pass: &mut wgpu::ComputePass<'_>) {
    for one in all {
        one.record(pass);
    }
}

impl Bound {
    pub(super) fn new(
        engine: Arc<Engine>,
        settled: Settled,
        precision: Precision,
        [start, finish]: [Vec<Recorded>; 2],
    ) -> Self {
        Self { engine, settled, precision, start, finish }
    }

    /// Records the whole solve: as many iterations as [`Options::max_iterations`](super::Options::max_iterations) allows. Iterations after
    /// convergence are skipped, at about two microseconds per dispatch: set no higher limit than needed. Allocates nothing, submits
    /// nothing, cannot fail; [`Bound::read_report`] returns the outcome.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        record_all(&self.start, pass);
        for _ in 0..self.batches() {
            record_all(&self.engine.batch, pass);
        }
        record_all(&self.engine.close, pass);
        record_all(&self.finish, pass);
    }

    /// Records the solve with only the batches that this number of iterations needs.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn record_iterations(&self, pass: &mut wgpu::ComputePass<'_>, iterations: usize) {
        record_all(&self.start, pass);
        for _ in 0..=iterations / self.engine.ahead as usize {
            record_all(&self.engine.batch, pass);
        }
        record_all(&self.finish, pass);
    }

    /// Dispatches of a recorded solve, each tridiagonal solve counted as one.
    pub fn dispatches(&self) -> usize {
        let Engine { batch, close, .. } = &*self.engine;
        self.start.len() + self.batches() * batch.len() + close.len() + self.finish.len()
    }

    /// Batches for the most iterations, plus one: the last may only compute the residual.
    fn batches(&self) -> usize {
        (self.settled.max_iterations / self.engine.ahead + 1) as usize
    }

    fn submit(&self, parts: &[&[Recorded]]) -> Result<()> {
        self.engine.gpu.submit_pass("an iteration", |pass| {
            for part in parts {
                record_all(part, pass);
            }
        })
    }

    /// Runs the solve, with one batch of iterations submitted in advance, and waits for its end. Calls `progress` from time to time with
    /// the number of iterations and the relative residual. Returns the report and the seconds taken.
    ///
    /// # Errors
    /// [`Error::NonFiniteInput`], [`Error::OutOfMemory`], [`Error::DeviceLost`]. [`Report::check`] reports an iteration that has not
    /// converged.
    pub fn solve(&self, progress: &mut dyn FnMut(usize, f64)) -> Result<(Report, f64)> {
        pollster::block_on(self.solve_async(progress))
    }

    /// As [`Bound::solve`], under any executor: the device is polled whenever the future is.
    ///
    /// # Errors
    /// As [`Bound::solve`].
    pub async fn solve_async(&self, progress: &mut dyn FnMut(usize, f64)) -> Result<(Report, f64)> {
        let Engine { gpu, store, batch, close, .. } = &*self.engine;
        let begun = Instant::now();
        let read = || gpu.start_reading::<f32>(&store.control, 0, word::COUNT);
        self.submit(&[&self.start, batch, &self.finish])?;
        let mut reading = read()?;
        let mut found = Found::new(&[]);
        // A cycle may end within a batch and leave the rest unused: at most one batch per iteration.
        for _ in 0..self.settled.max_iterations.saturating_add(16) {
            self.submit(&[batch, &self.finish])?;
            let next = read()?;
            found = Found::new(&reading.wait_async(gpu).await?);
            if found.is_done() {
                break;
            }
            progress(found.iterations(), found.residual());
            reading = next;
        }
        if !found.is_done() {
            self.submit(&[close, &self.finish])?;
            found = Found::new(&read()?.wait_async(gpu).await?);
        }
        let seconds = begun.elapsed().as_secs_f64();
        Ok((self.report(found).await?, seconds))
    }

    /// Waits for all submitted work and returns the report of the plan's last recorded solve, through any of its [`Bound`]s.
    ///
    /// # Errors
    /// [`Error::NonFiniteInput`], [`Error::DeviceLost`].
    pub fn read_report(&self) -> Result<Report> {
        pollster::block_on(async {
            let Engine { gpu, store, .. } = &*self.engine;
            let reading = gpu.start_reading::<f32>(&store.control, 0, word::COUNT)?;
            gpu.wait()?;
            self.report(Found::new(&reading.wait_async(gpu).await?)).await
        })
    }

    async fn report(&self, found: Found) -> Result<Report> {
        let Engine { gpu, store, dominance, .. } = &*self.engine;
        let faults = gpu.start_reading::<f32>(&store.faults, 0, 6)?.wait_async(gpu).await?;
        let row = |word: usize| Some(faults[word].to_bits()).filter(|&row| row != u32::MAX).map(|row| row as usize);
        if found.has_bad_rhs() {
            return Err(Error::NonFiniteInput { vector: "rhs", system: 0, row: row(3).unwrap_or_default() });
        }
        if let Some(row) = row(4) {
            return Err(Error::NonFiniteInput { vector: "guess", system: 0, row });
        }
        let [scale, norm] = self.scale_and_norm().await?;
        let largest = f64::from(faults[2]) * scale;
        if let (true, Some(row)) = (found.has_converged(), row(1)) {
            return Err(Error::Overflow { system: 0, row, precision: self.precision });
        }
        let underflows = found.has_converged() && scale > 0.0 && faults[5].to_bits() == 0;
        if underflows {
            return Err(Error::Underflow { largest, precision: self.precision });
        }
        let count = found.iterations().min(self.settled.max_iterations as usize) + 1;
        let history = gpu.start_reading::<f32>(&store.history, 0, count)?.wait_async(gpu).await?;
        let from_steps = self.engine.policy.is_some_and(|policy| policy.takes_residuals_from_steps());
        let mut report = found.report(&self.settled, self.precision, dominance.clone(), &history, from_steps);
        report.judge_rounding(self.engine.rows, f64::from(faults[2]), norm);
        Ok(report)
    }

    /// The power of two that divided the right-hand side, and the norm of the scaled right-hand side.
    async fn scale_and_norm(&self) -> Result<[f64; 2]> {
        let Engine { gpu, store, .. } = &*self.engine;
        Ok(match self.precision {
            Precision::F32 => {
                let found = gpu.start_reading::<f32>(&store.outer_numbers, 0, 2)?.wait_async(gpu).await?;
                [found[0], found[1]].map(f64::from)
            }
            Precision::F64 => {
                let found = gpu.start_reading::<f64>(&store.outer_numbers, 0, 2)?.wait_async(gpu).await?;
                [found[0], found[1]]
            }
        })
    }

    /// The device's status words, for an engine that reads them itself: u32s, of which the second is 1 once the plan's last solve has
    /// converged. The buffer has COPY_SRC.
    pub fn status_buffer(&self) -> &wgpu::Buffer {
        &self.engine.store.control
    }
}
