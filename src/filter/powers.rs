//! Powers of the matrix that takes a state one row on.

use super::MAX_ORDER;
use super::coefficients::Coefficients;
use crate::gpu::wgsl::Precision;
use crate::real::Real;

/// A square matrix of the filter's order, in the corner; 0 elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix([[f64; MAX_ORDER]; MAX_ORDER]);

impl Matrix {
    fn identity(order: usize) -> Self {
        let mut made = Self([[0.0; MAX_ORDER]; MAX_ORDER]);
        (0..order).for_each(|i| made.0[i][i] = 1.0);
        made
    }

    /// What takes the state on where the input is 0: z'\[i\] = z\[i+1\] - a\[i+1\] z\[0\].
    fn companion(coefficients: &Coefficients) -> Self {
        let order = coefficients.order();
        let mut made = Self([[0.0; MAX_ORDER]; MAX_ORDER]);
        for i in 0..order {
            made.0[i][0] = -coefficients.a()[i + 1];
            if i + 1 < order {
                made.0[i][i + 1] = 1.0;
            }
        }
        made
    }

    fn times(&self, other: &Self) -> Self {
        let mut made = Self([[0.0; MAX_ORDER]; MAX_ORDER]);
        for (row, made) in self.0.iter().zip(&mut made.0) {
            for (factor, other) in row.iter().zip(&other.0) {
                made.iter_mut().zip(other).for_each(|(made, other)| *made += factor * other);
            }
        }
        made
    }

    /// The largest entry's size; infinite where there are none.
    fn size(&self) -> f64 {
        self.0
            .iter()
            .flatten()
            .fold(0.0, |size, entry| if entry.is_nan() { f64::INFINITY } else { entry.abs().max(size) })
    }
}

/// The powers of a filter's matrix.
pub(super) struct Powers {
    order: usize,
    one: Matrix,
}

impl Powers {
    pub fn new(coefficients: &Coefficients) -> Self {
        Self { order: coefficients.order(), one: Matrix::companion(coefficients) }
    }

    /// By repeated squaring.
    pub fn of(&self, exponent: u64) -> Matrix {
        let mut power = Matrix::identity(self.order);
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = power.times(&power);
            if exponent >> bit & 1 == 1 {
                power = power.times(&self.one);
            }
        }
        power
    }

    /// The powers of a power, from exponent 0 to `last`.
    pub fn of_power(&self, exponent: u64, last: u32) -> Vec<Matrix> {
        let mut all = vec![Matrix::identity(self.order), self.of(exponent)];
        for j in 2..=last as usize {
            let (half, rest) = (all[j / 2], all[j - j / 2]);
            all.push(half.times(&rest));
        }
        all.truncate(last as usize + 1);
        all
    }

    /// The most rows, up to `wanted`, over which no power leaves the range of T.
    pub fn rows_within<T: Real>(&self, wanted: u64) -> u64 {
        let fits = |exponent| self.of(exponent).size() <= largest(T::PRECISION);
        let doublings = std::iter::successors(Some(1u64), |rows| rows.checked_mul(2)).take_while(|rows| *rows < wanted);
        let Some(mut past) = doublings.chain([wanted]).find(|rows| !fits(*rows)) else {
            return wanted;
        };
        let mut within = past / 2;
        while past - within > 1 {
            let middle = within + (past - within) / 2;
            if fits(middle) { within = middle } else { past = middle }
        }
        within
    }

    /// A power as kernels read it, row by row and filled up to whole quads. Those past the range are of more rows
    /// than there are, and what they are applied to is 0 or used by none: any number does.
    pub fn entries<T: Real>(&self, power: &Matrix) -> impl Iterator<Item = T> {
        let (order, most) = (self.order, largest(T::PRECISION));
        let rows = power.0;
        let entry = move |at: usize| if at < order * order { rows[at / order][at % order] } else { 0.0 };
        let within = move |value: f64| if value.is_nan() { 0.0 } else { value.clamp(-most, most) };
        (0..power_quads(order) as usize * 4).map(move |at| T::from_f64(within(entry(at))))
    }
}

/// Quads of numbers that a power takes.
pub(super) fn power_quads(order: usize) -> u32 {
    (order * order).div_ceil(4) as u32
}

/// The largest number.
fn largest(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => f32::MAX.into(),
        Precision::F64 => f64::MAX,
    }
}
