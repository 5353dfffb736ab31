//! Plans: an algorithm chosen for a shape, compiled, with its scratch.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use super::algorithms::{Algorithm, Policy};
use super::choice::{Chosen, Known, choose};
use super::formulas::{self, Formulas, INPUTS, RHS};
use super::kernels::{Access, Program, Step};
use super::options::{Form, Options, Structure};
use super::residual::residual_permutation;
use super::staging::Staging;
use super::system::{DeviceSystem, Inputs};
use super::texels::{self, Resource};
use crate::check::{Check, Turns};
use crate::error::{Error, Result};
use crate::formulas::Fused;
use crate::gpu::{CompiledKernel, DeviceSlice, DeviceVector, Gpu, Stopwatch, Timing};
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

    /// As [`TridiagonalPlan::new`], with computed coefficients or right-hand sides. Such a plan solves in device memory:
    /// [`TridiagonalPlan::bind_named`].
    ///
    /// Each vector of the formulas takes one storage buffer in the kernels; each computed input frees one. Kernels of pivoting, and of auto without
    /// [`Options::dominant`], use all 8 that WebGPU guarantees: with them, have no more vectors than computed inputs, or request a higher limit.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::new`]; [`Error::Formula`] with the place in a formula; [`Error::Limit`] for more vectors than a kernel can have;
    /// [`Error::Options`] as [`Formulas::check`], for a computed coefficient of another form than [`Form::Each`], for `lower` of a symmetric
    /// matrix, for refinements of a computed right-hand side, and for [`Place::Cpu`]; [`Error::Unsupported`] for formulas with loops on a
    /// software driver.
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
        if let Some(input) = self.computed() {
            return Err(Error::Options(format!(
                "the plan computes {input}: bind by `bind_named`, without a vector of it"
            )));
        }
        self.bind_vectors(&Inputs::from(system).vectors(&self.shape, &self.options.matrix())?)
    }

    /// As [`TridiagonalPlan::bind`], with inputs by name: `lower`, `diag`, `upper` and `rhs`, except what the plan computes, and the vectors and
    /// textures of its formulas. A symmetric matrix needs no `lower`. Vectors of formulas start at multiples of the device's
    /// `min_storage_buffer_offset_alignment`. `x: None` overwrites `rhs`.
    ///
    /// If x is a texture, its texel in column `a` and row `b` gets the entries of x from `(b * width + a) * channels` on, as
    /// [`Shape::pixels`](super::Shape::pixels) lays them out: a last dispatch copies them from a buffer, which this call allocates and the bound
    /// solve holds. Channels that x does not have are 0, and the fourth is 1. The residual of such a solve cannot be measured.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::bind`]; [`Error::Options`] for unknown names, missing ones and those given twice, for a vector of what the plan
    /// computes, without x if `rhs` is computed, and for textures of another format, size or usage.
    pub fn bind_named(&self, resources: &[(&str, Resource<'_, T>)], x: Option<Resource<'_, T>>) -> Result<Bound> {
        let bind = |x: Option<DeviceSlice<'_, T>>| {
            self.bind_vectors(&self.named_inputs(resources, x)?.vectors(&self.shape, &self.options.matrix())?)
        };
        match x {
            None => bind(None),
            Some(Resource::Vector(x)) => bind(Some(x)),
            Some(Resource::Texture(view)) => {
                let x = DeviceVector::<T>::new(&self.gpu, "x", self.shape.rhs_len().unwrap_or(usize::MAX))?;
                let writing = texels::writing(&self.gpu, &self.shape, &x, view)?;
                Ok(bind(Some(x.as_slice()))?.and_then(writing))
            }
        }
    }

    /// The inputs with these names.
    pub(super) fn named_inputs<'a>(
        &self,
        resources: &[(&str, Resource<'a, T>)],
        x: Option<DeviceSlice<'a, T>>,
    ) -> Result<Inputs<'a, T>> {
        let (own, sources): (Vec<_>, Vec<_>) = resources.iter().partition(|(name, _)| INPUTS.contains(name));
        let given = |input: usize| {
            let mut found = own.iter().filter(|(name, _)| *name == INPUTS[input]);
            let refused = match (found.next(), found.next(), self.fused.computes(input)) {
                (None, _, true) => return Ok(None),
                (Some((_, Resource::Vector(slice))), None, false) => return Ok(Some(*slice)),
                (Some(_), None, false) => {
                    format!("{0} is a texture: give a vector, or read the texture in a formula of {0}", INPUTS[input])
                }
                (Some(_), _, true) => format!("the plan computes {}: give no vector of it", INPUTS[input]),
                (None, _, false) => format!("no vector {} is given, and the plan has no formula of it", INPUTS[input]),
                (Some(_), Some(_), false) => format!("the vector {} is given twice", INPUTS[input]),
            };
            Err(Error::Options(refused))
        };
        let upper = given(2)?;
        let lower = match self.options.structure {
            Structure::Symmetric if own.iter().any(|(name, _)| *name == INPUTS[0]) => {
                let message = "lower is not read: in Structure::Symmetric, upper stands for it".into();
                return Err(Error::Options(message));
            }
            Structure::Symmetric => upper,
            _ => given(0)?,
        };
        let given = [lower, given(1)?, upper, given(RHS)?];
        let (mut of_formulas, mut textures) = (vec![], vec![]);
        let named: Vec<_> = sources.iter().map(|&(name, source)| (name, (name, source))).collect();
        for (name, source) in self.fused.bound(&self.fused.matched(&named, "give it once")?) {
            match source {
                Resource::Vector(vector) if !self.fused.is_texture(name) => {
                    check_binding(&self.gpu, "a vector of the formulas", vector.end() - vector.offset)?;
                    of_formulas.push(vector);
                }
                Resource::Texture(view) if self.fused.is_texture(name) => {
                    texels::check_source(name, view)?;
                    textures.push(view);
                }
                Resource::Vector(_) => {
                    return Err(Error::Options(format!("{name} is a texture of the formulas, but a vector is given")));
                }
                Resource::Texture(_) => {
                    return Err(Error::Options(format!("{name} is a vector of the formulas, but a texture is given")));
                }
            }
        }
        Ok(Inputs { given, of_formulas, textures, x })
    }

    /// Runs the plan once, on vectors of zeros that it allocates and frees. Drivers may leave part of their work to the first dispatch of a
    /// kernel; after this, a bind compiles nothing if its vectors start at multiples of the device's
    /// `min_storage_buffer_offset_alignment`, if it is in place as [`Options::in_place`] says, and if x is no texture. Formulas compute with
    /// the zeros. Waits for the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`], [`Error::Kernel`].
    pub fn warm_up(&self) -> Result<()> {
        let gpu = &self.gpu;
        let lens = self.options.matrix().bound().named().map(|(_, form)| form.len(&self.shape));
        let right = self.shape.rhs_len().unwrap_or(usize::MAX);
        let zeros = |len| DeviceVector::<T>::new(gpu, "zeros", len);
        let of_matrix = lens.iter().flatten().max().map_or(4, |len| *len.max(&4));
        let (matrix, rhs) = (zeros(of_matrix)?, zeros(right)?);
        let x = if self.options.in_place { None } else { Some(zeros(right)?) };
        let view = texels::of_zeros(gpu)?;
        let slice =
            |input: usize, len: Option<usize>| Some(matrix.slice(0, len?)).filter(|_| !self.fused.computes(input));
        let [lower, diag, upper] = [0, 1, 2].map(|input| slice(input, lens[input]));
        let sources =
            self.fused.bound(&self.fused.sources().map(|name| self.fused.is_texture(name)).collect::<Vec<_>>());
        let textures = sources.iter().filter(|is_texture| **is_texture).map(|_| &view).collect();
        let of_formulas = sources.iter().filter(|is_texture| !**is_texture).map(|_| matrix.slice(0, 4)).collect();
        let rhs = Some(rhs.as_slice()).filter(|_| !self.fused.computes(RHS));
        let given = [lower, diag, upper, rhs];
        let inputs = Inputs { given, of_formulas, textures, x: x.as_ref().map(DeviceVector::as_slice) };
        self.bind_vectors(&inputs.vectors(&self.shape, &self.options.matrix())?)?.submit()?;
        gpu.wait()
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

    fn bind_vectors(&self, vectors: &Vectors<'_, T>) -> Result<Bound> {
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
