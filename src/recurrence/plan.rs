//! Plans: an algorithm chosen for a shape, compiled, with its scratch.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use super::formulas::{self, Formulas};
use super::kernels::{RecurrenceAccess, RecurrenceKernel};
use super::launches::check_digits;
use super::one_pass::{OnePassTree, check_one_pass};
use super::options::{Algorithm, Direction, Options};
use super::overlapped;
use super::p_scheme;
use super::policy::Policy;
use super::programs::{Program, map_bytes, program};
use super::system::{Constants, DeviceCoefficient, DeviceRecurrence};
use crate::check::Turns;
use crate::error::{Error, Result};
use crate::formulas::Fused;
use crate::gpu::{CompiledKernel, Gpu, Stopwatch, Timing};
use crate::plan::{
    Bound, Params, RowAccess, Shape, Step, bind, check_binding, check_overlapped_layout, check_scratch,
    check_sequences, plan_accessors, sequence_slicing,
};
use crate::precision::Precision;
use crate::real::Real;
use crate::shader::Permutation;

/// Recurrences of every sequence of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches. Solves bound from one plan share it, which is safe on the device's one queue.
#[derive(Debug)]
pub struct RecurrencePlan<T> {
    pub(super) gpu: Gpu,
    pub(super) shape: Shape,
    pub(super) options: Options,
    pub(super) algorithm: Algorithm,
    policy: Option<Policy>,
    program: Program,
    pub(super) formulas: Formulas,
    pub(super) fused: Fused,
    /// Plans that compute the values of s and of t by their formulas, for the judge of host solves.
    pub(super) values: [OnceLock<Box<Self>>; 2],
    /// Keeps the kernels in memory until `bind` asks for them.
    _kernels: Vec<Arc<CompiledKernel>>,
    scratch: Vec<wgpu::Buffer>,
    withheld: Option<u32>,
    pub(super) turns: Turns,
    timing: Timing,
    marker: PhantomData<T>,
}

impl<T: Real> RecurrencePlan<T> {
    /// Chooses an algorithm, compiles its kernels and allocates its scratch.
    ///
    /// Costs the compilation of the kernels that the `Gpu` does not have: in parallel, by the driver, milliseconds to a second each; otherwise
    /// some tenths of a millisecond. A frame should not wait for it: make the plan in another thread, or compile ahead by
    /// [`Gpu::warm_up`]. [`RecurrencePlan::timing`] says what it took.
    ///
    /// # Errors
    /// [`Error::Shape`] for sizes of 0, strides that make entries share a place, or several columns; [`Error::Limit`] if a vector or the
    /// scratch is larger than one binding; [`Error::Unsupported`] for f64 without `SHADER_F64` or 64-bit integers, and for
    /// [`Algorithm::OnePass`] if sequences lie closer than rows, and for [`Algorithm::Overlapped`] if rows lie closer than sequences or a
    /// coefficient is computed; [`Error::Options`] for [`Algorithm::OnePass`] with `deterministic`, and
    /// for a policy of another algorithm or with an illegal number ([`Error::Limit`] for one too large for the device), and for
    /// `Check::Sampled(0)`;
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, shape: Shape, options: Options) -> Result<Self> {
        Self::with_formulas(gpu, shape, options, &Formulas::default())
    }

    /// As [`RecurrencePlan::new`], with computed coefficients; each solve or bind gets the vectors of the formulas.
    ///
    /// Each vector of the formulas takes one storage buffer in the kernels. WebGPU guarantees 8: one pass takes 6 and three launches at
    /// most 5, less one per computed coefficient.
    ///
    /// # Errors
    /// As [`RecurrencePlan::new`]; [`Error::Formula`] with the place in a formula; [`Error::Limit`] for more vectors
    /// than a kernel can have; [`Error::Options`] as [`Formulas::check`].
    pub fn with_formulas(gpu: &Gpu, shape: Shape, options: Options, formulas: &Formulas) -> Result<Self> {
        let mut watch = Stopwatch::start();
        let Chosen { algorithm, policy, program, fused } = chosen::<T>(gpu, &shape, &options, formulas)?;
        let permutations = permutations(T::PRECISION, &shape, &options, (&program, &fused), Constants::default());
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
            formulas: formulas.clone(),
            fused,
            values: [const { OnceLock::new() }; 2],
            _kernels: kernels,
            withheld: None,
            turns: Turns::default(),
            timing: watch.timing(),
            marker: PhantomData,
        })
    }

    /// The algorithm's division of its work, if it has parameters.
    pub fn policy(&self) -> Option<Policy> {
        self.policy
    }

    plan_accessors!();

    /// The algorithm that was chosen; never [`Algorithm::Auto`].
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Bytes of device memory that a solve reads and writes per row, for coefficients that are vectors or computed; vectors of formulas are
    /// not counted, nor rows that [`Algorithm::Overlapped`] reads twice, whose number depends on the coefficients. Where that algorithm runs its three
    /// launches, a solve moves 20 bytes in place of 12 (f32).
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// Number of times that a solve reads each coefficient, or moves it within device memory.
    pub fn reads(&self) -> f64 {
        match self.policy {
            Some(Policy::PScheme(policy)) => p_scheme::coefficient_moves(policy),
            // In place, or if the three launches follow, twice or three times.
            None if self.algorithm == Algorithm::Overlapped => 1.0,
            None if self.program.steps.len() > 1 => 2.0,
            None => 1.0,
        }
    }

    /// In later binds, one slice publishes nothing in one pass, as if its workgroup had stopped; with u32::MAX - 1, all.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn withhold(&mut self, slice: usize) {
        self.withheld = u32::try_from(slice).ok();
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters, constants and status words. Compiles again if a
    /// coefficient or the initial value is constant, or if inputs share a buffer with w. Recording the result allocates nothing.
    ///
    /// Only the input's part of the [`Status`](crate::tridiagonal::Status) is used: values that grow to infinity are answers.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Overlap`], [`Error::Options`]
    /// if w should overwrite coefficients that are no vectors, or if the computed coefficients or their vectors differ from the plan's
    /// formulas; [`Error::Limit`] for a vector of the formulas that is larger than one binding.
    pub fn bind(&self, recurrence: &DeviceRecurrence<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, fused, scratch, .. } = self;
        gpu.alive()?;
        let read = fused.bound(&formulas::matched(fused, recurrence.computed())?);
        for vector in &read {
            check_binding(gpu, "a vector of the formulas", vector.end() - vector.offset)?;
        }
        let bindable = recurrence.bindable(gpu)?;
        let vectors = recurrence.vectors(shape, &bindable, &read)?;
        let reverse = self.options.direction == Direction::Reverse;
        let constants = formulas::without_vectors(fused, recurrence.constants());
        let program = match recurrence.s {
            DeviceCoefficient::Constant(s) if !overlapped::forgets(T::PRECISION, s.to_f64()) => program.as_in_place(),
            _ => Cow::Borrowed(program),
        };
        bind(gpu, shape, &program, scratch, &vectors, |kernel, rows, writable_inputs| {
            let withheld = self.withheld;
            let form = RecurrenceAccess { rows, writable_inputs, reverse, constants, withheld };
            formulas::permutation(fused, kernel.permutation(T::PRECISION, form))
        })
    }
}

/// What a plan is made of.
struct Chosen {
    algorithm: Algorithm,
    policy: Option<Policy>,
    program: Program,
    fused: Fused,
}

/// Checks what was asked for, and chooses an algorithm.
fn chosen<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options, given: &Formulas) -> Result<Chosen> {
    let params = check_sequences::<T>(gpu, shape, "each of s, t and w")?;
    options.check.validate()?;
    let fused = given.fused(T::PRECISION)?.on(gpu);
    // Refuses the CPU for options that only a device follows.
    let computed = fused.computes(0) || fused.computes(1);
    options.is_on_cpu(computed)?;
    let capabilities = gpu.proven_capabilities()?;
    let sequence_slicing = sequence_slicing(capabilities, T::PRECISION, &params, map_bytes(T::PRECISION));
    let one_pass_tree = OnePassTree::of(capabilities, T::PRECISION, &params, (RowAccess::of(shape), !computed));
    let divided = (sequence_slicing, one_pass_tree);
    check_digits(capabilities, T::PRECISION, "recurrences", "cpu::recurrence")?;
    let one_pass = check_one_pass(options.deterministic, &params).is_ok();
    let several_or_faster = sequence_slicing.slices > 1 || one_pass_tree.is_faster(params.n, RowAccess::of(shape));
    let fused_program = |algorithm| formulas::program(&fused, program(algorithm, T::PRECISION, divided, params));
    let fits = |algorithm: Algorithm| fused.check_vectors(gpu, algorithm.name(), &fused_program(algorithm));
    let algorithm = match options.algorithm {
        Algorithm::Auto if one_pass && several_or_faster && fits(Algorithm::OnePass).is_ok() => Algorithm::OnePass,
        Algorithm::Auto if !computed && overlapped::is_faster(capabilities, T::PRECISION, params) => {
            Algorithm::Overlapped
        }
        Algorithm::Auto => Algorithm::ThreeLaunch,
        Algorithm::OnePass => {
            check_one_pass(options.deterministic, &params)?;
            Algorithm::OnePass
        }
        Algorithm::Overlapped => {
            check_overlapped_layout(&params)?;
            if computed {
                return Err(Error::Unsupported {
                    what: "overlapped with formulas".into(),
                    hint: "give s and t as vectors or constants, or take three-launch or auto".into(),
                });
            }
            Algorithm::Overlapped
        }
        named => named,
    };
    let policy = policy(gpu, T::PRECISION, options, &params)?;
    let program = match policy {
        Some(Policy::PScheme(policy)) => {
            fused.check_rows(gpu, params.n.div_ceil(policy.chunks(params.n).max(1)))?;
            let plain = p_scheme::program(capabilities, T::PRECISION, policy, params)?;
            let computed = [0, 1].into_iter().filter(|&at| fused.computes(at)).count() as f64;
            let values_per_row = plain.values_per_row - computed * p_scheme::coefficient_moves(policy);
            Program { values_per_row, ..formulas::program(&fused, plain) }
        }
        None if algorithm == Algorithm::Overlapped => {
            overlapped::program(capabilities, T::PRECISION, sequence_slicing, params)
        }
        None => fused_program(algorithm),
    };
    fused.check_vectors(gpu, algorithm.name(), &program)?;
    for scratch in &program.scratch {
        check_scratch(gpu, algorithm.name(), scratch.bytes, T::PRECISION)?;
    }
    Ok(Chosen { algorithm, policy, program, fused })
}

/// The kernels of a program, for vectors and the constants that are given.
fn permutations(
    precision: Precision,
    shape: &Shape,
    options: &Options,
    (program, fused): (&Program, &Fused),
    given: Constants,
) -> Vec<Permutation> {
    let form = RecurrenceAccess {
        rows: RowAccess::of(shape),
        reverse: options.direction == Direction::Reverse,
        constants: formulas::without_vectors(fused, given),
        ..RecurrenceAccess::default()
    };
    let permutation =
        |step: &Step<RecurrenceKernel>| formulas::permutation(fused, step.kernel.permutation(precision, form));
    program.steps.iter().map(permutation).collect()
}

/// The kernels of a plan without formulas, for coefficients from vectors and an initial value of either kind.
///
/// # Errors
/// As [`RecurrencePlan::new`].
pub(crate) fn upcoming<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<Vec<Permutation>> {
    let Chosen { program, fused, .. } = chosen::<T>(gpu, shape, options, &Formulas::default())?;
    let of = |initial| {
        let given = Constants { initial, ..Constants::default() };
        permutations(T::PRECISION, shape, options, (&program, &fused), given)
    };
    Ok([false, true].into_iter().flat_map(of).collect())
}

/// The caller's policy, else the default; `None` for algorithms without policies.
fn policy(gpu: &Gpu, precision: Precision, options: &Options, params: &Params) -> Result<Option<Policy>> {
    match (options.algorithm, options.policy) {
        // A policy built by hand may hold any number.
        (Algorithm::PScheme, Some(policy)) => policy.with_values(&policy.values()).map(Some),
        (Algorithm::PScheme, None) => Ok(Some(p_scheme::default_policy(gpu, precision, params).into())),
        (_, None) => Ok(None),
        (algorithm, Some(policy)) => Err(Error::Options(format!(
            "{policy} is a policy of {}, not of {algorithm}: name that algorithm",
            policy.algorithm()
        ))),
    }
}
