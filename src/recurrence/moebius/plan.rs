//! Plans: kernels compiled for a shape, with their scratch.

use std::marker::PhantomData;
use std::sync::Arc;

use super::kernels::{MoebiusAccess, permutation};
use super::options::Options;
use super::programs::{Program, one_pass, three_launch};
use super::system::DeviceMoebius;
use crate::check::Turns;
use crate::error::{Error, Result};
use crate::gpu::{CompiledKernel, Gpu, Stopwatch, Timing};
use crate::plan::{Bound, RowAccess, Shape, bind, check_scratch, check_sequences, plan_accessors};
use crate::real::Real;
use crate::recurrence::launches::check_digits;
use crate::recurrence::look_back::check_one_pass;
use crate::recurrence::{Algorithm, Direction};
use crate::shader::Permutation;

/// Moebius recurrences of every sequence of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches. Solves bound from one plan share it, which is safe on the device's one queue.
#[derive(Debug)]
pub struct MoebiusPlan<T> {
    pub(super) gpu: Gpu,
    pub(super) shape: Shape,
    pub(super) options: Options,
    algorithm: Algorithm,
    program: Program,
    scratch: Vec<wgpu::Buffer>,
    /// Keeps the kernels in memory until `bind` asks for them.
    _kernels: Vec<Arc<CompiledKernel>>,
    withheld: Option<u32>,
    pub(super) turns: Turns,
    timing: Timing,
    marker: PhantomData<T>,
}

impl<T: Real> MoebiusPlan<T> {
    /// Compiles the kernels and allocates the scratch.
    ///
    /// Costs the compilation of the kernels that the `Gpu` does not have: in parallel, by the driver, milliseconds to a second each; otherwise
    /// some tenths of a millisecond. A frame should not wait for it: make the plan in another thread, or compile ahead by
    /// [`Gpu::warm_up`]. [`MoebiusPlan::timing`] says what it took.
    ///
    /// # Errors
    /// [`Error::Shape`] for sizes of 0, strides that make entries share a place, or several columns;
    /// [`Error::Limit`] where a vector or the scratch is larger than one binding; [`Error::Unsupported`]
    /// for f64 without `SHADER_F64` or 64-bit integers, and for [`Algorithm::OnePass`] if sequences lie closer than rows;
    /// [`Error::Options`] for `Check::Sampled(0)`, for an algorithm of linear recurrences only, and for [`Algorithm::OnePass`] with
    /// `deterministic` or [`Place::Cpu`](crate::Place::Cpu); [`Error::OutOfMemory`]; [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, shape: Shape, options: Options) -> Result<Self> {
        let mut watch = Stopwatch::start();
        let (algorithm, program) = chosen::<T>(gpu, &shape, &options)?;
        let permutations = permutations::<T>(&program, &shape, &options, [false; 5]);
        let (kernels, scratch) = program.prepare(gpu, &permutations)?;
        watch.lap(|timing| &mut timing.planning);
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            options,
            algorithm,
            program,
            scratch,
            _kernels: kernels,
            withheld: None,
            turns: Turns::default(),
            timing: watch.timing(),
            marker: PhantomData,
        })
    }

    plan_accessors!();

    /// The algorithm that was chosen; never [`Algorithm::Auto`].
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// In later binds, one slice publishes nothing in one pass, as if its workgroup had stopped; with u32::MAX - 1, all.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn withhold(&mut self, slice: usize) {
        self.withheld = u32::try_from(slice).ok();
    }

    /// Bytes of device memory that a solve reads and writes for a row, with coefficients from vectors.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters, constants and status words. Compiles again if a
    /// coefficient or the initial value is constant, or if inputs share a buffer with w. Recording the result allocates nothing.
    ///
    /// In the [`Status`](crate::recurrence::Status), the non-finite result is the least row whose value is 0/0 (as are the values after
    /// it), or follows from an input that is not finite. Infinite values are answers.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Overlap`], [`Error::Options`]
    /// if w should overwrite coefficients that are no vectors, or for a computed coefficient.
    pub fn bind(&self, moebius: &DeviceMoebius<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, scratch, .. } = self;
        gpu.alive()?;
        let bindable = moebius.bindable(gpu)?;
        let vectors = moebius.vectors(shape, &bindable)?;
        bind(gpu, shape, program, scratch, &vectors, |kernel, rows, writable_inputs| {
            let (reverse, constants) = (self.options.direction == Direction::Reverse, moebius.constants());
            let withheld = self.withheld;
            permutation(kernel, T::PRECISION, MoebiusAccess { rows, writable_inputs, reverse, constants, withheld })
        })
    }
}

/// Checks what was asked for, and chooses an algorithm.
fn chosen<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<(Algorithm, Program)> {
    let params = check_sequences::<T>(gpu, shape, "each of a, b, c, d and w")?;
    options.check.validate()?;
    // Refuses the CPU for an algorithm that only a device follows.
    options.is_on_cpu()?;
    let capabilities = gpu.proven_capabilities()?;
    check_digits(capabilities, T::PRECISION, "Moebius recurrences", "cpu::moebius")?;
    let (algorithm, program) = match options.algorithm {
        Algorithm::OnePass => {
            check_one_pass(options.deterministic, &params)?;
            (Algorithm::OnePass, one_pass(capabilities, T::PRECISION, params))
        }
        Algorithm::Auto | Algorithm::ThreeLaunch => {
            (Algorithm::ThreeLaunch, three_launch(capabilities, T::PRECISION, params))
        }
        linear @ (Algorithm::PScheme | Algorithm::Overlapped) => {
            return Err(Error::Options(format!(
                "{linear} for Moebius recurrences: it takes linear ones alone; take auto, one-pass or three-launch"
            )));
        }
    };
    for scratch in &program.scratch {
        check_scratch(gpu, "Moebius recurrences", scratch.bytes, T::PRECISION)?;
    }
    Ok((algorithm, program))
}

/// The kernels of a program, for inputs in other buffers than w.
fn permutations<T: Real>(
    program: &Program,
    shape: &Shape,
    options: &Options,
    constants: [bool; 5],
) -> Vec<Permutation> {
    let reverse = options.direction == Direction::Reverse;
    let form = MoebiusAccess { rows: RowAccess::of(shape), reverse, constants, ..MoebiusAccess::default() };
    program.steps.iter().map(|step| permutation(step.kernel, T::PRECISION, form)).collect()
}

/// The kernels of a plan, for coefficients from vectors and an initial value of either kind.
///
/// # Errors
/// As [`MoebiusPlan::new`].
pub(crate) fn upcoming<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<Vec<Permutation>> {
    let (_, program) = chosen::<T>(gpu, shape, options)?;
    let of = |initial| permutations::<T>(&program, shape, options, [false, false, false, false, initial]);
    Ok([false, true].into_iter().flat_map(of).collect())
}
