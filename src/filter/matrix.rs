//! Small square matrices on the host.

use super::cascade::Cascade;
use super::coefficients::Coefficients;
use super::{MAX_ORDER, MAX_STATE};
use crate::arithmetic::exponent;
use crate::real::DoubleDouble;

/// A square matrix of the filter's order, in the upper left corner; 0 elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix {
    order: usize,
    pub rows: [[f64; MAX_STATE]; MAX_STATE],
}

impl Matrix {
    pub fn zero(order: usize) -> Self {
        Self { order, rows: [[0.0; MAX_STATE]; MAX_STATE] }
    }

    pub fn identity(order: usize) -> Self {
        let mut made = Self::zero(order);
        (0..order).for_each(|i| made.rows[i][i] = 1.0);
        made
    }

    /// The matrix that advances the state by one row of input 0, and the outputs of that row, each for 1 in one number of the state.
    pub fn advancing(filter: &Cascade) -> (Self, [f64; MAX_STATE]) {
        let order = filter.order();
        let (mut made, mut outputs) = (Self::zero(order), [0.0; MAX_STATE]);
        for j in 0..order {
            let mut z = [0.0; MAX_STATE];
            z[j] = 1.0;
            outputs[j] = filter.row(&mut z[..order], 0.0, &mut vec![]);
            (0..order).for_each(|i| made.rows[i][j] = z[i]);
        }
        (made, outputs)
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut made = Self::zero(self.order);
        for (i, made) in made.rows.iter_mut().enumerate().take(self.order) {
            *made = other.times_row(&self.rows[i]);
        }
        made
    }

    /// A row times this.
    pub fn times_row(&self, row: &[f64; MAX_STATE]) -> [f64; MAX_STATE] {
        let mut made = [0.0; MAX_STATE];
        for (factor, own) in row.iter().zip(&self.rows).take(self.order) {
            made.iter_mut().zip(own).take(self.order).for_each(|(made, own)| *made += factor * own);
        }
        made
    }

    pub fn scaled(&self, factor: f64) -> Self {
        Self { rows: self.rows.map(|row| row.map(|entry| factor * entry)), ..*self }
    }

    pub fn plus(&self, other: &Self) -> Self {
        let mut made = *self;
        made.rows.iter_mut().flatten().zip(other.rows.iter().flatten()).for_each(|(made, other)| *made += other);
        made
    }

    pub fn transposed(&self) -> Self {
        let mut made = Self::zero(self.order);
        for (i, row) in self.rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, entry)| made.rows[j][i] = *entry);
        }
        made
    }

    /// The largest entry's size; infinite if one is not a number.
    pub fn size(&self) -> f64 {
        let larger = |size: f64, entry: &f64| if entry.is_nan() { f64::INFINITY } else { entry.abs().max(size) };
        self.rows.iter().flatten().fold(0.0, larger)
    }

    /// The upper triangular R with R' R = this (Cholesky), and its inverse; None if this is not positive definite.
    pub fn root(&self) -> Option<(Self, Self)> {
        let order = self.order;
        let (mut root, mut inverse) = (Self::zero(order), Self::zero(order));
        for i in 0..order {
            for j in i..order {
                let rest = self.rows[i][j] - (0..i).map(|k| root.rows[k][i] * root.rows[k][j]).sum::<f64>();
                root.rows[i][j] = if i == j { rest.sqrt() } else { rest / root.rows[i][i] };
            }
            let pivot = root.rows[i][i];
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
        }
        for j in 0..order {
            for i in (0..=j).rev() {
                let one = if i == j { 1.0 } else { 0.0 };
                let rest = one - (i + 1..=j).map(|k| root.rows[i][k] * inverse.rows[k][j]).sum::<f64>();
                inverse.rows[i][j] = rest / root.rows[i][i];
            }
        }
        Some((root, inverse))
    }
}

/// The size of the largest pole: |A^m|^(1/m) for a large m, where A is the companion matrix. In double-double arithmetic, and from the
/// coefficients as given: rounding moves a pole of multiplicity k by the k-th root of the unit of roundoff.
pub(super) fn radius(coefficients: &Coefficients) -> f64 {
    const DOUBLINGS: u32 = 40;
    let (order, (_, a)) = (coefficients.order(), coefficients.given());
    let entry = |i: usize, j: usize| match j {
        0 if i < order => -DoubleDouble::new(a[i + 1]) / DoubleDouble::new(a[0]),
        _ => DoubleDouble::new(if j == i + 1 && j < order { 1.0 } else { 0.0 }),
    };
    let mut power: [[_; MAX_ORDER]; MAX_ORDER] = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
    let size = |power: &[[DoubleDouble; MAX_ORDER]; MAX_ORDER]| {
        power.iter().flatten().fold(0.0, |most: f64, entry| most.max(entry.to_f64().abs()))
    };
    let mut log2 = 0.0;
    for _ in 0..DOUBLINGS {
        let Some(by) = exponent(size(&power)) else { return 0.0 };
        log2 = 2.0 * (log2 + f64::from(by));
        let unit = power.map(|row| row.map(|entry| entry.times_power((-by).into())));
        power = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..MAX_ORDER).fold(DoubleDouble::new(0.0), |sum, k| sum + unit[i][k] * unit[k][j]))
        });
    }
    ((log2 + size(&power).max(f64::MIN_POSITIVE).log2()) / f64::from(DOUBLINGS).exp2()).exp2()
}
