//! Filters in the range of f64, in vector lanes: sequences side by side, or slices of one.
//!
//! Rows are computed in f64 for f32, and for f64 in sums of two parts (see [`Summed`]) with products of as many digits. Each product and sum then errs by
//! at most [`Plain::unit`] of the sizes of its terms, which is what [`SectionSensitivity`] bounds the outputs' error by: the states of a row are sums of up to
//! 2 k + 1 terms of k rows, and each of these adds to the lesser part at most 2^-53 of its size, of which each further operation rounds off 2^-53.
//!
//! Slices start from a state that the filter's powers predict, which differs from the end of the slice before by a known d. Such a difference in the number i
//! of the state moves later outputs by at most the sum of that number's response, times d; all slices together by no more than such a d in every row would:
//! `gains[i] d`. These bounds are added to that of the roundings.

use std::marker::PhantomData;

use super::coefficients::Coefficients;
use super::error_bound::state_error;
use super::sensitivity::SectionSensitivity;
use super::{MAX_ORDER, MAX_STATE};
use crate::judge::answer::{is_moderate, is_normal, larger, moderate};
use crate::judge::lanes::{LANES, Rows, Slices, run, state_of};
use crate::judge::substitution::{InLanes, Summed};
use crate::precision::Precision;
use crate::real::{DoubleDouble, Real};

/// A filter of order K. LOW: its coefficients have two parts.
struct Plain<T, W, const K: usize, const LOW: bool> {
    b: [[f64; 2]; MAX_ORDER + 1],
    a: [[f64; 2]; MAX_ORDER + 1],
    precisions: PhantomData<(T, W)>,
}

/// The output; the largest output and input; and 1 if an input is of a size that costs products their digits.
type Outputs = (f64, f64, f64, f64);

impl<T, W: Summed, const K: usize, const LOW: bool> Plain<T, W, K, LOW> {
    /// sum - coefficient x.
    #[inline(always)]
    fn minus(sum: W::Sum, [coefficient, low]: [f64; 2], x: W::Parts) -> W::Sum {
        let sum = W::minus(sum, coefficient, x);
        if LOW { W::minus(sum, low, x) } else { sum }
    }
}

impl<T: Real, W: Summed, const K: usize, const LOW: bool> Rows<1> for Plain<T, W, K, LOW> {
    type State = ([W::Sum; K], Outputs);

    #[inline(always)]
    fn next(&self, (z, (_, most, most_x, beyond)): Self::State, [input]: [f64; 1]) -> Self::State {
        let x = W::from(-input).parts();
        let y = W::total(Self::minus(z[0], self.b[0], x)).parts();
        let own = W::whole(y).to_f64();
        let z = std::array::from_fn(|i| {
            let next = if i + 1 < K { z[i + 1] } else { W::ZERO.begin() };
            Self::minus(Self::minus(next, self.b[i + 1], x), self.a[i + 1], y)
        });
        let (size, size_x) = (own.abs(), input.abs());
        let [least, largest] = moderate::<f64>();
        let is_moderate = (size_x == 0.0) | ((size_x >= least) & (size_x < largest));
        let most = if size <= most { most } else { size };
        let most_x = if size_x <= most_x { most_x } else { size_x };
        (z, (own, most, most_x, if is_moderate { beyond } else { 1.0 }))
    }

    #[inline(always)]
    fn value((_, (y, ..)): Self::State) -> f64 {
        y
    }
}

/// Outputs and final state.
pub(super) type Outcome<T> = (Vec<T>, Vec<T>);

/// One sequence in the order of its rows.
pub(super) struct Signal<T, X> {
    pub n: usize,
    pub x: X,
    /// The state before the first row; zeros beyond the order.
    pub initial: [T; MAX_STATE],
}

/// A filter with the effects of its roundings.
#[derive(Clone, Copy)]
pub(super) struct Filter<'a> {
    pub coefficients: &'a Coefficients,
    pub sensitivity: &'a SectionSensitivity,
}

/// Calls a function with the filter in the arithmetic for T, of its order.
macro_rules! with_plain {
    ($filter:expr, $call:ident($($argument:expr),*)) => {{
        let filter: Filter<'_> = $filter;
        let divided = filter.coefficients.given().1[0] != 1.0;
        match (T::PRECISION, divided, filter.coefficients.order()) {
            (Precision::F32, _, 1) => filter.$call(&Plain::<T, f64, 1, false>::new(filter.coefficients), $($argument),*),
            (Precision::F32, _, 2) => filter.$call(&Plain::<T, f64, 2, false>::new(filter.coefficients), $($argument),*),
            (Precision::F32, _, 3) => filter.$call(&Plain::<T, f64, 3, false>::new(filter.coefficients), $($argument),*),
            (Precision::F32, _, _) => filter.$call(&Plain::<T, f64, 4, false>::new(filter.coefficients), $($argument),*),
            (_, false, 1) => filter.$call(&Plain::<T, DoubleDouble, 1, false>::new(filter.coefficients), $($argument),*),
            (_, false, 2) => filter.$call(&Plain::<T, DoubleDouble, 2, false>::new(filter.coefficients), $($argument),*),
            (_, false, 3) => filter.$call(&Plain::<T, DoubleDouble, 3, false>::new(filter.coefficients), $($argument),*),
            (_, false, _) => filter.$call(&Plain::<T, DoubleDouble, 4, false>::new(filter.coefficients), $($argument),*),
            (_, true, 1) => filter.$call(&Plain::<T, DoubleDouble, 1, true>::new(filter.coefficients), $($argument),*),
            (_, true, 2) => filter.$call(&Plain::<T, DoubleDouble, 2, true>::new(filter.coefficients), $($argument),*),
            (_, true, 3) => filter.$call(&Plain::<T, DoubleDouble, 3, true>::new(filter.coefficients), $($argument),*),
            (_, true, _) => filter.$call(&Plain::<T, DoubleDouble, 4, true>::new(filter.coefficients), $($argument),*),
        }
    }};
}

type State<T, W, const K: usize, const LOW: bool> = <Plain<T, W, K, LOW> as Rows<1>>::State;

impl<T: Real, W: Summed, const K: usize, const LOW: bool> Plain<T, W, K, LOW> {
    /// With the coefficients as given, over `a[0]`.
    fn new(coefficients: &Coefficients) -> Self {
        let (b, a) = coefficients.given();
        let parts = |given: &[f64]| {
            std::array::from_fn(|i| {
                let quotient = given.get(i).map_or(W::ZERO, |value| W::from(*value) / W::from(a[0]));
                let high = quotient.to_f64();
                [high, (quotient - W::from(high)).to_f64()]
            })
        };
        Self { b: parts(b), a: parts(a), precisions: PhantomData }
    }

    /// A unit of the errors of a product and a sum.
    fn unit() -> f64 {
        match T::PRECISION {
            Precision::F32 => W::UNIT_ROUNDOFF,
            Precision::F64 => 4.0 * W::UNIT_ROUNDOFF,
        }
    }

    fn begun(state: [W; K]) -> State<T, W, K, LOW> {
        (state.map(W::begin), (0.0, 0.0, 0.0, 0.0))
    }

    fn state(z: [W::Sum; K]) -> [W; K] {
        z.map(W::total)
    }

    /// The matrix that advances the state by so many rows without input: z'[i] = z[i+1] - a[i+1] z[0] for one.
    fn power(&self, rows: usize) -> [[W; K]; K] {
        let times = |one: &[[W; K]; K], other: &[[W; K]; K]| -> [[W; K]; K] {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..K).fold(W::ZERO, |sum, k| sum + one[i][k] * other[k][j]))
            })
        };
        let entry = |i: usize, j: usize| match j {
            0 => -(W::from(self.a[i + 1][0]) + W::from(self.a[i + 1][1])),
            _ => W::ZERO,
        };
        let mut square: [[W; K]; K] =
            std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j) + if j == i + 1 { W::ONE } else { W::ZERO }));
        let mut power = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { W::ONE } else { W::ZERO }));
        for bit in 0..usize::BITS - rows.leading_zeros() {
            if rows >> bit & 1 == 1 {
                power = times(&power, &square);
            }
            square = times(&square, &square);
        }
        power
    }
}

impl Filter<'_> {
    /// Whether the bounds take no more of a signal than the sizes that lanes find, and products keep their digits.
    fn is_plain(self) -> bool {
        let (b, a) = self.coefficients.given();
        self.sensitivity.is_undamped() && is_moderate(b) && is_moderate(a)
    }

    /// Filters up to [`LANES`] sequences side by side; `None` for those without a good bound.
    pub fn together<T: Real, X: Fn(usize) -> T>(self, signals: &[&Signal<T, X>]) -> Vec<Option<(Outcome<T>, f64)>> {
        if !self.is_plain() {
            return signals.iter().map(|_| None).collect();
        }
        with_plain!(self, together_by(signals))
    }

    fn together_by<T: Real, W: Summed, const K: usize, const LOW: bool>(
        self,
        plain: &Plain<T, W, K, LOW>,
        signals: &[&Signal<T, impl Fn(usize) -> T>],
    ) -> Vec<Option<(Outcome<T>, f64)>> {
        let mut states = Plain::<T, W, K, LOW>::begun([W::ZERO; K]).all();
        let mut counts = [0; LANES];
        for (lane, signal) in signals.iter().enumerate() {
            let initial = std::array::from_fn(|i| W::from(signal.initial[i].to_f64()));
            State::<T, W, K, LOW>::set(&mut states, lane, Plain::<T, W, K, LOW>::begun(initial));
            counts[lane] = signal.n;
        }
        let mut y = counts.map(|count| vec![T::ZERO; count]);
        let entries = |lane: usize, step: usize| [(signals[lane].x)(step)];
        let store = |lane: usize, step: usize, value: f64| y[lane][step] = T::from_f64(value);
        run(plain, counts, entries, store, &mut states);
        let of_lane = |(lane, (y, signal)): (usize, (Vec<T>, &&Signal<T, _>))| {
            let (z, outputs) = State::<T, W, K, LOW>::get(&states, lane);
            let end = Plain::<T, W, K, LOW>::state(z);
            self.bounded(plain, &signal.initial, (end, outputs), [0.0; MAX_ORDER], y)
        };
        y.into_iter().zip(signals).enumerate().map(of_lane).collect()
    }

    /// By slices, on all cores; `None` also for short sequences.
    pub fn sliced<T: Real, X: Fn(usize) -> T + Sync>(self, signal: &Signal<T, X>) -> Option<(Outcome<T>, f64)> {
        let slices = Slices::new(signal.n).filter(|slices| self.is_plain() && slices.last() >= MAX_ORDER)?;
        slices.on_cores(|| with_plain!(self, sliced_by(signal, slices)))
    }

    fn sliced_by<T: Real, W: Summed, const K: usize, const LOW: bool>(
        self,
        plain: &Plain<T, W, K, LOW>,
        signal: &Signal<T, impl Fn(usize) -> T + Sync>,
        slices: Slices,
    ) -> Option<(Outcome<T>, f64)> {
        let entries = |step: usize| [(signal.x)(step)];
        let alone = slices.composed(plain, Plain::<T, W, K, LOW>::begun([W::ZERO; K]), &entries);
        let power = plain.power(slices.rows());
        let mut starts = vec![std::array::from_fn(|i| W::from(signal.initial[i].to_f64()))];
        let mut states = vec![Plain::<T, W, K, LOW>::begun([W::ZERO; K]).all(); alone.len()];
        for at in 0..slices.len() {
            let before: [W; K] = starts[at];
            State::<T, W, K, LOW>::set(&mut states[at / LANES], at % LANES, Plain::<T, W, K, LOW>::begun(before));
            let own = Plain::<T, W, K, LOW>::state(state_of::<Plain<T, W, K, LOW>, 1>(&alone, at).0);
            starts.push(std::array::from_fn(|i| (0..K).fold(own[i], |sum, j| sum + power[i][j] * before[j])));
        }
        let y = slices.solved(plain, &mut states, &entries);
        let (mut end, mut all, mut gaps) = (starts[0], (0.0, 0.0, 0.0, 0.0), [0.0; MAX_ORDER]);
        for (at, start) in starts.into_iter().enumerate().take(slices.len()) {
            for ((gap, end), start) in gaps.iter_mut().zip(end).zip(start) {
                let sizes = end.to_f64().abs() + start.to_f64().abs();
                *gap = larger(*gap, (end - start).to_f64().abs() + W::UNIT_ROUNDOFF * sizes);
            }
            let (z, (last, most, most_x, beyond)) = state_of::<Plain<T, W, K, LOW>, 1>(&states, at);
            end = Plain::<T, W, K, LOW>::state(z);
            all = (larger(all.0, last), larger(all.1, most), larger(all.2, most_x), larger(all.3, beyond));
        }
        self.bounded(plain, &signal.initial, (end, all), gaps, y)
    }

    /// With the bound of the error, if it is good, and outputs and state are in the range of T. `gaps`: the largest differences at the starts of slices.
    fn bounded<T: Real, W: Summed, const K: usize, const LOW: bool>(
        self,
        _: &Plain<T, W, K, LOW>,
        initial: &[T; MAX_STATE],
        (end, (last, most, most_x, beyond)): ([W; K], Outputs),
        gaps: [f64; MAX_ORDER],
        y: Vec<T>,
    ) -> Option<(Outcome<T>, f64)> {
        let Self { coefficients, sensitivity } = self;
        let initial = initial.map(T::to_f64);
        let state = end.map(|z| z.to_f64());
        let in_range = |value: &f64| value.abs() <= T::PRECISION.largest();
        if beyond != 0.0 || !is_moderate(&initial) || ![last, most].iter().chain(&state).all(in_range) {
            return None;
        }
        let unit = Plain::<T, W, K, LOW>::unit();
        let roundings = sensitivity.rounding(unit, [&[most_x], &[most], &initial[..K]]);
        let own = roundings + sensitivity.perturbed(gaps, most);
        // The final state follows from the last K outputs.
        let error = larger(own, state_error(coefficients, unit, [&[most_x], &[most], &state], own));
        let is_good = most > 0.0 && is_normal::<T>(most) && error <= T::UNIT_ROUNDOFF;
        is_good.then(|| ((y, state.map(T::from_f64).to_vec()), error))
    }
}
