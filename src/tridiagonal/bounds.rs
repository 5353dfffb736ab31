//! What bounds the error of an answer, computed where the answer was.

use crate::judge::answer::{exceeds, is_mid_range, largest};
use crate::judge::thresholds::GOOD_BOUND;
use crate::real::Real;

/// The class of the least dominant row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dominance {
    /// Dominant rows, with off-diagonals of opposite sign to the diagonal, or 0.
    Regular,
    /// Dominant rows, with off-diagonals of any sign.
    Irregular,
    None,
}

/// Maxima over the rows of a right-hand side.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Of the unknowns.
    pub size: f64,
    /// Of the residual, with its rounding errors, divided by 8 times the excess.
    pub error: f64,
    pub dominance: Dominance,
    /// Whether entries of the right-hand side have the diagonal's sign, and the other sign.
    pub signs: [bool; 2],
    /// Whether these numbers bound anything: entries are moderate, and results finite.
    pub is_valid: bool,
}

impl Bounds {
    /// Those of both parts of a right-hand side.
    pub fn joined(self, other: Self) -> Self {
        // NaN stays.
        let larger = |one: f64, other: f64| if other > one || other.is_nan() { other } else { one };
        Self {
            size: larger(self.size, other.size),
            error: larger(self.error, other.error),
            dominance: self.dominance.max(other.dominance),
            signs: [self.signs[0] || other.signs[0], self.signs[1] || other.signs[1]],
            is_valid: self.is_valid && other.is_valid,
        }
    }

    /// The forward error of the answer, if these numbers bound it well; `carries`: the algorithm carried the dominance.
    ///
    /// The excess of strictly dominant rows bounds the inverse (Ahlberg and Nilson 1963, Varah 1975), so the residual bounds the error, for
    /// any algorithm.
    pub fn forward_error<T: Real>(&self, carries: bool) -> Option<f64> {
        let Self { size, error, dominance, signs, is_valid } = *self;
        if !is_valid {
            return None;
        }
        // x = 0 and d = 0.
        if signs == [false; 2] && size == 0.0 {
            // A matrix without strictly dominant rows may be singular. Only algorithms that carry the dominance notice this.
            return (dominance == Dominance::Regular && (carries || error == 0.0)).then_some(0.0);
        }
        // Outside of this range numbers lose digits. Products that overflow leave NaN, which maxima on a device drop.
        let bound = if is_mid_range::<T>(size) { 8.0 * error / size } else { f64::INFINITY };
        (bound <= GOOD_BOUND * T::UNIT_ROUNDOFF).then(|| bound.max(T::UNIT_ROUNDOFF))
    }

    /// The size of the largest unknown, if the rows are dominant, their off-diagonals have the other sign than the diagonal, and the
    /// right-hand side has one sign.
    pub fn size_of_one_sign<T: Real>(&self) -> Option<f64> {
        let is_of_one_sign = self.is_valid && self.dominance == Dominance::Regular && self.signs != [true; 2];
        (is_of_one_sign && is_mid_range::<T>(self.size)).then_some(self.size)
    }
}

/// Whether sums of products of entries and unknowns may have overflowed; `is_moderate`: as `System::is_moderate`.
pub(super) fn may_overflow<T: Real>(bounds: &[Bounds], is_moderate: bool, largest_entry: impl FnOnce() -> f64) -> bool {
    let size = largest(bounds.iter().map(|bounds| bounds.size));
    let is_small = is_moderate && (size < 1.0 || is_mid_range::<T>(size));
    let largest_product = if is_small { 0.0 } else { size * largest_entry() };
    exceeds(largest_product, T::PRECISION.largest() / 8.0)
}
