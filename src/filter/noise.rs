//! What rounding does to a filter's outputs.

use super::coefficients::Coefficients;
use super::matrix::Matrix;
use super::powers::Powers;
use crate::real::Real;

/// Noise beyond which nothing of the outputs is right.
pub(super) const MOST: f64 = 1.0;

impl Coefficients {
    /// About how large the noise of rounding is beside the outputs, of a filter in direct form over so many rows in the
    /// precision T.
    ///
    /// Each row rounds each number of the state by up to half a unit of the largest product there, (1 + max |a|) |y|,
    /// independently of the others; m rows later the output has of that (A^m)\[0\]\[i\] times as much (Jackson,
    /// "On the interaction of roundoff noise and dynamic range in digital filters", 1970). What is composed here adds
    /// less than that.
    pub fn rounding_noise<T: Real>(&self, rows: usize) -> f64 {
        noise::<T>(self, &Powers::new(self), rows)
    }
}

/// [`Coefficients::rounding_noise`], given the powers.
pub(super) fn noise<T: Real>(coefficients: &Coefficients, powers: &Powers, rows: usize) -> f64 {
    let basis = &powers.basis;
    // The sum of (A^m)' c c' A^m over 2^k rows, where c' w is the output, by doubling k.
    let outputs = basis.back.0[0];
    let mut sum = Matrix(outputs.map(|row| outputs.map(|column| row * column)));
    // What grows is measured beside its growth.
    let mut power = basis.one.scaled(1.0 / basis.radius.max(1.0));
    for _ in 0..rows.next_power_of_two().ilog2() {
        sum = sum.plus(&power.transposed().times(&sum).times(&power));
        power = power.times(&power);
    }
    let in_states = basis.into.transposed().times(&sum).times(&basis.into);
    let variance: f64 = (0..coefficients.order()).map(|i| in_states.0[i][i].abs()).sum();
    let largest = coefficients.a().iter().fold(0.0, |largest: f64, a| largest.max(a.abs()));
    let noise = T::UNIT_ROUNDOFF * (1.0 + largest) * variance.sqrt();
    if noise.is_nan() { f64::INFINITY } else { noise }
}
