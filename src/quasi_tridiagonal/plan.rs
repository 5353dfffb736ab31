//! Plans: a method made ready for a matrix.

use std::marker::PhantomData;
use std::sync::Arc;

use super::bound::Bound;
use super::device_csr::{BoundMatrix, DeviceCsr, Pattern};
use super::dominance::Dominance;
use super::engine::Engine;
use super::options::{Algorithm, Options, Preconditioner, Settled};
use super::policy::Policy;
use super::report::method;
use super::store::upload;
use super::system::DeviceSystem;
use super::verify::Judged;
use crate::arithmetic::times_power;
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, Gpu, Stopwatch, Timing};
use crate::plan::{Starts, Vector, Vectors, check_binding, check_precision};
use crate::real::Real;

/// A method made ready for one matrix, whose entries are in device memory, split into T and S.
///
/// Owns the vectors of its iteration, and its status words. Solves bound from one plan share them, which is safe on the device's one queue,
/// one solve after the other. If two solves are recorded before a report is read, the report is of the last one; to read both, make two
/// plans.
pub struct QuasiTridiagonalPlan<T> {
    pub(super) engine: Arc<Engine>,
    settled: Settled,
    /// The pattern, if the matrix comes later.
    pattern: Option<Pattern>,
    /// The matrix as given, unless it comes later.
    pub(super) judged: Option<Arc<Judged<T>>>,
    timing: Timing,
    marker: PhantomData<T>,
}

impl<T> std::fmt::Debug for QuasiTridiagonalPlan<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuasiTridiagonalPlan").field("rows", &self.engine.rows).field("settled", &self.settled).finish()
    }
}

impl<T: Real> QuasiTridiagonalPlan<T> {
    /// Splits the matrix, uploads both parts, compiles the method's kernels and allocates its vectors.
    ///
    /// Costs the compilation of the kernels that the `Gpu` does not have: in parallel, by the driver, milliseconds to a second each; and passes of
    /// the CPU over the matrix. A frame should not wait for it: make the plan in another thread. [`QuasiTridiagonalPlan::timing`] says what it took.
    ///
    /// # Errors
    /// [`Error::Shape`] for a matrix without rows; [`Error::EmptyRow`]; [`Error::ZeroOnDiagonal`] if the method divides by it;
    /// [`Error::Options`] for options that contradict each other, and a tolerance that the precision cannot reach; [`Error::Unsupported`]
    /// for f64 without `SHADER_F64`, and Gauss-Seidel with too many colours or too long a row; [`Error::Limit`] and [`Error::OutOfMemory`]
    /// if the device has too little memory; [`Error::NonFiniteInput`] for entries past the range of f32 in mixed precision;
    /// [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, matrix: &Csr<T>, options: Options) -> Result<Self> {
        let mut watch = Stopwatch::start();
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
        engine.factor()?;
        let judged = Some(Arc::new(Judged::new(matrix.clone())));
        watch.lap(|timing| &mut timing.planning);
        let (engine, timing) = (Arc::new(engine), watch.timing());
        Ok(Self { engine, settled, pattern: None, judged, timing, marker: PhantomData })
    }

    /// For matrices of a pattern that come later, in device memory: [`QuasiTridiagonalPlan::bind_matrix`]. Until a matrix has been split,
    /// all rows are x = b. Dominance is unknown: [`Algorithm::Auto`] is [`Algorithm::Bicgstab`].
    ///
    /// # Errors
    /// As [`QuasiTridiagonalPlan::new`], except errors of the entries; [`Error::Unsupported`] for methods that need the transpose or the
    /// rows' colours.
    pub fn for_pattern(gpu: &Gpu, pattern: Pattern, options: Options) -> Result<Self> {
        let mut watch = Stopwatch::start();
        gpu.alive()?;
        check_precision::<T>(gpu)?;
        let vector = (pattern.rows as u64).saturating_mul(T::PRECISION.bytes());
        check_binding(gpu, "the three diagonals", vector.saturating_mul(3))?;
        let settled = options.settle::<T>(false)?;
        let engine = match settled.mixed {
            true => Engine::for_pattern::<f32>(gpu, &pattern, &settled, T::PRECISION)?,
            false => Engine::for_pattern::<T>(gpu, &pattern, &settled, T::PRECISION)?,
        };
        watch.lap(|timing| &mut timing.planning);
        let (engine, timing) = (Arc::new(engine), watch.timing());
        Ok(Self { engine, settled, pattern: Some(pattern), judged: None, timing, marker: PhantomData })
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
        let divides = self.settled.divides_by_diagonal();
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

    /// How [`Algorithm::Hisa`] or [`Algorithm::Bhisa`] divides its work.
    pub fn policy(&self) -> Option<Policy> {
        self.engine.policy
    }

    /// Where the time went in which the plan was made: planning and compiling.
    pub fn timing(&self) -> Timing {
        self.timing
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

    /// Bytes that one iteration of [`Algorithm::Hisa`], [`Algorithm::Bhisa`] or [`Algorithm::Jacobi`] reads and writes per row; of
    /// [`Algorithm::Hisa`] in the passes that have a policy.
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
            starts: Starts::Aligned,
            textures: vec![],
        };
        vectors.check(&engine.gpu)?;
        if let Some(guess) = system.guess {
            vector("guess", guess).check(&engine.gpu, Starts::Aligned)?;
        }
        let sections = engine
            .bound([system.rhs, x].map(|one| used(one, engine.rows)), system.guess.map(|one| used(one, engine.rows)))?;
        Ok(Bound::new(engine.clone(), self.settled, T::PRECISION, sections))
    }
}

/// What a solve takes of a range that may be longer.
fn used<T: Real>(slice: DeviceSlice<'_, T>, rows: usize) -> DeviceSlice<'_, T> {
    DeviceSlice::new(slice.buffer, slice.offset, rows)
}
