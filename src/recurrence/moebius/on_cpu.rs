//! Solves on the CPU.

use super::system::Moebius;
use crate::error::{Error, Result};
use crate::judge::answer::Answer;
use crate::judge::moebius::Sequence;
use crate::real::Real;
use crate::recurrence::on_cpu::{check, value};
use crate::recurrence::{CpuSolution, Direction};

/// One sequence of n rows on the CPU, in wider arithmetic than T and rounded at the end.
///
/// # Errors
/// [`Error::Shape`] for no rows, or more than memory holds, [`Error::Length`], [`Error::NonFiniteInput`], [`Error::Options`] for a coefficient by formula,
/// [`Error::Indeterminate`], [`Error::NoDigits`].
pub fn solve_on_cpu<T: Real>(n: usize, moebius: &Moebius<'_, T>, direction: Direction) -> Result<CpuSolution<T>> {
    let parts = moebius.parts()?;
    check(n, &parts, direction)?;
    let row = |step: usize| if direction == Direction::Forward { step } else { n - 1 - step };
    let coefficients = |step: usize| [0, 1, 2, 3].map(|at| value(&parts[at].1, row(step)));
    let sequence = Sequence { system: 0, n, initial: value(&parts[4].1, 0), coefficients };
    let Answer { better, forward_error } = sequence.judge(None::<fn(usize) -> T>).map_err(|error| match error {
        Error::Indeterminate { system, row: step } => Error::Indeterminate { system, row: row(step) },
        other => other,
    })?;
    // Without a device answer, the judge always returns its own.
    let mut w = better.unwrap_or_default();
    if direction == Direction::Reverse {
        w.reverse();
    }
    Ok(CpuSolution { w, forward_error })
}
