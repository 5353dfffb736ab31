//! Random Moebius recurrences in host memory, and the values that a solve should find.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::cpu;
use trisolve::recurrence::moebius::Options;
use trisolve::recurrence::{Direction, Shape};
use trisolve::{Error, Real, Result};

/// The coefficients of a batch in the layout of a shape; NaN everywhere else. Their signs are such that no sum cancels.
#[derive(Debug, Clone)]
pub struct HostMoebius<T> {
    /// The shape.
    pub shape: Shape,
    /// a, b, c and d.
    pub coefficients: [Vec<T>; 4],
    /// The initial values, before the first rows.
    pub initial: Vec<T>,
}

/// The values of the constant coefficients a, b, c, d and of a constant initial value.
pub(super) const CONSTANTS: [f64; 5] = [0.5, 0.75, 0.25, 1.25, 0.5];

impl<T: Real> HostMoebius<T> {
    /// Draws the coefficients for a direction: entries between 0.1 and 1, times a power of two per row. One in ten rows has a 0,
    /// one in fifty is singular. With constants, all entries are positive and the power is 1.
    ///
    /// # Errors
    /// [`Error::Shape`] if the shape spans more than memory.
    pub fn new(shape: Shape, options: Options, constants: [bool; 5], seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let len = shape.matrix_len().ok_or_else(|| Error::Shape("a case that spans more than memory".into()))?;
        let nan = T::from_f64(f64::NAN);
        let mut made = Self { shape, coefficients: [0; 4].map(|_| vec![nan; len]), initial: vec![] };
        let plain = constants.contains(&true);
        for system in 0..shape.batch {
            let sign = |random: &mut SmallRng| if !plain && random.random() { -1.0 } else { 1.0 };
            let mut before = sign(&mut random);
            made.initial.push(T::from_f64(before * random.random_range(0.1..1.0)));
            for step in 0..shape.n {
                let row = if options.direction == Direction::Forward { step } else { shape.n - 1 - step };
                let at = shape.matrix_index(system, row);
                let mut entries = [0; 4].map(|_| T::from_f64(random.random_range(0.1..1.0)).to_f64());
                if !plain && random.random_bool(0.02) {
                    let times = 2f64.powi(random.random_range(-2..3));
                    (entries[2], entries[3]) = (times * entries[0], times * entries[1]);
                } else if random.random_bool(0.1) {
                    entries[random.random_range(0..4)] = 0.0;
                }
                // The value's sign determines the signs of the row's entries, up to a sign of the row.
                let here = sign(&mut random);
                let size = if plain { 1.0 } else { sign(&mut random) * 2f64.powi(random.random_range(-40..40)) };
                let signs = [here * before, here, before, 1.0];
                before = here;
                for (values, (entry, sign)) in made.coefficients.iter_mut().zip(entries.into_iter().zip(signs)) {
                    values[at] = T::from_f64(size * sign * entry);
                }
            }
        }
        Ok(made)
    }

    /// Per value: its index, the value, and the largest relative error that rounding can explain. Each row and each product of
    /// rows rounds by a few units, and the following rows carry that error on.
    ///
    /// # Errors
    /// [`Error::Indeterminate`].
    pub fn expected(&self, options: Options, constants: [bool; 5]) -> Result<Vec<(usize, f64, f64)>> {
        let Shape { n, batch, .. } = self.shape;
        let reverse = options.direction == Direction::Reverse;
        let mut all = Vec::new();
        for system in 0..batch {
            let wide = |k: usize| -> Vec<f64> {
                let entry = |row| self.coefficients[k][self.shape.matrix_index(system, row)].to_f64();
                (0..n).map(|row| if constants[k] { CONSTANTS[k] } else { entry(row) }).collect()
            };
            let [a, b, c, d] = [0, 1, 2, 3].map(wide);
            let initial = if constants[4] { CONSTANTS[4] } else { self.initial[system].to_f64() };
            let w = cpu::moebius(&a, &b, &c, &d, initial, reverse)?;
            let mut before = initial;
            let mut units = 0.0;
            for step in 0..n {
                let row = if reverse { n - 1 - step } else { step };
                // The factor from the previous value's relative error to this value's.
                let carried = (a[row] * d[row] - b[row] * c[row]).abs() * before.abs()
                    / ((a[row] * before + b[row]).abs() * (c[row] * before + d[row]).abs());
                units = 4.0 + units * if carried.is_finite() { carried.min(1.0) } else { 0.0 };
                all.push((self.shape.matrix_index(system, row), w[row], (64.0 + 4.0 * units) * T::UNIT_ROUNDOFF));
                before = w[row];
            }
        }
        Ok(all)
    }
}
