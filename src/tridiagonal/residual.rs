//! How good a solution is: residuals, computed on the device.

use super::bound::whole_buffer;
use super::kernels::{Access, KernelId, SEGMENT};
use super::options::Diagonal;
use super::plan::{TridiagonalPlan, check_binding};
use super::program::Params;
use super::system::DeviceSystem;
use crate::error::{Error, Result};
use crate::gpu::{Reading, Stage};
use crate::real::Real;

/// Threads a problem, as far as it has rows for them.
const LARGEST_WORKGROUP: usize = 256;

/// Values a workgroup writes: scale and sum of squares of three vectors.
const PARTIAL: usize = 6;

/// Measures of a solution, in 2-norms and the plan's precision, of the worst right-hand side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Residuals {
    /// ||d - A x|| / ||d||. Large for a correct x, too, where ||A|| ||x|| is far above ||d||.
    pub relative: f64,
    /// ||d - A x|| / || |A| |x| + |d| ||: how far, relatively, the system has to be changed for x
    /// to solve it exactly. A few units of roundoff for a solution that is as good as it can be.
    pub backward_error: f64,
    /// The system of the largest backward error.
    pub system: usize,
}

/// Above this the answer is not to be trusted: elimination met small pivots.
pub(crate) fn tolerated_backward_error<T: Real>() -> f64 {
    1e4 * T::UNIT_ROUNDOFF
}

impl<T: Real> TridiagonalPlan<T> {
    /// Measures x against the matrices and right-hand sides as they are now. Submits, and waits.
    ///
    /// # Errors
    /// [`Error::Options`] for a system solved in place, whose right-hand side is gone; the
    /// errors of [`TridiagonalPlan::bind`]; [`Error::DeviceLost`].
    pub fn residuals(&self, system: &DeviceSystem<'_, T>) -> Result<Residuals> {
        pollster::block_on(async {
            let reading = self.start_residuals(system)?;
            self.gpu.wait()?;
            Ok(self.worst(&reading.wait_async(&self.gpu).await?))
        })
    }

    pub(crate) async fn residuals_async(&self, system: &DeviceSystem<'_, T>) -> Result<Residuals> {
        Ok(self.worst(&self.start_residuals(system)?.wait_async(&self.gpu).await?))
    }

    fn slices(&self) -> usize {
        self.shape.n.div_ceil(SEGMENT as usize)
    }

    fn start_residuals(&self, system: &DeviceSystem<'_, T>) -> Result<Reading<T>> {
        let Some(x) = system.x else {
            return Err(Error::Options(
                "the residual needs the right-hand side, which an in-place solve replaced".into(),
            ));
        };
        // The same checks as for a solve.
        self.bind(system)?;
        let gpu = &self.gpu;
        let shape = &self.shape;
        let count = shape.problems() * self.slices();
        let params = Params { slices: self.slices() as u32, workgroups: count as u32, ..Params::new(shape) };
        let norms_bytes = (PARTIAL * count) as u64 * T::PRECISION.bytes();
        check_binding(gpu, "the residual's partial norms", norms_bytes)?;
        let norms =
            gpu.allocate("partial norms", norms_bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC)?;
        let uniform = gpu.uniform("residual parameters", bytemuck::bytes_of(&params))?;
        let workgroup = shape.n.min(LARGEST_WORKGROUP).next_power_of_two().max(4) as u32;
        let permutation = KernelId::Residual { workgroup }.permutation(
            T::PRECISION,
            Access { excess: self.options.diagonal == Diagonal::Excess, ..Access::default() },
        );
        let mut bindings = vec![(0, whole_buffer(&uniform)), (7, whole_buffer(&norms))];
        let vectors = system.inputs().map(|(_, slice)| slice);
        for (binding, slice) in [1, 2, 3, 4, 6].into_iter().zip(vectors.iter().chain([&x])) {
            bindings.push((binding, slice.binding()));
        }
        let stage = Stage::new(gpu, "residual", gpu.kernel(&permutation)?, &bindings, count as u64)?;
        gpu.submit_pass("the residual", |pass| stage.record(pass))?;
        gpu.start_reading::<T>(&norms, 0, PARTIAL * count)
    }

    /// The largest quotients; NaN if there is one.
    fn worst(&self, partial: &[T]) -> Residuals {
        let norm = |slices: &[T], at: usize| {
            let parts = slices.chunks(PARTIAL).map(|p| p[at].to_f64() * p[at + 1].to_f64().sqrt());
            parts.fold(0.0, |norm: f64, part| norm.hypot(part))
        };
        let quotient = |above: f64, below: f64| if above == 0.0 { 0.0 } else { above / below };
        let mut worst = Residuals { relative: 0.0, backward_error: 0.0, system: 0 };
        for (problem, slices) in partial.chunks(PARTIAL * self.slices()).enumerate() {
            let [residual, size, right] = [norm(slices, 0), 8.0 * norm(slices, 2), norm(slices, 4)];
            let (relative, backward) = (quotient(residual, right), quotient(residual, size));
            if relative.is_nan() || relative > worst.relative {
                worst.relative = relative;
            }
            if backward.is_nan() || backward > worst.backward_error {
                worst.backward_error = backward;
                worst.system = problem / self.shape.columns;
            }
            if backward.is_nan() {
                break;
            }
        }
        worst
    }
}
