//! Solves from and to host slices.

use super::on_cpu::solve_batch_on_cpu;
use super::plan::MoebiusPlan;
use super::system::{DeviceMoebius, Moebius};
#[cfg(doc)]
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, Stopwatch};
use crate::judge::moebius::Sequence;
use crate::place::Place;
use crate::plan::{Runs, Solved};
use crate::real::Real;
use crate::recurrence::host::{final_state, replace};
use crate::recurrence::on_cpu::value;
use crate::recurrence::system::{Coefficient, DeviceCoefficient, check_finite, check_lengths};
use crate::recurrence::{Algorithm, Direction, Solution};

impl<T: Real> MoebiusPlan<T> {
    /// Solves recurrences in host memory, on the device or the CPU by [`Options::place`](super::Options::place). On the device: uploads,
    /// solves, reads back, checks. On the CPU: [`solve_batch_on_cpu`]. Values above the range of T are infinite, values below it 0.
    ///
    /// [`Options::check`](super::Options::check) determines the guarantee and the cost:
    ///
    /// - [`Check::Every`]: the CPU bounds the error of each sequence in one pass, which takes as long as a solve on the CPU, and computes
    ///   sequences with a large bound in wider arithmetic. These values replace worse ones. The estimate of the forward error is at most 0.1.
    /// - [`Check::Sampled`]: the same of the first solve of the plan, of every k-th, and of those in which the device met 0/0. All others are solved
    ///   as by `Off`.
    /// - [`Check::Off`]: coefficients that are not finite, and values 0/0 on the device, are errors, nothing else.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Indeterminate`], [`Error::NoDigits`], [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`]; [`Error::Options`] for a coefficient that is to be computed.
    pub fn solve(&self, moebius: &Moebius<'_, T>) -> Result<Vec<T>> {
        self.solved(moebius, Runs::Once).map(|solution| solution.w)
    }

    /// As [`MoebiusPlan::solve`], with the accuracy and the time.
    ///
    /// # Errors
    /// As [`MoebiusPlan::solve`].
    pub fn solve_reported(&self, moebius: &Moebius<'_, T>) -> Result<Solution<T>> {
        self.solved(moebius, Runs::Timed)
    }

    fn solved(&self, moebius: &Moebius<'_, T>, runs: Runs) -> Result<Solution<T>> {
        let Self { gpu, shape, .. } = self;
        let mut watch = Stopwatch::start();
        let (direction, place) = (self.options.direction, Place::Device);
        if self.options.is_on_cpu() {
            return Ok(Solution::of_cpu(solve_batch_on_cpu(shape, moebius, direction)?, shape, direction, watch));
        }
        let parts = moebius.parts()?;
        check_lengths(shape, &parts)?;
        check_finite(shape, &parts, direction)?;
        watch.lap(|timing| &mut timing.checking);
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
        watch.lap(|timing| &mut timing.uploading);
        let w = DeviceVector::<T>::new(gpu, "w", shape.matrix_len().unwrap_or(usize::MAX))?;
        let bound = self.bind(&DeviceMoebius { a, b, c, d, initial, w: Some(w.as_slice()) })?;
        watch.lap(|timing| &mut timing.planning);
        let Solved { values: [mut w], status, seconds } = bound.solve_and_read([&w], runs, &mut watch)?;
        let algorithm = Algorithm::ThreeLaunch;
        let failure = status.non_finite_result.map(|(system, row)| Error::Indeterminate { system, row });
        if !self.turns.next_is_judged(self.options.check, failure)? {
            let final_state = final_state(shape, direction, &w);
            let timing = watch.timing();
            return Ok(Solution {
                w,
                final_state,
                place,
                algorithm,
                forward_error: None,
                replaced: 0,
                seconds,
                timing,
            });
        }
        let row = |step: usize| if direction == Direction::Forward { step } else { shape.n - 1 - step };
        // If the device met 0/0, the judge decides whether the sequence has a value there.
        let judged = replace(shape, direction, &mut w, |system, place, w| {
            let coefficients = |step: usize| [0, 1, 2, 3].map(|at| value(&parts[at].1, place(step)));
            let initial = value(&parts[4].1, system);
            Sequence { system, n: shape.n, initial, coefficients }.judge(Some(|step| w[place(step)]))
        });
        let (forward_error, replaced) = judged.map_err(|error| match error {
            Error::Indeterminate { system, row: step } => Error::Indeterminate { system, row: row(step) },
            other => other,
        })?;
        let final_state = final_state(shape, direction, &w);
        watch.lap(|timing| &mut timing.checking);
        let (forward_error, timing) = (Some(forward_error), watch.timing());
        Ok(Solution { w, final_state, place, algorithm, forward_error, replaced, seconds, timing })
    }
}
