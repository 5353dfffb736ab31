//! Double-double numbers: an unevaluated sum of two f64, some 106 bits (Dekker 1971; Hida, Li and Bailey 2001).
//!
//! The judge uses them for f64 solves, and for f32 solves if f64 is too narrow. They take 10 to 30 times as long as f64.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Scalar, Wide};

/// `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoubleDouble {
    high: f64,
    low: f64,
}

/// a + b and its rounding error, for any two numbers (Knuth).
#[inline(always)] // For loops over vector lanes.
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let other = sum - a;
    (sum, (a - (sum - other)) + (b - other))
}

/// a + b and its rounding error, where |a| is not less than |b| (Dekker).
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

impl DoubleDouble {
    /// The same value.
    pub const fn new(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    /// The nearest f64.
    pub fn to_f64(self) -> f64 {
        self.high
    }

    /// a b, exactly unless it underflows.
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self::of(high, a.mul_add(b, -high))
    }

    /// The nearest f64, and what is left.
    #[inline(always)]
    pub(crate) fn parts(self) -> (f64, f64) {
        (self.high, self.low)
    }

    /// a + b, exactly.
    #[inline(always)]
    pub(crate) fn sum(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, b);
        Self::of(high, low)
    }

    /// self 2^power.
    pub fn times_power(self, power: i64) -> Self {
        Self::of(Wide::times_power(self.high, power), Wide::times_power(self.low, power))
    }

    /// Infinity and NaN keep no second part.
    fn of(high: f64, low: f64) -> Self {
        if high.is_finite() { Self { high, low } } else { Self { high, low: 0.0 } }
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        Self::new(value)
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        if !high.is_finite() {
            return Self::new(high);
        }
        let (low, rest) = two_sum(self.low, other.low);
        let (high, error) = quick_two_sum(high, error + low);
        let (high, low) = quick_two_sum(high, error + rest);
        Self::of(high, low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let Self { high, low } = Self::product(self.high, other.high);
        if !high.is_finite() {
            return Self::new(high);
        }
        let (high, low) = quick_two_sum(high, low + (self.high * other.low + self.low * other.high));
        Self::of(high, low)
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        if !first.is_finite() || other.high.is_infinite() {
            return Self::new(first);
        }
        let rest = self - other * Self::new(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::new(second);
        let third = rest.high / other.high;
        let (high, low) = quick_two_sum(first, second);
        Self { high, low } + Self::new(third)
    }
}

impl PartialOrd for DoubleDouble {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            order => order,
        }
    }
}

impl Scalar for DoubleDouble {
    const ZERO: Self = Self::new(0.0);
    const ONE: Self = Self::new(1.0);
    fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }
    fn is_finite(self) -> bool {
        self.high.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_106_bits() {
        let third = DoubleDouble::ONE / DoubleDouble::new(3.0);
        let error = third * DoubleDouble::new(3.0) - DoubleDouble::ONE;
        assert!(error.abs().to_f64() < 2f64.powi(-104), "{error:?}");
        let sum = DoubleDouble::new(1.0) + DoubleDouble::new(2f64.powi(-90));
        assert_eq!((sum - DoubleDouble::ONE).to_f64(), 2f64.powi(-90));
        let square = DoubleDouble::product(0.1, 0.1);
        assert_eq!((square - DoubleDouble::new(0.1 * 0.1)).to_f64(), 0.1f64.mul_add(0.1, -(0.1 * 0.1)));
    }

    #[test]
    fn infinite_stays_infinite() {
        let large = DoubleDouble::new(f64::MAX);
        assert_eq!((large + large).to_f64(), f64::INFINITY);
        assert_eq!((large * large).to_f64(), f64::INFINITY);
        assert_eq!((DoubleDouble::ONE / DoubleDouble::ZERO).to_f64(), f64::INFINITY);
        assert_eq!((DoubleDouble::ONE / DoubleDouble::new(f64::INFINITY)).to_f64(), 0.0);
        assert!((DoubleDouble::ZERO / DoubleDouble::ZERO).to_f64().is_nan());
    }
}
