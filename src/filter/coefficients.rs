//! The coefficients of a filter.

use super::MAX_ORDER;
use crate::error::{Error, Result};
use crate::real::Real;

/// Coefficients: at most one more than the order.
const MOST: usize = MAX_ORDER + 1;

/// A rational transfer function (b\[0\] + b\[1\] z^-1 + ...) / (1 + a\[1\] z^-1 + ...) of order 1 to 4.
///
/// Stored in f64 for signals of any precision: designs are computed in f64, and powers over many rows use these numbers. Rows are
/// multiplied by the coefficients rounded to the signals' precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    order: usize,
    b: [f64; MOST],
    a: [f64; MOST],
    /// As given: division by a\[0\] would round.
    given: [[f64; MOST]; 2],
}

impl Coefficients {
    /// The numerator and the denominator, by falling powers of z as in signal libraries: first the coefficient of the current row, then of
    /// the row before, and so on. Both are divided by `a[0]`.
    ///
    /// # Errors
    /// [`Error::Length`] for none or more than 5 numbers; [`Error::Options`] if both are of order 0, `a[0]` is 0, or a number is not
    /// finite, before or after the division.
    pub fn new(b: &[f64], a: &[f64]) -> Result<Self> {
        for (vector, given) in [("the numerator b", b), ("the denominator a", a)] {
            if given.is_empty() {
                return Err(Error::Length { vector, expected: format!("1 to {MOST}"), found: 0 });
            }
            if given.len() > MOST {
                let expected =
                    format!("1 to {MOST} (a filter of higher order is a `Cascade` of second-order sections)");
                return Err(Error::Length { vector, expected, found: given.len() });
            }
            if let Some(at) = given.iter().position(|value| !value.is_finite()) {
                return Err(Error::Options(format!("{vector}: entry {at} is {}, not a finite number", given[at])));
            }
        }
        let order = b.len().max(a.len()) - 1;
        if order == 0 {
            let why = "b and a of one number each: the signal times a constant is no filter with a state";
            return Err(Error::Options(why.into()));
        }
        if a[0] == 0.0 {
            return Err(Error::Options("a[0] is 0: it is what the output is divided by".into()));
        }
        let divided = |given: &[f64]| {
            let mut all = [0.0; MOST];
            all.iter_mut().zip(given).for_each(|(all, given)| *all = given / a[0]);
            all
        };
        let filled = |given: &[f64]| {
            let mut all = [0.0; MOST];
            all.iter_mut().zip(given).for_each(|(all, given)| *all = *given);
            all
        };
        let made = Self { order, b: divided(b), a: divided(a), given: [filled(b), filled(a)] };
        if made.b.iter().chain(&made.a).any(|value| !value.is_finite()) {
            return Err(Error::Options(format!("divided by a[0] = {:e} a coefficient leaves the range of f64", a[0])));
        }
        Ok(made)
    }

    /// Numbers of the state.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The numerator over `a[0]`, order + 1 numbers.
    pub fn b(&self) -> &[f64] {
        &self.b[..=self.order]
    }

    /// Numerator and denominator before the division by `a[0]`, order + 1 numbers each.
    pub(crate) fn given(&self) -> (&[f64], &[f64]) {
        let [b, a] = &self.given;
        (&b[..=self.order], &a[..=self.order])
    }

    /// Both rounded to a precision, as kernels use them.
    ///
    /// # Errors
    /// [`Error::Options`] if a number is past the precision's range, or the whole numerator below it.
    pub fn numbers<T: Real>(&self) -> Result<(Vec<T>, Vec<T>)> {
        let precision = T::PRECISION;
        let narrow = |values: &[f64]| values.iter().map(|&value| T::from_f64(value)).collect::<Vec<_>>();
        let (b, a) = (narrow(self.b()), narrow(self.a()));
        for (name, all, narrow) in [("b", self.b(), &b), ("a", self.a(), &a)] {
            if let Some(at) = narrow.iter().position(|value| !value.is_finite()) {
                let past = all[at];
                return Err(Error::Options(format!("{name}[{at}] / a[0] is {past:e}, past the range of {precision}")));
            }
        }
        if b.iter().all(|b| *b == T::ZERO) && self.b().iter().any(|b| *b != 0.0) {
            let why = format!("over a[0] all of the numerator is below the range of {precision}: scale it up");
            return Err(Error::Options(why));
        }
        Ok((b, a))
    }

    /// The denominator over `a[0]`, order + 1 numbers of which the first is 1.
    pub fn a(&self) -> &[f64] {
        &self.a[..=self.order]
    }
}

impl Coefficients {
    /// The same filter with a state of so many numbers, at least its own.
    pub(super) fn of_order(&self, order: usize) -> Self {
        Self { order, ..*self }
    }

    /// The state in which the filter answers a constant input of 1 by a constant, and this constant.
    ///
    /// # Errors
    /// [`Error::Options`] if the filter has a pole at 1.
    pub(super) fn steady_state(&self) -> Result<(Vec<f64>, f64)> {
        let (b, a) = (self.b(), self.a());
        let sum: f64 = a.iter().sum();
        let gain = b.iter().sum::<f64>() / sum;
        let mut after = 0.0;
        let mut state: Vec<_> = b
            .iter()
            .zip(a)
            .skip(1)
            .rev()
            .map(|(b, a)| {
                after += b - a * gain;
                after
            })
            .collect();
        state.reverse();
        if sum == 0.0 || state.iter().any(|z| !z.is_finite()) {
            let why = "the denominator's coefficients sum to 0, a pole at 1: a constant input has no constant answer";
            return Err(Error::Options(why.into()));
        }
        Ok((state, gain))
    }
}
