//! One row of a Moebius recurrence: directions, the errors of their values, and the directions that a row maps them to.

use crate::arithmetic::{exponent, quotient, times_power};
use crate::judge::answer::relative;
use crate::judge::extended_range::ExtendedRange;
use crate::real::{Real, Scalar, Wide};

/// Products of smaller numbers may lose digits to underflow.
const EXACT: f64 = 1e-280;

/// The exponents of the largest and the least term of a row may differ by this much: products and sums of f64 keep their digits.
pub const EXPONENT_RANGE: i32 = 900;

/// What a row makes of a direction.
pub struct Mapped<W> {
    /// Its larger part is 1 to 2.
    pub direction: [W; 2],
    /// |M| |v| in the same units.
    pub sizes: [f64; 2],
    /// |det M| in the same units, as a number and a power of two.
    determinant: (f64, i32),
    /// The power of two that M v was divided by.
    power: i32,
    /// Whether a term may have lost digits to underflow.
    pub underflows: bool,
}

/// The direction of a value, its larger part 1.
pub fn direction(w: f64) -> [f64; 2] {
    match w.is_finite() {
        true if w.abs() <= 1.0 => [w, 1.0],
        true => [w.signum(), 1.0 / w.abs()],
        false => [1.0, 0.0],
    }
}

pub fn area<W: Scalar>(one: [W; 2], other: [W; 2]) -> W {
    one[0] * other[1] - one[1] * other[0]
}

/// |v|^2 in the units of a row whose terms have these sizes. Without a size there is only one direction, and nothing to err: see
/// [`hides_a_term`].
fn square<S: Wide>([p, q]: [S; 2], [above, below]: [S; 2]) -> Option<S> {
    let infinite = S::from(f64::INFINITY);
    match (above == S::ZERO, below == S::ZERO) {
        (true, _) => (p == S::ZERO).then_some(infinite),
        (_, true) => (q == S::ZERO).then_some(infinite),
        _ => {
            let sigma = above / below;
            Some(p * (p / sigma) + q * (q * sigma))
        }
    }
}

/// The error of a value, from the area between two directions.
pub fn distance(area: f64, one: [f64; 2], other: [f64; 2], sizes: [f64; 2]) -> f64 {
    match (square(one, sizes), square(other, sizes)) {
        (Some(one), Some(other)) => quotient(area.abs(), one.sqrt() * other.sqrt()),
        _ => f64::INFINITY,
    }
}

/// The same of two directions that are nearly one.
pub fn distance_near<S: Wide>(area: S, own: [S; 2], sizes: [S; 2]) -> S {
    let of = |square| if area == S::ZERO { S::ZERO } else { area.abs() / square };
    square(own, sizes).map_or(S::from(f64::INFINITY), of)
}

/// The value of a direction, to the nearest f64; `sign`: of an infinite value.
pub fn value_of<W: Wide>([p, q]: [W; 2], sign: f64) -> f64 {
    if q == W::ZERO { f64::INFINITY.copysign(sign) } else { (p / q).to_f64() }
}

/// Whether a row maps a direction without rounding: numbers of few digits, integers for instance.
pub fn is_exact<T: Real, W: Wide>(entries: [T; 4], before: [W; 2]) -> bool {
    let entries = entries.map(T::to_f64);
    let power = -entries.iter().filter_map(|entry| exponent(*entry)).max().unwrap_or(0);
    let [a, b, c, d] = entries.map(|entry| times_power(entry, power));
    let are_kept = [a, b, c, d].into_iter().zip(entries).all(|(scaled, entry)| (scaled == 0.0) == (entry == 0.0));
    let [p, q] = before.map(Wide::to_f64);
    let product = |one: f64, other: f64| {
        let product = one * other;
        let is_zero = one == 0.0 || other == 0.0;
        (product, is_zero || one.mul_add(other, -product) == 0.0 && product.abs() > EXACT)
    };
    let sum = |(one, is_exact): (f64, bool), (other, other_is_exact): (f64, bool)| {
        let sum = one + other;
        is_exact && other_is_exact && sum - one == other && sum - other == one
    };
    are_kept
        && before == [W::from(p), W::from(q)]
        && sum(product(a, p), product(b, q))
        && sum(product(c, p), product(d, q))
}

/// Whether a value is exactly what a row makes of the direction before, and has an exact direction. `mapped`: the computed direction;
/// `is_before_exact`: the direction before has no error.
pub fn is_exact_image<T: Real>(
    w: f64,
    entries: [T; 4],
    before: [f64; 2],
    mapped: [f64; 2],
    is_before_exact: bool,
) -> bool {
    let ([a, b, c, d], own) = (entries.map(|entry| entry == T::ZERO), direction(w));
    // Without terms in the numerator or the denominator, the value is 0 or infinite.
    if a && b || c && d {
        return own == if a && b { [0.0, 1.0] } else { [1.0, 0.0] };
    }
    let [p, q] = mapped;
    // One part of `own` is 1 or -1, so its product is exact; the fused operation does not round the other.
    let is_same = match w.abs() <= 1.0 {
        true => q.mul_add(own[0], -p) == 0.0,
        false => p.mul_add(own[1], -q * own[0]) == 0.0,
    };
    is_before_exact && is_same && has_exact_direction(w) && is_exact(entries, before)
}

/// Whether the direction of a value has no rounding.
pub fn has_exact_direction(w: f64) -> bool {
    w.abs() <= 1.0 || w.is_infinite() || (1.0 / w).mul_add(w, -1.0) == 0.0
}

/// Whether a part of the direction before, which is 0 only by rounding, hides the only term of a numerator or denominator; `is_exact`: the
/// direction before has no error.
pub fn hides_a_term<T: Real, W: Wide>(entries: [T; 4], before: [W; 2], is_exact: bool) -> bool {
    let [a, b, c, d] = entries.map(|entry| entry != T::ZERO);
    let [p, q] = before.map(|part| part == W::ZERO);
    !is_exact && (p && (a && !b || c && !d) || q && (b && !a || d && !c))
}

/// The direction that a row of determinant 0 maps all others to, without rounding: a column of it. `mapped`: the computed direction, whose
/// signs it takes.
pub fn collapsed<T: Real, W: Wide>(entries: [T; 4], mapped: [W; 2]) -> Option<[f64; 2]> {
    let [a, b, c, d] = entries.map(T::to_f64);
    let product = |one: f64, other: f64| (one * other, one.mul_add(other, -(one * other)));
    let in_range = |one: f64, other: f64| one == 0.0 || other == 0.0 || (EXACT..1e300).contains(&(one * other).abs());
    let all_in_range = [(a, d), (b, c), (a, b), (c, d)].into_iter().all(|(one, other)| in_range(one, other));
    if !all_in_range || product(a, d) != product(b, c) {
        return None;
    }
    let [p, q] = if a.abs().max(c.abs()) >= b.abs().max(d.abs()) { [a, c] } else { [b, d] };
    let is_turned = match p.abs() >= q.abs() {
        true => (p < 0.0) != (mapped[0] < W::ZERO),
        false => (q < 0.0) != (mapped[1] < W::ZERO),
    };
    Some([p, q].map(|part| if is_turned && part != 0.0 { -part } else { part }))
}

/// The difference of the exact direction from a computed one, with the exact one scaled so that the difference is least in the units of the
/// row: `distance` is the error of the value. The signs are those of one of the two such differences.
pub fn difference<S: Wide>(distance: S, [p, q]: [S; 2], [above, below]: [S; 2]) -> [S; 2] {
    match above == S::ZERO || below == S::ZERO || distance == S::ZERO {
        true => [S::ZERO; 2],
        false => [distance * (q / below) * above, -(distance * (p / above) * below)],
    }
}

/// M v / 2^power.
pub fn moved<S: Wide>([a, b, c, d]: [S; 4], [p, q]: [S; 2], power: i64) -> [S; 2] {
    [a * p + b * q, c * p + d * q].map(|part| part.times_power(-power))
}

/// The size of one direction relative to another, in the units of a row.
pub fn relative_size<S: Wide>(one: [S; 2], other: [S; 2], [above, below]: [S; 2]) -> f64 {
    let square = |[p, q]: [S; 2]| match (above == S::ZERO, below == S::ZERO) {
        (true, _) => q * q,
        (_, true) => p * p,
        _ => p * (p / above) * below + q * (q / below) * above,
    };
    relative(square(one), square(other)).sqrt()
}

/// The largest share by which the exact direction may be shorter than the computed one.
pub const MOST_SHORTER: f64 = 0.5;

/// Whether a row of determinant 0 may map the exact direction, which is within `error` of the one before, to nothing: a value 0 / 0.
pub fn may_vanish<T: Real, W: Wide>(entries: [T; 4], mapped: &Mapped<W>, error: f64) -> bool {
    let [a, b, c, d] = entries.map(|entry| times_power(entry.to_f64().abs(), -mapped.power));
    // The larger part of the mapped direction is 1 to 2.
    error > 0.0 && error * f64::max(a + b, c + d) >= 1.0
}

/// Numbers of these sizes, and products of four of them, stay in the range of f64.
fn is_moderate(value: f64) -> bool {
    value == 0.0 || (1e-30..1e30).contains(&value.abs())
}

/// A column with its larger part scaled to 1 to 2; `None` if the other part would lose digits.
pub fn scaled_column(column: [f64; 2]) -> Option<[f64; 2]> {
    let powers = column.map(exponent);
    let most = powers.into_iter().flatten().max()?;
    let is_kept = powers.into_iter().flatten().all(|power| most - power < EXPONENT_RANGE);
    is_kept.then(|| column.map(|part| times_power(part, -most)))
}

impl<W: Wide> Mapped<W> {
    /// `None` where both parts are 0.
    pub fn new<T: Real>(entries: [T; 4], before: [W; 2]) -> Option<Self> {
        let entries = entries.map(T::to_f64);
        let narrow = before.map(Wide::to_f64);
        match entries.into_iter().chain(narrow).all(is_moderate) {
            true => Self::of(entries, before, 0, (Self::determinant(entries, [0, 0]), 0), false),
            false => Self::scaled(entries, before, narrow),
        }
    }

    /// Parts of a direction are scaled to sizes of about 1, columns against them, and the matrix so that the largest product is about 1.
    fn scaled(entries: [f64; 4], before: [W; 2], narrow: [f64; 2]) -> Option<Self> {
        let powers = narrow.map(|part| exponent(part).map(|power| power.max(-1000)));
        let product = |at: usize| exponent(entries[at]).zip(powers[at % 2]).map(|(entry, part)| entry + part);
        let most = (0..4).filter_map(product).max()?;
        let underflows = (0..4).filter_map(product).any(|own| own - most < -EXPONENT_RANGE);
        let column = |at: usize| powers[at % 2].map_or(0.0, |part| times_power(entries[at], part - most));
        let scaled = [0, 1, 2, 3].map(column);
        let part = |at: usize| before[at] * W::from(times_power(1.0, -powers[at].unwrap_or(0)));
        let of = |one: f64, other: f64| exponent(one).zip(exponent(other)).map(|(one, other)| one + other);
        let [a, b, c, d] = entries;
        let own = [of(a, d), of(b, c)];
        let largest = own.into_iter().flatten().max().unwrap_or(0);
        let normal = entries.map(|entry| times_power(entry, -exponent(entry).unwrap_or(0)));
        let determinant = Self::determinant(normal, own.map(|power| power.map_or(0, |power| power - largest)));
        Self::of(scaled, [part(0), part(1)], most, (determinant, largest), underflows)
    }

    /// |a d 2^powers\[0\] - b c 2^powers\[1\]|, and what it rounds.
    fn determinant([a, b, c, d]: [f64; 4], powers: [i32; 2]) -> f64 {
        let [one, other] = powers.map(|power| if power == 0 { 1.0 } else { times_power(1.0, power) });
        let exact = W::from(a) * W::from(d) * W::from(one) - W::from(b) * W::from(c) * W::from(other);
        exact.to_f64().abs() + 2.0 * W::UNIT_ROUNDOFF * ((a * d * one).abs() + (b * c * other).abs())
    }

    /// `power`: what the matrix and the direction were divided by together.
    fn of(
        [a, b, c, d]: [f64; 4],
        [p, q]: [W; 2],
        power: i32,
        (determinant, of_both): (f64, i32),
        underflows: bool,
    ) -> Option<Self> {
        let mapped = [W::from(a) * p + W::from(b) * q, W::from(c) * p + W::from(d) * q];
        let [x, y] = mapped.map(|part| part.to_f64().abs());
        let size = exponent(x.max(y))?;
        let scale = times_power(1.0, -size);
        let [p, q] = [p, q].map(|part| part.to_f64().abs());
        Some(Self {
            direction: mapped.map(|part| part * W::from(scale)),
            sizes: [scale * (a.abs() * p + b.abs() * q), scale * (c.abs() * p + d.abs() * q)],
            determinant: (determinant, of_both - 2 * (size + power)),
            power: size + power,
            underflows,
        })
    }

    /// The share by which the exact direction may be shorter than the mapped one; `difference`: that of the direction before.
    pub fn shorter<T: Real>(&self, entries: [T; 4], difference: [f64; 2]) -> f64 {
        if difference == [0.0; 2] {
            return 0.0;
        }
        let entries = entries.map(T::to_f64);
        let direction = self.direction.map(|part| part.to_f64());
        let is_small = difference.iter().all(|part| part.abs() <= 1.0) && self.power.abs() <= 200;
        if is_small && entries.into_iter().all(is_moderate) {
            // Parts that underflow here are nothing beside the direction.
            return relative_size(moved(entries, difference, self.power.into()), direction, self.sizes);
        }
        let [direction, difference, sizes] =
            [direction, difference, self.sizes].map(|of| of.map(ExtendedRange::<f64>::from));
        relative_size(moved(entries.map(ExtendedRange::from), difference, self.power.into()), direction, sizes)
    }

    /// The error of the mapped direction, from the error of the direction before.
    pub fn magnified(&self, error: f64) -> f64 {
        let (determinant, power) = self.determinant;
        match error == 0.0 || determinant == 0.0 {
            true => 0.0,
            false => times_power(error, power) * determinant,
        }
    }
}
