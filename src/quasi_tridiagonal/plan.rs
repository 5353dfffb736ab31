//! Plans: a method made ready for a matrix.

use std::marker::PhantomData;
use std::sync::Arc;

use super::bound::Bound;
use super::device_csr::{BoundMatrix, DeviceCsr, Pattern};
use super::dominance::Dominance;
use super::engine::Engine;
use super::options::{Algorithm, Options, Preconditioner, Settled};
use super::policy::BhisaPolicy;
use super::report::{Report, method};
use super::store::upload;
use super::verify::{Judged, Verdict};
use crate::arithmetic::{exponent, times_power};
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, DeviceVector, Gpu};
use crate::plan::{Vector, Vectors, check_binding, check_precision};
use crate::real::Real;

/// A method made ready for one matrix, whose entries are in device memory, split into T and S.
///
/// Owns the vectors of its iteration, and its status words. Solves bound from one plan share them, which is safe on the device's one queue,
/// one solve after the other. If two solves are recorded before a report is read, the report is of the last one; to read both, make two
/// plans.
pub struct QuasiTridiagonalPlan<T> {
    engine: Arc<Engine>,
    settled: Settled,
    /// The pattern, if the matrix comes later.
    pattern: Option<Pattern>,
    /// The matrix as given, unless it comes later.
    judged: Option<Arc<Judged<T>>>,
    marker: PhantomData<T>,
}

impl<T> std::fmt::Debug for QuasiTridiagonalPlan<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuasiTridiagonalPlan").field("rows", &self.engine.rows).field("settled", &self.settled).finish()
    }
}

/// A solution with what is known of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The unknowns; of an iteration that did not converge, its last.
    pub x: Vec<T>,
    /// How it went.
    pub report: Report,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated, against the exact solution of the numbers as given; at most 0.1 in solutions of
    /// [`QuasiTridiagonalPlan::solve_reported`]. Infinite before [`QuasiTridiagonalPlan::accepted`].
    pub forward_error: f64,
    /// The condition number in the maximum norm, estimated, if strict dominance does not bound the error: Skeel's cond(A, x) = || |A^-1|
    /// |A| |x| || / ||x|| of a matrix that [`solve_directly`](super::solve_directly) eliminates; for others || |A^-1| (|A| e ||x|| + |b|)
    /// || / ||x||, with e of ones, which is not smaller.
    pub condition: Option<f64>,
    /// Seconds from the first submission until the host knows that the solve has ended.
    pub seconds: f64,
}

/// Vectors in device memory.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSystem<'a, T> {
    /// The right-hand side, one entry per row.
    pub rhs: DeviceSlice<'a, T>,
    /// Destination of the unknowns; `None` overwrites `rhs`.
    pub x: Option<DeviceSlice<'a, T>>,
    /// Start of the iteration, one entry per row; `None` starts from zero. It is read before `x` is written, so it may be any vector, also
    /// `x` or `rhs`.
    pub guess: Option<DeviceSlice<'a, T>>,
}

impl<'a, T> DeviceSystem<'a, T> {
    /// Starts from zero; x is a separate vector.
    pub fn new(rhs: DeviceSlice<'a, T>, x: DeviceSlice<'a, T>) -> Self {
        Self { rhs, x: Some(x), guess: None }
    }

    /// Starts from zero; x overwrites the right-hand side.
    pub fn in_place(rhs: DeviceSlice<'a, T>) -> Self {
        Self { rhs, x: None, guess: None }
    }

    /// Starts from a guess.
    pub fn from_guess(self, guess: DeviceSlice<'a, T>) -> Self {
        Self { guess: Some(guess), ..self }
    }
}

impl<T: Real> QuasiTridiagonalPlan<T> {
    /// Splits the matrix, uploads both parts, compiles the method's kernels and allocates its vectors.
    ///
    /// # Errors
    /// [`Error::Shape`] for a matrix without rows; [`Error::EmptyRow`]; [`Error::ZeroOnDiagonal`] if the method divides by it;
    /// [`Error::Options`] for options that contradict each other, and a tolerance that the precision cannot reach; [`Error::Unsupported`]
    /// for f64 without `SHADER_F64`, and Gauss-Seidel with too many colours or too long a row; [`Error::Limit`] and [`Error::OutOfMemory`]
    /// if the device has too little memory; [`Error::NonFiniteInput`] for entries past the range of f32 in mixed precision;
    /// [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, matrix: &Csr<T>, options: Options) -> Result<Self> {
        gpu.alive()?;
        check_precision::<T>(gpu)?;
        let vector = (matrix.rows() as u64).saturating_mul(T::PRECISION.bytes());
        check_binding(gpu, "the three diagonals", vector.saturating_mul(3))?;
        // Only auto's choice depends on dominance.
        let dominant = options.algorithm != Algorithm::Auto || Dominance::of(matrix).is_strong(matrix.rows());
        let settled = options.settle::<T>(dominant)?;
        let powers = matrix.row_scaling();
        let scaled = powers.as_ref().map(|powers| matrix.scaled(powers));
        let scales = powers.map(|powers| {
            let scales: Vec<_> = powers.iter().map(|&power| T::from_f64(times_power(1.0, power))).collect();
            upload(gpu, "the rows' powers of two", &scales)
        });
        let scales = scales.transpose()?;
        let own = scaled.as_ref().unwrap_or(matrix);
        let engine = match settled.mixed {
            true => {
                let wide = own.converted::<f64>()?;
                Engine::new::<f32>(gpu, &own.converted()?, &settled, T::PRECISION, Some(&wide), scales)?
            }
            false => Engine::new::<T>(gpu, own, &settled, T::PRECISION, None, scales)?,
        };
        let judged = Some(Arc::new(Judged::new(matrix.clone())));
        Ok(Self { engine: Arc::new(engine), settled, pattern: None, judged, marker: PhantomData })
    }

    /// For matrices of a pattern that come later, in device memory: [`QuasiTridiagonalPlan::bind_matrix`]. Until a matrix has been split,
    /// all rows are x = b. Dominance is unknown: [`Algorithm::Auto`] is [`Algorithm::Bicgstab`].
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::new`], except errors of the entries; [`Error::Unsupported`] for methods that need the transpose or the
    /// rows' colours.
    pub fn for_pattern(gpu: &Gpu, pattern: Pattern, options: Options) -> Result<Self> {
        gpu.alive()?;
        check_precision::<T>(gpu)?;
        let vector = (pattern.rows as u64).saturating_mul(T::PRECISION.bytes());
        check_binding(gpu, "the three diagonals", vector.saturating_mul(3))?;
        let settled = options.settle::<T>(false)?;
        let engine = match settled.mixed {
            true => Engine::for_pattern::<f32>(gpu, &pattern, &settled, T::PRECISION)?,
            false => Engine::for_pattern::<T>(gpu, &pattern, &settled, T::PRECISION)?,
        };
        Ok(Self { engine: Arc::new(engine), settled, pattern: Some(pattern), judged: None, marker: PhantomData })
    }

    /// Ties a plan for a pattern to a matrix in device memory. Recording the result splits the matrix into T and S; record it before the
    /// solves with this matrix.
    ///
    /// # Errors
    /// [`Error::Options`] for a plan that has its matrix; [`Error::Length`], [`Error::Misaligned`],
    /// [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Device`] for buffers of another device.
    pub fn bind_matrix(&self, matrix: &DeviceCsr<'_, T>) -> Result<BoundMatrix> {
        let Some(pattern) = self.pattern else {
            return Err(Error::Options("a matrix is bound to a plan that was made for a pattern".into()));
        };
        let divides = !self.settled.algorithm.is_krylov() || self.settled.preconditioner != Preconditioner::None;
        let method = divides.then(|| method(self.settled.algorithm, self.settled.preconditioner));
        BoundMatrix::new(&self.engine, matrix, &pattern, T::PRECISION, method)
    }

    /// The method that was chosen; never [`Algorithm::Auto`].
    pub fn algorithm(&self) -> Algorithm {
        self.settled.algorithm
    }

    /// Its preconditioner.
    pub fn preconditioner(&self) -> Preconditioner {
        self.settled.preconditioner
    }

    /// How [`Algorithm::Bhisa`] divides its work.
    pub fn policy(&self) -> Option<BhisaPolicy> {
        self.engine.policy
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.engine.rows
    }

    /// How dominant the matrix is; unknown of one in device memory.
    pub fn dominance(&self) -> Option<&Dominance> {
        self.engine.dominance.as_ref()
    }

    /// Bytes of device memory that the plan holds: the matrix, and the vectors of the iteration.
    pub fn device_bytes(&self) -> u64 {
        self.engine.store.bytes()
    }

    /// Bytes that one iteration of [`Algorithm::Bhisa`] or [`Algorithm::Jacobi`] reads and writes for a row.
    pub fn bytes_per_row(&self) -> f64 {
        self.engine.bytes_per_row
    }

    /// Ties the plan to vectors in device memory; recording the result allocates nothing.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Overlap`] for
    /// ranges that share some bytes, but not all, and [`Error::Device`] for buffers of another device.
    pub fn bind(&self, system: &DeviceSystem<'_, T>) -> Result<Bound> {
        let engine = &self.engine;
        engine.gpu.alive()?;
        let x = system.x.unwrap_or(system.rhs);
        let vector = |name, slice| Vector { name, slice, len: engine.rows, in_rows: false };
        let vectors = Vectors {
            inputs: vec![vector("rhs", system.rhs)],
            output: vector("x", x),
            in_place: system.x.is_none().then_some("rhs"),
        };
        vectors.check(&engine.gpu)?;
        if let Some(guess) = system.guess {
            vector("guess", guess).check(&engine.gpu)?;
        }
        let sections = engine
            .bound([system.rhs, x].map(|one| used(one, engine.rows)), system.guess.map(|one| used(one, engine.rows)))?;
        Ok(Bound::new(engine.clone(), self.settled, T::PRECISION, sections))
    }

    /// Solves for a right-hand side in host memory.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::NotConverged`], [`Error::Overflow`] and [`Error::Underflow`]
    /// for solutions past the range, [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solve(&self, rhs: &[T]) -> Result<Vec<T>> {
        self.solve_reported(rhs).map(|solution| solution.x)
    }

    /// As [`QuasiTridiagonalPlan::solve`], from a guess: the nearer it is, the fewer iterations.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::solve`].
    pub fn solve_from(&self, guess: &[T], rhs: &[T]) -> Result<Vec<T>> {
        let solution = self.attempt_from(Some(guess), rhs, &mut |_, _| {})?;
        self.accepted(rhs, solution).map(|solution| solution.x)
    }

    /// As [`QuasiTridiagonalPlan::solve`], with how it went.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::solve`].
    pub fn solve_reported(&self, rhs: &[T]) -> Result<Solution<T>> {
        let solution = self.attempt(rhs)?;
        self.accepted(rhs, solution)
    }

    /// An attempt, if it has converged and its error is small, with an estimate of that.
    ///
    /// Costs on the CPU: for strictly dominant rows a pass over the matrix; for a matrix that
    /// [`solve_directly`](super::solve_directly) takes one elimination per plan and some twenty substitutions per solve. Other matrices
    /// cost three to sixteen more solves on the device.
    ///
    /// # Errors
    /// [`Error::NotConverged`]; [`Error::Singular`] and [`Error::NearlySingular`] for a matrix that does not determine x;
    /// [`Error::NoDigits`] for one with a small residual and a large error; [`Error::Unverified`]; those of a solve.
    pub fn accepted(&self, rhs: &[T], mut solution: Solution<T>) -> Result<Solution<T>> {
        solution.report.check()?;
        let Some(judged) = &self.judged else {
            return Ok(solution);
        };
        let mut correct = |rhs: &[T]| {
            let step = self.attempt(rhs)?;
            step.report.check()?;
            Ok(step.x)
        };
        let Verdict { forward_error, condition } = judged.verdict(rhs, &mut solution.x, &mut correct)?;
        Ok(Solution { forward_error, condition, ..solution })
    }

    /// As far as it goes: also an iteration that did not converge is a result, as [`Report::outcome`] says.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::solve`], less [`Error::NotConverged`].
    pub fn attempt(&self, rhs: &[T]) -> Result<Solution<T>> {
        self.attempt_from(None, rhs, &mut |_, _| {})
    }

    /// As [`QuasiTridiagonalPlan::attempt`], from a guess where there is one. `progress` is told now and then how many
    /// iterations are done and what the relative residual is.
    ///
    /// Unknowns too small for the iteration's products are found once more, times a power of two.
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::attempt`].
    pub fn attempt_from(
        &self,
        guess: Option<&[T]>,
        rhs: &[T],
        progress: &mut dyn FnMut(usize, f64),
    ) -> Result<Solution<T>> {
        let attempted = self.attempt_once(guess, rhs, progress);
        let Err(Error::Underflow { largest, precision }) = attempted else { return attempted };
        let size = |values: &[T]| values.iter().fold(0f64, |most, value| most.max(value.to_f64().abs()));
        let most = [Some(rhs), guess].into_iter().flatten().map(size).fold(0.0, f64::max);
        let [Some(of_x), Some(of_most), Some(end)] = [largest, most, precision.largest()].map(exponent) else {
            return attempted;
        };
        let power = (-of_x).min(end - 1 - of_most);
        if largest < precision.least_normal() || power <= 0 {
            return attempted;
        }
        let scaled = |values: &[T], power: i32| -> Vec<T> {
            values.iter().map(|value| T::from_f64(times_power(value.to_f64(), power))).collect()
        };
        let guess = guess.map(|guess| scaled(guess, power));
        let solution = self.attempt_once(guess.as_deref(), &scaled(rhs, power), progress)?;
        Ok(Solution { x: scaled(&solution.x, -power), ..solution })
    }

    fn attempt_once(
        &self,
        guess: Option<&[T]>,
        rhs: &[T],
        progress: &mut dyn FnMut(usize, f64),
    ) -> Result<Solution<T>> {
        let engine = &self.engine;
        for (vector, values) in [Some(("rhs", rhs)), guess.map(|values| ("guess", values))].into_iter().flatten() {
            if values.len() != engine.rows {
                return Err(Error::Length { vector, expected: engine.rows.to_string(), found: values.len() });
            }
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                return Err(Error::NonFiniteInput { vector, system: 0, row });
            }
        }
        let gpu = &engine.gpu;
        let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
        // x holds the guess, which is read before.
        let x = match guess {
            Some(values) => DeviceVector::from_slice(gpu, "x", values)?,
            None => DeviceVector::new(gpu, "x", rhs.len())?,
        };
        let system = DeviceSystem::new(right.as_slice(), x.as_slice());
        let bound = self.bind(&DeviceSystem { guess: guess.map(|_| x.as_slice()), ..system })?;
        let (report, seconds) = bound.solve(progress)?;
        Ok(Solution { x: x.read(gpu)?, report, forward_error: f64::INFINITY, condition: None, seconds })
    }
}

/// What a solve takes of a range that may be longer.
fn used<T: Real>(slice: DeviceSlice<'_, T>, rows: usize) -> DeviceSlice<'_, T> {
    DeviceSlice::new(slice.buffer, slice.offset, rows)
}
