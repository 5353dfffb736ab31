//! The structure of a tridiagonal matrix: cyclic, symmetric, constant, transposed.

use trisolve::Real;
use trisolve::matrix_market::{Entries, Tridiagonal};
use trisolve::tridiagonal::{Diagonal, Forms, Structure, System};

use crate::Failure;
use crate::input_file::InputPath;
use crate::output::tell;
use crate::rounding::MOST_FORWARD_ERROR;

/// A matrix in the solve's precision, with its structure.
pub struct Matrix<T> {
    lower: Vec<T>,
    diag: Vec<T>,
    upper: Vec<T>,
    /// For constant coefficients: those of the first row, of the rows between, and of the last row.
    coefficients: [[T; 3]; 3],
    kind: Diagonal,
    structure: Structure,
    forms: Forms,
    form: Form,
}

/// The form of the system that a file's matrix stands for.
#[derive(Clone, Copy)]
pub struct Form {
    pub cyclic: bool,
    /// The solve is with the transpose.
    pub transposed: bool,
}

impl<T: Real> Matrix<T> {
    /// The rows of a file; the vectors are `given` in the solve's precision.
    pub fn new(given: &Tridiagonal, [lower, diag, upper]: [Vec<T>; 3], kind: Diagonal, form: Form) -> Self {
        let n = diag.len();
        let of_kinds = |values: &[T]| [0, 1.min(n - 1), n - 1].map(|row| values[row]);
        let coefficients = [of_kinds(&lower), of_kinds(&diag), of_kinds(&upper)];
        let (structure, forms) = match detected(given) {
            (Structure::General, _) if form.transposed => (Structure::Transposed, Forms::default()),
            detected => detected,
        };
        Self { lower, diag, upper, coefficients, kind, structure, forms, form }
    }

    pub fn system(&self) -> System<'_, T> {
        let Self { lower, diag, upper, coefficients: [a, b, c], kind, structure, forms, form } = self;
        let system = match structure {
            _ if *forms == Forms::ENDS => System::constant(a, b, c),
            Structure::Symmetric => System::symmetric(diag, upper),
            Structure::Transposed => System::transposed(lower, diag, upper),
            Structure::General => System::new(lower, diag, upper),
        };
        System { kind: *kind, periodic: form.cyclic, ..system }
    }

    /// Rows of the system; one of constant coefficients has three entries per vector.
    pub fn rows(&self) -> usize {
        self.diag.len()
    }

    /// The structure's name in reports.
    pub fn name(&self) -> &'static str {
        match (self.structure, self.form.cyclic) {
            (_, false) if self.forms == Forms::ENDS => "constant-coefficient tridiagonal",
            (_, true) if self.forms == Forms::ENDS => "cyclic constant-coefficient tridiagonal",
            (Structure::Transposed, false) => "transposed tridiagonal",
            (Structure::Transposed, true) => "cyclic transposed tridiagonal",
            (Structure::Symmetric, false) => "symmetric tridiagonal",
            (_, false) => "tridiagonal",
            (Structure::Symmetric, true) => "cyclic symmetric tridiagonal",
            (_, true) => "cyclic tridiagonal",
        }
    }
}

/// The structure of all rows, corners included, and the forms of the vectors.
fn detected(matrix: &Tridiagonal) -> (Structure, Forms) {
    let Tridiagonal { lower, diag, upper } = matrix;
    let n = diag.len();
    // Short systems gain nothing from a structure.
    if n < 4 {
        return (Structure::General, Forms::default());
    }
    let same = |row: &usize| (lower[*row], diag[*row], upper[*row]) == (lower[1], diag[1], upper[1]);
    if (2..n - 1).all(|row| same(&row)) {
        (Structure::General, Forms::ENDS)
    } else if (0..n).all(|row| lower[(row + 1) % n] == upper[row]) {
        (Structure::Symmetric, Forms::default())
    } else {
        (Structure::General, Forms::default())
    }
}

/// A times ones, or the transpose times ones.
pub fn row_sums(matrix: &Tridiagonal, kind: Diagonal, form: Form) -> Vec<f64> {
    let Tridiagonal { lower, diag, upper } = matrix;
    let n = diag.len();
    (0..n)
        .map(|i| match kind {
            // Unused corners are 0.
            Diagonal::Value if form.transposed => upper[(i + n - 1) % n] + diag[i] + lower[(i + 1) % n],
            Diagonal::Value => lower[i] + diag[i] + upper[i],
            // If the off-diagonals are negative, as in diffusion, only the excess is left.
            Diagonal::Excess => (lower[i] + lower[i].abs()) + (upper[i] + upper[i].abs()) + diag[i],
        })
        .collect()
}

/// Whether there are entries beside the three diagonals, and all of them are the corners of a cyclic matrix.
pub fn is_cyclic(entries: &Entries) -> bool {
    let n = entries.rows;
    let mut beside = entries.entries.iter().filter(|entry| entry.2 != 0.0 && entry.0.abs_diff(entry.1) > 1).peekable();
    beside.peek().is_some() && beside.all(|&(row, column, ..)| row.abs_diff(column) == n - 1)
}

/// The larger of the forward error and the error against ones, for the right-hand side A times ones, which was rounded.
///
/// # Errors
/// [`Failure::Solver`] if no digit is left.
pub fn against_ones<T: Real>(matrix: &InputPath, x: &[T], forward_error: f64) -> Result<f64, Failure> {
    let worst = error_against_ones(x).max(forward_error);
    match worst <= MOST_FORWARD_ERROR {
        true => Ok(worst),
        false => Err(Failure::Solver(format!(
            "{}: the right-hand side, A times ones, rounded to {}, leaves no digit of the solution (largest error against ones \
             {worst:.0e}); pass a right-hand side",
            matrix.display(),
            T::PRECISION
        ))),
    }
}

/// Tells the error against ones.
pub fn tell_against_ones<T: Real>(x: &[T]) {
    let worst = error_against_ones(x);
    tell(&format!("the right-hand side was A times ones; largest error against ones {worst:.2e}"));
}

fn error_against_ones<T: Real>(x: &[T]) -> f64 {
    x.iter().map(|x| (x.to_f64() - 1.0).abs()).fold(0.0, f64::max)
}
