//! Solves from and to host slices.

use std::time::{Duration, Instant};

use super::plan::MoebiusPlan;
use super::system::{DeviceMoebius, Moebius};
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, PassTimer};
use crate::judge::moebius::Sequence;
use crate::place::Place;
use crate::real::Real;
use crate::recurrence::host::{final_state, replace};
use crate::recurrence::on_cpu::value;
use crate::recurrence::system::{Coefficient, DeviceCoefficient, check_finite, check_lengths};
use crate::recurrence::{Algorithm, Direction, Solution};

impl<T: Real> MoebiusPlan<T> {
    /// Solves recurrences in host memory, on the device or the CPU by [`Options::place`](super::Options::place). On the device: uploads,
    /// solves, reads back, judges. On the CPU: as [`solve_on_cpu`](super::solve_on_cpu), one sequence per core.
    ///
    /// The CPU bounds the error of each sequence in one pass, and computes sequences with a large bound in wider arithmetic. These values
    /// replace worse ones. Values above the range of T are infinite, values below it 0.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Indeterminate`], [`Error::NoDigits`], [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`]; [`Error::Options`] for a coefficient that is to be computed.
    pub fn solve(&self, moebius: &Moebius<'_, T>) -> Result<Vec<T>> {
        self.solve_reported(moebius).map(|solution| solution.w)
    }

    /// As [`MoebiusPlan::solve`], with the accuracy and the time.
    ///
    /// # Errors
    /// As [`MoebiusPlan::solve`].
    pub fn solve_reported(&self, moebius: &Moebius<'_, T>) -> Result<Solution<T>> {
        let start = Instant::now();
        let shape = &self.shape;
        let parts = moebius.parts()?;
        check_lengths(shape, &parts)?;
        check_finite(shape, &parts, self.options.direction)?;
        let is_on_cpu = self.options.is_on_cpu();
        let (mut w, device_seconds) = match is_on_cpu {
            true => (vec![T::ZERO; shape.matrix_len().unwrap_or(usize::MAX)], None),
            false => self.solve_on_device(parts).map(|(w, seconds)| (w, Some(seconds)))?,
        };
        let direction = self.options.direction;
        let row = |step: usize| if direction == Direction::Forward { step } else { shape.n - 1 - step };
        // If the device met 0/0, the judge decides whether the sequence has a value there.
        let judged = replace(shape, direction, &mut w, |system, place, w| {
            let coefficients = |step: usize| [0, 1, 2, 3].map(|at| value(&parts[at].1, place(step)));
            let initial = value(&parts[4].1, system);
            let device = (!is_on_cpu).then_some(|step| w[place(step)]);
            Sequence { system, n: shape.n, initial, coefficients }.judge(device)
        });
        let (forward_error, replaced) = judged.map_err(|error| match error {
            Error::Indeterminate { system, row: step } => Error::Indeterminate { system, row: row(step) },
            other => other,
        })?;
        let final_state = final_state(shape, direction, &w);
        Ok(match device_seconds {
            Some(seconds) => {
                let (place, algorithm) = (Place::Device, Algorithm::ThreeLaunch);
                Solution { w, final_state, place, algorithm, forward_error, replaced, seconds }
            }
            None => {
                let (place, algorithm, seconds) = (Place::Cpu, Algorithm::Auto, start.elapsed().as_secs_f64());
                Solution { w, final_state, place, algorithm, forward_error, replaced: 0, seconds }
            }
        })
    }

    /// The device's values for checked coefficients and initial values, and its time in seconds.
    fn solve_on_device(&self, parts: [(&'static str, Coefficient<'_, T>); 5]) -> Result<(Vec<T>, f64)> {
        let Self { gpu, shape, .. } = self;
        let upload = |(name, part)| match part {
            Coefficient::Each(values) => DeviceVector::from_slice(gpu, name, values).map(Some),
            _ => Ok(None),
        };
        let uploaded = parts.into_iter().map(upload).collect::<Result<Vec<_>>>()?;
        let on_device = |at: usize| match (&uploaded[at], parts[at].1) {
            (Some(vector), _) => DeviceCoefficient::Each(vector.as_slice()),
            (None, Coefficient::Constant(value)) => DeviceCoefficient::Constant(value),
            // Rejected above.
            (None, _) => DeviceCoefficient::Computed(&[]),
        };
        let [a, b, c, d, initial] = [0, 1, 2, 3, 4].map(on_device);
        let w = DeviceVector::<T>::new(gpu, "w", shape.matrix_len().unwrap_or(usize::MAX))?;
        let bound = self.bind(&DeviceMoebius { a, b, c, d, initial, w: Some(w.as_slice()) })?;
        // One untimed run: the first run of a kernel may still be compiling.
        let samples = PassTimer::new(gpu)?.measure(Duration::from_millis(1), 1, |pass| bound.record(pass))?;
        Ok((w.read(gpu)?, samples.median()))
    }
}
