//! Device vectors for host solves, kept from one solve to the next.

use super::options::{Form, Forms, Structure};
use super::plan::TridiagonalPlan;
use super::residual::Measuring;
use super::system::{DeviceSystem, System};
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, ReadBack, Stopwatch};
use crate::plan::Bound;
use crate::real::Real;

/// Vectors with a bound solve and the measures of its answer.
#[derive(Debug)]
pub(crate) struct Staging<T> {
    /// Lower, diag, upper.
    matrix: [DeviceVector<T>; 3],
    pub(super) rhs: DeviceVector<T>,
    pub(super) x: DeviceVector<T>,
    pub(super) bound: Bound,
    /// `None` if no solve is checked.
    pub(super) measuring: Option<Measuring>,
    /// Of x, the status words and, last, the residual's norms.
    pub(super) read_back: ReadBack,
}

/// The ranges of [`Staging::read_back`].
pub(super) mod range {
    pub const X: usize = 0;
    pub const STATUS: usize = 1;
    /// The first of the norms.
    pub const NORMS: usize = 2;
}

impl<T: Real> Staging<T> {
    /// Makes the vectors around matrices on the device.
    pub(super) fn around(plan: &TridiagonalPlan<T>, matrix: &[DeviceVector<T>; 3]) -> Result<Self> {
        // The plan has checked that the length exists.
        let right = plan.shape.rhs_len().unwrap_or(usize::MAX);
        let [rhs, x] = ["rhs", "x"].map(|label| DeviceVector::new(&plan.gpu, label, right));
        let (matrix, rhs, x) = (matrix.clone(), rhs?, x?);
        let system = device_system(&matrix, &rhs, &x);
        let bound = plan.bind(&system)?;
        let is_checked = plan.options.check != Check::Off;
        let measuring = is_checked.then(|| plan.measuring(&(&system).into())).transpose()?;
        let bytes = x.len() as u64 * T::PRECISION.bytes();
        let ranges = [(x.buffer(), 0, bytes), (bound.status_buffer(), 0, bound.status_buffer().size())];
        let norms = measuring.iter().flat_map(Measuring::ranges);
        let read_back = ReadBack::new(&plan.gpu, ranges.into_iter().chain(norms))?;
        Ok(Self { matrix, rhs, x, bound, measuring, read_back })
    }
}

impl<T> Staging<T> {
    /// The read-back, and the number of its ranges that hold results, with the measures or without.
    pub(super) fn results(&self, measuring: Option<&Measuring>) -> (&ReadBack, usize) {
        (&self.read_back, measuring.map_or(range::NORMS, |_| self.read_back.ranges()))
    }
}

fn device_system<'a, T: Real>(
    [lower, diag, upper]: &'a [DeviceVector<T>; 3],
    rhs: &'a DeviceVector<T>,
    x: &'a DeviceVector<T>,
) -> DeviceSystem<'a, T> {
    DeviceSystem {
        lower: lower.as_slice(),
        diag: diag.as_slice(),
        upper: upper.as_slice(),
        rhs: rhs.as_slice(),
        x: Some(x.as_slice()),
    }
}

impl<T: Real> TridiagonalPlan<T> {
    /// Uploads, runs, and keeps the vectors if the run succeeds.
    pub(super) fn with_staging<R>(
        &self,
        system: &System<'_, T>,
        rhs: &[T],
        run: impl FnOnce(&Staging<T>, Stopwatch) -> Result<R>,
    ) -> Result<R> {
        let mut watch = Stopwatch::start();
        let staging = self.prepare(system, rhs, &mut watch)?;
        let result = run(&staging, watch);
        self.keep(staging, result.is_ok());
        result
    }

    /// Vectors that hold the system.
    pub(super) fn prepare(&self, system: &System<'_, T>, rhs: &[T], watch: &mut Stopwatch) -> Result<Staging<T>> {
        self.check_form(system)?;
        system.check_lengths(&self.shape, rhs)?;
        let staging = self.kept_or(|| Staging::around(self, &self.matrix_vectors()?))?;
        watch.lap(|timing| &mut timing.planning);
        self.upload_matrix(&staging.matrix, system)?;
        staging.rhs.write(&self.gpu, 0, rhs)?;
        watch.lap(|timing| &mut timing.uploading);
        Ok(staging)
    }

    /// The vectors of the last host solve, or new ones.
    pub(super) fn kept_or(&self, others: impl FnOnce() -> Result<Staging<T>>) -> Result<Staging<T>> {
        match self.host.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
            Some(staging) => {
                staging.bound.reset_status();
                Ok(staging)
            }
            None => others(),
        }
    }

    pub(super) fn check_form(&self, system: &System<'_, T>) -> Result<()> {
        if system.form() == self.options.matrix() {
            return Ok(());
        }
        let (given, wanted) = (system.form(), self.options.matrix());
        Err(Error::Options(format!(
            "the system is given as {given}, but the plan was made for {wanted}: plan with `Options::matching(&system)`"
        )))
    }

    /// Memory for lower, diag and upper; for symmetric matrices upper is also lower.
    pub(super) fn matrix_vectors(&self) -> Result<[DeviceVector<T>; 3]> {
        let Forms { lower, diag, upper } = self.options.forms;
        let vector =
            |label, form: Form| DeviceVector::new(&self.gpu, label, form.len(&self.shape).unwrap_or(usize::MAX));
        let (diag, upper) = (vector("diag", diag)?, vector("upper", upper)?);
        let lower = match self.options.structure {
            Structure::Symmetric => upper.clone(),
            _ => vector("lower", lower)?,
        };
        Ok([lower, diag, upper])
    }

    pub(super) fn upload_matrix(
        &self,
        [lower, diag, upper]: &[DeviceVector<T>; 3],
        system: &System<'_, T>,
    ) -> Result<()> {
        if system.structure != Structure::Symmetric {
            let shift = usize::from(system.without_corner(&self.shape, (system.lower, system.forms.lower)));
            lower.write(&self.gpu, shift, system.lower)?;
        }
        diag.write(&self.gpu, 0, system.diag)?;
        upper.write(&self.gpu, 0, system.upper)
    }

    /// Keeps the vectors for the next solve, unless their status words are spoilt.
    pub(super) fn keep(&self, staging: Staging<T>, clean: bool) {
        if clean {
            *self.host.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(staging);
        }
    }
}
