//! Numbers with an exponent of their own, which neither overflow nor underflow: extended-range arithmetic (Smith, Olver and Lozier,
//! "Extended-range arithmetic and normalized Legendre polynomials", 1981).
//!
//! The judge takes them where f64 and double-double numbers leave their range on the way to an answer. They take 3 to 5 times as long.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::arithmetic::exponent;
use crate::real::{Scalar, Wide};

/// Significands outside of 2^-SLACK to 2^SLACK are brought back to 1 to 2; products and quotients of two others are exact enough as they are.
const SLACK: i32 = 64;

/// Terms whose exponents differ by more do not change a sum: 2 SLACK, and the digits of the widest significand.
const FORGOTTEN: i64 = 2 * SLACK as i64 + 160;

/// `significand` 2^`power`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExtendedRange<W> {
    significand: W,
    /// 0 where the significand is 0, infinite or NaN.
    power: i64,
}

impl<W: Wide> ExtendedRange<W> {
    fn of(significand: W, power: i64) -> Self {
        let size = significand.to_f64().abs();
        if (2f64.powi(-SLACK)..2f64.powi(SLACK)).contains(&size) {
            return Self { significand, power };
        }
        match exponent(size).filter(|_| size.is_finite()) {
            Some(by) => {
                Self { significand: significand.times_power(-i64::from(by)), power: power.saturating_add(by.into()) }
            }
            None => Self { significand, power: 0 },
        }
    }

    /// The nearest W: infinite or 0 past its range.
    pub fn nearest(self) -> W {
        self.significand.times_power(self.power)
    }

    /// Of the digits of f64.
    pub fn narrow(self) -> ExtendedRange<f64> {
        ExtendedRange { significand: self.significand.to_f64(), power: self.power }
    }

    fn is_zero(&self) -> bool {
        self.significand == W::ZERO
    }
}

impl<W: Wide> From<f64> for ExtendedRange<W> {
    fn from(value: f64) -> Self {
        // Scaled first: a significand made of a number next to underflow would be exact, but its products not.
        let power = exponent(value).filter(|_| value.is_finite()).unwrap_or(0);
        Self { significand: W::from(value.times_power(-i64::from(power))), power: power.into() }
    }
}

impl<W: Wide> Add for ExtendedRange<W> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let by = self.power - other.power;
        if by == 0 || self.is_zero() || other.is_zero() || !(self.is_finite() && other.is_finite()) {
            let power = if self.is_zero() { other.power } else { self.power };
            return Self::of(self.significand + other.significand, power);
        }
        let [larger, smaller] = if by > 0 { [self, other] } else { [other, self] };
        match by.abs() > FORGOTTEN {
            true => larger,
            false => Self::of(larger.significand + smaller.significand.times_power(-by.abs()), larger.power),
        }
    }
}

impl<W: Wide> Neg for ExtendedRange<W> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { significand: -self.significand, power: self.power }
    }
}

impl<W: Wide> Sub for ExtendedRange<W> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<W: Wide> Mul for ExtendedRange<W> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::of(self.significand * other.significand, self.power.saturating_add(other.power))
    }
}

impl<W: Wide> Div for ExtendedRange<W> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::of(self.significand / other.significand, self.power.saturating_sub(other.power))
    }
}

impl<W: Wide> PartialEq for ExtendedRange<W> {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl<W: Wide> PartialOrd for ExtendedRange<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.power == other.power || !(self.is_finite() && other.is_finite()) {
            return self.significand.partial_cmp(&other.significand);
        }
        (*self - *other).significand.partial_cmp(&W::ZERO)
    }
}

impl<W: Wide> Scalar for ExtendedRange<W> {
    const ZERO: Self = Self { significand: W::ZERO, power: 0 };
    const ONE: Self = Self { significand: W::ONE, power: 0 };
    fn abs(self) -> Self {
        Self { significand: self.significand.abs(), power: self.power }
    }
    fn is_finite(self) -> bool {
        self.significand.is_finite()
    }
}

impl<W: Wide> Wide for ExtendedRange<W> {
    const UNIT_ROUNDOFF: f64 = W::UNIT_ROUNDOFF;
    const TINY: Self = Self { significand: W::ONE, power: -(1 << 40) };
    /// Infinite or 0 past the range of f64.
    fn to_f64(self) -> f64 {
        self.significand.to_f64().times_power(self.power)
    }
    fn times_power(self, power: i64) -> Self {
        let by = if self.is_zero() || !self.is_finite() { 0 } else { power };
        Self { significand: self.significand, power: self.power.saturating_add(by) }
    }
    fn exponent(self) -> Option<i64> {
        self.significand.exponent().map(|own| own + self.power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::DoubleDouble;

    fn far_past_the_range_and_back<W: Wide>() {
        let new = |value: f64| ExtendedRange::<W>::from(value);
        let mut value = new(3.0);
        (0..3_000_000).for_each(|_| value = value * new(1e300));
        assert_eq!(value.to_f64(), f64::INFINITY);
        (0..3_000_000).for_each(|_| value = value / new(1e300));
        assert!((value.to_f64() - 3.0).abs() < 1e-8);
        let [least, most] = [5e-324, f64::MAX].map(new);
        assert_eq!((least * least).to_f64(), 0.0);
        assert_eq!((least * least / least).to_f64(), 5e-324);
        assert_eq!((most * most / most).to_f64(), f64::MAX);
        assert_eq!((most + most - most).to_f64(), f64::MAX);
    }

    fn sums_and_order<W: Wide>() {
        let new = |value: f64| ExtendedRange::<W>::from(value);
        for [a, b] in [[1.0, 1e200], [-3.0, 3.0], [0.0, 1e-300], [1e-300, -1e-300], [7.5, 0.0], [2f64.powi(-40), 1.0]] {
            for [a, b] in [[a, b], [b, a]] {
                assert_eq!((new(a) + new(b)).to_f64(), a + b, "{a} + {b}");
                assert_eq!((new(a) - new(b)).to_f64(), a - b, "{a} - {b}");
                assert_eq!(new(a).partial_cmp(&new(b)), a.partial_cmp(&b), "{a}, {b}");
                assert_eq!(new(a) == new(b), a == b, "{a}, {b}");
            }
        }
        let [one, zero] = [1.0, 0.0].map(new);
        let [infinite, none] = [one, zero].map(|value| value / zero);
        assert!(!infinite.is_finite() && !none.is_finite() && zero.is_finite());
        assert!(infinite > new(f64::MAX) && none.partial_cmp(&one).is_none());
        assert_eq!(zero.times_power(1 << 40).to_f64() + one.to_f64(), 1.0);
    }

    #[test]
    fn keep_their_digits_whatever_their_size() {
        far_past_the_range_and_back::<f64>();
        far_past_the_range_and_back::<DoubleDouble>();
        sums_and_order::<f64>();
        sums_and_order::<DoubleDouble>();
    }
}
