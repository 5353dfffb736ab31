//! Solves from and to host slices.

use std::time::Duration;

use super::convergence::Convergence;
use super::options::{Algorithm, Diagonal, Options, Stability, Structure};
use super::plan::TridiagonalPlan;
use super::residual::Residuals;
use super::system::{DeviceSystem, System};
use crate::cpu;
use crate::error::{Error, Result};
use crate::gpu::wgsl::Precision;
use crate::gpu::{DeviceVector, PassTimer};
use crate::plan::{Bound, Status};
use crate::real::Real;

/// Up to so many rows a solve from the host that exchanged rows looks at the condition in any case: some ten eliminations on
/// the CPU.
pub const CONDITION_ASKED_ROWS: usize = 1 << 17;

/// Each gains as many digits as the solve had.
const MOST_REFINEMENTS: usize = 8;
/// The same where that is hardly any.
const MOST_SLOW_REFINEMENTS: usize = 20;

/// Up to this condition, in units of 1 / roundoff, refinements may still converge: their residuals are computed in f64.
const MOST_REFINED: f64 = 100.0;

fn may_converge<T: Real>(error: &Error) -> bool {
    let reaches = |condition: f64| T::PRECISION == Precision::F32 && condition * T::UNIT_ROUNDOFF <= MOST_REFINED;
    matches!(*error, Error::NearlySingular { condition, .. } if reaches(condition))
}

/// Device vectors for host solves, kept by the plan from one to the next.
#[derive(Debug)]
pub(crate) struct Staging<T> {
    /// Lower, diag, upper.
    matrix: [DeviceVector<T>; 3],
    pub(super) rhs: DeviceVector<T>,
    x: DeviceVector<T>,
    pub(super) bound: Bound,
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
    /// Around matrices that are on the device.
    pub(super) fn around(plan: &TridiagonalPlan<T>, matrix: &[DeviceVector<T>; 3]) -> Result<Self> {
        // The plan has checked that the length exists.
        let right = plan.shape.rhs_len().unwrap_or(usize::MAX);
        let [rhs, x] = ["rhs", "x"].map(|label| DeviceVector::new(&plan.gpu, label, right));
        let (matrix, rhs, x) = (matrix.clone(), rhs?, x?);
        let bound = plan.bind(&device_system(&matrix, &rhs, &x))?;
        Ok(Self { matrix, rhs, x, bound })
    }

    fn system(&self) -> DeviceSystem<'_, T> {
        device_system(&self.matrix, &self.rhs, &self.x)
    }
}

fn device_system<'a, T: Real>(
    [lower, diag, upper]: &'a [DeviceVector<T>; 3],
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
        let found = self.with_staging(system, rhs, |staging| {
            staging.bound.submit()?;
            self.found(staging, system, rhs).map(|(x, ..)| x)
        });
        self.or_mended(found, |mending| mending.solve(system, rhs))
    }

    /// As [`TridiagonalPlan::solve`], with the residual and the time.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`].
    pub fn solve_reported(&self, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        let found = self.with_staging(system, rhs, |staging| self.reported(staging, system, rhs));
        self.or_mended(found, |mending| mending.solve_reported(system, rhs))
    }

    /// What was found; where partitions that are singular on their own may have spoilt it, what comes of those mended.
    pub(super) fn or_mended<R>(&self, found: Result<R>, solve: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match found {
            Err(error) if self.may_be_mended(&error) => solve(&self.mending()?),
            found => found,
        }
    }

    pub(super) fn may_be_mended(&self, error: &Error) -> bool {
        let Options { algorithm, diagonal, stability, .. } = self.options;
        matches!(error, Error::Breakdown { .. } | Error::Inaccurate { .. })
            && matches!(algorithm, Algorithm::Auto | Algorithm::Pivoting)
            && (diagonal, stability) == (Diagonal::Value, Stability::Fastest)
    }

    /// The same plan with kernels that mend.
    pub(super) fn mending(&self) -> Result<Self> {
        Self::new(&self.gpu, self.shape, self.options.stability(Stability::Stable))
    }

    /// A solve of what has been staged, timed.
    pub(super) fn reported(&self, staging: &Staging<T>, system: &System<'_, T>, rhs: &[T]) -> Result<Solution<T>> {
        // Once untimed: the first run of a kernel may still be compiling.
        let warm_up = Duration::from_millis(1);
        let samples = PassTimer::new(&self.gpu)?.measure(warm_up, 1, |pass| staging.bound.record(pass))?;
        let (x, residuals, algorithm) = self.found(staging, system, rhs)?;
        Ok(Solution { x, algorithm, residuals, seconds: samples.median() })
    }

    /// What a solve came to, if it can be trusted, and the algorithm that ran.
    pub(super) fn found(
        &self,
        staging: &Staging<T>,
        system: &System<'_, T>,
        rhs: &[T],
    ) -> Result<(Vec<T>, Residuals, Algorithm)> {
        let x = staging.x.read(&self.gpu)?;
        let status = staging.bound.read_status()?;
        self.explain(system, rhs, status)?;
        let (x, residuals) = pollster::block_on(self.trusted_or_refined(staging, system, rhs, x, status))?;
        Ok((x, residuals, self.ran(status)))
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
        match result {
            Err(error) if self.may_be_mended(&error) => Box::pin(self.mending()?.solve_async(system, rhs)).await,
            result => result,
        }
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
            return self.trusted(&staging.system(), system, None).await.map(|residuals| (x, residuals));
        }
        // A small residual does not show that the whole is singular. Where that is asked without a reason, some digits may be
        // left where the estimate says hardly any.
        let rows = self.shape.n.saturating_mul(self.shape.batch);
        let least = match status.singular_partition {
            Some(_) => Some(1.0),
            None => (rows <= CONDITION_ASKED_ROWS).then_some(10.0),
        };
        let mut convergence = Convergence::new(&self.shape);
        let mut nearly_singular = None;
        let mut steps = 0;
        loop {
            let residual = system.residual(&self.shape, rhs, &x);
            if !residual.iter().all(|entry| entry.is_finite()) {
                // Products of entries as large as numbers get: nothing to gain.
                return self.trusted(&staging.system(), system, least).await.map(|residuals| (x, residuals));
            }
            let correction = self.correction(staging, system, &residual).await?;
            x.iter_mut().zip(&correction).for_each(|(x, correction)| *x = *x + *correction);
            convergence.observe(&self.shape, &x, &correction);
            staging.rhs.write(&self.gpu, 0, rhs)?;
            staging.x.write(&self.gpu, 0, &x)?;
            steps += 1;
            let asked = match nearly_singular.take() {
                None if steps == 1 => least,
                // A matrix's condition does not change from step to step.
                None => None,
                Some(error) if !convergence.is_reached() => match steps < MOST_SLOW_REFINEMENTS {
                    true => {
                        nearly_singular = Some(error);
                        continue;
                    }
                    false => return Err(error),
                },
                Some(_) => Some(MOST_REFINED),
            };
            match self.trusted(&staging.system(), system, asked).await {
                Err(Error::Inaccurate { .. }) if steps < MOST_REFINEMENTS => {}
                Err(error) if !convergence.is_reached() && may_converge::<T>(&error) => nearly_singular = Some(error),
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
        self.check_form(system)?;
        system.check_lengths(&self.shape, rhs)?;
        let staging = self.kept_or(|| Staging::around(self, &self.matrix_vectors()?))?;
        self.upload_matrix(&staging.matrix, system)?;
        staging.rhs.write(&self.gpu, 0, rhs)?;
        Ok(staging)
    }

    /// The vectors of the last host solve, or others.
    pub(super) fn kept_or(&self, others: impl FnOnce() -> Result<Staging<T>>) -> Result<Staging<T>> {
        match self.host.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
            Some(staging) => {
                staging.bound.reset_status();
                Ok(staging)
            }
            None => others(),
        }
    }

    pub(super) fn check_form(&self, system: &System<'_, T>) -> Result<()> {
        if system.form() == self.options.matrix() {
            return Ok(());
        }
        let (given, wanted) = (system.form(), self.options.matrix());
        Err(Error::Options(format!("the system is given as {given}, the plan was made for {wanted}")))
    }

    /// Room for lower, diag and upper; of symmetric matrices the last is the first as well.
    pub(super) fn matrix_vectors(&self) -> Result<[DeviceVector<T>; 3]> {
        let structure = self.options.structure;
        let len = structure.len(&self.shape).unwrap_or(usize::MAX);
        let vector = |label| DeviceVector::new(&self.gpu, label, len);
        let (diag, upper) = (vector("diag")?, vector("upper")?);
        let lower = match structure {
            Structure::Symmetric => upper.clone(),
            _ => vector("lower")?,
        };
        Ok([lower, diag, upper])
    }

    pub(super) fn upload_matrix(
        &self,
        [lower, diag, upper]: &[DeviceVector<T>; 3],
        system: &System<'_, T>,
    ) -> Result<()> {
        if system.structure != Structure::Symmetric {
            let shift = usize::from(system.without_corner(&self.shape, system.lower));
            lower.write(&self.gpu, shift, system.lower)?;
        }
        diag.write(&self.gpu, 0, system.diag)?;
        upper.write(&self.gpu, 0, system.upper)
    }

    /// Keeps the vectors for the next solve, unless their status words are spoilt.
    pub(super) fn keep(&self, staging: Staging<T>, clean: bool) {
        if clean {
            *self.host.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(staging);
        }
    }

    /// Turns what the device noticed into the error that says most.
    pub(super) fn explain(&self, system: &System<'_, T>, rhs: &[T], status: Status) -> Result<()> {
        let shape = &self.shape;
        if let Some((at, row)) = status.non_finite_input {
            let (lower, diag, upper) = system.row(shape, at, row);
            let named = [("lower", lower), ("diag", diag), ("upper", upper)];
            let in_matrix = named.into_iter().find(|(_, value)| !value.is_finite()).map(|(name, _)| name);
            let in_rhs = (0..shape.columns).any(|column| !rhs[shape.rhs_index(at, column, row)].is_finite());
            let vector = match in_matrix {
                None if in_rhs => "rhs",
                // A ring's diagonal with its corner added overflowed.
                None if system.kind == Diagonal::Value => return Err(Error::Breakdown { system: at, row }),
                None => "|lower| + |upper| + excess",
                Some(named) => named,
            };
            return Err(Error::NonFiniteInput { vector, system: at, row });
        }
        if let Some(system) = status.not_dominant {
            return Err(Error::NotDominant { system });
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
            cpu::determined::<T>(at, [&lower, &diag, &upper], cpu::NO_DIGIT)?;
        }
        Err(Error::Breakdown { system: at, row })
    }
}
