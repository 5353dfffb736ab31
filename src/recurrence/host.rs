//! Solves from and to host slices.

use rayon::prelude::*;

use super::formulas::{self, Formulas};
use super::on_cpu::{CpuSolution, solve_batch_on_cpu};
use super::options::{Algorithm, Direction, Options};
use super::plan::RecurrencePlan;
use super::system::{Coefficient, DeviceCoefficient, DeviceRecurrence, Recurrence, check_finite, check_lengths};
#[cfg(doc)]
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{DeviceVector, Stopwatch, Timing};
use crate::judge::answer::Answer;
use crate::judge::recurrence::Sequence;
use crate::place::Place;
use crate::plan::{Runs, Shape, Solved};
use crate::real::Real;

/// Values with their accuracy and time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The values, laid out as the coefficients; infinite past the range of T.
    pub w: Vec<T>,
    /// The last value of each sequence (the first row's, in reverse): the initial value of a continuation. On the device it lies in w.
    pub final_state: Vec<T>,
    /// Where it ran: [`Place::Device`] or [`Place::Cpu`].
    pub place: Place,
    /// The algorithm that ran on the device; [`Algorithm::Auto`] if the CPU solved.
    pub algorithm: Algorithm,
    /// The estimated forward error against the exact values of the numbers as given, of the worst sequence; at most 0.1. Of linear
    /// recurrences ||w^ - w|| / ||w|| in the maximum norm over the values in range; of Moebius recurrences the largest error of a
    /// value, relative to the size of its terms ([`moebius`](super::moebius), "Numbers"). `None` if the solve was not checked
    /// ([`Options::check`], [`moebius::Options::check`](super::moebius::Options::check)).
    pub forward_error: Option<f64>,
    /// Number of sequences whose device values were replaced by the CPU's.
    pub replaced: usize,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's; on the CPU with the judgement.
    pub seconds: f64,
    /// Where the time of the call went; [`RecurrencePlan::timing`] and [`MoebiusPlan::timing`](super::moebius::MoebiusPlan::timing) have that of
    /// the plan.
    pub timing: Timing,
}

/// Replaces a device's values by better ones, or values that are missing, per sequence; returns the largest forward error, and the number of replaced sequences.
///
/// # Errors
/// The judge's error for a sequence.
pub(super) fn replace<T: Real>(
    shape: &Shape,
    direction: Direction,
    w: &mut [T],
    judge: impl Fn(usize, &(dyn Fn(usize) -> usize + Sync), &[T]) -> Result<Answer<Vec<T>>> + Sync,
) -> Result<(f64, usize)> {
    let place = |system: usize, step: usize| {
        shape.matrix_index(system, if direction == Direction::Forward { step } else { shape.n - 1 - step })
    };
    let judged = |system: usize| judge(system, &|step| place(system, step), w);
    let answers = (0..shape.batch).into_par_iter().map(judged).collect::<Result<Vec<_>>>()?;
    let (mut forward_error, mut replaced) = (0f64, 0);
    for (system, answer) in answers.into_iter().enumerate() {
        forward_error = forward_error.max(answer.forward_error);
        if let Some(better) = answer.better {
            replaced += 1;
            better.into_iter().enumerate().for_each(|(step, better)| w[place(system, step)] = better);
        }
    }
    Ok((forward_error, replaced))
}

impl<T: Real> Solution<T> {
    /// What the CPU computed while the watch ran.
    pub(super) fn of_cpu(solution: CpuSolution<T>, shape: &Shape, direction: Direction, mut watch: Stopwatch) -> Self {
        let CpuSolution { w, forward_error } = solution;
        watch.lap(|timing| &mut timing.solving);
        let timing = watch.timing();
        Self {
            final_state: final_state(shape, direction, &w),
            w,
            place: Place::Cpu,
            algorithm: Algorithm::Auto,
            forward_error: Some(forward_error),
            replaced: 0,
            seconds: timing.solving,
            timing,
        }
    }
}

/// The last value of each sequence.
pub(super) fn final_state<T: Real>(shape: &Shape, direction: Direction, w: &[T]) -> Vec<T> {
    let last = if direction == Direction::Forward { shape.n - 1 } else { 0 };
    (0..shape.batch).map(|system| w[shape.matrix_index(system, last)]).collect()
}

impl<T: Real> RecurrencePlan<T> {
    /// Solves recurrences in host memory, on the device or the CPU by [`Options::place`]. On the device: uploads, solves, reads back, checks.
    /// On the CPU: [`solve_batch_on_cpu`]. Values past the range of T are infinite.
    ///
    /// [`Options::check`] determines the guarantee and the cost:
    ///
    /// - [`Check::Every`]: the CPU bounds the error of each sequence in one pass, which takes as long as a solve on the CPU, and computes
    ///   sequences with a large bound in wider arithmetic. These values replace worse ones. The estimate of the forward error is at most 0.1. The
    ///   device computes coefficients by formula a second time for the check, which takes these numbers as given.
    /// - [`Check::Sampled`]: the same of the first solve of the plan and of every k-th. All others are solved as by `Off`.
    /// - [`Check::Off`]: coefficients that are not finite are errors, nothing else. Where products of coefficients leave the range of T although the
    ///   values do not, the device's values may be infinite, 0 or NaN.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`] (also for computed coefficients), [`Error::NoDigits`], [`Error::Underflow`],
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`]; [`Error::LongLoops`] and [`Error::Unsupported`] for a formula whose loops a
    /// software driver would end;
    /// [`Error::Options`] as [`RecurrencePlan::bind`].
    pub fn solve(&self, recurrence: &Recurrence<'_, T>) -> Result<Vec<T>> {
        self.solved(recurrence, Runs::Once).map(|solution| solution.w)
    }

    /// As [`RecurrencePlan::solve`], with the accuracy and the time.
    ///
    /// # Errors
    /// As [`RecurrencePlan::solve`].
    pub fn solve_reported(&self, recurrence: &Recurrence<'_, T>) -> Result<Solution<T>> {
        self.solved(recurrence, Runs::Timed)
    }

    fn solved(&self, recurrence: &Recurrence<'_, T>, runs: Runs) -> Result<Solution<T>> {
        let mut watch = Stopwatch::start();
        let (shape, direction) = (&self.shape, self.options.direction);
        let is_computed = self.fused.computes(0) || self.fused.computes(1) || recurrence.is_computed();
        if self.options.is_on_cpu(is_computed)? {
            return Ok(Solution::of_cpu(solve_batch_on_cpu(shape, recurrence, direction)?, shape, direction, watch));
        }
        let (mut w, seconds) = self.solve_on_device(recurrence, runs, &mut watch)?;
        let (place, algorithm) = (Place::Device, self.algorithm);
        if !self.turns.next_is_checked(self.options.check) {
            let (final_state, timing) = (final_state(shape, direction, &w), watch.timing());
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
        let computed = self.computed(recurrence)?;
        let value = |part: &Coefficient<'_, T>, computed: Option<&Vec<T>>, at: usize| match (part, computed) {
            (Coefficient::Each(values), _) => values[at],
            (Coefficient::Constant(value), _) => *value,
            (Coefficient::Computed(_), values) => values.map_or(T::ZERO, |values| values[at]),
        };
        let (forward_error, replaced) = replace(shape, direction, &mut w, |system, place, w| {
            let coefficients = |step: usize| {
                let at = place(step);
                [value(&recurrence.s, computed[0].as_ref(), at), value(&recurrence.t, computed[1].as_ref(), at)]
            };
            let initial = value(&recurrence.initial, None, system);
            Sequence { system, n: shape.n, initial, coefficients }.judge(Some(|step| w[place(step)]))
        })?;
        let final_state = final_state(shape, direction, &w);
        watch.lap(|timing| &mut timing.checking);
        let (forward_error, timing) = (Some(forward_error), watch.timing());
        Ok(Solution { w, final_state, place, algorithm, forward_error, replaced, seconds, timing })
    }

    /// The device's values, and its time in seconds.
    fn solve_on_device(
        &self,
        recurrence: &Recurrence<'_, T>,
        runs: Runs,
        watch: &mut Stopwatch,
    ) -> Result<(Vec<T>, f64)> {
        check_lengths(&self.shape, &recurrence.parts())?;
        check_finite(&self.shape, &recurrence.parts(), self.options.direction)?;
        watch.lap(|timing| &mut timing.checking);
        let read = formulas::matched(&self.fused, recurrence.computed())?;
        // Vectors that live as long as the solve.
        let upload = |name, values| DeviceVector::from_slice(&self.gpu, name, values);
        let read = read.into_iter().map(|values| upload("a formula's vector", values)).collect::<Result<Vec<_>>>()?;
        let names = self.fused.sources();
        let read: Vec<_> = names.zip(read.iter().map(DeviceVector::as_slice)).collect();
        let uploaded = |(name, part)| match part {
            Coefficient::Each(values) => upload(name, values).map(Some),
            Coefficient::Constant(_) | Coefficient::Computed(_) => Ok(None),
        };
        let [s, t, initial] = recurrence.parts().map(uploaded);
        let uploaded = [s?, t?, initial?];
        let on_device = |at: usize| match (&uploaded[at], recurrence.parts()[at].1) {
            (_, Coefficient::Constant(value)) => DeviceCoefficient::Constant(value),
            (Some(vector), _) => DeviceCoefficient::Each(vector.as_slice()),
            // Vectors given with s serve both formulas.
            (None, _) => DeviceCoefficient::Computed(if at == 1 && self.fused.computes(0) { &[] } else { &read }),
        };
        let [s, t, initial] = [0, 1, 2].map(on_device);
        watch.lap(|timing| &mut timing.uploading);
        let w = DeviceVector::<T>::new(&self.gpu, "w", self.shape.matrix_len().unwrap_or(usize::MAX))?;
        let system = DeviceRecurrence { s, t, initial, w: Some(w.as_slice()) };
        let bound = self.bind(&system)?;
        watch.lap(|timing| &mut timing.planning);
        let Solved { values: [w], status, seconds } = bound.solve_and_read([&w], runs, watch)?;
        if self.fused.computes(0) || self.fused.computes(1) {
            // Vectors have been checked, but computed coefficients have not.
            if let Some((system, row)) = status.non_finite_input {
                return Err(self.not_computed(system, row));
            }
        }
        Ok((w, seconds))
    }

    /// The values of s and of t per row, laid out by the shape, for coefficients with formulas: one solve per formula.
    ///
    /// # Errors
    /// As [`RecurrencePlan::solve`].
    pub fn computed(&self, recurrence: &Recurrence<'_, T>) -> Result<[Option<Vec<T>>; 2]> {
        Ok([self.values(0, recurrence)?, self.values(1, recurrence)?])
    }

    /// The values of s (0) or t (1): a recurrence with s = 0.
    fn values(&self, at: usize, recurrence: &Recurrence<'_, T>) -> Result<Option<Vec<T>>> {
        if !self.fused.computes(at) {
            return Ok(None);
        }
        let nothing = Coefficient::Constant(T::ZERO);
        let given: Vec<_> =
            recurrence.computed().into_iter().filter_map(|(_, vectors)| vectors).flatten().copied().collect();
        let plan = match self.values[at].get() {
            Some(plan) => plan,
            None => {
                let formulas: Formulas = self.formulas.only(at);
                let made = Self::with_formulas(&self.gpu, self.shape, Options::default(), &formulas)?;
                self.values[at].get_or_init(|| Box::new(made))
            }
        };
        let alone = Recurrence { s: Coefficient::Computed(&given), t: Coefficient::Computed(&[]), initial: nothing };
        plan.solve_on_device(&alone, Runs::Once, &mut Stopwatch::start()).map(|(values, _)| Some(values))
    }

    /// A computed coefficient that is not finite.
    fn not_computed(&self, system: usize, row: usize) -> Error {
        let vector = formulas::computed_names(&self.fused);
        if !self.fused.counts_rounds() {
            return Error::NonFiniteInput { vector, system, row };
        }
        Error::LongLoops { vector, system, row, adapter: self.gpu.info().name.clone() }
    }
}
