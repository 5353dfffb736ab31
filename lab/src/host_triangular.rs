//! Random triangular systems in host memory, and the backward errors of their solutions.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::cpu::triangular_backward_error;
use trisolve::internals::cpu::worst;
use trisolve::triangular::{Diag, Options, Order, Shape, Uplo};
use trisolve::{Error, Real, Result};

/// Matrices and right-hand sides in the layout of a shape; NaN in all places that a solve should not read.
#[derive(Debug, Clone)]
pub struct HostTriangular<T> {
    /// The shape.
    pub shape: Shape,
    /// The form of the system.
    pub options: Options,
    /// The matrices.
    pub matrix: Vec<T>,
    /// The right-hand sides.
    pub rhs: Vec<T>,
}

impl<T: Real> HostTriangular<T> {
    /// Draws the systems: diagonals with absolute values of 1 to 2; the sum of a row's other entries is about as large, or many
    /// times larger if `ill_conditioned`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the shape spans more than memory.
    pub fn new(shape: Shape, options: Options, ill_conditioned: bool, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let too_large = || Error::Shape("a case that spans more than memory".into());
        let nan = T::from_f64(f64::NAN);
        let mut matrix = vec![nan; shape.matrix_len().ok_or_else(too_large)?];
        let mut rhs = vec![nan; shape.vector_len().ok_or_else(too_large)?];
        let n = shape.n;
        let size = if ill_conditioned { 0.6 } else { 1.0 / (n as f64).sqrt() };
        let matrices = if shape.matrix_stride == 0 { 1 } else { shape.batch };
        let lower = (options.uplo == Uplo::Lower) == (options.order == Order::ColumnMajor);
        for system in 0..matrices {
            for over in 0..shape.stored {
                for along in if lower { over..n } else { 0..over + 1 } {
                    let entry = match along == over {
                        true if options.diag == Diag::Unit => continue,
                        true => random.random_range(1.0..2.0) * if random.random() { 1.0 } else { -1.0 },
                        false => random.random_range(-size..size),
                    };
                    matrix[shape.matrix_index(system, along, over)] = T::from_f64(entry);
                }
            }
        }
        for system in 0..shape.batch {
            for column in 0..shape.columns {
                for row in 0..n {
                    rhs[shape.vector_index(system, column, row)] = T::from_f64(random.random_range(-1.0..1.0));
                }
            }
        }
        Ok(Self { shape, options, matrix, rhs })
    }

    /// The largest componentwise backward error of the right-hand sides.
    pub fn backward_error(&self, x: &[T]) -> f64 {
        let Self { shape, options, matrix, rhs } = self;
        let wide: Vec<f64> = matrix.iter().map(|entry| entry.to_f64()).collect();
        let errors = (0..shape.batch).flat_map(|system| {
            let triangle = shape.triangle(options, &wide, system);
            (0..shape.columns).map(move |column| {
                let of = |values: &[T]| -> Vec<f64> {
                    (0..shape.n).map(|row| values[shape.vector_index(system, column, row)].to_f64()).collect()
                };
                triangular_backward_error(&triangle, &of(rhs), &of(x))
            })
        });
        worst(errors)
    }

    /// The largest backward error that rounding can explain.
    pub fn allowed(&self) -> f64 {
        allowed::<T>(self.shape.n)
    }
}

/// The largest backward error that rounding can explain in n rows: one unit of roundoff per product and sum, and some for the
/// quotient.
pub(super) fn allowed<T: Real>(n: usize) -> f64 {
    (n as f64 + 4.0) * T::UNIT_ROUNDOFF
}
