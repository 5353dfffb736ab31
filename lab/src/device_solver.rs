//! The recorded solve of one system after the other on a device.

use super::systems::HostSystem;
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::tridiagonal::{Bound, DeviceSystem, Diagonal, Options, Shape, TridiagonalPlan};
use trisolve::{Real, Result};

/// A bound solve with its vectors.
pub(super) struct DeviceSolver<T> {
    gpu: Gpu,
    diagonal: Diagonal,
    inputs: [DeviceVector<T>; 4],
    x: DeviceVector<T>,
    bound: Bound,
}

impl<T: Real> DeviceSolver<T> {
    /// A solver for systems of n rows.
    ///
    /// # Errors
    /// The errors of [`TridiagonalPlan::new`].
    pub fn new(gpu: &Gpu, n: usize, options: Options) -> Result<Self> {
        let plan = TridiagonalPlan::<T>::new(gpu, Shape::single(n), options)?;
        let vector = |label| DeviceVector::new(gpu, label, n);
        let inputs = [vector("lower")?, vector("diag")?, vector("upper")?, vector("rhs")?];
        let x = vector("x")?;
        let [lower, diag, upper, rhs] = inputs.each_ref().map(DeviceVector::as_slice);
        let bound = plan.bind(&DeviceSystem { lower, diag, upper, rhs, x: Some(x.as_slice()) })?;
        Ok(Self { gpu: gpu.clone(), diagonal: options.diagonal, inputs, x, bound })
    }

    /// The solution of a recorded solve, which verifies nothing: it may not be finite.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
    pub fn solve(&self, system: &HostSystem<T>) -> Result<Vec<T>> {
        let diag = if self.diagonal == Diagonal::Excess { &system.excess } else { &system.diag };
        for (vector, values) in self.inputs.iter().zip([&system.lower, diag, &system.upper, &system.rhs]) {
            vector.write(&self.gpu, 0, values)?;
        }
        self.x.write(&self.gpu, 0, &vec![T::from_f64(f64::NAN); system.diag.len()])?;
        self.bound.submit()?;
        self.x.read(&self.gpu)
    }
}
