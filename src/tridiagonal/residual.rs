//! Accuracy of a solution: residuals and error bounds, computed on the device.

use rayon::prelude::*;

use super::bounds::{Bounds, Dominance};
use super::formulas;
use super::kernels::parts::*;
use super::kernels::{Access, Assembly, Kernel, Properties};
#[cfg(feature = "internals")]
use super::kernels::{Gate, all};
use super::options::{Diagonal, Options};
use super::plan::TridiagonalPlan;
use super::system::{DeviceSystem, Inputs, System};
use super::texels::Resource;
use crate::arithmetic::{exponent, quotient, times_power};
use crate::cpu;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, ReadBack, Received, Stage, whole_buffer};
use crate::judge::answer::largest;
use crate::plan::{Offsets, Params, Shape, Slot};
use crate::precision::Precision;
use crate::real::Real;
use crate::shader::{Permutation, parts};

/// Rows per workgroup.
const SEGMENT: u32 = 4096;
/// Most threads per problem.
const LARGEST_WORKGROUP: usize = 256;

/// Fewer right-hand sides are measured on one core: others would wake too late to help.
const PROBLEMS_OF_ONE_CORE: usize = 1024;

/// Values that a workgroup writes: scale and sum of squares of five vectors, then five bounds.
const PARTIAL: usize = 15;
/// Where the bounds begin.
const BOUNDS: usize = 10;

/// Measures of a solution, in 2-norms and the plan's precision, of the worst right-hand side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Residuals {
    /// ||d - A x|| / ||d||. For an ill-conditioned matrix it is also large for a correct x, if ||A|| ||x|| is far above ||d||.
    pub relative: f64,
    /// ||d - A x|| / || |A| |x| + |d| ||, each row divided by its largest coefficient: the relative change of the system that x solves
    /// exactly. The best possible solution has a few units of roundoff.
    pub backward_error: f64,
    /// The system of the largest backward error.
    pub system: usize,
}

/// The largest backward error that tuning accepts, in units of roundoff. Dominant systems stay below ten; a larger error indicates small
/// pivots in elimination.
pub const TOLERATED_BACKWARD_ERROR: f64 = 100.0;

/// Measures of all right-hand sides.
pub(super) struct Measured {
    /// The worst right-hand side's.
    pub residuals: Residuals,
    /// Bounds of each right-hand side.
    pub bounds: Vec<Bounds>,
}

/// The dispatches that measure vectors, made once for many solves.
#[derive(Debug)]
pub(super) struct Measuring {
    parts: Vec<Part>,
}

/// The segments that one buffer of norms holds.
#[derive(Debug)]
struct Part {
    stage: Stage,
    norms: wgpu::Buffer,
    bytes: u64,
}

impl Measuring {
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.parts.iter().for_each(|part| part.stage.record(pass));
    }

    /// What the host reads: buffers, offsets and bytes.
    pub fn ranges(&self) -> impl Iterator<Item = (&wgpu::Buffer, u64, u64)> {
        self.parts.iter().map(|part| (&part.norms, 0, part.bytes))
    }
}

impl<T: Real> TridiagonalPlan<T> {
    /// Measures x against the current matrices and right-hand sides. Submits, and waits.
    ///
    /// # Errors
    /// [`Error::Options`] for a system solved in place, whose right-hand side is overwritten; the errors of [`TridiagonalPlan::bind`];
    /// [`Error::DeviceLost`].
    pub fn residuals(&self, system: &DeviceSystem<'_, T>) -> Result<Residuals> {
        self.check_without_formulas("vectors of all inputs")?;
        self.residuals_of(&system.into())
    }

    /// As [`TridiagonalPlan::residuals`], with inputs by name, as [`TridiagonalPlan::bind_named`] takes them.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::residuals`] and [`TridiagonalPlan::bind_named`].
    pub fn residuals_named(&self, resources: &[(&str, Resource<'_, T>)], x: DeviceSlice<'_, T>) -> Result<Residuals> {
        self.residuals_of(&self.named_inputs(resources, Some(x))?)
    }

    fn residuals_of(&self, inputs: &Inputs<'_, T>) -> Result<Residuals> {
        self.gpu.alive()?;
        inputs.vectors(&self.shape, &self.options.matrix())?.check(&self.gpu)?;
        let measuring = self.measuring(inputs)?;
        let read_back = ReadBack::new(&self.gpu, measuring.ranges())?;
        let copies =
            self.gpu.submit_read("the residual", (&read_back, read_back.ranges()), |pass| measuring.record(pass))?;
        self.gpu.wait()?;
        let received = read_back.received(&self.gpu, copies, |received| self.measured(received, 0));
        pollster::block_on(received).map(|measured| measured.residuals)
    }

    fn slices(&self) -> usize {
        self.shape.n.div_ceil(SEGMENT as usize)
    }

    /// The partial norms, in as many buffers as they need.
    pub(super) fn measuring(&self, inputs: &Inputs<'_, T>) -> Result<Measuring> {
        if inputs.x.is_none() {
            return Err(Error::Options(
                "the residual needs the right-hand side, which an in-place solve replaced".into(),
            ));
        }
        let gpu = &self.gpu;
        let shape = &self.shape;
        let vectors = inputs.vectors(shape, &self.options.matrix())?;
        let kernel = residual_permutation(T::PRECISION, shape, &self.options, vectors.have_offsets(gpu));
        let kernel = gpu.kernel(&formulas::permutation(&self.fused, kernel))?;
        let mut textures = vec![];
        let mut placed = vec![(6, &vectors.output)];
        for slot in self.fused.slots() {
            match slot {
                Slot::InputAt { binding, index } => placed.push((binding, &vectors.inputs[index])),
                Slot::Texture { binding, index } => textures.push((binding, vectors.textures[index])),
                _ => {}
            }
        }
        let segments = shape.problems() * self.slices();
        let bytes = PARTIAL as u64 * T::PRECISION.bytes();
        let most = (gpu.capabilities().limits.max_storage_buffer_binding_size / bytes).max(1);
        let mut parts = Vec::new();
        for start in (0..segments).step_by(usize::try_from(most).unwrap_or(usize::MAX)) {
            let count = (segments - start).min(usize::try_from(most).unwrap_or(usize::MAX));
            let params = Params {
                slices: self.slices() as u32,
                workgroups: count as u32,
                steps: start as u32,
                ..Params::new(shape)
            };
            let params = params.with_offsets(gpu, &placed);
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
            let norms = gpu.allocate("partial norms", count as u64 * bytes, usage)?;
            let uniform = gpu.uniform("residual parameters", bytemuck::bytes_of(&params))?;
            let mut bindings = vec![(0, whole_buffer(&uniform)), (7, whole_buffer(&norms))];
            bindings.extend(placed.iter().map(|(binding, vector)| (*binding, vector.binding(gpu, false))));
            let stage = Stage::with_textures(gpu, "residual", kernel.clone(), &bindings, &textures, count as u64)?;
            parts.push(Part { stage, norms, bytes: count as u64 * bytes });
        }
        Ok(Measuring { parts })
    }

    /// From the copies of [`Measuring::ranges`], the first of which is the range `first`.
    pub(super) fn measured(&self, received: &Received<'_>, first: usize) -> Measured {
        let partial: Vec<T> = (first..received.ranges()).flat_map(|range| received.values(range)).collect();
        let of_problem = |slices: &[T]| (residuals_of(slices), bounds_of(slices));
        let numbers = PARTIAL * self.slices();
        let (residuals, bounds): (Vec<_>, Vec<_>) = match self.shape.problems() < PROBLEMS_OF_ONE_CORE {
            true => partial.chunks(numbers).map(of_problem).unzip(),
            false => partial.par_chunks(numbers).map(of_problem).unzip(),
        };
        Measured { residuals: Residuals::largest(residuals.into_iter(), self.shape.columns), bounds }
    }
}

/// The kernel that measures the systems of a plan.
pub(super) fn residual_permutation(
    precision: Precision,
    shape: &Shape,
    options: &Options,
    offsets: bool,
) -> Permutation {
    let workgroup = shape.n.min(LARGEST_WORKGROUP).next_power_of_two().max(4) as u32;
    let (matrix, own_right) = (options.matrix(), shape.has_own_right());
    let access = Access { matrix, own_right, offsets, ..Access::default() };
    ResidualKernel { workgroup }.permutation(precision, access)
}

impl Residuals {
    /// The largest of the relative residuals and backward errors of all right-hand sides; NaN if any is NaN.
    fn largest(problems: impl Iterator<Item = [f64; 2]>, columns: usize) -> Self {
        let mut worst = Self { relative: 0.0, backward_error: 0.0, system: 0 };
        for (problem, [relative, backward]) in problems.enumerate() {
            if relative.is_nan() || relative > worst.relative {
                worst.relative = relative;
            }
            if backward.is_nan() || backward > worst.backward_error {
                worst.backward_error = backward;
                worst.system = problem / columns;
            }
            if backward.is_nan() {
                break;
            }
        }
        worst
    }

    /// Computed on the CPU: products that overflow in T do not spoil them.
    pub(super) fn on_cpu<T: Real>(shape: &Shape, system: &System<'_, T>, x: &[T], rhs: &[T]) -> Self {
        let of = |problem: usize| {
            let (at, column) = (problem / shape.columns, problem % shape.columns);
            let vector = |values: &[T]| -> Vec<f64> {
                (0..shape.n).map(|row| values[shape.rhs_index(at, column, row)].to_f64()).collect()
            };
            let [x, rhs] = [x, rhs].map(vector);
            let size = largest(x.iter().chain(&rhs).copied());
            // Far from the end of the range of f64, in which the sums are formed.
            let power = -exponent(size).filter(|_| T::PRECISION == Precision::F64).map_or(0, |power| power + 64);
            let scaled = |values: &[f64]| -> Vec<T> {
                values.iter().map(|value| T::from_f64(times_power(*value, power))).collect()
            };
            let (lower, diag, upper) = system.diagonals(shape, at);
            let is_excess = system.kind == Diagonal::Excess;
            let measures =
                cpu::measures([&lower, &diag, &upper], &scaled(&x), &scaled(&rhs), is_excess, system.periodic);
            [measures.relative_residual, measures.backward_error]
        };
        Self::largest((0..shape.problems()).map(of), shape.columns)
    }
}

/// The relative residual and the backward error of a right-hand side.
fn residuals_of<T: Real>(slices: &[T]) -> [f64; 2] {
    // Of numbers of each slice: their largest m, and the sum of their squares relative to m squared.
    let norm = |at: usize| {
        let parts = || slices.chunks(PARTIAL).map(|partial| [partial[at], partial[at + 1]].map(T::to_f64));
        let most = largest(parts().map(|[most, _]| most));
        match most > 0.0 && most.is_finite() {
            true => most * parts().map(|[part, squares]| (part / most).powi(2) * squares).sum::<f64>().sqrt(),
            false => most * parts().map(|[_, squares]| squares).sum::<f64>(),
        }
    };
    // Below this, numbers have no digits left.
    let smallest = 8.0 * T::PRECISION.least_normal();
    let [residual, right] = [norm(0), norm(2)];
    let [scaled, size] = [norm(4), 8.0 * norm(6)];
    let relative = quotient(residual, right);
    // If rows divided by their coefficients underflow, so does x.
    [relative, if size < smallest { relative } else { quotient(scaled, size) }]
}

fn bounds_of<T: Real>(slices: &[T]) -> Bounds {
    let most = |at: usize| {
        let values = slices.chunks(PARTIAL).map(|partial| partial[BOUNDS + at].to_f64());
        // NaN stays.
        values.fold(0.0, |most: f64, value| if value > most || value.is_nan() { value } else { most })
    };
    let [size, error, dominance, along, against] = [0, 1, 2, 3, 4].map(most);
    // The classes of `residual.wgsl`.
    let dominance = match dominance {
        0.0 => Dominance::Regular,
        1.0 => Dominance::Irregular,
        _ => Dominance::None,
    };
    Bounds { size, error, dominance, signs: [along > 0.0, against > 0.0], is_valid: true }
}

parts! {
    RESIDUAL = "tridiagonal/residual";
}

/// The kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResidualKernel {
    workgroup: u32,
}

impl Kernel for ResidualKernel {
    fn properties(self) -> Properties {
        Properties::new(true, false, false)
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let parts = [&with.caller[..], &[RESIDUAL, ENTRY]].concat();
        with.permutation("residual", parts, vec![("SEGMENT", SEGMENT)], vec![("WORKGROUP", self.workgroup)])
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        vec![(Self { workgroup: all::WORKGROUP }, vec![Gate::Open])]
    }
}
