//! Plans: an algorithm chosen for a shape, compiled, with its scratch.

use std::marker::PhantomData;
use std::sync::Arc;

use super::choice::{Chosen, choose};
use super::kernels::TriangularAccess;
use super::options::{Algorithm, Options};
use super::policy::Policy;
use super::programs::{Program, form};
use super::shape::Shape;
use super::system::DeviceSystem;
#[cfg(feature = "internals")]
use super::trace::{self, TracedRow};
use crate::check::Turns;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::{CompiledKernel, Gpu, Stopwatch, Timing};
use crate::plan::{
    Bound, Vectors, bind_numbered, check_binding, check_numbering, check_precision, check_scratch, plan_accessors,
};
use crate::precision::Precision;
use crate::real::Real;
use crate::shader::Permutation;

/// The solution of every triangular system of a [`Shape`], planned once.
///
/// Owns the scratch of its solves. Solves bound from one plan share it, which is safe on the device's one queue.
#[derive(Debug)]
pub struct TriangularPlan<T> {
    pub(super) gpu: Gpu,
    pub(super) shape: Shape,
    pub(super) options: Options,
    pub(super) algorithm: Algorithm,
    policy: Policy,
    program: Program,
    panels: bool,
    scratch: Vec<wgpu::Buffer>,
    withheld: Option<u32>,
    traced: bool,
    /// Most bytes of the matrix per binding.
    pub(super) max_binding_bytes: u64,
    pub(super) turns: Turns,
    timing: Timing,
    /// Keeps the kernels in memory until `bind` asks for them.
    _kernels: Vec<Arc<CompiledKernel>>,
    marker: PhantomData<T>,
}

impl<T: Real> TriangularPlan<T> {
    /// Chooses an algorithm, compiles its kernels and allocates its scratch.
    ///
    /// Costs the compilation of the kernels that the `Gpu` does not have: in parallel, by the driver, milliseconds to a second each; otherwise
    /// some tenths of a millisecond. A frame should not wait for it: make the plan in another thread, or compile ahead by
    /// [`Gpu::warm_up`]. [`TriangularPlan::timing`] says what it took.
    ///
    /// # Errors
    /// [`Error::Shape`] for a batch, columns or an increment of 0, a leading dimension below n, `stored` outside 1 to n, a trapezoid that is
    /// neither column-major lower nor row-major upper, or strides that make entries share a place;
    /// [`Error::Limit`] for a matrix (of a batch: one matrix) that two bindings cannot hold, or vectors that one cannot;
    /// [`Error::Unsupported`] for f64 without `SHADER_F64`, [`Algorithm::Chained`] in f64 without 64-bit integers, [`Algorithm::Single`] or [`Algorithm::Abreast`] of a
    /// trapezoid; [`Error::Options`]
    /// and [`Error::Limit`] for a policy of another algorithm, an illegal one, or one too large for the device; [`Error::Options`] for `Check::Sampled(0)`;
    /// [`Error::OutOfMemory`];
    /// [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, shape: Shape, options: Options) -> Result<Self> {
        let most = gpu.capabilities().limits.max_storage_buffer_binding_size;
        Self::with_bindings_of(gpu, shape, options, most)
    }

    /// As [`TriangularPlan::new`], as if one binding held this many bytes of the matrix: for tests.
    ///
    /// # Errors
    /// As [`TriangularPlan::new`].
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn with_small_bindings(gpu: &Gpu, shape: Shape, options: Options, bytes: u64) -> Result<Self> {
        Self::with_bindings_of(gpu, shape, options, bytes)
    }

    fn with_bindings_of(gpu: &Gpu, shape: Shape, options: Options, most: u64) -> Result<Self> {
        let mut watch = Stopwatch::start();
        let Chosen { algorithm, policy, program, panels } = chosen::<T>(gpu, &shape, &options, most)?;
        let permutations = permutations(T::PRECISION, &shape, &options, &program, panels);
        let (kernels, scratch) = program.prepare(gpu, &permutations)?;
        watch.lap(|timing| &mut timing.planning);
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            options,
            algorithm,
            policy,
            scratch,
            program,
            panels,
            withheld: None,
            traced: false,
            max_binding_bytes: most,
            turns: Turns::default(),
            timing: watch.timing(),
            _kernels: kernels,
            marker: PhantomData,
        })
    }

    plan_accessors!();

    /// The algorithm that was chosen; never [`Algorithm::Auto`].
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// How the algorithm divides its work.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Bytes of device memory that a solve reads and writes per row of the matrix: half of its columns, and the vectors.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// In later binds of [`Algorithm::Chained`], one block row's own workgroup does not solve it, as if it had stopped.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn withhold(&mut self, block_row: usize) {
        self.withheld = u32::try_from(block_row).ok();
    }

    /// Makes workgroups note the order of their events in later binds; [`TriangularPlan::read_trace`] returns it. Allocates new scratch.
    ///
    /// # Errors
    /// [`Error::Options`] for other algorithms; [`Error::OutOfMemory`].
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn trace(&mut self) -> Result<()> {
        if self.algorithm != Algorithm::Chained {
            return Err(crate::error::Error::Options(format!("{} has no trace: take chained", self.algorithm)));
        }
        trace::add(&mut self.program);
        self.scratch = self.program.allocate(&self.gpu)?;
        self.traced = true;
        Ok(())
    }

    /// Reads and clears the events: per problem, its block rows in the order of the solve. Read them after each solve: only the first event of
    /// each kind has its number. Empty without [`TriangularPlan::trace`].
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn read_trace(&self) -> Result<Vec<TracedRow>> {
        let words = self.scratch.last().filter(|_| self.traced);
        words.map_or_else(|| Ok(vec![]), |words| trace::read(&self.gpu, &self.program, words))
    }

    /// Ties the plan to matrices and vectors in device memory. Allocates bind groups, parameters and status words. Compiles again if inputs
    /// share a buffer with x. Recording the result allocates nothing.
    ///
    /// Of the [`Status`](crate::triangular::Status), `non_finite_input` is an entry of a diagonal that is not finite,
    /// `zero_diagonal` one that is 0, and `non_finite_result` the least row of x that is not finite.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`],
    /// [`Error::Overlap`], and [`Error::Device`] for buffers of another device.
    pub fn bind(&self, system: &DeviceSystem<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, scratch, .. } = self;
        let vectors = system.vectors(shape);
        let bytes = T::PRECISION.bytes();
        let whole_units = has_whole_units(shape, T::PRECISION) && rounds_up(&vectors, bytes);
        let numbered = (shape.n, shape.columns);
        bind_numbered(gpu, numbered, (program, scratch), (&vectors, &[]), whole_units, |kernel, writable_inputs| {
            let form = form(shape, &self.options, self.panels, whole_units);
            kernel.permutation(
                T::PRECISION,
                TriangularAccess { writable_inputs, withheld: self.withheld, traced: self.traced, ..form },
            )
        })
    }
}

/// Whether all columns begin at multiples of 16 bytes.
fn has_whole_units(shape: &Shape, precision: Precision) -> bool {
    let Shape { leading, batch, matrix_stride, .. } = *shape;
    let width = 16 / precision.bytes() as usize;
    leading.is_multiple_of(width) && (batch == 1 || matrix_stride.is_multiple_of(width))
}

/// The kernels of a program, for inputs in other buffers than x.
fn permutations(
    precision: Precision,
    shape: &Shape,
    options: &Options,
    program: &Program,
    panels: bool,
) -> Vec<Permutation> {
    let form = form(shape, options, panels, has_whole_units(shape, precision));
    let mut kernels: Vec<_> = program.steps.iter().map(|step| step.kernel).collect();
    kernels.dedup();
    kernels.into_iter().map(|kernel| kernel.permutation(precision, form)).collect()
}

/// The kernels of a plan.
///
/// # Errors
/// As [`TriangularPlan::new`].
pub(crate) fn upcoming<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<Vec<Permutation>> {
    let most = gpu.capabilities().limits.max_storage_buffer_binding_size;
    let Chosen { program, panels, .. } = chosen::<T>(gpu, shape, options, most)?;
    Ok(permutations(T::PRECISION, shape, options, &program, panels))
}

/// Checks what was asked for, and chooses an algorithm.
fn chosen<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options, most: u64) -> Result<Chosen> {
    gpu.alive()?;
    check_precision::<T>(gpu)?;
    shape.validate(options)?;
    options.check.validate()?;
    // Refuses the CPU for options that only a device follows.
    options.is_on_cpu()?;
    let vectors = shape.vectors();
    let len = shape.vector_len().ok_or_else(|| vectors.past_addresses())? as u64;
    check_binding(gpu, "each of rhs and x", len.saturating_mul(T::PRECISION.bytes()))?;
    check_numbering(&vectors)?;
    let chosen = choose(gpu, T::PRECISION, shape, options, most)?;
    for scratch in &chosen.program.scratch {
        check_scratch(gpu, chosen.algorithm.name(), scratch.bytes, T::PRECISION)?;
    }
    Ok(chosen)
}

/// Whether the matrix's buffer extends to a whole unit after its last entry.
fn rounds_up<T: Real>(vectors: &Vectors<'_, T>, bytes: u64) -> bool {
    let matrix = &vectors.inputs[0];
    let end = matrix.slice.offset + (matrix.len as u64 * bytes).next_multiple_of(4 * bytes);
    end <= matrix.slice.buffer.size()
}
