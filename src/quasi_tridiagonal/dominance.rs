//! How dominant a matrix's diagonal is, on which the convergence of the splittings rests.

use crate::csr::Csr;
use crate::real::Real;

/// Rows in which the diagonal is less than all others together.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Dominance {
    /// How many.
    pub broken: usize,
    /// The first of them.
    pub first_broken: Vec<usize>,
    /// The least of |a_ii| / sum of |a_ij|, over all rows; infinite where all are diagonal.
    pub least_ratio: f64,
    /// The row that has it.
    pub least_row: usize,
    /// Rows of which that is below 1.1.
    pub weak: usize,
    /// The largest sum of a row's |a_ij|, the norm ||A|| of the largest entries.
    pub norm: f64,
}

/// From here on a row is dominant enough for the splittings to converge in some hundred iterations.
const STRONG: f64 = 1.1;

/// Rows that are named.
const NAMED: usize = 8;

impl Dominance {
    /// Of a matrix.
    pub fn of<T: Real>(matrix: &Csr<T>) -> Self {
        let mut all =
            Self { broken: 0, first_broken: vec![], least_ratio: f64::INFINITY, least_row: 0, weak: 0, norm: 0.0 };
        for row in 0..matrix.rows() {
            let (mut diagonal, mut others) = (0.0, 0.0);
            for (column, value) in matrix.row(row) {
                let size = value.to_f64().abs();
                if column == row { diagonal = size } else { others += size }
            }
            if diagonal < others {
                all.broken += 1;
                if all.first_broken.len() < NAMED {
                    all.first_broken.push(row);
                }
            }
            all.norm = all.norm.max(diagonal + others);
            let ratio = diagonal / others;
            if ratio < STRONG {
                all.weak += 1;
            }
            if ratio < all.least_ratio {
                (all.least_ratio, all.least_row) = (ratio, row);
            }
        }
        all
    }

    /// Whether no row breaks it.
    pub fn holds(&self) -> bool {
        self.broken == 0
    }

    /// Whether it holds, and strongly in all but a tenth of so many rows.
    pub fn is_strong(&self, rows: usize) -> bool {
        self.holds() && 10 * self.weak <= rows
    }
}
