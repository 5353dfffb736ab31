//! Solves from and to host slices.

use rayon::prelude::*;

use super::on_cpu::{CpuSolution, solve_on_cpu};
use super::options::{Algorithm, Diag, Options, Trans};
use super::plan::TriangularPlan;
use super::shape::Shape;
use super::system::DeviceSystem;
#[cfg(doc)]
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, DeviceVector, Stopwatch, Timing};
use crate::judge::triangular;
use crate::place::Place;
use crate::plan::{Bound, Runs, Solved};
use crate::real::Real;

/// Right-hand sides whose matrices have fewer entries in all are judged on one core: others would wake too late to help.
const ENTRIES_OF_ONE_CORE: usize = 1 << 15;

/// A solution with its accuracy and time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The unknowns, laid out as `rhs`; NaN between them.
    pub x: Vec<T>,
    /// Where it ran: [`Place::Device`] or [`Place::Cpu`].
    pub place: Place,
    /// The algorithm that ran on the device; [`Algorithm::Auto`] if the CPU solved ([`solve_on_cpu`](super::solve_on_cpu)).
    pub algorithm: Algorithm,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated: of the worst right-hand side, against the exact solution of the
    /// numbers as given. At most 0.1. `None` if the solve was not checked ([`Options::check`]).
    pub forward_error: Option<f64>,
    /// Number of right-hand sides whose device answer was replaced by the CPU's.
    pub replaced: usize,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's; on the CPU with the judgement.
    pub seconds: f64,
    /// Where the time of the call went; [`TriangularPlan::timing`] has that of the plan.
    pub timing: Timing,
}

impl<T: Real> TriangularPlan<T> {
    /// Solves systems in host memory, on the device or the CPU by [`Options::place`]. On the device: uploads, solves, reads back, checks.
    /// On the CPU: [`solve_on_cpu`](super::solve_on_cpu).
    ///
    /// [`Options::check`] determines the guarantee and the cost:
    ///
    /// - [`Check::Every`]: the CPU bounds the error of each right-hand side by one more substitution, on all processors. If the bound is large, it
    ///   computes x in wider arithmetic; this x replaces a worse one. The estimate of the forward error is at most 0.1. The check reads the whole
    ///   triangle, and takes as long as a solve on the CPU.
    /// - [`Check::Sampled`]: the same of the first solve of the plan, of every k-th, and of those with an x that is not finite. All others are
    ///   solved as by `Off`.
    /// - [`Check::Off`]: only zeros on the diagonal, and NaN and infinity on the diagonal or in x, are errors. Accuracy lost to an ill-conditioned matrix goes
    ///   unnoticed.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::ZeroDiagonal`], [`Error::NonFiniteInput`], [`Error::NoDigits`], [`Error::Overflow`],
    /// [`Error::Underflow`], [`Error::OutOfMemory`], [`Error::DeviceLost`]; [`Error::Breakdown`] with [`Check::Off`], where x is not finite.
    pub fn solve(&self, matrix: &[T], rhs: &[T]) -> Result<Vec<T>> {
        self.solved(matrix, rhs, Runs::Once).map(|solution| solution.x)
    }

    /// As [`TriangularPlan::solve`], with the accuracy and the time.
    ///
    /// # Errors
    /// As [`TriangularPlan::solve`].
    pub fn solve_reported(&self, matrix: &[T], rhs: &[T]) -> Result<Solution<T>> {
        self.solved(matrix, rhs, Runs::Timed)
    }

    fn solved(&self, matrix: &[T], rhs: &[T], runs: Runs) -> Result<Solution<T>> {
        let Self { gpu, shape, .. } = self;
        let mut watch = Stopwatch::start();
        if self.options.is_on_cpu()? {
            let CpuSolution { x, forward_error } = solve_on_cpu(shape, &self.options, matrix, rhs)?;
            watch.lap(|timing| &mut timing.solving);
            let (place, algorithm, timing) = (Place::Cpu, Algorithm::Auto, watch.timing());
            let (forward_error, seconds) = (Some(forward_error), timing.solving);
            return Ok(Solution { x, place, algorithm, forward_error, replaced: 0, seconds, timing });
        }
        check(&self.options, shape, matrix, rhs)?;
        watch.lap(|timing| &mut timing.checking);
        // Room for the whole units that kernels load.
        let on_device = DeviceVector::new(gpu, "matrix", matrix.len().next_multiple_of(4))?;
        on_device.write(gpu, 0, matrix)?;
        let matrix_on_device = on_device.slice(0, matrix.len());
        let bind = |right: DeviceSlice<'_, T>, x: DeviceSlice<'_, T>| {
            self.bind(&DeviceSystem { matrix: matrix_on_device, rhs: right, x: Some(x) })
        };
        self.solved_on_device(bind, || Ok(Some(matrix)), rhs, runs, &mut watch)
    }

    /// Solves on the device with right-hand sides of the right length in host memory, and checks the answers by the matrix on the host. Only with
    /// [`Check::Off`] it may be missing: then breakdowns are not explained.
    pub(super) fn solved_on_device<'m>(
        &self,
        bind: impl FnOnce(DeviceSlice<'_, T>, DeviceSlice<'_, T>) -> Result<Bound>,
        matrix: impl Fn() -> Result<Option<&'m [T]>>,
        rhs: &[T],
        runs: Runs,
        watch: &mut Stopwatch,
    ) -> Result<Solution<T>> {
        let Self { gpu, shape, algorithm, .. } = self;
        let (place, algorithm) = (Place::Device, *algorithm);
        if shape.n == 0 {
            let (x, timing) = (vec![], watch.timing());
            return Ok(Solution { x, place, algorithm, forward_error: Some(0.0), replaced: 0, seconds: 0.0, timing });
        }
        let right = DeviceVector::from_slice(gpu, "rhs", rhs)?;
        let x = DeviceVector::from_slice(gpu, "x", &vec![T::from_f64(f64::NAN); rhs.len()])?;
        watch.lap(|timing| &mut timing.uploading);
        let bound = bind(right.as_slice(), x.as_slice())?;
        watch.lap(|timing| &mut timing.planning);
        let Solved { values: [mut x], status, seconds } = bound.solve_and_read([&x], runs, watch)?;
        let failure = status.non_finite_result;
        if let Some((system, _)) = failure
            && let Some(matrix) = matrix()?
        {
            check_finite(&self.options, shape, matrix, rhs, system)?;
        }
        let failure = failure.map(|(system, row)| Error::Breakdown { system, row });
        let judging = match self.turns.next_is_judged(self.options.check, failure)? {
            true => matrix()?,
            false => None,
        };
        let (forward_error, replaced) = match judging {
            Some(matrix) => {
                let (forward_error, replaced) = judged(&self.options, shape, (matrix, rhs), &mut x, true)?;
                (Some(forward_error), replaced)
            }
            None => (None, 0),
        };
        watch.lap(|timing| &mut timing.checking);
        let timing = watch.timing();
        Ok(Solution { x, place, algorithm, forward_error, replaced, seconds, timing })
    }
}

/// Checks the lengths, and that the diagonal holds finite numbers and no zeros.
///
/// # Errors
/// [`Error::Length`], [`Error::ZeroDiagonal`], [`Error::NonFiniteInput`].
pub(super) fn check<T: Real>(options: &Options, shape: &Shape, matrix: &[T], rhs: &[T]) -> Result<()> {
    check_len("matrix", shape.matrix_len(), matrix.len())?;
    check_len("rhs", shape.vector_len(), rhs.len())?;
    check_diagonal(options, shape, matrix)
}

/// [`Error::Length`] if a vector does not have the numbers that it needs.
pub(super) fn check_len(vector: &'static str, needed: Option<usize>, found: usize) -> Result<()> {
    if needed == Some(found) {
        return Ok(());
    }
    Err(Error::Length { vector, expected: needed.unwrap_or(usize::MAX).to_string(), found })
}

/// Checks that the diagonal of matrices of the right length holds finite numbers and no zeros.
///
/// # Errors
/// [`Error::ZeroDiagonal`], [`Error::NonFiniteInput`].
pub(super) fn check_diagonal<T: Real>(options: &Options, shape: &Shape, matrix: &[T]) -> Result<()> {
    if options.diag == Diag::Unit {
        return Ok(());
    }
    let matrices = if shape.matrix_stride == 0 { 1 } else { shape.batch };
    for system in 0..matrices {
        for row in 0..shape.stored {
            let value = matrix[shape.matrix_index(system, row, row)];
            if !value.is_finite() {
                return Err(Error::NonFiniteInput { vector: "the diagonal", system, row });
            }
            if value == T::ZERO {
                return Err(Error::ZeroDiagonal { system, row });
            }
        }
    }
    Ok(())
}

/// [`Error::NonFiniteInput`] for NaN or infinity in entries that a system's solve reads.
pub(super) fn check_finite<T: Real>(
    options: &Options,
    shape: &Shape,
    matrix: &[T],
    rhs: &[T],
    system: usize,
) -> Result<()> {
    let triangle = shape.triangle(options, matrix, system);
    for row in 0..shape.n {
        if (0..shape.columns).any(|column| !rhs[shape.vector_index(system, column, row)].is_finite()) {
            return Err(Error::NonFiniteInput { vector: "rhs", system, row });
        }
        if let Some((column, _)) = triangle.row(row).find(|(_, value)| !value.is_finite()) {
            // The row of the matrix as it is given.
            let row = if options.trans == Trans::Transpose { column } else { row };
            return Err(Error::NonFiniteInput { vector: "the matrix", system, row });
        }
    }
    Ok(())
}

/// Judges all right-hand sides, and replaces answers in x by better ones; returns the largest forward error, and the number of
/// replacements.
///
/// # Errors
/// What the judge says of the first that fails.
pub(super) fn judged<T: Real>(
    options: &Options,
    shape: &Shape,
    (matrix, rhs): (&[T], &[T]),
    x: &mut [T],
    from_device: bool,
) -> Result<(f64, usize)> {
    let judge = |problem: usize| {
        let (system, column) = (problem / shape.columns, problem % shape.columns);
        let of = |values: &[T]| -> Vec<T> {
            (0..shape.n).map(|row| values[shape.vector_index(system, column, row)]).collect()
        };
        let device = from_device.then(|| of(x));
        let triangle = shape.triangle(options, matrix, system);
        triangular::judge(system, &triangle, &of(rhs), device.as_deref())
    };
    let problems = shape.batch * shape.columns;
    let entries = shape.n.saturating_mul(shape.n + 1) / 2;
    let is_small = problems == 1 || problems.saturating_mul(entries) < ENTRIES_OF_ONE_CORE;
    let answers: Vec<_> = match is_small {
        true => (0..problems).map(judge).collect(),
        false => (0..problems).into_par_iter().map(judge).collect(),
    };
    let (mut forward_error, mut replaced) = (0f64, 0);
    for (problem, answer) in answers.into_iter().enumerate() {
        let answer = answer?;
        forward_error = forward_error.max(answer.forward_error);
        if let Some(better) = answer.better {
            replaced += 1;
            for (row, value) in better.into_iter().enumerate() {
                x[shape.vector_index(problem / shape.columns, problem % shape.columns, row)] = value;
            }
        }
    }
    Ok((forward_error, replaced))
}
