//! Values of Moebius recurrences from directions in numbers of any size: a value may leave the range of f64, and a later row bring it back.

use super::row::{
    EXPONENT_RANGE, MOST_SHORTER, collapsed, difference, direction, distance_near, hides_a_term, is_exact, moved,
    relative_size, value_of,
};
use super::{Reference, Sequence, Value};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::judge::answer::{exceeds, larger, largest};
use crate::judge::extended_range::ExtendedRange;
use crate::judge::thresholds::MOEBIUS_ROUNDINGS;
use crate::real::{DoubleDouble, Real, Scalar, Wide};

type Number = ExtendedRange<DoubleDouble>;
type Size = ExtendedRange<f64>;

fn sizes_of(numbers: [Number; 2]) -> [Size; 2] {
    numbers.map(|number| number.narrow().abs())
}

/// Whether f64 holds both parts with all digits.
fn is_near(direction: [Number; 2]) -> bool {
    direction.into_iter().all(|part| part.exponent().is_none_or(|power| power.abs() < EXPONENT_RANGE.into()))
}

impl<T: Real, C: Fn(usize) -> [T; 4]> Sequence<T, C> {
    /// One direction after the other, each scaled by a power of two so that its larger part is 1 to 2.
    ///
    /// # Errors
    /// [`Error::Indeterminate`], [`Error::NoDigits`].
    pub(super) fn extended_reference(&self) -> Result<Reference<DoubleDouble>> {
        let initial = self.initial.to_f64();
        let start = if initial.is_finite() { [initial, 1.0] } else { direction(initial) };
        let mut before = start.map(Number::from);
        let (mut values, mut error, mut most) = (Vec::with_capacity(self.n), Size::ZERO, 0.0);
        let mut off = [Size::ZERO; 2];
        for step in 0..self.n {
            let entries = (self.coefficients)(step);
            let [a, b, c, d] = entries.map(|entry| Number::from(entry.to_f64()));
            let [p, q] = before;
            let mapped = [a * p + b * q, c * p + d * q];
            let size = largest(mapped);
            let Some(power) = size.exponent() else {
                let is_near = error == Size::ZERO && is_near(before);
                let is_certain = is_near && is_exact(entries, before.map(Number::nearest));
                return Err(self.no_value(step, is_certain || entries == [T::ZERO; 4]));
            };
            let scaled = |number: Number| number.times_power(-power);
            let ([one, other], [above, below]) = ([a * p, b * q].map(scaled), [c * p, d * q].map(scaled));
            let sizes = [one.narrow().abs() + other.narrow().abs(), above.narrow().abs() + below.narrow().abs()];
            let nearest = mapped.map(|part| scaled(part).nearest());
            let collapsed = collapsed(entries, nearest);
            let next = match collapsed {
                None => mapped.map(scaled),
                Some(column) => {
                    let column = column.map(Number::from);
                    let power = largest(column).exponent().unwrap_or(0);
                    column.map(|part| part.times_power(-power))
                }
            };
            let shorter = match collapsed {
                Some(_) => 0.0,
                None => {
                    let moved = moved([a, b, c, d].map(ExtendedRange::narrow), off, power);
                    relative_size(moved, mapped.map(|part| scaled(part).narrow()), sizes)
                }
            };
            let own = sizes_of(next);
            let roundings = match is_near(before) && is_exact(entries, before.map(Number::nearest)) {
                true => Size::ZERO,
                false => {
                    let units = Size::from(MOEBIUS_ROUNDINGS * <DoubleDouble as Wide>::UNIT_ROUNDOFF);
                    units * (sizes[0] * own[1] + sizes[1] * own[0])
                }
            };
            // A row of determinant 0 may map the exact direction to nothing: 0 / 0.
            let rows = [[a, b], [c, d]].map(|row| sizes_of(row).into_iter().fold(Size::ZERO, |sum, size| sum + size));
            let vanishes = collapsed.is_some() && rows.into_iter().any(|row| size.narrow() <= error * row);
            if hides_a_term(entries, before, error == Size::ZERO) || vanishes || exceeds(shorter, MOST_SHORTER) {
                most = f64::INFINITY;
            }
            let products = [a * d, b * c];
            let [ad, bc] = sizes_of(products);
            let determinant = (products[0] - products[1]).narrow().abs()
                + Size::from(2.0 * <DoubleDouble as Wide>::UNIT_ROUNDOFF) * (ad + bc);
            error = match collapsed {
                Some(_) => Size::ZERO,
                None => {
                    let left = Size::from(1.0 - shorter.min(MOST_SHORTER));
                    ((determinant * error).times_power(-2 * power) + roundings) / left
                }
            };
            let sign = next[0].to_f64() * if q < Number::ZERO { -1.0 } else { 1.0 };
            let value =
                Value { direction: next.map(Number::nearest), sizes: sizes.map(Wide::to_f64), w: value_of(next, sign) };
            let distance = distance_near(error, own, sizes);
            if value.out_of_range::<T>(error.to_f64()).is_none() {
                most = larger(most, distance.to_f64());
            }
            off = difference(distance, next.map(ExtendedRange::narrow), sizes);
            values.push(value);
            let is_infinite = next[1] == Number::ZERO && q != Number::ZERO;
            before = if is_infinite { [Number::ONE, Number::ZERO] } else { next };
        }
        Ok(Reference { values, error: most })
    }
}
