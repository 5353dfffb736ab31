//! A triangular system from files, in the precision of the solve.

use trisolve::Real;
use trisolve::cpu::Triangle;
use trisolve::matrix_market::{self, Entries};
use trisolve::triangular::{Diag, Options, Shape, Uplo};

use crate::Failure;
use crate::columns::{narrow_all, other_range};
use crate::input_file::InputPath;
use crate::rounding::is_exact;

/// Matrix and right-hand sides: as the files have them, and rounded to T.
pub struct Input<T> {
    pub n: usize,
    /// Columns of the matrix, at most n.
    pub stored: usize,
    pub columns: usize,
    pub file_matrix: Vec<f64>,
    pub file_rhs: Vec<f64>,
    /// The numbers of `matrix`; the backward error is computed with these.
    wide_matrix: Vec<f64>,
    pub matrix: Vec<T>,
    pub rhs: Vec<T>,
    /// Whether rounding to T changed a number.
    pub is_rounded: bool,
}

impl<T: Real> Input<T> {
    /// Reads the right-hand sides from a file; without one, takes A times ones. The matrix is square, or it `may_lack` columns.
    pub fn read(
        (path, entries): (&InputPath, &Entries),
        may_lack: bool,
        rhs: Option<&InputPath>,
        options: &Options,
    ) -> Result<Self, Failure> {
        let file_matrix = if may_lack { matrix_market::trapezoid(entries)? } else { matrix_market::square(entries)? };
        let (n, stored) = (entries.rows, entries.columns);
        let shape = Shape::single(n).with_stored(stored);
        if stored < n && options.uplo == Uplo::Upper {
            return Err(Failure::Input(format!(
                "{}: {stored} of {n} columns, and an upper triangle; a trapezoid is lower: pass --uplo lower",
                path.display()
            )));
        }
        let mut is_rounded = check_range::<T>(path, &file_matrix, n, options)?;
        let wide_matrix: Vec<f64> = file_matrix.iter().map(|&entry| T::from_f64(entry).to_f64()).collect();
        let matrix = wide_matrix.iter().map(|&entry| T::from_f64(entry)).collect();
        let (file_rhs, rhs) = match rhs {
            Some(path) => {
                let columns = path.read_right_hand_sides(n)?;
                is_rounded |= !columns.iter().all(|value| is_exact::<T>(*value));
                let rhs = narrow_all(path, &columns, n)?;
                (columns, rhs)
            }
            None => {
                let sums = |matrix: &[f64]| -> Vec<f64> {
                    let triangle = shape.triangle(options, matrix, 0);
                    (0..n).map(|row| triangle.row(row).map(|(_, entry)| entry).sum()).collect()
                };
                (sums(&file_matrix), narrow_all(path, &sums(&wide_matrix), n)?)
            }
        };
        let columns = rhs.len() / n.max(1);
        Ok(Self { n, stored, columns, file_matrix, file_rhs, wide_matrix, matrix, rhs, is_rounded })
    }

    /// The shape of the matrix with one right-hand side.
    pub fn shape(&self) -> Shape {
        Shape::single(self.n).with_stored(self.stored)
    }

    /// The triangle of the rounded numbers, in f64.
    pub fn triangle(&self, options: &Options) -> Triangle<'_, f64> {
        self.shape().triangle(options, &self.wide_matrix, 0)
    }
}

/// Refuses entries of the triangle that T cannot hold. Returns whether T rounds the others.
fn check_range<T: Real>(path: &InputPath, matrix: &[f64], n: usize, options: &Options) -> Result<bool, Failure> {
    let in_triangle = |at: usize| match options.uplo {
        Uplo::Lower => at % n >= at / n,
        Uplo::Upper => at % n <= at / n,
    };
    let on_diagonal = |at: usize| at % n == at / n;
    let is_read = |at: &usize| in_triangle(*at) && !(options.diag == Diag::Unit && on_diagonal(*at));
    let refused = |at: usize, which: &str, side: &str, scale: &str| {
        Failure::Input(format!(
            "{}, entry ({}, {}){which}: {:e} is {side} the range of {}; {}",
            path.display(),
            at % n + 1,
            at / n + 1,
            matrix[at],
            T::PRECISION,
            other_range::<T>(scale)
        ))
    };
    let overflows = |at: &usize| !T::from_f64(matrix[*at]).to_f64().is_finite();
    if let Some(at) = (0..matrix.len()).filter(is_read).find(overflows) {
        return Err(refused(at, "", "past", "down"));
    }
    let underflows = |at: &usize| matrix[*at] != 0.0 && T::from_f64(matrix[*at]) == T::ZERO;
    if let Some(at) = (0..matrix.len()).filter(is_read).find(|at| on_diagonal(*at) && underflows(at)) {
        return Err(refused(at, " of the diagonal", "below", "up"));
    }
    Ok(!(0..matrix.len()).filter(is_read).all(|at| is_exact::<T>(matrix[at])))
}
