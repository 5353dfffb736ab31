//! Whether steps of iterative refinement lead anywhere: where a matrix's condition leaves no digit of x to a solve, they may
//! still, since a residual is computed in f64.

use crate::plan::Shape;
use crate::real::Real;

/// The error that is left, relative to x, of what is returned.
const REACHED: f64 = 1.0 / 256.0;
/// A change of x that is but a rounding in f32.
const ROUNDINGS: f64 = 2.0 * f32::UNIT_ROUNDOFF;
/// Steps before a rate is believed: parts of x that are determined well come right at once, and hide the others meanwhile.
const LEAST_STEPS: usize = 4;

/// How large a right-hand side's last corrections were.
#[derive(Debug, Clone, Copy, Default)]
struct Steps {
    count: usize,
    change: f64,
    /// What the last change but one, and the last, were of the one before.
    rates: [f64; 2],
    x: f64,
}

impl Steps {
    fn observe(&mut self, change: f64, x: f64) {
        // No change after none is none.
        let rate = if change == 0.0 { 0.0 } else { change / self.change };
        *self = Self { count: self.count + 1, change, rates: [self.rates[1], rate], x };
    }

    /// The changes to come are a geometric series; or there are none but roundings.
    fn is_reached(&self) -> bool {
        if self.count >= LEAST_STEPS && self.change <= ROUNDINGS * self.x {
            return true;
        }
        let rate = self.rates[0].max(self.rates[1]);
        let sound = self.rates.iter().all(|rate| rate.is_finite());
        sound && self.count >= LEAST_STEPS && rate < 1.0 && self.change * rate / (1.0 - rate) <= REACHED * self.x
    }
}

/// The course of refinements of all right-hand sides.
pub(super) struct Convergence {
    problems: Vec<Steps>,
}

impl Convergence {
    pub fn new(shape: &Shape) -> Self {
        Self { problems: vec![Steps::default(); shape.problems()] }
    }

    /// A step from which `x` came by adding `correction`.
    pub fn observe<T: Real>(&mut self, shape: &Shape, x: &[T], correction: &[T]) {
        for (problem, steps) in self.problems.iter_mut().enumerate() {
            let (system, column) = (problem / shape.columns, problem % shape.columns);
            let largest = |values: &[T]| {
                let sizes = (0..shape.n).map(|row| values[shape.rhs_index(system, column, row)].to_f64().abs());
                // NaN stays.
                sizes.fold(0.0, |largest: f64, size| if size > largest || size.is_nan() { size } else { largest })
            };
            steps.observe(largest(correction), largest(x));
        }
    }

    pub fn is_reached(&self) -> bool {
        self.problems.iter().all(Steps::is_reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps_of(changes: &[f64]) -> Steps {
        let mut steps = Steps::default();
        changes.iter().for_each(|&change| steps.observe(change, 1.0));
        steps
    }

    #[test]
    fn what_converges() {
        assert!(steps_of(&[0.1, 1e-3, 1e-5, 1e-7]).is_reached());
        assert!(steps_of(&[0.1, 0.0, 0.0, 0.0]).is_reached());
        assert!(steps_of(&[0.1, 6e-8, 6e-8, 6e-8]).is_reached());
        let slow: Vec<_> = (0..14).map(|step| 0.3 * 0.65f64.powi(step)).collect();
        assert!(!steps_of(&slow[..8]).is_reached() && steps_of(&slow).is_reached());
    }

    #[test]
    fn what_does_not() {
        // Too early; small, but hardly less from step to step; growing; nothing that can be told.
        assert!(!steps_of(&[0.1, 1e-3, 1e-5]).is_reached());
        assert!(!steps_of(&[0.1, 1e-2, 1e-3, 9.9e-4, 9.8e-4]).is_reached());
        assert!(!steps_of(&[1e-3, 2e-3, 4e-3, 8e-3]).is_reached());
        assert!(!steps_of(&[0.1, f64::NAN, 1e-5, 1e-6]).is_reached());
        assert!(!steps_of(&[0.1, f64::INFINITY, f64::INFINITY, f64::INFINITY]).is_reached());
    }
}
