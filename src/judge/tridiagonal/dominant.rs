//! Dominant systems: algorithms that carry the dominance keep the digits of x, whatever the condition.

use super::{Answer, Device, Dominance, Judge, Matrix, Rival};
use crate::arithmetic::quotient;
use crate::cpu;
use crate::error::Result;
use crate::judge::answer::{exceeds, keeps_digits, largest};
use crate::judge::extended_range::ExtendedRange;
use crate::judge::thresholds::{
    CARRIED_ROUNDINGS, GOOD_BOUND, LEAST_COMPLEMENT, MOST_FORWARD_ERROR, RESIDUAL_ROUNDINGS, ROUNDINGS_PER_ROW,
};
use crate::precision::Precision;
use crate::real::{DoubleDouble, Real, Scalar, Wide};

/// Whether an elimination whose complements (1 minus the multiplier of a row) are at least `least` keeps the digits of its numbers, in T and in
/// arithmetic of twice the digits. `size` is the largest |x|; 0 if all unknowns are 0.
pub(super) fn keeps_complements<T: Real>(least: f64, size: f64) -> bool {
    // The second halves of double-double numbers lie below f64.
    let halves = if T::PRECISION == Precision::F64 { 2f64.powi(64) } else { 1.0 };
    let carried = if size == 0.0 { least } else { least * size.min(1.0) };
    carried >= LEAST_COMPLEMENT * T::PRECISION.least_normal() * halves
}

impl<T: Real> Judge<T> {
    /// With the comparison matrix M (|diag| on the diagonal, -|off-diagonals| beside it): |A^-1| <= M^-1, so the error of
    /// algorithms that carry the dominance is at most u M^-1 |d| times their roundings. Returns `None` if M is singular or the bound far
    /// exceeds the answer.
    pub(super) fn judge_dominant(
        &self,
        rhs: &[T],
        device: Option<Device<'_, T>>,
        least: f64,
    ) -> Result<Option<Answer<T>>> {
        let Ok(bound) = self.amplified::<f64>(rhs.iter().map(|d| d.to_f64())) else { return Ok(None) };
        // Elimination carries right-hand sides through complements. Where these leave the range, wider arithmetic takes numbers of any size.
        let keeps = bound > 0.0 || rhs.iter().all(|d| *d == T::ZERO);
        if keeps && keeps_complements::<f64>(least, bound) {
            return self.judge_carried::<f64, T::Wide>(rhs, device, bound, least);
        }
        let Ok(bound) = self.amplified::<ExtendedRange<f64>>(rhs.iter().map(|d| d.to_f64())) else { return Ok(None) };
        self.judge_carried::<ExtendedRange<f64>, ExtendedRange<DoubleDouble>>(rhs, device, bound, 0.0)
    }

    /// max M^-1 |d|, in arithmetic of B.
    fn amplified<B: Wide>(&self, right: impl Iterator<Item = f64>) -> Result<f64> {
        let right: Vec<_> = right.map(|size| B::from(size.abs())).collect();
        Ok(largest(self.carried::<B>(|entry| B::from(entry.to_f64()), true, &right)?).to_f64())
    }

    /// With bounds in arithmetic of B, and x in that of W; `bound` is max M^-1 |rhs|.
    fn judge_carried<B: Wide, W: Wide>(
        &self,
        rhs: &[T],
        device: Option<Device<'_, T>>,
        bound: f64,
        least: f64,
    ) -> Result<Option<Answer<T>>> {
        // How many rows a rounding reaches.
        let rows = rhs.len() as f64;
        let reach = if rows <= CARRIED_ROUNDINGS { rows } else { self.amplified::<B>(self.wide[1].iter().copied())? };
        let roundings = CARRIED_ROUNDINGS + ROUNDINGS_PER_ROW * rows.min(reach);
        if let Some(Device { carries: true, x, .. }) = device
            && self.is_moderate
        {
            let size = largest(x.iter().map(|x| x.to_f64()));
            let forward_error = quotient(roundings * bound * T::UNIT_ROUNDOFF, size);
            let is_kept = keeps_digits(size, rhs) && keeps_complements::<T>(least, size);
            if is_kept && forward_error <= GOOD_BOUND * T::UNIT_ROUNDOFF {
                return Ok(Some(Answer {
                    x: None,
                    forward_error: forward_error.max(T::UNIT_ROUNDOFF),
                    condition: None,
                }));
            }
        }
        let right: Vec<_> = rhs.iter().map(|d| W::from(d.to_f64())).collect();
        let Ok(x) = self.carried::<W>(|entry| W::from(entry.to_f64()), false, &right) else {
            return Ok(None);
        };
        let x: Vec<_> = x.into_iter().map(Wide::to_f64).collect();
        let size = largest(x.iter().copied());
        let error = quotient(roundings * bound * W::UNIT_ROUNDOFF, size);
        // Nor does the bound count underflow and overflow of intermediates.
        let leaves_range = T::PRECISION == Precision::F64 && !keeps_digits(size, rhs);
        if exceeds(error, MOST_FORWARD_ERROR) || leaves_range {
            return Ok(None);
        }
        self.decide(&x, (error, None), device.map(|device| Rival::new(device, &x, true, roundings))).map(Some)
    }

    /// The forward error of a device's answer of this many rows for a right-hand side of one sign, by an algorithm that carries the dominance
    /// of rows whose off-diagonals have the other sign than the diagonal: |A^-1| |d| is |x| there. `size`: of the largest unknown. `None` if
    /// the error may be larger.
    pub fn forward_error_of_one_sign(&self, size: f64) -> Option<f64> {
        let roundings = CARRIED_ROUNDINGS + ROUNDINGS_PER_ROW * self.matrix.diag.len() as f64;
        let is_kept = matches!(self.dominance, Dominance::Carried(least) if keeps_complements::<T>(least, size));
        (is_kept && roundings <= GOOD_BOUND).then_some(roundings * T::UNIT_ROUNDOFF)
    }

    /// Thomas with the dominance carried, in any arithmetic; of the comparison matrix if asked.
    fn carried<S: Scalar>(&self, wide: impl Fn(T) -> S, comparison: bool, rhs: &[S]) -> Result<Vec<S>> {
        let Matrix { lower, diag, upper, is_excess, .. } = &self.matrix;
        let off = |entries: &[T]| -> Vec<S> {
            entries.iter().map(|&entry| if comparison { -wide(entry).abs() } else { wide(entry) }).collect()
        };
        let own = |entry: &T| if comparison { wide(*entry).abs() } else { wide(*entry) };
        let (lower, upper) = (off(lower), off(upper));
        let diag: Vec<_> = diag.iter().map(own).collect();
        match is_excess {
            true => cpu::thomas_excess(&lower, &diag, &upper, rhs),
            false => cpu::thomas_carried(&lower, &diag, &upper, rhs),
        }
    }

    /// A ring by its excess: the diagonal, formed in double-double arithmetic, keeps it. |A^-1| <= M^-1 bounds the error by the residual
    /// of each row. Returns `None` if M is singular or the bound leaves no digit.
    pub(super) fn judge_excess_ring(&self, rhs: &[T], device: Option<Device<'_, T>>) -> Result<Option<Answer<T>>> {
        let n = rhs.len();
        let double = |entries: &[T]| -> Vec<_> { entries.iter().map(|x| DoubleDouble::new(x.to_f64())).collect() };
        let Matrix { lower, diag: excess, upper, .. } = &self.matrix;
        let [lower, mut diag, upper, right] = [lower, excess, upper, rhs].map(double);
        for (diag, (lower, upper)) in diag.iter_mut().zip(lower.iter().zip(&upper)) {
            *diag = *diag + (lower.abs() + upper.abs());
        }
        let Ok(x) = cpu::periodic_gtsv(&lower, &diag, &upper, &right) else { return Ok(None) };
        let roundings = DoubleDouble::new(RESIDUAL_ROUNDINGS * <DoubleDouble as Wide>::UNIT_ROUNDOFF);
        let left: Vec<_> = (0..n)
            .map(|i| {
                let terms = [lower[i] * x[(i + n - 1) % n], diag[i] * x[i], upper[i] * x[(i + 1) % n]];
                let left = terms.iter().fold(right[i], |left, term| left - *term);
                let size = terms.iter().fold(right[i].abs(), |size, term| size + term.abs());
                (left.abs() + roundings * size).to_f64()
            })
            .collect();
        let [below, _, above] = &self.wide;
        let excess: Vec<_> = excess.iter().map(|excess| excess.to_f64()).collect();
        let Ok(errors) = cpu::comparison_ring(below, &excess, above, &left) else { return Ok(None) };
        let x: Vec<_> = x.into_iter().map(DoubleDouble::to_f64).collect();
        let size = largest(x.iter().copied());
        let error = quotient(largest(errors), size);
        let leaves_range = T::PRECISION == Precision::F64 && !keeps_digits(size, rhs);
        if exceeds(error, MOST_FORWARD_ERROR) || leaves_range {
            return Ok(None);
        }
        self.decide(&x, (error, None), device.map(|device| Rival::new(device, &x, true, 0.0))).map(Some)
    }
}
