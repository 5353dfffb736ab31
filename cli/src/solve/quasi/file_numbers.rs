//! The numbers of the files, and the error from rounding them to the solve's precision.

use trisolve::quasi_tridiagonal::{Csr, solve_directly};
use trisolve::{Error, Real};

use super::solvers::Solved;
use crate::rounding::{MOST_FORWARD_ERROR, distance, larger, largest};

/// The most refinement steps towards the solution for the files' numbers.
const MOST_CORRECTIONS: usize = 6;
/// A bound by dominance up to this is good enough, as for the library's judge.
const GOOD_BOUND: f64 = 1e-2;
/// Refinement ends after a relative step this small.
const SMALL_CORRECTION: f64 = 1e-3;

/// Solves with the matrix in the solve's precision.
pub type SolveRounded<'a, T> = dyn Fn(&[T]) -> Result<Vec<T>, Error> + 'a;

/// The numbers of the files.
pub struct FileNumbers<'a> {
    pub matrix: &'a Csr<f64>,
    pub rhs: &'a [f64],
    /// Whether the solve's precision rounds some of them.
    pub is_rounded: bool,
}

impl FileNumbers<'_> {
    /// Makes the forward error cover the rounding of the files' numbers to T: it becomes at least the distance to the solution for the files'
    /// numbers. Strict dominance bounds that distance. Where it does not, or the bound is large, that solution comes from elimination or, if the
    /// matrix is large, from refinement with `solve`, which solves with the rounded matrix.
    ///
    /// # Errors
    /// [`Error::NoDigits`] if rounding leaves no digit, and the errors of the solves.
    pub fn add_rounding<T: Real>(&self, solved: &mut Solved<T>, solve: &SolveRounded<'_, T>) -> Result<(), Error> {
        let n = self.matrix.rows();
        if !self.is_rounded || solved.failed.is_some() {
            return Ok(());
        }
        let bound = |(x, rhs): (&[T], &[f64])| {
            let x: Vec<_> = x.iter().map(|x| x.to_f64()).collect();
            let bound = self.matrix.dominant_bound(&x, rhs)?;
            Ok(if bound == 0.0 { 0.0 } else { bound / largest(x) })
        };
        let bounds = solved.x.chunks(n).zip(self.rhs.chunks(n)).map(bound).collect::<Result<Vec<f64>, Error>>()?;
        let bound = bounds.into_iter().fold(0.0, larger);
        if bound <= GOOD_BOUND {
            solved.forward_error = solved.forward_error.max(bound);
            return Ok(());
        }
        let eliminated = match solve_directly(self.matrix, self.rhs) {
            Err(Error::Unsupported { .. }) => None,
            found => found.map(|found| Some((found.x, found.forward_error)))?,
        };
        for (at, (x, rhs)) in solved.x.chunks(n).zip(self.rhs.chunks(n)).enumerate() {
            let x: Vec<_> = x.iter().map(|x| x.to_f64()).collect();
            let (exact, own_error) = match &eliminated {
                Some((all, own_error)) => (all[at * n..(at + 1) * n].to_vec(), *own_error),
                None => self.refined(rhs, &x, solve)?,
            };
            solved.forward_error = solved.forward_error.max(distance(&x, &exact) + own_error);
        }
        check_digits::<T>(solved.forward_error)
    }

    /// Refines the solution for the rounded numbers to the one for the files' numbers; returns that and its own error.
    fn refined<T: Real>(&self, rhs: &[f64], x: &[f64], solve: &SolveRounded<'_, T>) -> Result<(Vec<f64>, f64), Error> {
        let (mut exact, mut last) = (x.to_vec(), f64::INFINITY);
        for _ in 0..MOST_CORRECTIONS {
            let residual: Vec<_> = rhs.iter().zip(self.matrix.times(&exact)?).map(|(b, sum)| b - sum).collect();
            let size = largest(residual.iter().copied());
            if size == 0.0 {
                return Ok((exact, 0.0));
            }
            let step = solve(&residual.iter().map(|value| T::from_f64(value / size)).collect::<Vec<_>>())?;
            exact.iter_mut().zip(&step).for_each(|(x, step)| *x += size * step.to_f64());
            let step = size * largest(step.iter().map(|step| step.to_f64())) / largest(exact.iter().copied());
            // Steps that do not halve: the rounded matrix is too far from the file's.
            if step.is_nan() || step > 0.5 * last {
                break;
            }
            if last.is_finite() && step <= SMALL_CORRECTION {
                return Ok((exact, step));
            }
            last = step;
        }
        // The error is at least as large as steps that do not shrink.
        check_digits::<T>(f64::INFINITY).map(|()| (exact, last))
    }
}

/// # Errors
/// [`Error::NoDigits`] if rounding the files' numbers leaves no digit.
fn check_digits<T: Real>(forward_error: f64) -> Result<(), Error> {
    let (precision, advice) = (T::PRECISION, "the files' numbers were rounded; use --precision f64".into());
    match forward_error <= MOST_FORWARD_ERROR {
        true => Ok(()),
        false => Err(Error::NoDigits { system: 0, forward_error, precision, advice }),
    }
}
