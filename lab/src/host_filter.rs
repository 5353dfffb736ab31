//! Random filters and signals in host memory, and the results that a solve should find.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::filter_designs::{Poles, design};
use super::host_recurrence::Expected;
use trisolve::cpu;
use trisolve::filter::{Coefficients, Direction, Shape};
use trisolve::{Error, Real, Result};

/// A filter, and the signals of a batch in the layout of a shape; NaN everywhere else.
#[derive(Debug, Clone)]
pub struct HostFilter<T> {
    /// The shape.
    pub shape: Shape,
    /// The filter.
    pub coefficients: Coefficients,
    /// Inputs between -1 and 1.
    pub x: Vec<T>,
    /// The initial states, before the first rows.
    pub initial: Vec<T>,
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
    /// Draws a filter, its signals, and its initial states if `initial`; else these are 0.
    ///
    /// # Errors
    /// [`Error::Shape`] if the shape spans more than memory.
    pub fn new(shape: Shape, order: usize, poles: Poles, initial: bool, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let len = shape.matrix_len().ok_or_else(|| Error::Shape("a case that spans more than memory".into()))?;
        let (b, a) = design(order, poles, &mut random);
        let mut number = |size: f64| T::from_f64(size * random.random_range(-1.0..1.0));
        let size = if initial { 1.0 } else { 0.0 };
        let mut made = Self {
            shape,
            coefficients: Coefficients::new(&b, &a)?,
            x: vec![T::from_f64(f64::NAN); len],
            initial: (0..shape.batch * order).map(|_| number(size)).collect(),
        };
        for system in 0..shape.batch {
            for row in 0..shape.n {
                made.x[shape.matrix_index(system, row)] = number(1.0);
            }
        }
        Ok(made)
    }

    /// The outputs and the final states, with the largest errors that rounding can explain.
    ///
    /// The maximum norm of the state in any range of rows is at most M = max |z| (1 + P) + P |initial z|, with P the largest norm
    /// of a power of A. Each row rounds its state by a few units of |A| M + |B| max |x|. Each joint of two chunks rounds by a few
    /// units of P M, or of Q M if the chunks are joined in another basis; Q^2, the sum of the squares of the powers' norms, bounds
    /// the magnification by the change of basis. There are fewer joints than rows. An error e of one row reaches the output m rows
    /// later as (A^m e)\[0\].
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows.
    pub fn expected(&self, direction: Direction) -> Result<ExpectedOutputs> {
        let Self { shape, coefficients, .. } = self;
        let order = coefficients.order();
        let (b, a) = (coefficients.b(), coefficients.a());
        let growth = Growth::new(coefficients, shape.n);
        let unit = T::UNIT_ROUNDOFF;
        let reverse = direction == Direction::Reverse;
        let sum = |values: &[f64]| values.iter().map(|value| value.abs()).sum::<f64>();
        let per_row = a.iter().skip(1).fold(0.0, |most: f64, a| most.max(a.abs())) + 1.0;
        let per_input = b.iter().skip(1).zip(&a[1..]).fold(0.0, |most: f64, (tap, a)| most.max((tap - a * b[0]).abs()));
        let mut found = ExpectedOutputs { y: vec![], last: vec![] };
        for system in 0..shape.batch {
            let x: Vec<_> = (0..shape.n).map(|row| self.x[shape.matrix_index(system, row)].to_f64()).collect();
            let before: Vec<_> = self.initial[system * order..][..order].iter().map(|z| z.to_f64()).collect();
            let mut state = before.clone();
            let y = cpu::filter(b, a, &x, &mut state, reverse)?;
            let largest = largest_state(b, a, &x, &y, &before, reverse);
            let start = before.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            let input = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let bound = largest * (1.0 + growth.power) + growth.power * start;
            let rows = 2.0 * (order as f64 + 3.0) * (per_row * bound + (per_input + sum(b)) * input);
            let joints = 2.0 * (order as f64 + 2.0) * growth.joint() * bound;
            let noise = unit * (rows + joints) + f64::from(f32::MIN_POSITIVE);
            for (row, &value) in y.iter().enumerate() {
                let steps = if reverse { shape.n - 1 - row } else { row };
                let own = 4.0 * unit * (sum(&b[..1]) * input + bound);
                let allowed = noise * growth.output[steps] + own;
                found.y.push(Expected { at: shape.matrix_index(system, row), value, allowed });
            }
            let allowed = noise * growth.state;
            let last = state.iter().enumerate();
            found.last.extend(last.map(|(i, &value)| Expected { at: system * order + i, value, allowed }));
        }
        Ok(found)
    }
}

/// The largest entry of any state, the initial one included.
fn largest_state(b: &[f64], a: &[f64], x: &[f64], y: &[f64], before: &[f64], reverse: bool) -> f64 {
    let mut z = [before, &[0.0]].concat();
    let mut largest = z.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
    for step in 0..x.len() {
        let row = if reverse { x.len() - 1 - step } else { step };
        for i in 1..b.len() {
            z[i - 1] = b[i] * x[row] - a[i] * y[row] + z[i];
            largest = largest.max(z[i - 1].abs());
        }
    }
    largest
}

/// The growth of an error of the state.
struct Growth {
    /// The largest maximum norm of a power of A.
    power: f64,
    /// The sum of the squares of the powers' maximum norms.
    squares: f64,
    /// For each number of rows, the sum of the first rows of the powers up to it, in the sum norm.
    output: Vec<f64>,
    /// The sum of the powers' maximum norms.
    state: f64,
}

impl Growth {
    fn new(coefficients: &Coefficients, rows: usize) -> Self {
        let (order, a) = (coefficients.order(), coefficients.a());
        // The columns of the power of A: states that go on without input.
        let mut columns = vec![vec![0f64; order + 1]; order];
        (0..order).for_each(|i| columns[i][i] = 1.0);
        let mut growth = Self { power: 1.0, squares: 0.0, output: vec![], state: 0.0 };
        let mut sum = 0.0;
        for _ in 0..=rows {
            let norm = |i: usize| columns.iter().map(|column| column[i].abs()).sum::<f64>();
            let power = (0..order).map(norm).fold(0.0, f64::max);
            growth.power = growth.power.max(power);
            growth.state += power;
            growth.squares += power * power;
            sum += norm(0);
            growth.output.push(sum);
            for column in &mut columns {
                let first = column[0];
                for i in 0..order {
                    column[i] = column[i + 1] - a[i + 1] * first;
                }
            }
        }
        growth
    }

    /// The magnification in a joint: that of the powers alone if these are small.
    fn joint(&self) -> f64 {
        if self.power <= 32.0 { self.power } else { self.power.max(self.squares.sqrt()) }
    }
}
