//! Effects of rounding on the outputs of a filter in direct form.

use std::ops::Add;

use super::MAX_ORDER;
use super::coefficients::Coefficients;
use super::matrix::radius;
use crate::arithmetic::{exponent, quotient, times_power};
use crate::judge::answer;
use crate::judge::extended_range::ExtendedRange;
use crate::judge::thresholds::{BOUND_ABOVE_ROUNDINGS, COMPOSED_ROUNDINGS};
use crate::real::{Real, Scalar, Wide};

/// Rows over which responses are computed; the rest is extrapolated from the growth over their last half.
const ROWS: usize = 1 << 16;

/// The same if a pole may lie outside the unit circle: a zero may hide its growth in the first rows.
const ROWS_OF_GROWTH: usize = 1 << 22;

/// The loop tests at this interval of rows whether the response has died away, and then stops.
const BLOCK: usize = 256;

/// If a norm grows by at most this factor over the last half of the rows, beside the growth that poles outside the unit circle cause, it is
/// extrapolated as a power of the row count, as for poles on the unit circle.
const MOST_POLYNOMIAL: f64 = 512.0;

/// A norm of a response over some rows, and over the first half of them.
#[derive(Debug, Clone, Copy, Default)]
struct Norm {
    half: f64,
    whole: f64,
}

impl Norm {
    /// Extrapolated from `rows` computed rows, for a filter whose largest pole has the size `radius`.
    fn over(self, Extent { wanted, radius }: Extent, rows: usize) -> f64 {
        let growth = self.whole / self.half;
        if wanted <= rows || !growth.is_finite() {
            return self.whole;
        }
        let (half, more) = (rows as f64 / 2.0, (wanted - rows) as f64);
        let outside = radius.max(1.0);
        let beside = growth / outside.powf(half);
        match beside <= MOST_POLYNOMIAL {
            true => self.whole * outside.powf(more) * (wanted as f64 / rows as f64).powf(beside.log2().max(0.0)),
            false => self.whole * growth.powf(more / half),
        }
    }
}

/// What a norm is extrapolated to.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// Rows of a sequence.
    wanted: usize,
    /// The size of the largest pole.
    radius: f64,
}

/// How far a filter propagates an addition to its state.
///
/// If a pole lies outside the unit circle, the gains are also computed for the damped filter with coefficients b\[k\] r^-k and
/// a\[k\] r^-k; its signals at row m are the original ones times r^-m. Both give valid bounds; the smaller is used.
#[derive(Debug, Clone)]
pub(crate) struct SectionSensitivity {
    each: Vec<Damped>,
}

/// The same for a filter damped by one r.
#[derive(Debug, Clone, Copy)]
struct Damped {
    order: usize,
    b: [Size; MAX_ORDER + 1],
    a: [Size; MAX_ORDER + 1],
    /// Roundings per product: of the product, of the sum, and of the coefficient if the division by a\[0\] rounds.
    roundings: f64,
    /// r, at least 1.
    growth: f64,
    /// Per number of the state: the sum of |output| over the rows, started from 1 in that number with input 0.
    gains: [f64; MAX_ORDER],
    /// The same for an impulse: the sum of the absolute outputs.
    gain: f64,
    /// The size of outputs for inputs of size 1: the largest of the responses to an impulse and to a step, and the root of the
    /// impulse response's squares.
    response: f64,
    /// How far coefficients rounded to the precision of the arithmetic move the outputs, at most: for inputs of size 1, and for
    /// initial states of size 1.
    drift: f64,
    state_drift: f64,
    /// The largest such drift relative to the largest output, over an impulse, a step, noise and the worst input.
    usual_drift: f64,
}

/// Products of a damped filter's sizes may leave the range of f64 on both sides.
type Size = ExtendedRange<f64>;

/// 2^52 times the least normal f64.
const TINY: f64 = f64::MIN_POSITIVE * 4503599627370496.0;

/// Maxima of the absolute values of a sequence.
#[derive(Debug, Clone, Copy)]
struct Maxima {
    /// Of inputs and outputs, damped.
    x: Size,
    y: Size,
    /// Of the state before the first row.
    initial: Size,
    /// The largest undamped output, times the damping of the last row.
    output: Size,
}

/// One row of a filter with these coefficients; returns the output. The state is the filter's, times a\[0\].
pub(super) fn step(b: &[f64], a: &[f64], z: &mut [f64], x: f64) -> f64 {
    let sum = b[0] * x + z[0];
    let y = if a[0] == 1.0 { sum } else { sum / a[0] };
    for i in 0..z.len() {
        z[i] = b[i + 1] * x - a[i + 1] * y + z.get(i + 1).copied().unwrap_or(0.0);
    }
    y
}

/// Norms of an impulse response h: its sum of absolute values, its largest value, the root of the sum of squares, and the largest
/// value of the step response. They are the largest outputs for the worst input of size 1, for an impulse, for noise (the standard
/// deviation) and for a step.
#[derive(Default)]
struct Norms {
    sum: Norm,
    largest: Norm,
    root: Norm,
    step: Norm,
    squares: f64,
    level: f64,
}

impl Norms {
    fn add(&mut self, value: f64) {
        self.squares += value * value;
        self.level += value;
        self.sum.whole += value.abs();
        self.largest.whole = self.largest.whole.max(value.abs());
        self.step.whole = self.step.whole.max(self.level.abs());
        self.root.whole = self.squares.sqrt();
    }

    fn halfway(&mut self) {
        [&mut self.sum, &mut self.largest, &mut self.root, &mut self.step]
            .into_iter()
            .for_each(|of| of.half = of.whole);
    }
}

/// A response, and its difference from the response with rounded coefficients.
#[derive(Default)]
struct Response {
    of: Norms,
    off: Norms,
    rows: usize,
}

impl Response {
    /// To an impulse, or to a unit in one number of the state.
    fn new([exact, rounded]: [(&[f64], &[f64]); 2], [rows, most]: [usize; 2], state: Option<usize>) -> Self {
        let order = exact.1.len() - 1;
        let mut z = [[0.0; MAX_ORDER]; 2];
        if let Some(at) = state {
            (z[0][at], z[1][at]) = (exact.1[0], rounded.1[0]);
        }
        let mut found = Self { rows: rows.min(most), ..Self::default() };
        let mut last = 0f64;
        for row in 0..found.rows {
            let x = if row == 0 && state.is_none() { 1.0 } else { 0.0 };
            let y = step(exact.0, exact.1, &mut z[0][..order], x);
            let other = step(rounded.0, rounded.1, &mut z[1][..order], x);
            found.of.add(y);
            found.off.add(y - other);
            if row + 1 == found.rows / 2 {
                found.of.halfway();
                found.off.halfway();
            }
            last = last.max(y.abs()).max(other.abs());
            if row % BLOCK == BLOCK - 1 {
                let in_states = z.iter().flatten().fold(0.0, |most: f64, z| most.max(z.abs()));
                if last.max(in_states) < 1e-20 * found.of.largest.whole {
                    found.rows = rows;
                    break;
                }
                last = 0.0;
            }
        }
        found
    }
}

/// errors / output; 0 if errors is 0, infinite if the quotient is NaN.
fn share(errors: Size, output: Size) -> f64 {
    if errors == Size::ZERO {
        return 0.0;
    }
    let share = (errors / output).to_f64();
    // A product that underflows is not exactly 0.
    if share.is_nan() { f64::INFINITY } else { share.max(f64::MIN_POSITIVE) }
}

impl Damped {
    /// The maxima of a sequence in the order of its rows.
    fn sizes(&self, [x, y, initial]: [&[f64]; 3]) -> Maxima {
        // NaN stays.
        let larger = |most: f64, value: f64| if value.abs() > most || value.is_nan() { value.abs() } else { most };
        let largest = |values: &[f64]| Size::from(values.iter().copied().fold(0.0, larger));
        if self.growth == 1.0 {
            let y = largest(y);
            return Maxima { x: largest(x), y, initial: largest(initial), output: y };
        }
        // The damping of the row that follows, too.
        let damping = Size::ONE / Size::from(self.growth);
        let damped = |values: &[f64]| {
            values.iter().fold((Size::ZERO, Size::ONE), |(most, power), value| {
                (answer::larger(most, Size::from(*value) * power), power * damping)
            })
        };
        let ((x_size, _), (y_size, behind)) = (damped(x), damped(y));
        let output = largest(y) * behind * Size::from(self.growth);
        Maxima { x: x_size, y: y_size, initial: largest(initial), output }
    }

    fn new<T: Real>(coefficients: &Coefficients, extent: Extent, growth: f64, most: usize) -> Self {
        let rows = extent.wanted;
        let order = coefficients.order();
        let damped = |values: &[f64], change: &dyn Fn(f64) -> f64| {
            let mut all = [0.0; MAX_ORDER + 1];
            let powers = (0..).map(|k| growth.powi(-k));
            all.iter_mut().zip(values).zip(powers).for_each(|((all, value), power)| *all = change(*value) * power);
            all
        };
        let of = |(b, a), change: &dyn Fn(f64) -> f64| (damped(b, change), damped(a, change));
        // The coefficients as given, since rounded quotients have other poles; scaled to an a[0] near 1.
        let given = coefficients.given();
        let by = -exponent(given.1[0].abs()).unwrap_or(0);
        let exact = of(given, &|value| times_power(value, by));
        let quotients = (coefficients.b(), coefficients.a());
        // Devices may take numbers below the normal range for 0.
        let rounded = |value: f64| {
            let rounded = T::from_f64(value).to_f64();
            if rounded.abs() < T::PRECISION.least_normal() { 0.0 } else { rounded }
        };
        let rounded = of(quotients, &rounded);
        let in_any_range = |values: &[f64]| {
            let mut all = [Size::ZERO; MAX_ORDER + 1];
            let mut power = Size::ONE;
            for (all, value) in all.iter_mut().zip(values) {
                *all = Size::from(*value) * power;
                power = power / Size::from(growth);
            }
            all
        };
        let (b, a) = (in_any_range(quotients.0), in_any_range(quotients.1));
        let both = [&exact, &rounded].map(|(b, a)| (&b[..=order], &a[..=order]));
        // For so small a numerator, differences that matter underflow.
        let is_tiny = given.0.iter().any(|b| *b != 0.0) && Wide::to_f64(answer::largest(b)) < TINY;
        let lost = if is_tiny { f64::INFINITY } else { 0.0 };
        let impulse = Response::new(both, [rows, most], None);
        let (mut gains, mut state_drift) = ([0.0; MAX_ORDER], 0f64);
        for (i, gain) in gains.iter_mut().enumerate().take(order) {
            let of_state = Response::new(both, [rows, most], Some(i));
            *gain = of_state.of.sum.over(extent, of_state.rows);
            state_drift = state_drift.max(of_state.off.sum.over(extent, of_state.rows));
        }
        let Response { of, off, .. } = &impulse;
        let both = [(&of.sum, &off.sum), (&of.largest, &off.largest), (&of.root, &off.root), (&of.step, &off.step)];
        let usual_drift = both.into_iter().fold(0f64, |most, (of, off)| {
            let [off, of] = [off, of].map(|norm| Size::from(norm.over(extent, impulse.rows)));
            most.max(share(off, of))
        });
        Self {
            order,
            b,
            a,
            roundings: if exact.1[0].abs() == 1.0 { 2.0 } else { 3.0 },
            growth,
            gains,
            gain: of.sum.over(extent, impulse.rows),
            response: of.largest.whole.max(of.step.whole).max(of.root.whole),
            drift: off.sum.over(extent, impulse.rows) + lost,
            usual_drift: usual_drift + lost,
            state_drift: state_drift + lost,
        }
    }

    /// Bounds how far outputs are off, relative to their largest, by roundings of arithmetic with this unit of roundoff.
    ///
    /// In each row, every product and sum of a state adds an error of up to one unit of roundoff. Times the sum of that state's
    /// absolute response it bounds the error of y (Oppenheim and Schafer, "Discrete-Time Signal Processing", section 6.9). A
    /// variance would be too small: the errors of a constant signal are correlated.
    fn rounding(&self, unit: f64, Maxima { x, y, initial, output }: Maxima) -> f64 {
        let Self { order, b, a, .. } = *self;
        let product = |k: usize| b[k].abs() * x + a[k].abs() * y;
        let times = |count: f64, size: Size| Size::from(count) * size;
        let of_state = |i: usize| {
            let state = (i + 1..=order).map(product).fold(initial, Add::add);
            times(self.gains[i], times(self.roundings, product(i + 1)) + state)
        };
        let own = times(2.0, b[0].abs() * x + y);
        let errors = (0..order).map(of_state).fold(own, Add::add);
        share(times(COMPOSED_ROUNDINGS, times(unit, errors)), output)
    }

    /// Bounds how far outputs are off, relative to their largest, by products and sums that underflow to 0: two per output, and four per
    /// number of the state.
    fn underflow(&self, least_normal: f64, Maxima { x, initial, output, .. }: Maxima) -> f64 {
        if x == Size::ZERO && initial == Size::ZERO {
            return 0.0;
        }
        let of_states: f64 = self.gains[..self.order].iter().map(|gain| 4.0 * gain).sum();
        share(Size::from(COMPOSED_ROUNDINGS * (2.0 + of_states)) * Size::from(least_normal), output)
    }

    /// Bounds how far outputs are off, relative to their largest, by coefficients rounded to the precision of the arithmetic.
    fn rounded_coefficients(&self, Maxima { x, initial, output, .. }: Maxima) -> f64 {
        let of_states = Size::from(self.state_drift * self.order as f64) * initial;
        share(Size::from(self.drift) * x + of_states, output)
    }
}

impl SectionSensitivity {
    /// For arithmetic in T over `rows` rows. Up to 2^16 rows are computed, in about 5 ms; 2^22, in about 0.4 s, if a pole may lie outside
    /// the unit circle.
    pub fn new<T: Real>(coefficients: &Coefficients, rows: usize) -> Self {
        Self::with_damping::<T>(coefficients, rows, true)
    }

    /// The same without the damped filter's bounds.
    pub fn undamped<T: Real>(coefficients: &Coefficients, rows: usize) -> Self {
        Self::with_damping::<T>(coefficients, rows, false)
    }

    fn with_damping<T: Real>(coefficients: &Coefficients, rows: usize, damping: bool) -> Self {
        let radius = radius(coefficients);
        let most = if radius > 1.0 { ROWS_OF_GROWTH } else { ROWS };
        let damped = |growth| {
            let extent = Extent { wanted: rows, radius: radius / growth };
            Damped::new::<T>(coefficients, extent, growth, if growth > 1.0 { ROWS } else { most })
        };
        Self { each: std::iter::once(1.0).chain((damping && radius > 1.0).then_some(radius)).map(damped).collect() }
    }

    /// Bounds how far outputs are off, relative to their largest, by roundings of arithmetic with this unit of roundoff. `sequence`, in the
    /// order of its rows: inputs, outputs and the state before the first row.
    pub fn rounding(&self, unit: f64, sequence: [&[f64]; 3]) -> f64 {
        let bounds = self.each.iter().map(|damped| damped.rounding(unit, damped.sizes(sequence)));
        bounds.fold(f64::INFINITY, f64::min)
    }

    /// The sum of the absolute impulse response: outputs are at most this times the largest input.
    pub fn gain(&self) -> f64 {
        self.each[0].gain
    }

    /// The part of the noise for inputs and outputs of these sizes, absolute; drifts are those of outputs for inputs of this size.
    pub fn noise_of<T: Real>(&self, [x, y]: [f64; 2]) -> f64 {
        let Damped { response, usual_drift, .. } = self.each[0];
        let rounding = self.rounding(T::UNIT_ROUNDOFF, [&[x], &[y], &[]]) / BOUND_ABOVE_ROUNDINGS;
        let part = |relative: f64, size: f64| if relative == 0.0 || size == 0.0 { 0.0 } else { relative * size };
        part(rounding, y) + part(usual_drift, response * x)
    }

    /// Bounds outputs, for the largest input and the state before the first row.
    pub fn largest_output(&self, input: f64, initial: &[f64]) -> f64 {
        let undamped = &self.each[0];
        let of_states = undamped.gains.iter().zip(initial).map(|(gain, z)| gain * z.abs());
        undamped.gain * input + of_states.sum::<f64>()
    }

    /// Whether bounds take no more of a sequence than its largest input, output and number of the initial state.
    pub fn is_undamped(&self) -> bool {
        self.each.iter().all(|damped| damped.growth == 1.0)
    }

    /// Bounds how far outputs are off, relative to the largest, by errors of the state's numbers that may occur in every row.
    pub fn perturbed(&self, errors: [f64; MAX_ORDER], output: f64) -> f64 {
        let of = |damped: &Damped| damped.gains.iter().zip(errors).map(|(gain, error)| gain * error).sum::<f64>();
        quotient(self.each.iter().map(of).fold(f64::INFINITY, f64::min), output)
    }

    /// The same for a device's outputs in T: by roundings, by coefficients rounded to T, and by underflow.
    pub fn device_bound<T: Real>(&self, sequence: [&[f64]; 3]) -> f64 {
        let all: Vec<_> = self.each.iter().map(|damped| (damped, damped.sizes(sequence))).collect();
        let least = |bound: &dyn Fn(&Damped, Maxima) -> f64| {
            all.iter().map(|(damped, sizes)| bound(damped, *sizes)).fold(f64::INFINITY, f64::min)
        };
        least(&|damped, sizes| damped.rounding(T::UNIT_ROUNDOFF, sizes))
            + least(&Damped::rounded_coefficients)
            + least(&|damped, sizes| damped.underflow(T::PRECISION.least_normal(), sizes))
    }

    /// [`Coefficients::rounding_noise`].
    pub fn noise<T: Real>(&self) -> f64 {
        let of = |damped: &Damped| {
            let Damped { response, .. } = *damped;
            let response = Size::from(response);
            let sizes = Maxima { x: Size::ONE, y: response, initial: Size::ZERO, output: response };
            damped.rounding(T::UNIT_ROUNDOFF, sizes) / BOUND_ABOVE_ROUNDINGS + damped.usual_drift
        };
        self.each.iter().map(of).fold(f64::INFINITY, f64::min)
    }
}

impl Coefficients {
    /// Estimates the error of a filter in direct form over `rows` rows in the precision T, relative to the largest output. It is the sum of
    /// two parts. Roundings of each row: for inputs of size 1 and an output as large as the largest of the impulse, step and noise
    /// responses. Rounded coefficients: the largest ratio over an impulse, a step, noise and the worst input.
    ///
    /// Takes up to 5 ms, or up to 0.4 s if a pole may lie outside the unit circle.
    pub fn rounding_noise<T: Real>(&self, rows: usize) -> f64 {
        SectionSensitivity::new::<T>(self, rows).noise::<T>()
    }
}
