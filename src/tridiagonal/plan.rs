//! Plans: an algorithm chosen for a shape, compiled, with its scratch.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use super::algorithms::{Algorithm, Policy};
use super::choice::{Chosen, Known, choose};
use super::formulas::{self, Formulas, RHS};
use super::kernels::{Access, Program, Step};
use super::options::{Form, Options, Structure};
use super::residual::residual_permutation;
use super::staging::Staging;
use super::system::{DeviceSystem, Inputs};
use crate::check::{Check, Turns};
use crate::error::{Error, Result};
use crate::formulas::Fused;
use crate::gpu::{CompiledKernel, Gpu, Stopwatch, Timing};
use crate::place::Place;
use crate::plan::{
    Bound, Params, RowAccess, Shape, Vectors, bind, check_binding, check_numbering, check_precision, plan_accessors,
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
    pub(super) fused: Fused,
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

    /// As [`TridiagonalPlan::new`], with computed coefficients or right-hand sides. Such a plan has recorded solves only:
    /// [`TridiagonalPlan::bind_named`].
    ///
    /// Each vector of the formulas takes one storage buffer in the kernels; each computed input frees one. Kernels of pivoting, and of auto without
    /// [`Options::dominant`], use all 8 that WebGPU guarantees: with them, have no more vectors than computed inputs, or request a higher limit.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::new`]; [`Error::Formula`] with the place in a formula; [`Error::Limit`] for more vectors than a kernel can have;
    /// [`Error::Options`] as [`Formulas::check`], for a coefficient that [`Options::forms`] also gives as one or three numbers, for `lower` of a
    /// symmetric matrix, for a formula of `rhs` with refinements or [`Options::in_place`], and for [`Place::Cpu`]; [`Error::Unsupported`] for
    /// formulas with loops on a software driver.
    pub fn with_formulas(gpu: &Gpu, shape: Shape, options: Options, formulas: &Formulas) -> Result<Self> {
        let options = formulas.options(options)?;
        let fused = formulas.of(options.structure).fused(T::PRECISION)?.on(gpu);
        if fused.computes(RHS) && options.refinements > 0 {
            return Err(Error::Options("`rhs` has a formula, and refinements replace it: ask for none".into()));
        }
        if fused.computes(RHS) && options.in_place {
            return Err(Error::Options(
                "`rhs` has a formula, so a solve cannot be in place: drop `Options::in_place`, and give x".into(),
            ));
        }
        if options.place == Place::Cpu && fused.is_some() {
            return Err(Error::Options("formulas need the device: `Place::Cpu` computes none".into()));
        }
        if fused.counts_rounds() {
            return Err(Error::Unsupported {
                what: "a formula with loops".into(),
                hint: format!(
                    "{} silently ends loops after 65535 rounds; write the formula without loops, or take a GPU",
                    gpu.info().name
                ),
            });
        }
        Self::made(gpu, shape, options, None, fused)
    }

    /// As [`TridiagonalPlan::new`], with auto's decision if it is known.
    pub(super) fn knowing(gpu: &Gpu, shape: Shape, options: Options, known: Option<Known>) -> Result<Self> {
        Self::made(gpu, shape, options, known, formulas::none())
    }

    fn made(gpu: &Gpu, shape: Shape, options: Options, known: Option<Known>, fused: Fused) -> Result<Self> {
        let mut watch = Stopwatch::start();
        let Chosen { algorithm, policy, program } = chosen::<T>(gpu, &shape, (&options, &fused), known, &[])?;
        let is_on_cpu = !fused.is_some() && options.is_on_cpu(Some(gpu), T::PRECISION, &shape)?;
        let program = if options.in_place { program.as_in_place().into_owned() } else { program };
        let permutations = kernels(&program.steps, T::PRECISION, &shape, (&options, &fused));
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
            fused,
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
    /// What formulas read, and the copy of x into a texture, are not counted.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// The plan's kernels, for inputs in other buffers than x.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn permutations(&self) -> Vec<Permutation> {
        kernels(&self.program.steps, T::PRECISION, &self.shape, (&self.options, &self.fused))
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters and status words. Compiles again if inputs share a buffer
    /// with x, unless the plan has [`Options::in_place`], and if vectors are not aligned to four numbers. Recording the result allocates nothing.
    ///
    /// `system.diag` holds the diagonal or its excess, by [`Options::diagonal`] of the plan.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Overlap`], and
    /// [`Error::Device`] for buffers of another device of the same wgpu instance. Buffers of another *instance* cannot be detected (wgpu
    /// numbers both alike): never bind a [`DeviceVector`](crate::DeviceVector) of one [`Gpu`] with the plan of another.
    pub fn bind(&self, system: &DeviceSystem<'_, T>) -> Result<Bound> {
        if let Some(input) = self.computed() {
            return Err(Error::Options(format!(
                "the plan computes {input}: bind by `bind_named`, without a vector of it"
            )));
        }
        self.bind_vectors(&Inputs::from(system).vectors(&self.shape, &self.options.matrix())?)
    }

    /// An input with a formula of the caller's. (A symmetric matrix has one of `lower` that nobody gave.)
    fn computed(&self) -> Option<&'static str> {
        self.fused.computed().find(|input| *input != "lower" || self.options.structure != Structure::Symmetric)
    }

    /// [`Error::Options`] for what plans with formulas do not have.
    pub(super) fn check_without_formulas(&self, what: &str) -> Result<()> {
        match self.computed() {
            None => Ok(()),
            Some(input) => Err(Error::Options(format!(
                "{what} of a plan that computes {input}: a plan with formulas only has recorded solves, by `bind_named`"
            ))),
        }
    }

    pub(super) fn bind_vectors(&self, vectors: &Vectors<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, fused, scratch, .. } = self;
        if self.options.refinements > 0 && vectors.in_place.is_some() {
            return Err(Error::Options(
                "refinements need the right-hand side, which a solve in place replaces: give x a place of its own, or none".into(),
            ));
        }
        let matrix = self.options.matrix();
        let (own_right, offsets) = (shape.has_own_right(), vectors.have_offsets(gpu));
        bind(gpu, shape, program, scratch, vectors, |kernel, rows, writable_inputs| {
            let access = Access { rows, own_right, offsets, writable_inputs, matrix, correcting: false };
            formulas::permutation(fused, kernel.permutation(T::PRECISION, access))
        })
    }
}

/// The kernels of a plan, for inputs in other buffers than x unless its binds are in place.
fn kernels(
    steps: &[Step],
    precision: Precision,
    shape: &Shape,
    (options, fused): (&Options, &Fused),
) -> Vec<Permutation> {
    let matrix = options.matrix();
    let (rows, own_right) = (RowAccess::of(shape), shape.has_own_right());
    let access = Access { rows, own_right, writable_inputs: options.in_place, matrix, ..Access::default() };
    let permutation = |step: &Step| formulas::permutation(fused, step.kernel.permutation(precision, access));
    steps.iter().map(permutation).collect()
}

/// The same without formulas.
#[cfg(feature = "internals")]
pub fn permutations(steps: &[Step], precision: Precision, shape: &Shape, options: &Options) -> Vec<Permutation> {
    kernels(steps, precision, shape, (options, &formulas::none()))
}

/// The kernels of a plan and, if its host solves are checked, of the residual.
///
/// # Errors
/// As [`TridiagonalPlan::new`].
pub(crate) fn upcoming<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<Vec<Permutation>> {
    let residual = (options.check != Check::Off).then(|| residual_permutation(T::PRECISION, shape, options, false));
    let with = (options, &formulas::none());
    let Chosen { program, .. } = chosen::<T>(gpu, shape, with, None, residual.as_slice())?;
    Ok([kernels(&program.steps, T::PRECISION, shape, with), residual.into_iter().collect()].concat())
}

/// Checks what was asked for, and chooses an algorithm. If the device has still to be tested, compiles the algorithm's kernels and `more` meanwhile.
fn chosen<T: Real>(
    gpu: &Gpu,
    shape: &Shape,
    (options, fused): (&Options, &Fused),
    known: Option<Known>,
    more: &[Permutation],
) -> Result<Chosen> {
    gpu.alive()?;
    check::<T>(gpu, shape)?;
    options.matrix().check(shape)?;
    if options.in_place && options.refinements > 0 {
        return Err(Error::Options("refinements need the right-hand side, which a solve in place replaces".into()));
    }
    options.check.validate()?;
    let without = |(at, (_, form)): &(usize, (&str, Form))| *form == Form::Computed && !fused.computes(*at);
    if let Some((_, (vector, _))) = options.forms.named().into_iter().enumerate().find(without) {
        return Err(Error::Options(format!(
            "{vector} is of Form::Computed, but has no formula: make the plan with TridiagonalPlan::with_formulas"
        )));
    }
    let choose = |capabilities: &_| {
        let params = Params::new(shape);
        let mut chosen = choose(gpu, capabilities, T::PRECISION, options, params, known, fused.computes(RHS))?;
        chosen.program = fused.program(chosen.program);
        fused.check_vectors(gpu, chosen.algorithm.name(), &chosen.program)?;
        Ok(chosen)
    };
    let needed = |capabilities: &_| {
        let Chosen { program, .. } = choose(capabilities)?;
        Ok([&kernels(&program.steps, T::PRECISION, shape, (options, fused)), more].concat())
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
