//! Numbers of 1500 bits, in which oracles compute: their roundings are negligible.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::exact::{parts, quotient_times};

/// The bits of a number.
const KEPT: u64 = 1500;

/// `digits` 2^`power`. Sums, products and quotients are rounded to `KEPT` bits; they neither overflow nor underflow.
#[derive(Debug, Clone)]
pub struct Big {
    digits: BigInt,
    power: i64,
}

impl Big {
    /// The value of an f64.
    pub fn new(value: f64) -> Self {
        let (mantissa, exponent) = parts(value);
        Self { digits: mantissa.into(), power: exponent.into() }
    }

    fn kept(digits: BigInt, power: i64) -> Self {
        let excess = digits.bits().saturating_sub(KEPT);
        Self { digits: digits >> excess, power: power + excess as i64 }
    }

    /// Compares absolute values.
    pub fn compare_size(&self, other: &Self) -> Ordering {
        let low = self.power.min(other.power);
        match self.top().cmp(&other.top()) {
            Ordering::Equal if !self.is_zero() => {
                let moved = |of: &Self| of.digits.magnitude() << (of.power - low) as u64;
                moved(self).cmp(&moved(other))
            }
            by_top => by_top,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.digits == BigInt::ZERO
    }

    pub fn abs(self) -> Self {
        Self { digits: BigInt::from(self.digits.magnitude().clone()), ..self }
    }

    pub fn times(&self, other: &Self) -> Self {
        Self::kept(&self.digits * &other.digits, self.power + other.power)
    }

    pub fn plus(&self, other: &Self) -> Self {
        let (larger, smaller) = if self.top() >= other.top() { (self, other) } else { (other, self) };
        if smaller.is_zero() || larger.top() - smaller.top() > 2 * KEPT as i64 {
            return larger.clone();
        }
        let low = larger.power.min(smaller.power);
        let moved = |of: &Self| &of.digits << (of.power - low) as u64;
        Self::kept(moved(larger) + moved(smaller), low)
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { digits: -&other.digits, power: other.power })
    }

    /// The quotient; the divisor is not 0.
    pub fn over(&self, other: &Self) -> Self {
        let up = KEPT + other.digits.bits();
        Self::kept((&self.digits << up) / &other.digits, self.power - other.power - up as i64)
    }

    /// The f64 nearest to the quotient, infinite past the range; the divisor is not 0.
    pub fn ratio(&self, other: &Self) -> f64 {
        quotient_times(&self.digits, &other.digits, self.power - other.power)
    }

    /// The nearest f64; infinite past the range.
    pub fn value(&self) -> f64 {
        self.ratio(&Self::new(1.0))
    }

    /// The position of the highest bit; for 0 a position below all others.
    fn top(&self) -> i64 {
        if self.is_zero() { i64::MIN / 4 } else { self.power + self.digits.bits() as i64 }
    }
}
