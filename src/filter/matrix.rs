//! Small square matrices on the host.

use super::MAX_ORDER;
use super::coefficients::Coefficients;
use crate::arithmetic::exponent;
use crate::real::DoubleDouble;

/// A square matrix of the filter's order, in the upper left corner; 0 elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub [[f64; MAX_ORDER]; MAX_ORDER]);

impl Matrix {
    pub const ZERO: Self = Self([[0.0; MAX_ORDER]; MAX_ORDER]);

    pub fn identity(order: usize) -> Self {
        let mut made = Self::ZERO;
        (0..order).for_each(|i| made.0[i][i] = 1.0);
        made
    }

    /// The matrix that advances the state by one row of input 0: z'\[i\] = z\[i+1\] - a\[i+1\] z\[0\].
    pub fn companion(coefficients: &Coefficients) -> Self {
        let order = coefficients.order();
        let mut made = Self::ZERO;
        for i in 0..order {
            made.0[i][0] = -coefficients.a()[i + 1];
            if i + 1 < order {
                made.0[i][i + 1] = 1.0;
            }
        }
        made
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut made = Self::ZERO;
        for (row, made) in self.0.iter().zip(&mut made.0) {
            for (factor, other) in row.iter().zip(&other.0) {
                made.iter_mut().zip(other).for_each(|(made, other)| *made += factor * other);
            }
        }
        made
    }

    pub fn scaled(&self, factor: f64) -> Self {
        Self(self.0.map(|row| row.map(|entry| factor * entry)))
    }

    pub fn plus(&self, other: &Self) -> Self {
        let mut made = *self;
        made.0.iter_mut().flatten().zip(other.0.iter().flatten()).for_each(|(made, other)| *made += other);
        made
    }

    pub fn transposed(&self) -> Self {
        let mut made = Self::ZERO;
        for (i, row) in self.0.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, entry)| made.0[j][i] = *entry);
        }
        made
    }

    /// The largest entry's size; infinite if one is not a number.
    pub fn size(&self) -> f64 {
        let larger = |size: f64, entry: &f64| if entry.is_nan() { f64::INFINITY } else { entry.abs().max(size) };
        self.0.iter().flatten().fold(0.0, larger)
    }

    /// The upper triangular R with R' R = this (Cholesky), and its inverse; None if this is not positive definite.
    pub fn root(&self, order: usize) -> Option<(Self, Self)> {
        let (mut root, mut inverse) = (Self::ZERO, Self::ZERO);
        for i in 0..order {
            for j in i..order {
                let rest = self.0[i][j] - (0..i).map(|k| root.0[k][i] * root.0[k][j]).sum::<f64>();
                root.0[i][j] = if i == j { rest.sqrt() } else { rest / root.0[i][i] };
            }
            let pivot = root.0[i][i];
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
        }
        for j in 0..order {
            for i in (0..=j).rev() {
                let one = if i == j { 1.0 } else { 0.0 };
                let rest = one - (i + 1..=j).map(|k| root.0[i][k] * inverse.0[k][j]).sum::<f64>();
                inverse.0[i][j] = rest / root.0[i][i];
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
