//! Plans: kernels compiled for a shape, with their scratch.

use std::marker::PhantomData;
use std::sync::Arc;

use super::kernels::{INITIAL_AT, MAP_VALUES, MoebiusAccess, POINT_VALUES, permutation, rows_each};
use super::system::DeviceMoebius;
use crate::check::{Check, Turns};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::{CompiledKernel, Gpu, Stopwatch, Timing};
use crate::place::Place;
use crate::plan::{
    Bound, Program, RowAccess, Shape, Slot, WORKGROUP, bind, check_scratch, check_sequences, plan_accessors,
    sequence_slicing_over, workgroup,
};
use crate::real::Real;
use crate::recurrence::Direction;
use crate::recurrence::launches::{Bindings, LaunchKernel, MapBytes, check_digits, push};
use crate::shader::Permutation;

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Options {
    /// Direction: in reverse, w\[i\] follows from w\[i+1\].
    pub direction: Direction,
    /// Which host solves check their answers: [`MoebiusPlan::solve`](super::MoebiusPlan::solve) states the costs and the guarantees.
    pub check: Check,
    /// Where host solves run.
    pub place: Place,
}

impl Options {
    /// These options with another direction.
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }

    /// These options with another choice of the host solves that check their answers.
    pub fn check(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// These options with another place of host solves.
    pub fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// Whether host solves run on the CPU. Both places support all options.
    pub(super) fn is_on_cpu(&self) -> bool {
        self.place != Place::Device
    }
}

/// Moebius recurrences of every sequence of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches. Solves bound from one plan share it, which is safe on the device's one queue.
#[derive(Debug)]
pub struct MoebiusPlan<T> {
    pub(super) gpu: Gpu,
    pub(super) shape: Shape,
    pub(super) options: Options,
    program: Program<LaunchKernel>,
    scratch: Vec<wgpu::Buffer>,
    /// Keeps the kernels in memory until `bind` asks for them.
    _kernels: Vec<Arc<CompiledKernel>>,
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
    /// for f64 without `SHADER_F64` or 64-bit integers; [`Error::Options`] for `Check::Sampled(0)`; [`Error::OutOfMemory`]; [`Error::DeviceLost`];
    /// [`Error::Kernel`].
    pub fn new(gpu: &Gpu, shape: Shape, options: Options) -> Result<Self> {
        let mut watch = Stopwatch::start();
        let program = chosen::<T>(gpu, &shape, &options)?;
        let permutations = permutations::<T>(&program, &shape, &options, [false; 5]);
        let (kernels, scratch) = program.prepare(gpu, &permutations)?;
        watch.lap(|timing| &mut timing.planning);
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            options,
            program,
            scratch,
            _kernels: kernels,
            turns: Turns::default(),
            timing: watch.timing(),
            marker: PhantomData,
        })
    }

    plan_accessors!();

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
            permutation(kernel, T::PRECISION, MoebiusAccess { rows, writable_inputs, reverse, constants })
        })
    }
}

/// Checks what was asked for, and divides the work.
fn chosen<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<Program<LaunchKernel>> {
    let params = check_sequences::<T>(gpu, shape, "each of a, b, c, d and w")?;
    options.check.validate()?;
    let capabilities = gpu.proven_capabilities()?;
    check_digits(capabilities, T::PRECISION, "Moebius recurrences", "cpu::moebius")?;
    let workgroup = workgroup(capabilities, WORKGROUP);
    let rows = rows_each(T::PRECISION);
    let sequence_slicing = sequence_slicing_over(rows, workgroup, &params).with_shuffles(capabilities);
    let mut program = Program { values_per_row: 5.0, ..Program::default() };
    let bytes = T::PRECISION.bytes();
    let slices = (sequence_slicing.slices > 1).then(|| {
        program.values_per_row = 9.0 + 22.0 / f64::from(rows * sequence_slicing.tree.chunks());
        let in_all = sequence_slicing.in_all(&params) * bytes;
        (program.scratch(MAP_VALUES * in_all), program.scratch(POINT_VALUES * in_all))
    });
    let bindings = Bindings {
        rows: &[0, 1, 2, 3].map(Slot::Input),
        initial: &[Slot::InputAt { binding: INITIAL_AT, index: 4 }],
        values: &[Slot::Status, Slot::Output],
        slices,
        groups: Some(MapBytes { map: MAP_VALUES * bytes, value: POINT_VALUES * bytes }),
    };
    push(&mut program, |kernel| kernel, sequence_slicing, params, bindings);
    for scratch in &program.scratch {
        check_scratch(gpu, "Moebius recurrences", scratch.bytes, T::PRECISION)?;
    }
    Ok(program)
}

/// The kernels of a program, for inputs in other buffers than w.
fn permutations<T: Real>(
    program: &Program<LaunchKernel>,
    shape: &Shape,
    options: &Options,
    constants: [bool; 5],
) -> Vec<Permutation> {
    let reverse = options.direction == Direction::Reverse;
    let form = MoebiusAccess { rows: RowAccess::of(shape), writable_inputs: false, reverse, constants };
    program.steps.iter().map(|step| permutation(step.kernel, T::PRECISION, form)).collect()
}

/// The kernels of a plan, for coefficients from vectors and an initial value of either kind.
///
/// # Errors
/// As [`MoebiusPlan::new`].
pub(crate) fn upcoming<T: Real>(gpu: &Gpu, shape: &Shape, options: &Options) -> Result<Vec<Permutation>> {
    let program = chosen::<T>(gpu, shape, options)?;
    let of = |initial| permutations::<T>(&program, shape, options, [false, false, false, false, initial]);
    Ok([false, true].into_iter().flat_map(of).collect())
}
