//! The Gauss-Seidel iteration.

use super::iterations::without_terms;
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::precision::Precision;
use crate::real::Real;

const METHOD: &str = "gauss-seidel";

/// [`Error::Options`] for a tolerance that no iteration in T can reach.
pub(crate) fn check_tolerance<T: Real>(tolerance: f64) -> Result<()> {
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(Error::Options(format!("a tolerance of {tolerance:e}: should be above 0 and below 1")));
    }
    // The right-hand side's rounding limits the accuracy of a residual.
    let reach = 4.0 * T::UNIT_ROUNDOFF;
    if tolerance < reach {
        return Err(Error::Options(format!(
            "a tolerance of {tolerance:e} is below what {} can reach, {reach:.1e}{}",
            T::PRECISION,
            if T::PRECISION == Precision::F32 { "; take f64, or on a device f64 with `mixed`" } else { "" }
        )));
    }
    Ok(())
}

/// The textbook's Gauss-Seidel iteration: each row in turn takes the newest values of the other unknowns, until ||b - A x|| / ||b|| is at
/// most `tolerance`. If the sizes of rows differ by more than a factor of 16, rows are first scaled by powers of two. Also returns the
/// residual before the first sweep and after each sweep.
///
/// # Errors
/// [`Error::Options`] for a tolerance that cannot be reached; [`Error::Length`]; [`Error::NonFiniteInput`]; [`Error::ZeroOnDiagonal`];
/// [`Error::NotConverged`] after `max_iterations` sweeps, or once the residual is a million times the first.
pub fn gauss_seidel<T: Real>(
    matrix: &Csr<T>,
    rhs: &[T],
    tolerance: f64,
    max_iterations: usize,
) -> Result<(Vec<T>, Vec<f64>)> {
    check_tolerance::<T>(tolerance)?;
    matrix.check_vector("rhs", rhs.len())?;
    if let Some(row) = rhs.iter().position(|value| !value.is_finite()) {
        return Err(Error::NonFiniteInput { vector: "rhs", system: 0, row });
    }
    if let Some(powers) = matrix.row_scaling() {
        let scaled = matrix.scaled(&powers);
        return gauss_seidel_as_given(&scaled, &Csr::scaled_vector(&powers, rhs), tolerance, max_iterations);
    }
    gauss_seidel_as_given(matrix, rhs, tolerance, max_iterations)
}

fn gauss_seidel_as_given<T: Real>(
    matrix: &Csr<T>,
    rhs: &[T],
    tolerance: f64,
    max_iterations: usize,
) -> Result<(Vec<T>, Vec<f64>)> {
    let diagonal = |row| matrix.row(row).find(|&(column, _)| column == row).map(|(_, value)| value);
    let diagonal = (0..rhs.len())
        .map(|row| diagonal(row).filter(|&value| value != T::ZERO).ok_or(row))
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|row| Error::ZeroOnDiagonal { row, method: METHOD.into() })?;
    let mut x = vec![T::ZERO; rhs.len()];
    let mut history = vec![];
    loop {
        let residual = matrix.relative_residual(&x, rhs)?;
        history.push(residual);
        if residual <= tolerance {
            return Ok((x, history));
        }
        let iterations = history.len() - 1;
        let diverges = residual > 1e6;
        if residual.is_nan() || diverges || iterations >= max_iterations {
            return Err(Error::NotConverged {
                method: METHOD.into(),
                outcome: match (residual.is_nan(), diverges) {
                    (true, _) => Outcome::NotFinite,
                    (_, true) => Outcome::Diverged,
                    _ => Outcome::Exhausted,
                },
                iterations,
                residual,
                advice: match diverges || residual.is_nan() {
                    true => "it converges for diagonally dominant matrices; on a device take bicgstab or gmres".into(),
                    false => "allow more iterations, or on a device take bicgstab or gmres with the preconditioner \
                              tridiagonal"
                        .into(),
                },
                broken_rows: 0,
                first_broken: None,
            });
        }
        for row in 0..rhs.len() {
            let others = matrix.row(row).filter(|&(column, _)| column != row);
            x[row] = without_terms(others, rhs[row], |column| x[column]) / diagonal[row];
        }
    }
}
