//! How good a solution is: residuals, computed on the device.

use super::kernels::{Access, KernelId, SEGMENT};
use super::options::{Algorithm, Diagonal};
use super::plan::TridiagonalPlan;
use super::system::{DeviceSystem, System};
use crate::cpu::{self, quotient};
use crate::error::{Error, Result};
use crate::gpu::{Reading, Stage, whole_buffer};
use crate::plan::Params;
use crate::real::Real;

/// Threads a problem, as far as it has rows for them.
const LARGEST_WORKGROUP: usize = 256;

/// Values a workgroup writes: scale and sum of squares of five vectors.
const PARTIAL: usize = 10;

/// Measures of a solution, in 2-norms and the plan's precision, of the worst right-hand side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Residuals {
    /// ||d - A x|| / ||d||. Large for a correct x, too, where ||A|| ||x|| is far above ||d||: of an
    /// ill-conditioned matrix. Where it passes [`SUSPICIOUS_RESIDUAL`], a solve from the host looks at
    /// the matrix.
    pub relative: f64,
    /// ||d - A x|| / || |A| |x| + |d| ||, each row divided by its largest coefficient: how far, relatively,
    /// the system has to be changed for x to solve it exactly. A few units of roundoff for a solution that is as good as it can be;
    /// above [`TOLERATED_BACKWARD_ERROR`] of them a solve from the host is an error.
    pub backward_error: f64,
    /// The system of the largest backward error.
    pub system: usize,
}

/// The largest backward error that a solve from the host returns, in units of roundoff. Dominant
/// systems stay below ten; above, elimination met small pivots.
pub const TOLERATED_BACKWARD_ERROR: f64 = 100.0;

/// The relative residual above which a solve from the host estimates the condition of a matrix that
/// is not dominant: it is an error if the condition leaves no digit of x.
pub const SUSPICIOUS_RESIDUAL: f64 = 0.1;

/// [`Error::Inaccurate`] for a backward error that says that x solves another system.
pub(crate) fn tolerated<T: Real>(system: usize, backward_error: f64) -> Result<()> {
    // NaN is not tolerated either.
    match backward_error <= TOLERATED_BACKWARD_ERROR * T::UNIT_ROUNDOFF {
        true => Ok(()),
        false => Err(Error::Inaccurate { system, backward_error }),
    }
}

impl<T: Real> TridiagonalPlan<T> {
    /// Measures x against the matrices and right-hand sides as they are now. Submits, and waits.
    ///
    /// # Errors
    /// [`Error::Options`] for a system solved in place, whose right-hand side is gone; the
    /// errors of [`TridiagonalPlan::bind`]; [`Error::DeviceLost`].
    pub fn residuals(&self, system: &DeviceSystem<'_, T>) -> Result<Residuals> {
        pollster::block_on(async {
            let readings = self.start_residuals(system)?;
            self.gpu.wait()?;
            self.finish_residuals(readings).await.map(|(worst, _)| worst)
        })
    }

    /// Measures x, and refuses it where it solves another system than the one given, or, whatever x is, where a
    /// matrix's condition is above `least`, in units of 1 / roundoff.
    pub(super) async fn trusted(
        &self,
        device: &DeviceSystem<'_, T>,
        system: &System<'_, T>,
        least: Option<f64>,
    ) -> Result<Residuals> {
        let readings = self.start_residuals(device)?;
        let (residuals, suspicious) = self.finish_residuals(readings).await?;
        let accurate = tolerated::<T>(residuals.system, residuals.backward_error);
        if accurate.is_err() {
            system.check_diagonal(&self.shape, residuals.system)?;
        }
        // A ring's correction loses digits of dominant matrices, too, and so do exchanges: they do not carry the dominance.
        let carries = self.options.algorithm != Algorithm::Pivoting && !self.options.periodic;
        let loses = |[lower, diag, upper]: &[Vec<f64>; 3]| !carries || !cpu::is_dominant(lower, diag, upper);
        if self.options.diagonal == Diagonal::Value || self.options.periodic {
            // A matrix that determines nothing is the better reason for an inaccurate solution.
            let inaccurate = accurate.is_err().then_some(residuals.system);
            let suspects = suspicious.into_iter().chain(inaccurate).map(|at| (at, cpu::NO_DIGIT));
            let all = least.into_iter().flat_map(|least| (0..self.shape.batch).map(move |at| (at, least)));
            for (at, least) in suspects.chain(all) {
                let matrix = system.wide_matrix(&self.shape, at);
                if loses(&matrix) {
                    let [lower, diag, upper] = matrix;
                    cpu::determined::<T>(at, [&lower, &diag, &upper], least)?;
                }
            }
        }
        accurate.map(|()| residuals)
    }

    fn slices(&self) -> usize {
        self.shape.n.div_ceil(SEGMENT as usize)
    }

    /// The partial norms, in as many buffers as they need.
    fn start_residuals(&self, system: &DeviceSystem<'_, T>) -> Result<Vec<Reading<T>>> {
        let Some(x) = system.x else {
            return Err(Error::Options(
                "the residual needs the right-hand side, which an in-place solve replaced".into(),
            ));
        };
        // The same checks as for a solve.
        self.bind(system)?;
        let gpu = &self.gpu;
        let shape = &self.shape;
        let workgroup = shape.n.min(LARGEST_WORKGROUP).next_power_of_two().max(4) as u32;
        let permutation = KernelId::Residual { workgroup }
            .permutation(T::PRECISION, Access { matrix: self.options.matrix(), ..Access::default() });
        let kernel = gpu.kernel(&permutation)?;
        let vectors = system.inputs().map(|(_, slice)| slice);
        let vectors: Vec<_> = [1, 2, 3, 4, 6].into_iter().zip(vectors.iter().chain([&x])).collect();
        let segments = shape.problems() * self.slices();
        let bytes = PARTIAL as u64 * T::PRECISION.bytes();
        let most = (gpu.capabilities().limits.max_storage_buffer_binding_size / bytes).max(1);
        let mut readings = Vec::new();
        for start in (0..segments).step_by(usize::try_from(most).unwrap_or(usize::MAX)) {
            let count = (segments - start).min(usize::try_from(most).unwrap_or(usize::MAX));
            let params = Params {
                slices: self.slices() as u32,
                workgroups: count as u32,
                steps: start as u32,
                ..Params::new(shape)
            };
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
            let norms = gpu.allocate("partial norms", count as u64 * bytes, usage)?;
            let uniform = gpu.uniform("residual parameters", bytemuck::bytes_of(&params))?;
            let mut bindings = vec![(0, whole_buffer(&uniform)), (7, whole_buffer(&norms))];
            bindings.extend(vectors.iter().map(|(binding, slice)| (*binding, slice.binding())));
            let stage = Stage::new(gpu, "residual", kernel.clone(), &bindings, count as u64)?;
            gpu.submit_pass("the residual", |pass| stage.record(pass))?;
            readings.push(gpu.start_reading::<T>(&norms, 0, PARTIAL * count)?);
        }
        Ok(readings)
    }

    /// The worst, and the systems of suspicious residuals.
    async fn finish_residuals(&self, readings: Vec<Reading<T>>) -> Result<(Residuals, Vec<usize>)> {
        let mut partial = Vec::new();
        for reading in readings {
            partial.extend(reading.wait_async(&self.gpu).await?);
        }
        Ok(self.worst(&partial))
    }

    /// The largest quotients; NaN if there is one. And the systems of suspicious residuals.
    fn worst(&self, partial: &[T]) -> (Residuals, Vec<usize>) {
        let norm = |slices: &[T], at: usize| {
            let parts = slices.chunks(PARTIAL).map(|p| p[at].to_f64() * p[at + 1].to_f64().sqrt());
            parts.fold(0.0, |norm: f64, part| norm.hypot(part))
        };
        // Below this nothing is left of a number's digits.
        let smallest = 8.0 * T::PRECISION.least_normal();
        let mut worst = Residuals { relative: 0.0, backward_error: 0.0, system: 0 };
        let mut suspicious = Vec::new();
        for (problem, slices) in partial.chunks(PARTIAL * self.slices()).enumerate() {
            let [residual, right] = [norm(slices, 0), norm(slices, 2)];
            let [scaled, size, scaled_right] = [norm(slices, 4), 8.0 * norm(slices, 6), norm(slices, 8)];
            let relative = quotient(residual, right);
            // Where nothing is left of rows divided by their coefficients, neither is of x.
            let backward = if size < smallest { relative } else { quotient(scaled, size) };
            let system = problem / self.shape.columns;
            // Where x is so large that rounding could hide the residual, it may do so by chance.
            let hidden = T::UNIT_ROUNDOFF * quotient(size, scaled_right);
            let suspect = relative.max(quotient(scaled, scaled_right)).max(hidden);
            if suspect > SUSPICIOUS_RESIDUAL && suspicious.last() != Some(&system) {
                suspicious.push(system);
            }
            if relative.is_nan() || relative > worst.relative {
                worst.relative = relative;
            }
            if backward.is_nan() || backward > worst.backward_error {
                worst.backward_error = backward;
                worst.system = system;
            }
            if backward.is_nan() {
                break;
            }
        }
        (worst, suspicious)
    }
}
