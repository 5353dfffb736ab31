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
        let size = largest(x.iter().map(|x| x.to_f64()));
        if size < T::PRECISION.least_normal() && (size > 0.0 || rhs.iter().any(|b| *b != T::ZERO)) {
            return Err(Error::Underflow { largest: size, precision: T::PRECISION });
        }
        let unit = T::UNIT_ROUNDOFF;
        let dominant = quotient(self.matrix.dominant_bound(x, rhs)?, size);
        if dominant <= GOOD_ITERATED_BOUND {
            return Ok(Verdict { forward_error: dominant.max(unit), condition: None });
        }
        let eliminated = self.eliminated.get_or_init(|| Eliminated::new(&self.matrix));
        let right: Vec<_> = rhs.iter().map(|b| b.to_f64()).collect();
        let found = match eliminated.solve::<T>(&right) {
            Err(Error::Unsupported { .. }) => None,
            found => Some(determined::<T>(found?, &right)?),
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
        self.probed(rhs, x, correct)
    }

    /// Judges x of a matrix that is too large to be eliminated, and refines it.
    fn probed(&self, rhs: &[T], x: &mut [T], correct: &mut dyn FnMut(&[T]) -> Result<Vec<T>>) -> Result<Verdict> {
        let (n, unit) = (rhs.len(), T::UNIT_ROUNDOFF);
        let mut wide = widened(x);
        let size = largest(x.iter().map(|x| x.to_f64()));
        // Each row as large as any unknown of this size would make it: this also exposes errors in small unknowns or right-hand sides.
        let scale = if size == 0.0 { 1.0 } else { size };
        let sizes: Vec<_> = (0..n)
            .map(|row| {
                let norm: f64 = self.matrix.row(row).map(|(_, value)| value.to_f64().abs()).sum();
                norm * scale + rhs[row].to_f64().abs()
            })
            .collect();
        let mut random_bits = RandomBits(n as u64);
        random_bits.absorb((0..n).flat_map(|row| self.matrix.row(row).map(|(_, value)| value.to_f64())));
        let mut condition: f64 = 0.0;
        for _ in 0..PROBES {
            let probe: Vec<_> = sizes.iter().map(|size| T::from_f64(random_bits.next_signed_size() * size)).collect();
            condition = larger(condition, self.amplified(&probe, correct)? / scale);
        }
        if exceeds(condition * unit, MOST_FORWARD_ERROR) {
            return Err(Error::NearlySingular { system: 0, condition, precision: T::PRECISION });
        }
        // Refined in wider arithmetic: x of T would lose small steps, and its roundings would leave a residual.
        let (mut forward_error, mut before) = (f64::INFINITY, wide.clone());
        // A probe has a share of about 1 / sqrt(n) of a direction that n rows make up equally.
        let below = NORM_ESTIMATE_BELOW * (n as f64).sqrt();
        for corrections in 0..=MOST_CORRECTIONS {
            let left: Vec<_> = (0..n).map(|row| self.matrix.residual_of(rhs, &wide, row)).collect();
            let share = left.iter().zip(&sizes).map(|([left, roundings], size)| {
                quotient(left.abs() + RESIDUAL_ROUNDINGS * T::Wide::UNIT_ROUNDOFF * roundings, *size)
            });
            // Relative to what x is now: corrections may take away most of a wrong beginning.
            let now = largest(wide.iter().map(|x| x.to_f64()));
            let bound = below * condition * largest(share) * if size == 0.0 { 1.0 } else { quotient(size, now) };
            if exceeds(bound, forward_error) {
                wide = before;
                break;
            }
            let gains = !exceeds(bound, 0.5 * forward_error);
            forward_error = bound;
            if !gains || forward_error <= GOOD_ITERATED_ERROR || corrections == MOST_CORRECTIONS {
                break;
            }
            let residual: Vec<_> = left.iter().map(|[left, _]| T::from_f64(*left)).collect();
            let Ok(step) = correct(&residual) else { break };
            before.copy_from_slice(&wide);
            wide.iter_mut().zip(&step).for_each(|(x, step)| *x = *x + T::Wide::from(step.to_f64()));
        }
        x.copy_from_slice(&narrowed::<T>(0, &wide.iter().map(|x| x.to_f64()).collect::<Vec<_>>())?);
        accepted::<T>(forward_error + unit, Some(condition))
    }

    /// The largest of |A^-1 probe|, solved until each row is right to [`PROBE_RESIDUAL`] over sqrt(n).
    fn amplified(&self, probe: &[T], correct: &mut dyn FnMut(&[T]) -> Result<Vec<T>>) -> Result<f64> {
        let unknown = Error::Unverified { system: 0 };
        let mut z = vec![T::Wide::ZERO; probe.len()];
        let mut residual = probe.to_vec();
        for _ in 0..MOST_CORRECTIONS {
            let step = correct(&residual).map_err(|_| unknown.clone())?;
            z.iter_mut().zip(&step).for_each(|(z, step)| *z = *z + T::Wide::from(step.to_f64()));
            residual = (0..probe.len()).map(|row| T::from_f64(self.matrix.residual_of(probe, &z, row)[0])).collect();
            let share = residual.iter().zip(probe).map(|(left, probe)| quotient(left.to_f64(), probe.to_f64()));
            if largest(share) <= PROBE_RESIDUAL / (probe.len() as f64).sqrt() {
                return Ok(largest(z.iter().map(|z| z.to_f64())));
            }
        }
        Err(unknown)
    }
}

impl<T: Real> Csr<T> {
    /// A bound of max |x - A^-1 b|: the maximum over rows i of |b - A x|_i / (|a_ii| - sum over j != i of |a_ij|). Infinite unless all rows are
    /// strictly dominant. One pass over the matrix, in wider arithmetic, with its roundings in the bound.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn dominant_bound(&self, x: &[T], rhs: &[T]) -> Result<f64> {
        self.check_vector("x", x.len())?;
        self.check_vector("rhs", rhs.len())?;
        let wide = widened(x);
        Ok(largest((0..self.rows()).map(|row| self.dominant_bound_of(rhs, &wide, row))))
    }

    /// (|b - A x| + its roundings) over the excess of a row; infinite where it has none.
    fn dominant_bound_of(&self, rhs: &[T], x: &[T::Wide], row: usize) -> f64 {
        let (mut excess, mut roundings) = (0.0, 0.0);
        for (column, value) in self.row(row) {
            let size = value.to_f64().abs();
            excess += if column == row { size } else { -size };
            roundings += 2.0 * size * <f64 as Real>::UNIT_ROUNDOFF;
        }
        // Sums of many entries round.
        let excess = excess - roundings * self.row(row).count() as f64;
        let [left, size] = self.residual_of(rhs, x, row);
        let entries = RESIDUAL_ROUNDINGS + self.row(row).count() as f64;
        match excess > 0.0 {
            true => (left.abs() + entries * (T::Wide::UNIT_ROUNDOFF * size + UNDERFLOW)) / excess + UNDERFLOW,
            false => f64::INFINITY,
        }
    }

    /// b - A x of a row in wider arithmetic, and |A| |x| + |b|.
    fn residual_of(&self, rhs: &[T], x: &[T::Wide], row: usize) -> [f64; 2] {
        let b = T::Wide::from(rhs[row].to_f64());
        let (left, size) = self.row(row).fold((b, b.abs()), |(left, size), (column, value)| {
            let product = T::Wide::from(value.to_f64()) * x[column];
            (left - product, size + product.abs())
        });
        [left.to_f64(), size.to_f64()]
    }
}

fn widened<T: Real>(x: &[T]) -> Vec<T::Wide> {
    x.iter().map(|x| T::Wide::from(x.to_f64())).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu;

    /// Column 0 has small entries: the first answer of its unknown is 10^4 times too large.
    #[test]
    fn a_beginning_that_is_far_too_large() {
        let (n, small) = (100, 2f64.powi(-40));
        let others = (1..n).flat_map(|i| [(0, i, 1.0), (i, i, 2.0), (i, 0, 0.25 * small)]);
        let judged = Judged::new(Csr::from_triplets(n, others.chain([(0, 0, small * n as f64)])).unwrap());
        let mut correct = |rhs: &[f64]| {
            let off = |row: usize| 1e-7 * largest(rhs.iter().copied()) * (row as f64).sin();
            let right: Vec<_> = rhs.iter().enumerate().map(|(row, b)| b + off(row)).collect();
            Ok(judged.eliminated.get_or_init(|| Eliminated::new(&judged.matrix)).solve::<f64>(&right)?.x)
        };
        let rhs = judged.matrix.times(&vec![1.0; n]).unwrap();
        let mut x = correct(&rhs).unwrap();
        let off = |x: &[f64]| largest(x.iter().map(|x| x - 1.0));
        assert!(off(&x) > 1e3);
        if let Ok(verdict) = judged.probed(&rhs, &mut x, &mut correct) {
            assert!(off(&x) <= 10.0 * verdict.forward_error, "{:e}, stated {:e}", off(&x), verdict.forward_error);
        }
    }

    /// A ring of springs with a weak anchor at each: iteration leaves the mean of the right-hand side, which is below its tolerance, and
    /// random probes have little of it.
    #[test]
    fn a_weak_direction_that_all_rows_share() {
        let (n, anchor, tolerance) = (4000, 1e-6, 1e-9);
        let (minus, diag) = (vec![-1.0; n], vec![2.0 + anchor; n]);
        let triplets = (0..n).flat_map(|i| [(i, (i + n - 1) % n, -1.0), (i, i, 2.0 + anchor), (i, (i + 1) % n, -1.0)]);
        let judged = Judged::new(Csr::from_triplets(n, triplets).unwrap());
        let mean = |of: &[f64]| of.iter().sum::<f64>() / n as f64;
        let solved = |rhs: &[f64]| cpu::periodic_gtsv(&minus, &diag, &minus, rhs);
        let mut correct = |rhs: &[f64]| {
            let left = mean(rhs);
            match left.abs() < tolerance * largest(rhs.iter().copied()) {
                true => solved(&rhs.iter().map(|b| b - left).collect::<Vec<_>>()),
                false => solved(rhs),
            }
        };
        let rhs: Vec<_> = (0..n).map(|i| 0.9 * tolerance + if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let mut x = correct(&rhs).unwrap();
        let verdict = judged.probed(&rhs, &mut x, &mut correct).unwrap();
        let exact = solved(&rhs).unwrap();
        let off = largest(x.iter().zip(&exact).map(|(x, exact)| x - exact)) / largest(exact);
        assert!(off <= 10.0 * verdict.forward_error, "{off:e}, stated {:e}", verdict.forward_error);
    }
}
