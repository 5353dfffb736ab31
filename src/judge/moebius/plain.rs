//! Values of Moebius recurrences in the range of f64, in vector lanes: most sequences, at a tenth of the time that numbers of any size take.
//!
//! A direction (p, q) is kept as x = p / q, or as x = q / p after rows with |p| > |q|: so |x| is at most 1, and poles are no exceptions. A row maps x to
//! n / m, of which n = n1 x + n0 and m = m1 x + m0 are its numerator and denominator, the larger below.
//!
//! # The bound of errors
//!
//! Let e bound the error of x, u the unit of roundoff, s_n = |n1 x| + |n0|, s_m likewise, and r = 8 u. The computed n and m are off by up to r s_n
//! and r s_m, roundings of the quotient and of a value's inverse included (see [`MOEBIUS_ROUNDINGS`]). The difference of the images of two numbers x and x' is det (x - x') / (m(x)
//! m(x')). If |m1| e + r s_m <= k |m|, then m(x) and m(x') are at least (1 - k) |m|, so for the next x
//!
//! e' <= (1 + 4 k) (|det| e + r (s_n + |x| s_m) |m|) / m^2:
//!
//! (1 - k)^-2 is less than 1 + 3 k, and the other k exceeds the roundings of these numbers in f64.
//!
//! The error of a value (see the module above) is in the same terms at most e s_n s_m / (s_n^2 + x^2 s_m^2) while e is far below the size of the terms
//! that contain it: |n1| e <= 2^-10 s_n, |m1| e <= 2^-10 s_m, and e' s_m <= 2^-10 s_n. These change the sizes, and the root in the definition, by no more than
//! [`SLACK`]. A sequence in which one of these conditions fails, or a number leaves the range in which products keep their digits, has no bound
//! here.

use std::marker::PhantomData;

use pulp::{Arch, Simd, WithSimd};

use super::Sequence;
use crate::judge::answer::exceeds;
use crate::judge::lanes::{LANES, Rows, Slices, run, state_of};
use crate::judge::substitution::{InLanes, Summed};
use crate::judge::thresholds::MOEBIUS_ROUNDINGS;
use crate::precision::Precision;
use crate::real::{DoubleDouble, Real, two_sum};

/// Sizes of s_n and s_m: their products, squares and quotients stay in the range of f64, and lose no digit.
const SIZES: [f64; 2] = [1e-70, 1e70];
/// Of an error relative to what contains it: 2^-10.
const SMALL: f64 = 1.0 / 1024.0;
/// The largest error of x.
const MOST_ERROR: f64 = SMALL * SMALL;
/// What the error changes of the sizes in its own bound.
const SLACK: f64 = 1.01;
/// A sequence without a bound is given up after this many rows.
const LOOK: usize = 64;
/// A unit of the last place of f64.
const ULP: f64 = f64::EPSILON;

/// Scalars that quotients are computed in without branches.
pub(super) trait Divided: Summed {
    /// k of the module's documentation: most sequences have smaller quotients, and (1 + 4 k)^n is small for millions of rows.
    const MOST_SHARE: f64;
    /// The error that the start of a slice may have.
    const START: f64;
    /// one / other within four units of roundoff, and 1 / other in the digits of f64.
    fn quotient(one: Self::Parts, other: Self::Parts) -> (Self::Parts, f64);
}

impl Divided for f64 {
    const MOST_SHARE: f64 = 1.0 / (1u64 << 26) as f64;
    const START: f64 = 1.0 / (1u64 << 34) as f64;
    #[inline(always)]
    fn quotient(one: f64, other: f64) -> (f64, f64) {
        let inverse = 1.0 / other;
        (one * inverse, inverse)
    }
}

/// A quotient in f64 errs by up to 3 units; the remainder, which is exact but for units of its own, gives the rest to as many digits.
impl Divided for DoubleDouble {
    const MOST_SHARE: f64 = 1.0 / (1u64 << 40) as f64;
    const START: f64 = 1.0 / (1u64 << 63) as f64;
    #[inline(always)]
    fn quotient(one: (f64, f64), other: (f64, f64)) -> ((f64, f64), f64) {
        let inverse = 1.0 / other.0;
        let first = one.0 * inverse;
        let (left, error) = Self::minus(one, first, other);
        (two_sum(first, (left + error) * inverse), inverse)
    }
}

/// x, and 1 if it is an inverse value.
type Place<W> = (<W as Summed>::Parts, f64);

/// x; G and R, the error by that of the start (times its largest) and by roundings; the largest such errors of a value; and 1 if there is no bound.
type State<W> = (Place<W>, (f64, f64), (f64, f64), f64);

/// The rows of a recurrence of T in W.
struct Values<T, W>(PhantomData<(T, W)>);

#[inline(always)]
fn select<X>(is: bool, one: X, other: X) -> X {
    if is { one } else { other }
}

#[inline(always)]
fn combined<W: Summed>(x: W::Parts, by: f64, more: f64) -> W::Parts {
    W::total(W::minus(W::from(more).begin(), -by, x)).parts()
}

#[inline(always)]
fn size<W: Summed>(x: W::Parts) -> f64 {
    W::whole(x).to_f64().abs()
}

impl<T: Real, W: Divided> Rows<4> for Values<T, W> {
    type State = State<W>;

    #[inline(always)]
    fn next(
        &self,
        ((x, is_inverse), (by_start, by_rounding), (most, most_rounding), doubt): State<W>,
        row: [f64; 4],
    ) -> State<W> {
        let [a, b, c, d] = row;
        let is_inverse = is_inverse != 0.0;
        let (a, b, c, d) =
            (select(is_inverse, b, a), select(is_inverse, a, b), select(is_inverse, d, c), select(is_inverse, c, d));
        let (p, q) = (combined::<W>(x, a, b), combined::<W>(x, c, d));
        let before = size::<W>(x);
        let sizes = (a.abs() * before + b.abs(), c.abs() * before + d.abs());
        let turns = size::<W>(q) < size::<W>(p);
        let (n, m) = (select(turns, q, p), select(turns, p, q));
        let (of_n, of_m) = (select(turns, sizes.1, sizes.0), select(turns, sizes.0, sizes.1));
        let m1 = select(turns, a, c).abs();
        let below = size::<W>(m);
        let (x, inverse) = W::quotient(n, m);
        let own = size::<W>(x);
        let units = MOEBIUS_ROUNDINGS * W::UNIT_ROUNDOFF;
        let determinant = (a * d - b * c).abs() + ULP * ((a * d).abs() + (b * c).abs());
        let square = (1.0 + 4.0 * W::MOST_SHARE) * (inverse * inverse);
        let rounding = units * (of_n + own * of_m) * below;
        let error = by_start + by_rounding;
        let by_start = determinant * by_start * square;
        let by_rounding = (determinant * by_rounding + rounding) * square;
        let next_error = by_start + by_rounding;
        let of_value = of_n * of_m / (of_n * of_n + (own * of_m) * (own * of_m));
        let (this, this_rounding) = (by_start * of_value, by_rounding * of_value);
        let is_less = of_n < of_m;
        let is_bound = (m1 * error + units * of_m <= W::MOST_SHARE * below)
            & (a.abs() * error <= SMALL * sizes.0)
            & (c.abs() * error <= SMALL * sizes.1)
            & (next_error <= MOST_ERROR)
            & (next_error * of_m <= SMALL * of_n)
            & (select(is_less, of_n, of_m) >= SIZES[0])
            & (select(is_less, of_m, of_n) <= SIZES[1]);
        // Values in the range of T; of inverses, so is the value.
        let [least, most_value] = [T::PRECISION.least_normal(), T::PRECISION.largest() / 2.0];
        let bottom = select(turns, 1.0 / most_value, least);
        let is_in_range = (own >= bottom) | ((own == 0.0) & !turns);
        (
            (x, select(turns, 1.0, 0.0)),
            (by_start, by_rounding),
            (select(this > most, this, most), select(this_rounding > most_rounding, this_rounding, most_rounding)),
            select(is_bound & is_in_range, doubt, 1.0),
        )
    }

    #[inline(always)]
    fn value(((x, is_inverse), ..): State<W>) -> f64 {
        let (inverse, _) = W::quotient(W::ONE.parts(), x);
        W::whole(select(is_inverse != 0.0, inverse, x)).to_f64()
    }
}

/// The map of several rows, divided by a power of two, and what divides it next.
struct Map<W>(PhantomData<W>);

impl<W: Divided> Rows<4> for Map<W> {
    type State = ((W::Parts, W::Parts), (W::Parts, W::Parts), f64);

    #[inline(always)]
    fn next(&self, ((a, b), (c, d), scale): Self::State, row: [f64; 4]) -> Self::State {
        let [one, two, three, four] = [row[0] * scale, row[1] * scale, row[2] * scale, row[3] * scale];
        let sum = |of: f64, x: W::Parts, with: f64, y: W::Parts| {
            W::total(W::minus(W::minus(W::ZERO.begin(), -of, x), -with, y)).parts()
        };
        let (next_a, next_b) = (sum(one, a, two, c), sum(one, b, two, d));
        let (next_c, next_d) = (sum(three, a, four, c), sum(three, b, four, d));
        let larger = |one: f64, other: f64| select(one > other, one, other);
        let most = larger(larger(size::<W>(next_a), size::<W>(next_b)), larger(size::<W>(next_c), size::<W>(next_d)));
        // 2^-k of a size of 2^k to 2^(k+1). What it makes of 0, infinity and NaN leads to starts that do not pass.
        let power = f64::from_bits((2046u64 << 52).wrapping_sub(most.to_bits() & (2047u64 << 52)));
        ((next_a, next_b), (next_c, next_d), power)
    }

    fn value(_: Self::State) -> f64 {
        0.0
    }
}

/// The state before the first row, from the value before it.
fn begun<T: Real, W: Divided>(initial: T) -> State<W> {
    ((W::from(initial.to_f64()).parts(), 0.0), (0.0, 0.0), (0.0, 0.0), 0.0)
}

/// The error bound of a sequence that ends with this state, if it is good.
fn bound<T: Real, W: Divided>((_, _, (_, most), doubt): State<W>) -> Option<f64> {
    Some(SLACK * most).filter(|error| doubt == 0.0 && *error <= T::UNIT_ROUNDOFF)
}

/// One value after the other.
struct InOrder<'a, T, C, W>(&'a Sequence<T, C>, PhantomData<W>);

impl<T: Real, C: Fn(usize) -> [T; 4], W: Divided> WithSimd for InOrder<'_, T, C, W> {
    type Output = Option<(Vec<T>, f64)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self(Sequence { n, initial, coefficients, .. }, _) = self;
        let (mut state, mut w) = (begun::<T, W>(*initial), Vec::with_capacity(*n));
        for step in 0..*n {
            state = Values::<T, W>(PhantomData).next(state, coefficients(step).map(T::to_f64));
            w.push(T::from_f64(Values::<T, W>::value(state)));
            if step % LOOK == 0 && state.3 != 0.0 {
                return None;
            }
        }
        bound::<T, W>(state).map(|error| (w, error))
    }
}

/// The part of two in which the distance of two places is a difference, and that distance: of values, or of their inverses.
fn gap<W: Divided>((end, is_inverse): Place<W>, (start, starts_inverse): Place<W>) -> f64 {
    let (end, start) = (W::whole(end), W::whole(start));
    let distance = match is_inverse == starts_inverse {
        true => end - start,
        false => (W::ONE - end * start) / end,
    };
    distance.to_f64().abs() + 4.0 * W::UNIT_ROUNDOFF
}

/// The place of a direction.
fn place<W: Divided>([p, q]: [W; 2]) -> Place<W> {
    match p.abs() > q.abs() {
        true => ((q / p).parts(), 1.0),
        false => ((p / q).parts(), 0.0),
    }
}

/// All values with a bound of their errors; `None` without a good bound.
impl<T: Real, C: Fn(usize) -> [T; 4]> Sequence<T, C> {
    /// One after the other.
    pub(super) fn plain(&self) -> Option<(Vec<T>, f64)> {
        match T::PRECISION {
            Precision::F32 => Arch::new().dispatch(InOrder::<T, C, f64>(self, PhantomData)),
            Precision::F64 => Arch::new().dispatch(InOrder::<T, C, DoubleDouble>(self, PhantomData)),
        }
    }

    /// Of up to [`LANES`] sequences of equally many rows, side by side.
    pub(super) fn plain_together(sequences: &[Self]) -> Vec<Option<(Vec<T>, f64)>> {
        match T::PRECISION {
            Precision::F32 => Self::together::<f64>(sequences),
            Precision::F64 => Self::together::<DoubleDouble>(sequences),
        }
    }

    fn together<W: Divided>(sequences: &[Self]) -> Vec<Option<(Vec<T>, f64)>> {
        let mut states = begun::<T, W>(T::ZERO).all();
        let mut counts = [0; LANES];
        for (lane, sequence) in sequences.iter().enumerate() {
            State::<W>::set(&mut states, lane, begun::<T, W>(sequence.initial));
            counts[lane] = sequence.n;
        }
        let mut w = counts.map(|count| vec![T::ZERO; count]);
        let entries = |lane: usize, step: usize| (sequences[lane].coefficients)(step);
        let store = |lane: usize, step: usize, value: f64| w[lane][step] = T::from_f64(value);
        run(&Values::<T, W>(PhantomData), counts, entries, store, &mut states);
        let of_lane = |(lane, w)| bound::<T, W>(State::<W>::get(&states, lane)).map(|error| (w, error));
        w.into_iter().enumerate().take(sequences.len()).map(of_lane).collect()
    }
}

impl<T: Real, C: Fn(usize) -> [T; 4] + Sync> Sequence<T, C> {
    /// By slices, on all cores; `None` also for short sequences.
    pub(super) fn plain_sliced(&self) -> Option<(Vec<T>, f64)> {
        let slices = Slices::new(self.n)?;
        slices.on_cores(|| match T::PRECISION {
            Precision::F32 => self.sliced::<f64>(slices),
            Precision::F64 => self.sliced::<DoubleDouble>(slices),
        })
    }

    fn sliced<W: Divided>(&self, slices: Slices) -> Option<(Vec<T>, f64)> {
        let [zero, one] = [W::ZERO, W::ONE].map(W::parts);
        let maps = slices.composed(&Map::<W>(PhantomData), ((one, zero), (zero, one), 1.0), &self.coefficients);
        let first = begun::<T, W>(self.initial);
        let mut states = vec![first.all(); maps.len()];
        let mut direction = [W::from(self.initial.to_f64()), W::ONE];
        let mut places = vec![first.0];
        for at in 1..slices.len() {
            let ((a, b), (c, d), _) = state_of::<Map<W>, 4>(&maps, at - 1);
            let ([a, b, c, d], [p, q]) = ([a, b, c, d].map(W::whole), direction);
            let own = place([a * p + b * q, c * p + d * q]);
            direction = if own.1 == 0.0 { [W::whole(own.0), W::ONE] } else { [W::ONE, W::whole(own.0)] };
            State::<W>::set(&mut states[at / LANES], at % LANES, (own, (W::START, 0.0), (0.0, 0.0), 0.0));
            places.push(own);
        }
        let w = slices.solved(&Values::<T, W>(PhantomData), &mut states, &self.coefficients);
        let (mut error, mut most) = (0.0, 0f64);
        for at in 0..places.len() {
            let (end, (by_start, by_rounding), largest, doubt) = state_of::<Values<T, W>, 4>(&states, at);
            if doubt != 0.0 || exceeds(error, W::START) {
                return None;
            }
            let share = error / W::START;
            most = most.max(largest.0 * share + largest.1);
            if let Some(&next) = places.get(at + 1) {
                // Where values turn into inverses, both are about 1.
                let turned = if end.1 == next.1 { 1.0 } else { SLACK };
                error = turned * (by_start * share + by_rounding) + gap::<W>(end, next);
            }
        }
        let error = SLACK * most;
        (error <= T::UNIT_ROUNDOFF).then_some((w, error))
    }
}
