//! Numbers with a bound of their error, that operations carry along: running error analysis (Wilkinson; Higham, "Accuracy and Stability of
//! Numerical Algorithms", 3.3).

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::extended_range::ExtendedRange;
use crate::real::{Scalar, Wide};

/// A number that is at most `error` from the exact one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounded<W> {
    pub value: ExtendedRange<W>,
    pub error: ExtendedRange<f64>,
}

impl<W: Wide> Bounded<W> {
    fn rounded(value: ExtendedRange<W>, inherited: ExtendedRange<f64>) -> Self {
        Self { value, error: inherited + ExtendedRange::from(W::UNIT_ROUNDOFF) * size(value) }
    }
}

fn size<W: Wide>(value: ExtendedRange<W>) -> ExtendedRange<f64> {
    value.narrow().abs()
}

impl<W: Wide> From<f64> for Bounded<W> {
    fn from(value: f64) -> Self {
        Self { value: value.into(), error: ExtendedRange::ZERO }
    }
}

impl<W: Wide> Add for Bounded<W> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::rounded(self.value + other.value, self.error + other.error)
    }
}

impl<W: Wide> Neg for Bounded<W> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, error: self.error }
    }
}

impl<W: Wide> Sub for Bounded<W> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<W: Wide> Mul for Bounded<W> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let inherited = size(self.value) * other.error + (size(other.value) + other.error) * self.error;
        Self::rounded(self.value * other.value, inherited)
    }
}

impl<W: Wide> Div for Bounded<W> {
    type Output = Self;
    /// NaN as the bound where the divisor may be 0.
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let least = size(other.value) - other.error;
        let least = if least > ExtendedRange::ZERO { least } else { ExtendedRange::from(f64::NAN) };
        Self::rounded(value, (self.error + size(value) * other.error) / least)
    }
}

impl<W: Wide> PartialEq for Bounded<W> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Compares the values, without their bounds.
impl<W: Wide> PartialOrd for Bounded<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<W: Wide> Scalar for Bounded<W> {
    const ZERO: Self = Self { value: ExtendedRange::ZERO, error: ExtendedRange::ZERO };
    const ONE: Self = Self { value: ExtendedRange::ONE, error: ExtendedRange::ZERO };
    fn abs(self) -> Self {
        Self { value: self.value.abs(), error: self.error }
    }
    fn is_finite(self) -> bool {
        self.value.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::RandomBits;

    /// f64 with its bound, beside twice the digits.
    #[test]
    fn errors_are_within_their_bounds() {
        let mut random_bits = RandomBits(1);
        let mut number = || (random_bits.next() >> 11) as f64 / 2f64.powi(53) - 0.5;
        for _ in 0..1000 {
            let numbers = [0; 6].map(|_| number());
            let [a, b, c, d, e, f] = numbers.map(Bounded::<f64>::from);
            let found = (a * b - c / d) * e + f - a * f;
            let [a, b, c, d, e, f] = numbers.map(crate::real::DoubleDouble::new);
            let exact = (a * b - c / d) * e + f - a * f;
            let off = (exact - crate::real::DoubleDouble::new(found.value.to_f64())).abs().to_f64();
            assert!(off <= found.error.to_f64(), "{off:e} beside {:e} for {numbers:?}", found.error.to_f64());
            assert!(
                found.error.to_f64() < 100.0 * f64::EPSILON * found.value.to_f64().abs().max(1.0) / numbers[3].abs()
            );
        }
        let [one, zero] = [1.0, 0.0].map(Bounded::<f64>::from);
        assert!((one / zero).error.to_f64().is_nan());
    }
}
