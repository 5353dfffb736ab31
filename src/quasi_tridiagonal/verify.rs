//! The judge of iterated solutions.

use std::sync::OnceLock;

use super::direct::determined;
use crate::arithmetic::{RandomBits, quotient};
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::judge::answer::{UNDERFLOW, exceeds, larger, largest, narrowed};
use crate::judge::sparse::{Eliminated, Found};
use crate::judge::thresholds::{
    GOOD_ITERATED_BOUND, GOOD_ITERATED_ERROR, MOST_CORRECTIONS, MOST_FORWARD_ERROR, NORM_ESTIMATE_BELOW,
    PROBE_RESIDUAL, PROBES, RESIDUAL_ROUNDINGS,
};
use crate::precision::Precision;
use crate::real::{Real, Scalar, Wide};

/// A plan's matrix as given, with the judge's results that are computed once.
#[derive(Debug)]
pub(crate) struct Judged<T> {
    pub matrix: Csr<T>,
    eliminated: OnceLock<Eliminated>,
}

/// The estimated forward error of an answer, and the matrix's condition number if it was needed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verdict {
    pub forward_error: f64,
    pub condition: Option<f64>,
}

impl<T: Real> Judged<T> {
    pub fn new(matrix: Csr<T>) -> Self {
        Self { matrix, eliminated: OnceLock::new() }
    }

    /// b - A x of a row in wider arithmetic, and |A| |x| + |b|.
    fn row(&self, rhs: &[T], x: &[T], row: usize) -> [f64; 2] {
        let b = T::Wide::from(rhs[row].to_f64());
        let (left, size) = self.matrix.row(row).fold((b, b.abs()), |(left, size), (column, value)| {
            let product = T::Wide::from(value.to_f64()) * T::Wide::from(x[column].to_f64());
            (left - product, size + product.abs())
        });
        [left.to_f64(), size.to_f64()]
    }

    /// Judges x. `correct` solves with the plan for another right-hand side.
    ///
    /// Strictly dominant rows bound the error by the residual over the excess. Otherwise the matrix is eliminated on the CPU, once per
    /// plan, and its answer replaces one whose error exceeds [`GOOD_ITERATED_ERROR`].
    ///
    /// A matrix that fills up in elimination needs three to sixteen more solves. [`PROBES`] right-hand sides have pseudo-random entries
    /// of the rows' sizes, || |A| e || ||x|| + |b|. Their solutions estimate how much A^-1 amplifies, and do not converge for a singular
    /// matrix; each takes up to [`MOST_CORRECTIONS`] solves. As many refine x, with its residual as right-hand side.
    ///
    /// # Errors
    /// [`Error::Singular`], [`Error::NearlySingular`], [`Error::NoDigits`], [`Error::Unverified`], [`Error::Overflow`],
    /// [`Error::Underflow`].
    pub fn verdict(&self, rhs: &[T], x: &mut [T], correct: &mut dyn FnMut(&[T]) -> Result<Vec<T>>) -> Result<Verdict> {
        let n = rhs.len();
        let size = largest(x.iter().map(|x| x.to_f64()));
        if size == 0.0 && rhs.iter().any(|b| *b != T::ZERO) {
            return Err(Error::Underflow { largest: 0.0, precision: T::PRECISION });
        }
        let unit = T::UNIT_ROUNDOFF;
        let dominant = quotient(largest((0..n).map(|row| self.dominant_bound(rhs, x, row))), size);
        if dominant <= GOOD_ITERATED_BOUND {
            return Ok(Verdict { forward_error: dominant.max(unit), condition: None });
        }
        let eliminated = self.eliminated.get_or_init(|| Eliminated::new(&self.matrix));
        let wide: Vec<_> = rhs.iter().map(|b| b.to_f64()).collect();
        let found = match eliminated.solve::<T>(&wide) {
            Err(Error::Unsupported { .. }) => None,
            found => Some(determined::<T>(found?, &wide)?),
        };
        if let Some(Found { x: exact, error, condition, .. }) = found {
            let exact_x = narrowed::<T>(0, &exact)?;
            let off = largest(x.iter().zip(&exact).map(|(x, exact)| x.to_f64() - exact));
            let off = quotient(off, largest(exact));
            let forward_error = match exceeds(off, GOOD_ITERATED_ERROR) {
                true => {
                    x.copy_from_slice(&exact_x);
                    unit
                }
                false => off.max(unit),
            };
            return accepted::<T>(forward_error + error, Some(condition));
        }
        // Each row as large as any unknown of this size would make it: this also exposes errors in small unknowns or right-hand sides.
        let scale = if size == 0.0 { 1.0 } else { size };
        let sizes: Vec<_> = (0..n)
            .map(|row| {
                let norm: f64 = self.matrix.row(row).map(|(_, value)| value.to_f64().abs()).sum();
                norm * scale + rhs[row].to_f64().abs()
            })
            .collect();
        let mut random_bits = RandomBits(0x9e37_79b9_7f4a_7c15);
        // With random signs, and sizes between a half and one.
        let mut random = || {
            let bits = random_bits.next();
            let size = 0.5 + ((bits >> 11) & 0xf_ffff_ffff) as f64 / (1u64 << 37) as f64;
            if bits >> 63 == 0 { size } else { -size }
        };
        let mut condition: f64 = 0.0;
        for _ in 0..PROBES {
            let probe: Vec<_> = sizes.iter().map(|size| T::from_f64(random() * size)).collect();
            condition = larger(condition, self.amplified(&probe, correct)? / scale);
        }
        if exceeds(condition * unit, MOST_FORWARD_ERROR) {
            return Err(Error::NearlySingular { system: 0, condition, precision: T::PRECISION });
        }
        let (mut forward_error, mut before) = (f64::INFINITY, x.to_vec());
        for corrections in 0..=MOST_CORRECTIONS {
            let left: Vec<_> = (0..n).map(|row| self.row(rhs, x, row)).collect();
            let share = left.iter().zip(&sizes).map(|([left, roundings], size)| {
                quotient(left.abs() + RESIDUAL_ROUNDINGS * T::Wide::UNIT_ROUNDOFF * roundings, *size)
            });
            let bound = NORM_ESTIMATE_BELOW * condition * largest(share);
            if exceeds(bound, forward_error) {
                x.copy_from_slice(&before);
                break;
            }
            let gains = !exceeds(bound, 0.5 * forward_error);
            forward_error = bound;
            if !gains || forward_error <= GOOD_ITERATED_ERROR || corrections == MOST_CORRECTIONS {
                break;
            }
            let residual: Vec<_> = left.iter().map(|[left, _]| T::from_f64(*left)).collect();
            let Ok(step) = correct(&residual) else { break };
            before.copy_from_slice(x);
            x.iter_mut().zip(&step).for_each(|(x, step)| *x = *x + *step);
        }
        accepted::<T>(forward_error.max(unit), Some(condition))
    }

    /// The largest of |A^-1 probe|, solved until each row is right to [`PROBE_RESIDUAL`].
    fn amplified(&self, probe: &[T], correct: &mut dyn FnMut(&[T]) -> Result<Vec<T>>) -> Result<f64> {
        let unknown = Error::Unverified { system: 0 };
        let mut z = vec![T::ZERO; probe.len()];
        let mut residual = probe.to_vec();
        for _ in 0..MOST_CORRECTIONS {
            let step = correct(&residual).map_err(|_| unknown.clone())?;
            z.iter_mut().zip(&step).for_each(|(z, step)| *z = *z + *step);
            residual = (0..probe.len()).map(|row| T::from_f64(self.row(probe, &z, row)[0])).collect();
            let share = residual.iter().zip(probe).map(|(left, probe)| quotient(left.to_f64(), probe.to_f64()));
            if largest(share) <= PROBE_RESIDUAL {
                return Ok(largest(z.iter().map(|z| z.to_f64())));
            }
        }
        Err(unknown)
    }

    /// (|b - A x| + its roundings) over the excess of a row; infinite where it has none.
    fn dominant_bound(&self, rhs: &[T], x: &[T], row: usize) -> f64 {
        let (mut excess, mut roundings) = (0.0, 0.0);
        for (column, value) in self.matrix.row(row) {
            let size = value.to_f64().abs();
            excess += if column == row { size } else { -size };
            roundings += 2.0 * size * <f64 as Real>::UNIT_ROUNDOFF;
        }
        // Sums of many entries round.
        let excess = excess - roundings * self.matrix.row(row).count() as f64;
        let [left, size] = self.row(rhs, x, row);
        let entries = RESIDUAL_ROUNDINGS + self.matrix.row(row).count() as f64;
        match excess > 0.0 {
            true => (left.abs() + entries * (T::Wide::UNIT_ROUNDOFF * size + UNDERFLOW)) / excess + UNDERFLOW,
            false => f64::INFINITY,
        }
    }
}

fn accepted<T: Real>(forward_error: f64, condition: Option<f64>) -> Result<Verdict> {
    match forward_error <= MOST_FORWARD_ERROR {
        true => Ok(Verdict { forward_error, condition }),
        false => Err(Error::NoDigits {
            system: 0,
            forward_error,
            precision: T::PRECISION,
            advice: match T::PRECISION {
                Precision::F32 => "the matrix amplifies the residual to a large error; use a smaller tolerance, or f64",
                Precision::F64 => "the matrix amplifies the residual to a large error; use a smaller tolerance",
            }
            .into(),
        }),
    }
}
