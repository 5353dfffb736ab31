//! Judges the answers to a batch, wherever they were computed.

use rayon::prelude::*;

use super::bounds::Bounds;
use super::system::System;
use crate::error::Result;
use crate::judge::tridiagonal::{Answer, Device};
use crate::plan::Shape;
use crate::real::Real;

/// Answers to judge.
pub(super) struct Candidate<'a, T> {
    pub shape: &'a Shape,
    pub system: &'a System<'a, T>,
    pub rhs: &'a [T],
    /// Of each right-hand side; `None` where there is no answer.
    pub bounds: &'a [Option<Bounds>],
    /// Whether the algorithm carried the dominance of rows.
    pub carries: bool,
    /// Better answers may take the place of these.
    pub replaceable: bool,
}

/// The worst of all right-hand sides.
pub(super) struct Judged {
    /// Estimated.
    pub forward_error: f64,
    /// The largest condition number that the judge computed; `None` if dominance bounded all errors.
    pub condition: Option<f64>,
    /// Right-hand sides whose answer the judge replaced.
    pub replaced: usize,
}

impl<T: Real> Candidate<'_, T> {
    /// Judges the answers in `x`, and puts better ones in their places. Doubtful ones are judged in parallel.
    ///
    /// # Errors
    /// Those of the judge, of the first system that has one.
    pub fn judged(&self, x: &mut [T]) -> Result<Judged> {
        let &Self { shape, system, rhs, bounds, carries, replaceable } = self;
        let mut judged = Judged { forward_error: 0.0, condition: None, replaced: 0 };
        let mut doubtful = vec![];
        for (problem, bounds) in bounds.iter().enumerate() {
            match bounds.and_then(|bounds| bounds.forward_error::<T>(carries)) {
                Some(error) => judged.forward_error = judged.forward_error.max(error),
                None => doubtful.push(problem),
            }
        }
        // The doubtful right-hand sides of each matrix.
        let groups: Vec<_> = doubtful.chunk_by(|a, b| a / shape.columns == b / shape.columns).collect();
        let of_matrix = |problems: &&[usize]| -> Result<Vec<(usize, Answer<T>)>> {
            let at = problems[0] / shape.columns;
            let judge = system.judge(shape, at);
            let of_problem = |&problem: &usize| {
                let size = bounds[problem].and_then(|bounds| bounds.size_of_one_sign::<T>());
                let size = size.filter(|_| carries);
                if let Some(forward_error) = size.and_then(|size| judge.forward_error_of_one_sign(size)) {
                    return Ok((problem, Answer { x: None, forward_error, condition: None }));
                }
                let entries = |values: &[T]| -> Vec<T> {
                    let index = |row| shape.rhs_index(at, problem % shape.columns, row);
                    (0..shape.n).map(|row| values[index(row)]).collect()
                };
                let answer = bounds[problem].map(|_| entries(x));
                let device = answer.as_ref().map(|x| Device { x, carries, replaceable });
                Ok((problem, judge.judge(&entries(rhs), device)?))
            };
            problems.iter().map(of_problem).collect()
        };
        // Of several errors, the first system's.
        let answers: Vec<_> = groups.par_iter().map(of_matrix).collect();
        let answers = answers.into_iter().collect::<Result<Vec<_>>>()?;
        for (problem, answer) in answers.into_iter().flatten() {
            judged.forward_error = judged.forward_error.max(answer.forward_error);
            judged.condition = judged.condition.into_iter().chain(answer.condition).reduce(f64::max);
            if let Some(better) = answer.x {
                judged.replaced += 1;
                for (row, value) in better.into_iter().enumerate() {
                    x[shape.rhs_index(problem / shape.columns, problem % shape.columns, row)] = value;
                }
            }
        }
        Ok(judged)
    }
}
