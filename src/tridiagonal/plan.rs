//! Plans: an algorithm chosen for a shape, compiled, with its scratch.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use super::algorithms::{Algorithm, Policy};
use super::choice::{Chosen, Known, choose};
use super::kernels::{Access, Program, Step};
use super::options::Options;
use super::residual::residual_permutation;
use super::staging::Staging;
use super::system::{DeviceSystem, check_forms};
use crate::check::{Check, Turns};
use crate::error::{Error, Result};
use crate::gpu::{CompiledKernel, Gpu, Stopwatch, Timing};
use crate::plan::{
    Bound, Params, RowAccess, Shape, bind, check_binding, check_numbering, check_precision, plan_accessors,
};
use crate::precision::Precision;
use crate::real::Real;
use crate::shader::Permutation;

/// The solution of every system of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches. Solves bound from one plan share it, which is safe on the device's one queue.
#[derive(Debug)]
pub struct TridiagonalPlan<T> {
    pub(crate) gpu: Gpu,
    pub(crate) shape: Shape,
    pub(crate) options: Options,
    pub(crate) algorithm: Algorithm,
    /// Whether host solves run on the CPU.
    pub(super) is_on_cpu: bool,
    policy: Policy,
    /// Auto's decision, if the matrices are known.
    pub(super) known: Option<Known>,
    pub(crate) program: Program,
    pub(crate) scratch: Vec<wgpu::Buffer>,
    /// Keeps the kernels in memory until `bind` asks for them.
    _kernels: Vec<Arc<CompiledKernel>>,
    pub(super) turns: Turns,
    timing: Timing,
    /// Device vectors of the last host solve, kept for the next.
    pub(crate) host: Arc<Mutex<Option<Staging<T>>>>,
    marker: PhantomData<T>,
}

impl<T: Real> TridiagonalPlan<T> {
    /// Chooses an algorithm, compiles its kernels and allocates its scratch; also where host solves run on the CPU ([`Options::place`]),
    /// since the plan serves recorded solves too. For host solves alone, [`solve`](super::solve) and
    /// [`solve_batch_on_cpu`](super::solve_batch_on_cpu) compile nothing there.
    ///
    /// Costs the compilation of the kernels that the `Gpu` does not have: in parallel, by the driver, milliseconds to a second each; otherwise
    /// some tenths of a millisecond. A frame should not wait for it: make the plan in another thread, or compile ahead by
    /// [`Gpu::warm_up`]. [`TridiagonalPlan::timing`] says what it took.
    ///
    /// # Errors
    /// [`Error::Shape`] for sizes of 0 or strides that make entries share a place; [`Error::Limit`] if a vector or the scratch is larger
    /// than one binding; [`Error::Unsupported`] for f64 without `SHADER_F64`; [`Error::OutOfMemory`]; [`Error::DeviceLost`];
    /// [`Error::Kernel`]; [`Error::Options`] and [`Error::Limit`] for a policy of another algorithm, an illegal one, or one too large for
    /// the device; [`Error::Options`] for options that exclude each other, and for `Check::Sampled(0)`.
    pub fn new(gpu: &Gpu, shape: Shape, options: Options) -> Result<Self> {
        Self::knowing(gpu, shape, options, None)
    }

    /// As [`TridiagonalPlan::new`], with auto's decision if it is known.
    pub(super) fn knowing(gpu: &Gpu, shape: Shape, options: Options, known: Option<Known>) -> Result<Self> {
        let mut watch = Stopwatch::start();
        let Chosen { algorithm, policy, program } = chosen::<T>(gpu, &shape, &options, known, &[])?;
        let is_on_cpu = options.is_on_cpu(Some(gpu), T::PRECISION, &shape)?;
        let permutations = permutations(&program.steps, T::PRECISION, &shape, &options);
        let (kernels, scratch) = program.prepare(gpu, &permutations)?;
        watch.lap(|timing| &mut timing.planning);
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            options,
            algorithm,
            is_on_cpu,
            policy,
            known,
            program,
            scratch,
            _kernels: kernels,
            turns: Turns::default(),
            timing: watch.timing(),
            host: Arc::default(),
            marker: PhantomData,
        })
    }

    /// The algorithm's division of its work.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    plan_accessors!();

    /// The algorithm asked for.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Bytes of device memory that a solve reads and writes per row of one right-hand side. Accesses that a cache should serve count once.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// The plan's kernels, for inputs in other buffers than x.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn permutations(&self) -> Vec<Permutation> {
        permutations(&self.program.steps, T::PRECISION, &self.shape, &self.options)
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters and status words. Compiles again if inputs share a
    /// buffer with x or are not aligned to four numbers. Recording the result allocates nothing.
    ///
    /// `system.diag` holds the diagonal or its excess, by [`Options::diagonal`] of the plan.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Overlap`], and
    /// [`Error::Device`] for buffers of another device of the same wgpu instance. Buffers of another *instance* cannot be detected (wgpu
    /// numbers both alike): never bind a [`DeviceVector`](crate::DeviceVector) of one [`Gpu`] with the plan of another.
    pub fn bind(&self, system: &DeviceSystem<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, scratch, .. } = self;
        if self.options.refinements > 0 && system.x.is_none() {
            return Err(Error::Options(
                "refinements need the right-hand side, which a solve in place replaces: give x a place of its own, or none".into(),
            ));
        }
        let matrix = self.options.matrix();
        check_forms(&matrix, [system.lower, system.diag, system.upper])?;
        let vectors = system.vectors(shape, &matrix);
        let (own_right, offsets) = (shape.has_own_right(), vectors.have_offsets(gpu));
        bind(gpu, shape, program, scratch, &vectors, |kernel, rows, writable_inputs| {
            let access = Access { rows, own_right, offsets, writable_inputs, matrix, correcting: false };
            kernel.permutation(T::PRECISION, access)
        })
    }
}

/// The kernels of a plan, for inputs in other buffers than x.
pub fn permutations(steps: &[Step], precision: Precision, shape: &Shape, options: &Options) -> Vec<Permutation> {
    let matrix = options.matrix();
    let (rows, own_right) = (RowAccess::of(shape), shape.has_own_right());
    let access = Access { rows, own_right, matrix, ..Access::default() };
    steps.iter().map(|step| step.kernel.permutation(precision, access)).collect()
}

/// The kernels of a plan and, if its host solves are checked, of the residual.
///
/// # Errors
/// As [`TridiagonalPlan::new`].
pub(crate) fn upcoming<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<Vec<Permutation>> {
    let residual = (options.check != Check::Off).then(|| residual_permutation(T::PRECISION, shape, options, false));
    let Chosen { program, .. } = chosen::<T>(gpu, shape, options, None, residual.as_slice())?;
    Ok([permutations(&program.steps, T::PRECISION, shape, options), residual.into_iter().collect()].concat())
}

/// Checks what was asked for, and chooses an algorithm. If the device has still to be tested, compiles the algorithm's kernels and `more` meanwhile.
fn chosen<T: Real>(
    gpu: &Gpu,
    shape: &Shape,
    options: &Options,
    known: Option<Known>,
    more: &[Permutation],
) -> Result<Chosen> {
    gpu.alive()?;
    check::<T>(gpu, shape)?;
    options.matrix().check(shape)?;
    options.check.validate()?;
    let choose = |capabilities: &_| choose(gpu, capabilities, T::PRECISION, options, Params::new(shape), known);
    let needed = |capabilities: &_| {
        let Chosen { program, .. } = choose(capabilities)?;
        Ok([&permutations(&program.steps, T::PRECISION, shape, options), more].concat())
    };
    choose(gpu.proven_while_compiling(needed)?)
}

/// Checks that precede the choice of an algorithm.
fn check<T: Real>(gpu: &Gpu, shape: &Shape) -> Result<()> {
    check_precision::<T>(gpu)?;
    shape.validate()?;
    check_limits::<T>(gpu, shape)
}

fn check_limits<T: Real>(gpu: &Gpu, shape: &Shape) -> Result<()> {
    let overflow = || shape.past_addresses();
    let matrix = shape.matrix_len().ok_or_else(overflow)? as u64;
    let right = shape.rhs_len().ok_or_else(overflow)? as u64;
    for (what, len) in [("each of lower, diag and upper", matrix), ("each of rhs and x", right)] {
        check_binding(gpu, what, len.saturating_mul(T::PRECISION.bytes()))?;
    }
    check_numbering(shape)
}
