//! Solves from and to host slices.

use std::time::Duration;

use super::options::{Algorithm, Diagonal};
use super::plan::TridiagonalPlan;
use super::residual::Residuals;
use super::system::{DeviceSystem, System};
use crate::cpu;
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, PassTimer};
use crate::plan::{Bound, Status};
use crate::real::Real;

/// Each gains as many digits as the solve had.
const MOST_REFINEMENTS: usize = 4;

/// Device vectors for host solves, kept by the plan from one to the next.
#[derive(Debug)]
pub(crate) struct Staging<T> {
    lower: DeviceVector<T>,
    diag: DeviceVector<T>,
    upper: DeviceVector<T>,
    rhs: DeviceVector<T>,
    x: DeviceVector<T>,
    bound: Bound,
}

/// A solution with what is known of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The unknowns, laid out as `rhs`.
    pub x: Vec<T>,
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// How well x solves the systems, computed on the device.
    pub residuals: Residuals,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's.
    pub seconds: f64,
}

impl<T: Real> Staging<T> {
    fn new(plan: &TridiagonalPlan<T>) -> Result<Self> {
        let (gpu, shape) = (&plan.gpu, &plan.shape);
        // The plan has checked that both lengths exist.
        let (matrix, right) = (shape.matrix_len().unwrap_or(usize::MAX), shape.rhs_len().unwrap_or(usize::MAX));
        let vector = |label, len| DeviceVector::new(gpu, label, len);
        let lower = vector("lower", matrix)?;
        let diag = vector("diag", matrix)?;
        let upper = vector("upper", matrix)?;
        let rhs = vector("rhs", right)?;
        let x = vector("x", right)?;
        let bound = plan.bind(&device_system(&lower, &diag, &upper, &rhs, &x))?;
        Ok(Self { lower, diag, upper, rhs, x, bound })
    }

    fn system(&self) -> DeviceSystem<'_, T> {
        device_system(&self.lower, &self.diag, &self.upper, &self.rhs, &self.x)
    }

    fn upload(&self, plan: &TridiagonalPlan<T>, system: &System<'_, T>, rhs: &[T]) -> Result<()> {
        let gpu = &plan.gpu;
        let shift = |entries: &[T]| usize::from(System::without_corner(&plan.shape, entries));
        self.lower.write(gpu, shift(system.lower), system.lower)?;
        self.diag.write(gpu, 0, system.diag)?;
        self.upper.write(gpu, 0, system.upper)?;
        self.rhs.write(gpu, 0, rhs)
    }
}

fn device_system<'a, T: Real>(
    lower: &'a DeviceVector<T>,
    diag: &'a DeviceVector<T>,
    upper: &'a DeviceVector<T>,
    rhs: &'a DeviceVector<T>,
    x: &'a DeviceVector<T>,
) -> DeviceSystem<'a, T> {
    DeviceSystem {
        lower: lower.as_slice(),
        diag: diag.as_slice(),
        upper: upper.as_slice(),
        rhs: rhs.as_slice(),
        x: Some(x.as_slice()),
    }
}

impl<T: Real> TridiagonalPlan<T> {
    /// Solves systems in host memory: uploads, solves, checks the residuals, reads back. The
    /// device memory for it stays with the plan.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Singular`],
    /// [`Error::Breakdown`], [`Error::Inaccurate`], [`Error::NearlySingular`], [`Error::Options`] where the
    /// system's diagonal is of another kind than the plan's, [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solve(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
        self.with_staging(system, rhs, |staging| {
            self.gpu.submit_pass("a solve", |pass| staging.bound.record(pass))?;
            let x = staging.x.read(&self.gpu)?;
            let status = staging.bound.read_status()?;
            self.explain(system, rhs, status)?;
            pollster::block_on(self.trusted_or_refined(staging, system, rhs, x, status)).map(|(x, _)| x)
        })
    }

    /// As [`TridiagonalPlan::solve`], with the residual and the time.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`].
    pub fn solve_reported(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        self.with_staging(system, rhs, |staging| {
            // Once untimed: the first run of a kernel may still be compiling.
            let warm_up = Duration::from_millis(1);
            let samples = PassTimer::new(&self.gpu)?.measure(warm_up, 1, |pass| staging.bound.record(pass))?;
            let x = staging.x.read(&self.gpu)?;
            let status = staging.bound.read_status()?;
            self.explain(system, rhs, status)?;
            let (x, residuals) = pollster::block_on(self.trusted_or_refined(staging, system, rhs, x, status))?;
            let algorithm = match (self.algorithm, status.pivoted) {
                (Algorithm::Auto, Some(_)) => Algorithm::Pivoting,
                (Algorithm::Auto, None) => Algorithm::Partition,
                (named, _) => named,
            };
            Ok(Solution { x, algorithm, residuals, seconds: samples.median() })
        })
    }

    /// As [`TridiagonalPlan::solve`], under any executor: the device is polled whenever the
    /// future is.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`].
    pub async fn solve_async(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
        let staging = self.prepare(system, rhs)?;
        let run = async {
            self.gpu.submit_pass("a solve", |pass| staging.bound.record(pass))?;
            let x = self.gpu.start_reading::<T>(staging.x.buffer(), 0, staging.x.len())?.wait_async(&self.gpu).await?;
            let status = staging.bound.read_status_async().await?;
            self.explain(system, rhs, status)?;
            self.trusted_or_refined(&staging, system, rhs, x, status).await.map(|(x, _)| x)
        };
        let result = run.await;
        self.keep(staging, result.is_ok());
        result
    }

    /// What was found if it can be trusted. Where rows were exchanged, what a step of iterative refinement makes of it, or
    /// as many as it takes: a partition whose inner rows alone tie its ends to each other costs digits, and partitions that
    /// are all alike add up their roundings; a solve for the residual restores either.
    async fn trusted_or_refined(
        &self,
        staging: &Staging<T>,
        system: &System<'_, T>,
        rhs: &[T],
        mut x: Vec<T>,
        status: Status,
    ) -> Result<(Vec<T>, Residuals)> {
        if status.pivoted.is_none() {
            return self.trusted(&staging.system(), system).await.map(|residuals| (x, residuals));
        }
        let mut steps = 0;
        loop {
            let residual = system.residual(&self.shape, rhs, &x);
            if !residual.iter().all(|entry| entry.is_finite()) {
                // Products of entries as large as numbers get: nothing to gain.
                return self.trusted(&staging.system(), system).await.map(|residuals| (x, residuals));
            }
            let correction = self.correction(staging, system, &residual).await?;
            x.iter_mut().zip(correction).for_each(|(x, correction)| *x = *x + correction);
            staging.rhs.write(&self.gpu, 0, rhs)?;
            staging.x.write(&self.gpu, 0, &x)?;
            steps += 1;
            match self.trusted(&staging.system(), system).await {
                Err(Error::Inaccurate { .. }) if steps < MOST_REFINEMENTS => {}
                judged => return judged.map(|residuals| (x, residuals)),
            }
        }
    }

    /// The solution for a residual.
    async fn correction(&self, staging: &Staging<T>, system: &System<'_, T>, residual: &[T]) -> Result<Vec<T>> {
        staging.rhs.write(&self.gpu, 0, residual)?;
        self.gpu.submit_pass("a refinement", |pass| staging.bound.record(pass))?;
        let reading = self.gpu.start_reading::<T>(staging.x.buffer(), 0, staging.x.len())?;
        let correction = reading.wait_async(&self.gpu).await?;
        self.explain(system, residual, staging.bound.read_status_async().await?)?;
        Ok(correction)
    }

    fn with_staging<R>(
        &self,
        system: &System<'_, T>,
        rhs: &[T],
        run: impl FnOnce(&Staging<T>) -> Result<R>,
    ) -> Result<R> {
        let staging = self.prepare(system, rhs)?;
        let result = run(&staging);
        self.keep(staging, result.is_ok());
        result
    }

    fn prepare(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Staging<T>> {
        if system.kind != self.options.diagonal {
            return Err(Error::Options(format!(
                "the system gives its diagonal as {:?}, the plan was made for {:?}",
                system.kind, self.options.diagonal
            )));
        }
        system.check_lengths(&self.shape, rhs)?;
        let kept = self.host.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let staging = match kept {
            Some(staging) => {
                staging.bound.reset_status();
                staging
            }
            None => Staging::new(self)?,
        };
        staging.upload(self, system, rhs)?;
        Ok(staging)
    }

    /// Keeps the vectors for the next solve, unless their status words are spoilt.
    fn keep(&self, staging: Staging<T>, clean: bool) {
        if clean {
            *self.host.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(staging);
        }
    }

    /// Turns what the device noticed into the error that says most.
    fn explain(&self, system: &System<'_, T>, rhs: &[T], status: Status) -> Result<()> {
        let shape = &self.shape;
        if let Some((at, row)) = status.non_finite_input {
            let (lower, diag, upper) = system.row(shape, at, row);
            let named = [("lower", lower), ("diag", diag), ("upper", upper)];
            let in_matrix = named.into_iter().find(|(_, value)| !value.is_finite()).map(|(name, _)| name);
            let in_rhs = (0..shape.columns).any(|column| !rhs[shape.rhs_index(at, column, row)].is_finite());
            let vector = in_matrix.unwrap_or(if in_rhs { "rhs" } else { "|lower| + |upper| + excess" });
            return Err(Error::NonFiniteInput { vector, system: at, row });
        }
        let Some((at, row)) = status.non_finite_result else {
            return Ok(());
        };
        system.check_diagonal(shape, at)?;
        let [lower, diag, upper] = system.wide_matrix(shape, at);
        if let Err(Error::Singular { row, .. }) = cpu::scaled_gtsv(&lower, &diag, &upper, &vec![0.0; shape.n]) {
            return Err(Error::Singular { system: at, row });
        }
        if system.kind == Diagonal::Value {
            cpu::determined::<T>(at, &lower, &diag, &upper)?;
        }
        Err(Error::Breakdown { system: at, row })
    }
}
