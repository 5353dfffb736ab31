//! What rounding does to a filter's outputs.

use super::MAX_ORDER;
use super::coefficients::Coefficients;
use crate::judge::thresholds::COMPOSED_ROUNDINGS;
use crate::real::Real;

/// Rows over which responses are computed; what is left is extrapolated from how the last half of them grew.
const ROWS: usize = 1 << 16;

/// Blocks of rows after which a response that has died away is left.
const BLOCK: usize = 256;

/// Growth over the last half of the rows up to which it is a power of the rows, as of poles on the unit circle: the 8th at most.
const MOST_POLYNOMIAL: f64 = 512.0;

/// Sums of absolute values, over some rows and over the first half of them.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    half: f64,
    whole: f64,
}

impl Sum {
    /// Over `wanted` rows, where `rows` have been summed.
    fn over(self, wanted: usize, rows: usize) -> f64 {
        let growth = self.whole / self.half;
        if wanted <= rows || !growth.is_finite() {
            return self.whole;
        }
        let halves = (wanted - rows) as f64 / (rows as f64 / 2.0);
        match growth <= MOST_POLYNOMIAL {
            true => self.whole * (wanted as f64 / rows as f64).powf(growth.log2()),
            false => self.whole * growth.powf(halves),
        }
    }
}

/// How far a filter carries what is added to its state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sensitivity {
    coefficients: Coefficients,
    /// For each number of the state the sum of what outputs have of a unit of it.
    gains: [f64; MAX_ORDER],
    /// The size of outputs for inputs of size 1: the largest of the responses to an impulse and to a step, and the root of the
    /// impulse response's squares.
    response: f64,
    /// How far coefficients rounded to the precision of the arithmetic move the outputs, at most: for inputs of size 1, and for
    /// initial states of size 1.
    drift: f64,
    state_drift: f64,
}

/// Maxima of the absolute values of a sequence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub x: f64,
    pub y: f64,
    /// Of the state before the first row.
    pub initial: f64,
}

/// One row of a filter with these coefficients; returns the output.
fn step(b: &[f64], a: &[f64], z: &mut [f64], x: f64) -> f64 {
    let y = b[0] * x + z[0];
    for i in 0..z.len() {
        z[i] = b[i + 1] * x - a[i + 1] * y + z.get(i + 1).copied().unwrap_or(0.0);
    }
    y
}

/// A response, of the filter and of another with rounded coefficients: its sum, the sum of the differences, and the sums of
/// squares and of itself, the latter's largest.
#[derive(Default)]
struct Response {
    sum: Sum,
    off: Sum,
    largest: f64,
    squares: f64,
    step: f64,
    rows: usize,
}

impl Response {
    /// To an impulse, or to a unit in one number of the state.
    fn new([exact, rounded]: [(&[f64], &[f64]); 2], rows: usize, state: Option<usize>) -> Self {
        let order = exact.1.len() - 1;
        let mut z = [[0.0; MAX_ORDER]; 2];
        if let Some(at) = state {
            z.iter_mut().for_each(|z| z[at] = 1.0);
        }
        let mut found = Self { rows: rows.min(ROWS), ..Self::default() };
        let (mut level, mut last) = (0.0, 0f64);
        for row in 0..found.rows {
            let x = if row == 0 && state.is_none() { 1.0 } else { 0.0 };
            let y = step(exact.0, exact.1, &mut z[0][..order], x);
            let other = step(rounded.0, rounded.1, &mut z[1][..order], x);
            found.sum.whole += y.abs();
            found.off.whole += (y - other).abs();
            if row + 1 == found.rows / 2 {
                (found.sum.half, found.off.half) = (found.sum.whole, found.off.whole);
            }
            found.squares += y * y;
            found.largest = found.largest.max(y.abs());
            level += y;
            found.step = found.step.max(f64::abs(level));
            last = last.max(y.abs()).max(other.abs());
            if row % BLOCK == BLOCK - 1 {
                let in_states = z.iter().flatten().fold(0.0, |most: f64, z| most.max(z.abs()));
                if last.max(in_states) < 1e-20 * found.largest {
                    found.rows = rows;
                    break;
                }
                last = 0.0;
            }
        }
        found
    }
}

impl Sensitivity {
    /// Of arithmetic in T over so many rows. Up to 2^16 rows are computed, some 5 ms.
    pub fn new<T: Real>(coefficients: &Coefficients, rows: usize) -> Self {
        let narrow = |values: &[f64]| values.iter().map(|&value| T::from_f64(value).to_f64()).collect::<Vec<_>>();
        let (b, a) = (narrow(coefficients.b()), narrow(coefficients.a()));
        let both = [(coefficients.b(), coefficients.a()), (&b[..], &a[..])];
        let impulse = Response::new(both, rows, None);
        let (mut gains, mut state_drift) = ([0.0; MAX_ORDER], 0f64);
        for (i, gain) in gains.iter_mut().enumerate().take(coefficients.order()) {
            let of_state = Response::new(both, rows, Some(i));
            *gain = of_state.sum.over(rows, of_state.rows);
            state_drift = state_drift.max(of_state.off.over(rows, of_state.rows));
        }
        Self {
            coefficients: *coefficients,
            gains,
            response: impulse.largest.max(impulse.step).max(impulse.squares.sqrt()),
            drift: impulse.off.over(rows, impulse.rows),
            state_drift,
        }
    }

    /// How far outputs are off at most, relative to their largest, by roundings of arithmetic with this unit of roundoff.
    ///
    /// Each row adds to each number of the state up to a unit of roundoff of each product and sum there, and |y| has of
    /// that what the sum of the state's response says (Oppenheim and Schafer, section 6.9: the bound, not the
    /// variance, since roundings of a constant signal are all alike).
    pub fn rounding(&self, unit: f64, Sizes { x, y, initial }: Sizes) -> f64 {
        let (b, a) = (self.coefficients.b(), self.coefficients.a());
        let product = |k: usize| b[k].abs() * x + a[k].abs() * y;
        let order = self.coefficients.order();
        let of_state = |i: usize| {
            let state: f64 = initial + (i + 1..=order).map(product).sum::<f64>();
            self.gains[i] * (2.0 * product(i + 1) + state)
        };
        let output = 2.0 * (b[0].abs() * x + y);
        let errors = COMPOSED_ROUNDINGS * unit * (output + (0..order).map(of_state).sum::<f64>());
        let share = if errors == 0.0 { 0.0 } else { errors / y };
        if share.is_nan() { f64::INFINITY } else { share }
    }

    /// How far outputs are off at most, relative to their largest, by coefficients rounded to the precision of the arithmetic.
    pub fn rounded_coefficients(&self, Sizes { x, y, initial }: Sizes) -> f64 {
        let errors = self.drift * x + self.state_drift * initial * self.coefficients.order() as f64;
        if errors == 0.0 { 0.0 } else { errors / y }
    }

    /// Both, for inputs that make outputs as large as the responses to an impulse and to a step.
    pub fn noise<T: Real>(&self) -> f64 {
        let sizes = Sizes { x: 1.0, y: self.response, initial: 0.0 };
        let noise = self.rounding(T::UNIT_ROUNDOFF, sizes) + self.rounded_coefficients(sizes);
        if noise.is_nan() { f64::INFINITY } else { noise }
    }
}

impl Coefficients {
    /// At most how large errors are beside the outputs, of a filter in direct form over so many rows in the precision T: roundings
    /// of each row, and those of the coefficients. For inputs that make outputs as large as the responses to an impulse and to a step;
    /// mostly some ten times above what is seen. Costs up to 5 ms.
    pub fn rounding_noise<T: Real>(&self, rows: usize) -> f64 {
        Sensitivity::new::<T>(self, rows).noise::<T>()
    }
}
