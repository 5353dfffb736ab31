//! Random filters and signals in host memory, and the results that a solve should find.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::filter_designs::{Poles, design};
use super::host_recurrence::Expected;
use trisolve::filter::{Bank, Cascade, Coefficients, Direction, Shape};
use trisolve::{Error, Real, Result};

/// The filters, and the signals of a batch in the layout of a shape; NaN everywhere else.
#[derive(Debug, Clone)]
pub struct HostFilter<T> {
    /// The shape.
    pub shape: Shape,
    /// One filter, or one per sequence.
    pub bank: Bank,
    /// Inputs between -1 and 1; of a bank of one signal, its rows alone.
    pub x: Vec<T>,
    /// The initial states, before the first rows.
    pub initial: Vec<T>,
}

/// How many filters a batch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filters {
    /// One for all sequences.
    One,
    /// One per sequence.
    PerSequence,
    /// One per sequence, all with the same input.
    OfOneSignal,
}

/// The expected results of a filter.
#[derive(Debug, Clone)]
pub struct ExpectedOutputs {
    /// The output of each row.
    pub y: Vec<Expected>,
    /// The final states, after the last rows.
    pub last: Vec<Expected>,
}

impl<T: Real> HostFilter<T> {
    /// Draws a filter with sections of these orders, its signals, and its initial states if `initial`; else these are 0.
    ///
    /// # Errors
    /// [`Error::Shape`] if the shape spans more than memory; as [`Cascade::new`].
    pub fn new(shape: Shape, orders: &[usize], poles: Poles, initial: bool, seed: u64) -> Result<Self> {
        Self::with_filters(shape, orders, poles, Filters::One, initial, seed)
    }

    /// The same with several filters.
    ///
    /// # Errors
    /// As [`HostFilter::new`].
    pub fn with_filters(
        shape: Shape,
        orders: &[usize],
        poles: Poles,
        filters: Filters,
        initial: bool,
        seed: u64,
    ) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let len = shape.matrix_len().ok_or_else(|| Error::Shape("a case that spans more than memory".into()))?;
        let mut filter = || {
            let sections = orders.iter().map(|&order| {
                let (b, a) = design(order, poles, &mut random);
                Coefficients::new(&b, &a)
            });
            Cascade::new(&sections.collect::<Result<Vec<_>>>()?)
        };
        let bank = match filters {
            Filters::One => filter()?.into(),
            Filters::PerSequence => {
                Bank::per_sequence((0..shape.batch).map(|_| filter()).collect::<Result<Vec<_>>>()?)?
            }
            Filters::OfOneSignal => {
                Bank::of_one_signal((0..shape.batch).map(|_| filter()).collect::<Result<Vec<_>>>()?)?
            }
        };
        let states = shape.batch * bank.order();
        let inputs = bank.inputs(&shape).min(len);
        let mut number = |size: f64| T::from_f64(size * random.random_range(-1.0..1.0));
        let size = if initial { 1.0 } else { 0.0 };
        let mut made = Self {
            shape,
            bank,
            x: vec![T::from_f64(f64::NAN); inputs],
            initial: (0..states).map(|_| number(size)).collect(),
        };
        for system in 0..shape.batch {
            for row in 0..shape.n {
                let at = made.bank.input_index(&shape, system, row);
                made.x[at] = number(1.0);
            }
        }
        Ok(made)
    }

    /// The outputs and the final states, with the largest errors that rounding can explain.
    ///
    /// The maximum norm of the state in any range of rows is at most M = max |z| (1 + P) + P |initial z|, with P the largest norm
    /// of a power of A. Each row rounds its state by a few units of the row's result for |z| = M, max |x| and absolute coefficients. Each joint of two
    /// chunks rounds by a few units of P M, or of Q M if the chunks are joined in another basis; Q^2, the sum of the squares of the powers' norms, bounds
    /// the magnification by the change of basis. There are fewer joints than rows. An error e of one row reaches the output m rows
    /// later as C A^m e, where C z is the output of a row with input 0.
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows.
    pub fn expected(&self, direction: Direction) -> Result<ExpectedOutputs> {
        let Self { shape, bank, .. } = self;
        if shape.n == 0 {
            return Err(Error::Shape("a filter of no rows".into()));
        }
        let order = bank.order();
        let mut growth = Growth::new(&bank.filters()[0], shape.n);
        let unit = T::UNIT_ROUNDOFF;
        let mut found = ExpectedOutputs { y: vec![], last: vec![] };
        for system in 0..shape.batch {
            let filter = &bank.filters()[bank.index(system)];
            if bank.filters().len() > 1 {
                growth = Growth::new(filter, shape.n);
            }
            let row_at = |step: usize| if direction == Direction::Reverse { shape.n - 1 - step } else { step };
            let place = |step: usize| shape.matrix_index(system, row_at(step));
            let before: Vec<_> = self.initial[system * order..][..order].iter().map(|z| z.to_f64()).collect();
            let start = largest(&before);
            let (mut z, mut state, mut input) = (before, start, 0f64);
            let mut y = Vec::with_capacity(shape.n);
            for step in 0..shape.n {
                let x = self.x[bank.input_index(shape, system, row_at(step))].to_f64();
                y.push(row(filter, &mut z, x, |c| c));
                state = state.max(largest(&z));
                input = input.max(x.abs());
            }
            let bound = state * (1.0 + growth.power) + growth.power * start;
            let mut absolute = vec![bound; order];
            let output = row(filter, &mut absolute, input, f64::abs);
            let rows = 2.0 * (order as f64 + 3.0) * largest(&absolute).max(output);
            let joints = 2.0 * (order as f64 + 2.0) * growth.joint() * bound;
            let noise = unit * (rows + joints) + f64::from(f32::MIN_POSITIVE);
            for (step, value) in y.into_iter().enumerate() {
                let allowed = noise * growth.output[step] + 4.0 * unit * output;
                found.y.push(Expected { at: place(step), value, allowed });
            }
            let allowed = noise * growth.state;
            found.last.extend(z.iter().enumerate().map(|(i, &value)| Expected {
                at: system * order + i,
                value,
                allowed,
            }));
        }
        Ok(found)
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}

/// One row with changed coefficients; returns the output. A subtracted product is added if its coefficient's size is taken.
fn row(filter: &Cascade, mut z: &mut [f64], x: f64, change: impl Fn(f64) -> f64) -> f64 {
    let mut signal = x;
    for section in filter.sections() {
        let (own, rest) = z.split_at_mut(section.order());
        let (b, a) = (section.b(), section.a());
        let y = change(b[0]) * signal + own[0];
        for i in 0..own.len() {
            let next = own.get(i + 1).copied().unwrap_or(0.0);
            own[i] = change(b[i + 1]) * signal + change(-a[i + 1]) * y + next;
        }
        (signal, z) = (y, rest);
    }
    signal
}

/// The growth of an error of the state.
struct Growth {
    /// The largest maximum norm of a power of A.
    power: f64,
    /// The sum of the squares of the powers' maximum norms.
    squares: f64,
    /// For each number of rows, the sum of |C A^m| over the powers up to it, in the sum norm.
    output: Vec<f64>,
    /// The sum of the powers' maximum norms.
    state: f64,
}

impl Growth {
    fn new(filter: &Cascade, rows: usize) -> Self {
        let order = filter.order();
        // The columns of the power of A: states that go on without input.
        let mut columns = vec![vec![0f64; order]; order];
        (0..order).for_each(|i| columns[i][i] = 1.0);
        let mut growth = Self { power: 1.0, squares: 0.0, output: vec![], state: 0.0 };
        let mut sum = 0.0;
        for _ in 0..=rows {
            let norm = |i: usize| columns.iter().map(|column| column[i].abs()).sum::<f64>();
            let power = (0..order).map(norm).fold(0.0, f64::max);
            growth.power = growth.power.max(power);
            growth.state += power;
            growth.squares += power * power;
            sum += columns.iter_mut().map(|column| row(filter, column, 0.0, |c| c).abs()).sum::<f64>();
            growth.output.push(sum);
        }
        growth
    }

    /// The magnification in a joint: that of the powers alone if these are small.
    fn joint(&self) -> f64 {
        if self.power <= 32.0 { self.power } else { self.power.max(self.squares.sqrt()) }
    }
}
