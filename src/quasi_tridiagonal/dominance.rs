//! Dominance of a matrix's diagonal, which the splittings need to converge.

use crate::csr::Csr;
use crate::real::Real;

/// Rows whose diagonal entry is smaller than the sum of all others.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Dominance {
    /// The number of such rows.
    pub broken: usize,
    /// The first of these rows.
    pub first_broken: Vec<usize>,
    /// The least of |a_ii| / sum of |a_ij|, over all rows; infinite if all are diagonal.
    pub least_ratio: f64,
    /// The row with this ratio.
    pub least_row: usize,
    /// Number of rows with a ratio below 1.1.
    pub weak: usize,
    /// The largest sum of a row's |a_ij|, the norm ||A|| of the largest entries.
    pub norm: f64,
}

/// From this ratio on, a row is dominant enough for the splittings to converge in some hundred iterations.
const STRONG: f64 = 1.1;

/// Most rows to list.
const NAMED: usize = 8;

impl Dominance {
    /// The dominance of a matrix.
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

    /// Whether all rows are dominant.
    pub fn holds(&self) -> bool {
        self.broken == 0
    }

    /// Whether all of `rows` rows are dominant, and all but a tenth strongly.
    pub fn is_strong(&self, rows: usize) -> bool {
        self.holds() && 10 * self.weak <= rows
    }
}
