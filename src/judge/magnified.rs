//! Values of a recurrence with a power of two of their own, so that they neither overflow nor underflow on their way.

use super::thresholds::RECURRENCE_ROUNDINGS;
use crate::cpu::{exponent, quotient, times_power};
use crate::real::Wide;

/// `held` 2^power, with a bound of its error in the same units.
pub(super) struct Magnified<W> {
    held: W,
    error: f64,
    power: i64,
}

impl<W: Wide> Magnified<W> {
    pub fn new(value: f64) -> Self {
        let power = exponent(value).map_or(0, i64::from);
        Self { held: W::from(scaled(value, -power)), error: 0.0, power }
    }

    pub fn is_zero(&self) -> bool {
        self.held == W::ZERO
    }

    /// The value of s w + t.
    pub fn step(&mut self, s: f64, t: f64) {
        let Some(size) = exponent(s) else {
            *self = Self::new(t);
            return;
        };
        // The factor's own power joins that of the product.
        let s = times_power(s, -size);
        self.power += i64::from(size);
        self.held = W::from(s) * self.held;
        self.error *= s.abs();
        // In units of the larger term, so that neither is lost that counts.
        let product_size = exponent(self.held.to_f64()).map(|size| i64::from(size) + self.power);
        if let Some(larger) = product_size.max(exponent(t).map(i64::from)) {
            self.shift(larger - self.power);
        }
        let added = scaled(t, -self.power);
        let roundings = RECURRENCE_ROUNDINGS * W::UNIT_ROUNDOFF * (self.held.to_f64().abs() + added.abs());
        self.error += roundings;
        self.held = self.held + W::from(added);
    }

    /// The nearest f64; infinite or 0 past its range.
    pub fn value(&self) -> f64 {
        scaled(self.held.to_f64(), self.power)
    }

    pub fn error(&self) -> f64 {
        scaled(self.error, self.power)
    }

    pub fn relative_error(&self) -> f64 {
        quotient(self.error, self.held.to_f64().abs())
    }

    /// Takes a power of two out of what is held.
    fn shift(&mut self, by: i64) {
        if by == 0 {
            return;
        }
        let half = by / 2;
        let [one, other] = [half, by - half].map(|part| scaled(1.0, -part));
        self.held = self.held * W::from(one) * W::from(other);
        self.error = self.error * one * other;
        self.power += by;
    }
}

/// value 2^power, with the power clamped to +-4000: the result is then infinite or 0.
fn scaled(value: f64, power: i64) -> f64 {
    times_power(value, power.clamp(-4000, 4000) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::DoubleDouble;

    /// Far past the range and back: the same value, exactly.
    fn there_and_back<W: Wide>() {
        let mut state = Magnified::<W>::new(3.0);
        (0..3_000_000).for_each(|_| state.step(1e300, 0.0));
        assert_eq!(state.value(), f64::INFINITY);
        assert!(state.relative_error() < 1e-8);
        let mut state = Magnified::<W>::new(3.0);
        (0..40).for_each(|_| state.step(2f64.powi(1000), 1.0));
        (0..40).for_each(|_| state.step(2f64.powi(-1000), 0.0));
        assert_eq!(state.value(), 3.0);
        (0..40).for_each(|_| state.step(2f64.powi(-1000), 0.0));
        assert_eq!(state.value(), 0.0);
        (0..40).for_each(|_| state.step(2f64.powi(1000), 0.0));
        assert_eq!(state.value(), 3.0);
        // Forgotten beside what is added.
        (0..4).for_each(|_| state.step(2f64.powi(-1000), 5.0));
        assert_eq!(state.value(), 5.0);
        // Nothing beside a large factor.
        let mut state = Magnified::<W>::new(0.0);
        state.step(1e280, 1e-280);
        assert_eq!(state.value(), 1e-280);
        state.step(0.0, -7.0);
        assert_eq!((state.value(), state.error()), (-7.0, 0.0));
    }

    #[test]
    fn keeps_its_digits_past_any_range() {
        there_and_back::<f64>();
        there_and_back::<DoubleDouble>();
    }
}
