//! Random linear recurrences in host memory, and the values that a solve should find.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::formulas::SampleFormula;
use trisolve::cpu;
use trisolve::recurrence::{Direction, Shape};
use trisolve::{Error, Real, Result};

/// The coefficients of a batch in the layout of a shape; NaN everywhere else.
#[derive(Debug, Clone)]
pub struct HostRecurrence<T> {
    /// The shape.
    pub shape: Shape,
    /// Factors between -1.1 and 1.1; one in a hundred is 0.
    pub s: Vec<T>,
    /// Summands.
    pub t: Vec<T>,
    /// The initial values, before the first rows.
    pub initial: Vec<T>,
}

/// The expected value of one row.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// Its index in the vector.
    pub at: usize,
    /// The value in f64.
    pub value: f64,
    /// The largest error that rounding can explain.
    pub allowed: f64,
}

impl<T: Real> HostRecurrence<T> {
    /// Draws the coefficients.
    ///
    /// # Errors
    /// [`Error::Shape`] if the shape spans more than memory.
    pub fn new(shape: Shape, seed: u64) -> Result<Self> {
        let mut random = SmallRng::seed_from_u64(seed);
        let len = shape.matrix_len().ok_or_else(|| Error::Shape("a case that spans more than memory".into()))?;
        let mut made = Self {
            shape,
            s: vec![T::from_f64(f64::NAN); len],
            t: vec![T::from_f64(f64::NAN); len],
            initial: (0..shape.batch).map(|_| T::from_f64(random.random_range(-1.0..1.0))).collect(),
        };
        for system in 0..shape.batch {
            for row in 0..shape.n {
                let at = shape.matrix_index(system, row);
                let anew = random.random_bool(0.01);
                made.s[at] = T::from_f64(if anew { 0.0 } else { random.random_range(-1.1..1.1) });
                made.t[at] = T::from_f64(random.random_range(-1.0..1.0));
            }
        }
        Ok(made)
    }

    /// Replaces s and t by the values of formulas.
    pub fn compute(&mut self, computed: [Option<SampleFormula>; 2], gain: &[T]) {
        let gain: Vec<_> = gain.iter().map(|entry| entry.to_f64()).collect();
        for ((salt, formula), values) in (0..).zip(computed).zip([&mut self.s, &mut self.t]) {
            let Some(formula) = formula else { continue };
            for system in 0..self.shape.batch {
                for (row, value) in formula.values(salt, self.shape.n, system, &gain).into_iter().enumerate() {
                    values[self.shape.matrix_index(system, row)] = T::from_f64(value);
                }
            }
        }
    }

    /// The values, with constants in place of the vectors if given. The bound: each row rounds by a few units of the sum of its
    /// terms' sizes, and the following rows carry that error on.
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows.
    pub fn expected(&self, constants: [Option<T>; 3], direction: Direction) -> Result<Vec<Expected>> {
        let Shape { n, batch, .. } = self.shape;
        let reverse = direction == Direction::Reverse;
        let mut all = Vec::new();
        let wide = |values: &[T], constant: Option<T>, system: usize| -> Vec<f64> {
            let at = |row| constant.unwrap_or_else(|| values[self.shape.matrix_index(system, row)]).to_f64();
            (0..n).map(at).collect()
        };
        let sizes = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<_>>();
        for system in 0..batch {
            let (s, t) = (wide(&self.s, constants[0], system), wide(&self.t, constants[1], system));
            let initial = constants[2].unwrap_or(self.initial[system]).to_f64();
            let exact = cpu::recurrence(&s, &t, initial, reverse)?;
            let size = cpu::recurrence(&sizes(&s), &sizes(&t), initial.abs(), reverse)?;
            // The error of each row enters the following rows.
            let errors = cpu::recurrence(&sizes(&s), &size, 0.0, reverse)?;
            all.extend((0..n).map(|row| Expected {
                at: self.shape.matrix_index(system, row),
                value: exact[row],
                allowed: 2.0 * T::UNIT_ROUNDOFF * (errors[row] + 8.0 * size[row]) + f64::from(f32::MIN_POSITIVE),
            }));
        }
        Ok(all)
    }
}
