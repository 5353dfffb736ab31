//! ||d - A x|| / ||d||, computed on the device.

use super::bound::whole_buffer;
use super::kernels::{Access, KernelId, SEGMENT};
use super::options::Diagonal;
use super::plan::{TridiagonalPlan, check_binding};
use super::program::Params;
use super::system::DeviceSystem;
use crate::error::{Error, Result};
use crate::gpu::Stage;
use crate::real::Real;

const WORKGROUP: u32 = 256;

impl<T: Real> TridiagonalPlan<T> {
    /// The largest relative residual ||d - A x|| / ||d|| (2-norms, in the plan's precision) of
    /// all right-hand sides, from the vectors as they are now. Submits, and waits.
    ///
    /// # Errors
    /// [`Error::Options`] for a system solved in place, whose right-hand side is gone; the
    /// errors of [`TridiagonalPlan::bind`]; [`Error::DeviceLost`].
    pub fn relative_residual(&self, system: &DeviceSystem<'_, T>) -> Result<f64> {
        let Some(x) = system.x else {
            return Err(Error::Options(
                "the residual needs the right-hand side, which an in-place solve replaced".into(),
            ));
        };
        // The same checks as for a solve.
        self.bind(system)?;
        let gpu = &self.gpu;
        let shape = &self.shape;
        let slices = (shape.n as u64).div_ceil(u64::from(SEGMENT)) as u32;
        let count = shape.problems() * slices as usize;
        let params = Params { slices, workgroups: count as u32, ..Params::new(shape) };
        let norms_bytes = 4 * count as u64 * T::PRECISION.bytes();
        check_binding(gpu, "the residual's partial norms", norms_bytes)?;
        let norms =
            gpu.allocate("partial norms", norms_bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC)?;
        let uniform = gpu.uniform("residual parameters", bytemuck::bytes_of(&params))?;
        let permutation = KernelId::Residual { workgroup: WORKGROUP }.permutation(
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
        let partial = gpu.start_reading::<T>(&norms, 0, 4 * count)?.wait(gpu)?;
        Ok(largest(&partial, slices as usize))
    }
}

/// The largest quotient, from (scale, sum) of the residual and of the right-hand side of each
/// slice; NaN if there is one.
fn largest<T: Real>(partial: &[T], slices: usize) -> f64 {
    let norm = |slices: &[T], at: usize| {
        let parts = slices.chunks(4).map(|p| p[at].to_f64() * p[at + 1].to_f64().sqrt());
        parts.fold(0.0, |norm: f64, part| norm.hypot(part))
    };
    let mut largest = 0.0;
    for problem in partial.chunks(4 * slices) {
        let (residual, right) = (norm(problem, 0), norm(problem, 2));
        let relative = if residual == 0.0 { 0.0 } else { residual / right };
        if relative.is_nan() {
            return f64::NAN;
        }
        largest = f64::max(largest, relative);
    }
    largest
}
