//! Judge of tridiagonal systems: bounds an answer's forward error, and computes a better answer if needed.

mod dominant;

use std::cell::OnceCell;

use crate::arithmetic::quotient;
use crate::cpu;
use crate::error::{Error, Result};
use crate::judge::answer::{exceeds, is_moderate, is_normal, largest, narrowed, vanish};
use crate::judge::extended_range::ExtendedRange;
use crate::judge::scaled::{Found, SMALL, Scaled};
use crate::judge::thresholds::{
    AS_GOOD, GOOD_BOUND_EXCHANGED, MOST_FORWARD_ERROR, MOST_ROUNDED_RESIDUAL, NAMED_LOSS, UNSURE_CONDITION,
    VAGUE_CONDITION, most_condition,
};
use crate::judge::wide_matrix::{WideAnswer, WideMatrix};
use crate::precision::Precision;
use crate::real::DoubleDouble;
use crate::real::{Real, Wide};

/// Half a unit in the last place of f64.
const UNIT: f64 = <f64 as Real>::UNIT_ROUNDOFF;

/// One matrix of a batch.
pub(crate) struct Matrix<T> {
    /// Its number in the batch, for errors.
    pub system: usize,
    /// n entries each, zeros at unused corners; `diag` holds the excess where that is given.
    pub lower: Vec<T>,
    pub diag: Vec<T>,
    pub upper: Vec<T>,
    pub is_excess: bool,
    pub periodic: bool,
}

/// The device's answer for a right-hand side.
#[derive(Clone, Copy)]
pub(crate) struct Device<'a, T> {
    pub x: &'a [T],
    /// Whether the algorithm carried the dominance of rows.
    pub carries: bool,
    /// Another answer may take its place.
    pub replaceable: bool,
}

/// The judge's answer, with its estimated forward error and the condition if it was computed.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    /// `None`: the device's answer is kept.
    pub x: Option<Vec<T>>,
    /// ||x^ - x|| / ||x|| in the maximum norm, estimated.
    pub forward_error: f64,
    /// Skeel's condition || |A^-1| |A| |x| || / ||x||, where it was computed.
    pub condition: Option<f64>,
}

/// The device's answer beside another.
struct Rival {
    is_replaceable: bool,
    /// The largest error that is returned, in units of the condition times u.
    loss: f64,
    /// ||x^ - x|| / ||x||.
    distance: f64,
    is_stable: bool,
}

/// Whether the arithmetic may have caused the error: elimination may meet a zero by rounding, lose its digits, or leave the range.
fn is_doubtful<T: Real>(judged: &Result<Answer<T>>, n: usize) -> bool {
    match judged {
        Err(Error::Singular { .. } | Error::Breakdown { .. }) => true,
        Err(Error::NearlySingular { condition, .. }) => n <= SMALL || !exceeds(*condition, most_condition::<T>()),
        _ => false,
    }
}

impl Rival {
    /// `roundings`: of an algorithm that carried the dominance, in units of |A^-1| |d| u of a dominant system; else 0.
    fn new<T: Real>(device: Device<'_, T>, x: &[f64], is_stable: bool, roundings: f64) -> Self {
        let off = largest(device.x.iter().zip(x).map(|(found, x)| found.to_f64() - x));
        let distance = if off.is_nan() { f64::INFINITY } else { quotient(off, largest(x.iter().copied())) };
        let loss = NAMED_LOSS.max(if device.carries { roundings } else { 0.0 });
        Self { is_replaceable: device.replaceable, loss, distance, is_stable }
    }
}

/// The error of an answer that the judge computed, and the matrix's condition.
struct Known<C> {
    error: f64,
    condition: f64,
    /// See [`WideAnswer::cancellation`].
    cancellation: C,
}

/// The dominance by which a matrix is judged.
#[derive(Clone, Copy)]
enum Dominance {
    None,
    /// Thomas's algorithm carries it. With the least complement, and numerator of a complement, of the elimination.
    Carried(f64),
    /// A ring by its excess.
    ExcessRing,
}

/// A matrix under judgement, with the data that its right-hand sides share.
pub(crate) struct Judge<T> {
    matrix: Matrix<T>,
    wide: [Vec<f64>; 3],
    dominance: Dominance,
    /// Whether underflow is negligible in T.
    is_moderate: bool,
    scaled: OnceCell<Scaled>,
}

impl<T: Real> Judge<T> {
    pub fn new(matrix: Matrix<T>) -> Self {
        let wide = |entries: &[T]| -> Vec<f64> { entries.iter().map(|entry| entry.to_f64()).collect() };
        let [lower, mut diag, upper] = [&matrix.lower, &matrix.diag, &matrix.upper].map(|entries| wide(entries));
        let dominates = match matrix.is_excess {
            true => {
                let no_excess_lacks = diag.iter().all(|&excess| excess >= 0.0);
                for (diag, (lower, upper)) in diag.iter_mut().zip(lower.iter().zip(&upper)) {
                    *diag += lower.abs() + upper.abs();
                }
                no_excess_lacks && diag.iter().all(|&diag| diag > 0.0)
            }
            false => cpu::is_dominant(&lower, &diag, &upper),
        };
        // The bounds of dominant systems assume that products of entries do not underflow. For f32, they do not in the wider arithmetic (f64).
        let is_moderate = [&matrix.lower, &matrix.diag, &matrix.upper].iter().all(|values| is_moderate(values));
        let is_in_range = T::PRECISION == Precision::F32 || is_moderate;
        let least = || match matrix.is_excess {
            true => cpu::least_complement(&lower, &wide(&matrix.diag), &upper),
            false => cpu::excess(&lower, &diag, &upper).map_or(0.0, |own| cpu::least_complement(&lower, &own, &upper)),
        };
        let dominance = match (dominates && is_in_range, matrix.periodic) {
            (true, false) => Dominance::Carried(least()),
            // The entries of fewer rows meet in one place.
            (true, true) if matrix.is_excess && diag.len() > 2 && dominant::keeps_complements::<f64>(least(), 0.0) => {
                Dominance::ExcessRing
            }
            _ => Dominance::None,
        };
        Self { matrix, wide: [lower, diag, upper], dominance, is_moderate, scaled: OnceCell::new() }
    }

    /// Skeel's condition number for these unknowns.
    ///
    /// # Errors
    /// [`Error::Singular`], [`Error::Breakdown`], of a periodic matrix.
    pub fn condition(&self, x: &[T]) -> Result<f64> {
        let scaled = self.scaled();
        // Any power of two of x has the same condition.
        let units = scaled.right(&[T::ZERO]);
        let y: Vec<_> = x.iter().enumerate().map(|(i, x)| scaled.unknown(&units, i, x.to_f64())).collect();
        let narrow = scaled.is_clear().then(|| scaled.condition(&y).ok()).flatten();
        let x = || x.iter().map(|x| x.to_f64());
        let wide = || match scaled.is_in_range() {
            true => self.widened::<DoubleDouble>(scaled).condition_of(x()),
            false => self.widened::<ExtendedRange<DoubleDouble>>(scaled).condition_of(x()),
        };
        narrow.map_or_else(wide, Ok).map_err(|error| error.of_system(self.matrix.system))
    }

    fn scaled(&self) -> &Scaled {
        self.scaled.get_or_init(|| Scaled::new(&self.wide, self.matrix.periodic))
    }

    /// Judges the answer for a right-hand side, or finds one.
    ///
    /// # Errors
    /// [`Error::Singular`], [`Error::NearlySingular`], [`Error::Inaccurate`] for an answer that may not be replaced,
    /// [`Error::Overflow`] and [`Error::Underflow`] for one that leaves the range of T.
    pub fn judge(&self, rhs: &[T], device: Option<Device<'_, T>>) -> Result<Answer<T>> {
        let answer = match self.dominance {
            Dominance::None => None,
            Dominance::Carried(least) => self.judge_dominant(rhs, device, least)?,
            Dominance::ExcessRing => self.judge_excess_ring(rhs, device)?,
        };
        answer.map_or_else(|| self.judge_any(rhs, device), Ok)
    }

    /// By elimination with exchanges, of rows and columns scaled to 1.
    fn judge_any(&self, rhs: &[T], device: Option<Device<'_, T>>) -> Result<Answer<T>> {
        let scaled = self.scaled();
        let clear = scaled.is_clear().then(|| self.judge_clear(scaled, rhs, device));
        let judged = match clear {
            Some(judged) if !is_doubtful(&judged, rhs.len()) => judged,
            clear => {
                let breaks = |judged: &Result<_>| matches!(judged, Err(Error::Breakdown { .. }));
                let may_stay = scaled.is_in_range() && !clear.as_ref().is_some_and(breaks);
                let judged = may_stay.then(|| self.judge_widely::<DoubleDouble>(scaled, rhs, device));
                // Unknowns, and pivots, may leave a range that the entries are in.
                let by_range = || {
                    self.judge_widely::<ExtendedRange<DoubleDouble>>(scaled, rhs, device).map_err(|error| match error {
                        // No number leaves this range: a pivot was zero in one scaling, and a rounding error in another.
                        Error::Breakdown { .. } => {
                            let condition = <DoubleDouble as Wide>::UNIT_ROUNDOFF.recip();
                            Error::NearlySingular { system: 0, condition, precision: T::PRECISION }
                        }
                        error => error,
                    })
                };
                let may_be_range = |judged: &Result<_>| breaks(judged) || matches!(judged, Err(Error::Singular { .. }));
                judged.filter(|judged| !may_be_range(judged)).unwrap_or_else(by_range)
            }
        };
        // Elimination may fail below the cause. If a row is zero, that row is named.
        let [lower, diag, upper] = &self.wide;
        let zeros = || (0..diag.len()).find(|&row| [lower[row], diag[row], upper[row]] == [0.0; 3]);
        let named = |error| match (error, zeros()) {
            (Error::Singular { system, .. }, Some(row)) => Error::Singular { system, row },
            (error, _) => error,
        };
        judged.map_err(|error| named(error).of_system(self.matrix.system))
    }

    /// In f64.
    fn judge_clear(&self, scaled: &Scaled, rhs: &[T], device: Option<Device<'_, T>>) -> Result<Answer<T>> {
        let right = scaled.right(rhs);
        let in_units = |device: Device<'_, T>| -> Vec<f64> {
            device.x.iter().enumerate().map(|(i, x)| scaled.unknown(&right, i, x.to_f64())).collect()
        };
        let found = device.map(|device| (device, in_units(device)));
        let (unit, good) = (T::UNIT_ROUNDOFF, GOOD_BOUND_EXCHANGED * T::UNIT_ROUNDOFF);
        if let Some((device, found)) = &found
            && is_normal::<T>(largest(device.x.iter().map(|x| x.to_f64())))
        {
            let bound = scaled.forward_error(&right, found).unwrap_or(f64::INFINITY);
            if bound <= good && scaled.backward_error(&right, found) <= good {
                let condition = Some(scaled.condition(found)?);
                return Ok(Answer { x: None, forward_error: bound.max(unit), condition });
            }
        }
        let mut solved = scaled.solved(&right)?;
        // In f32, f64 is wide enough, unless some rows are solved far worse than others.
        if T::PRECISION == Precision::F64 || exceeds(scaled.backward_error(&right, &solved.y), unit / 64.0) {
            solved = scaled.refined(&right, solved.y)?;
        }
        let Found { y, error } = solved;
        let condition = scaled.condition(&y)?;
        // A diagonal formed from its excess is rounded.
        let error = if self.matrix.is_excess { error + condition * UNIT } else { error };
        let x: Vec<_> = y.iter().enumerate().map(|(i, y)| scaled.value(&right, i, *y)).collect();
        // Unknowns beside far larger ones count as well.
        let device = found.map(|(device, found)| (device, scaled.backward_error(&right, &found) <= good));
        let cancellation = || self.cancellation(rhs, &x);
        self.judge_solved(rhs, &x, Known { error, condition, cancellation }, device)
    }

    fn widened<W: Wide>(&self, scaled: &Scaled) -> WideMatrix<W> {
        let Matrix { lower, diag, upper, is_excess, .. } = &self.matrix;
        let wide = |entries: &[T]| -> Vec<W> { entries.iter().map(|entry| W::from(entry.to_f64())).collect() };
        let [lower, mut diag, upper] = [lower, diag, upper].map(|entries| wide(entries));
        if *is_excess {
            diag.iter_mut().zip(lower.iter().zip(&upper)).for_each(|(d, (l, u))| *d = *d + (l.abs() + u.abs()));
        }
        WideMatrix::new([lower, diag, upper], scaled.powers())
    }

    /// In wider arithmetic: its range is always sufficient, its digits for all but nearly singular matrices.
    fn judge_widely<W: Wide>(&self, scaled: &Scaled, rhs: &[T], device: Option<Device<'_, T>>) -> Result<Answer<T>> {
        let matrix = self.widened::<W>(scaled);
        let right: Vec<_> = rhs.iter().map(|d| d.to_f64()).collect();
        let WideAnswer { x, largest_row, error, condition, condition_of_any, cancellation } =
            matrix.solved(&right, !scaled.is_in_range() || rhs.len() <= SMALL)?;
        if exceeds(condition_of_any * W::UNIT_ROUNDOFF, VAGUE_CONDITION) {
            return Err(Error::NearlySingular { system: 0, condition: condition_of_any, precision: T::PRECISION });
        }
        // Others may be infinite by their error alone.
        if !T::from_f64(x[largest_row]).is_finite() && error <= MOST_FORWARD_ERROR {
            return Err(Error::Overflow { system: 0, row: largest_row, precision: T::PRECISION });
        }
        let device = device.map(|device| {
            let backward_error = matrix.backward_error(&right, device.x.iter().map(|x| x.to_f64()));
            (device, backward_error <= GOOD_BOUND_EXCHANGED * T::UNIT_ROUNDOFF)
        });
        self.judge_solved(rhs, &x, Known { error, condition, cancellation: || cancellation }, device)
    }

    /// Decides, given x. The bool: the device's answer has a small backward error in every row.
    fn judge_solved(
        &self,
        rhs: &[T],
        x: &[f64],
        Known { error, condition, cancellation }: Known<impl Fn() -> f64>,
        device: Option<(Device<'_, T>, bool)>,
    ) -> Result<Answer<T>> {
        let (unit, precision) = (T::UNIT_ROUNDOFF, T::PRECISION);
        let solves = condition * unit <= UNSURE_CONDITION || cancellation() * unit <= MOST_ROUNDED_RESIDUAL;
        // NaN is not determined either.
        if !(condition <= most_condition::<T>() && error <= MOST_FORWARD_ERROR && solves) {
            return Err(Error::NearlySingular { system: 0, condition, precision });
        }
        if vanish(rhs, x) {
            return Err(Error::Underflow { largest: 0.0, precision });
        }
        let rival = device.map(|(device, is_stable)| Rival::new(device, x, is_stable, 0.0));
        self.decide(x, (error, Some(condition)), rival)
    }

    /// || |A| |x| || / ||d|| in the maximum norm of rows divided by their largest coefficients: rounding x leaves a relative residual of
    /// up to this many units of roundoff.
    fn cancellation(&self, rhs: &[T], x: &[f64]) -> f64 {
        let ([lower, diag, upper], n) = (&self.wide, rhs.len());
        let size = |i: usize| lower[i].abs().max(diag[i].abs()).max(upper[i].abs());
        let row = |i: usize| {
            let terms = [lower[i] * x[(i + n - 1) % n], diag[i] * x[i], upper[i] * x[(i + 1) % n]];
            quotient(terms.iter().map(|term| term.abs()).sum(), size(i))
        };
        let right = largest((0..n).map(|i| quotient(rhs[i].to_f64(), size(i))));
        quotient(largest((0..n).map(row)), right)
    }

    /// The device's answer if it is as good as x, or may not be replaced; else x.
    fn decide(&self, x: &[f64], (error, condition): (f64, Option<f64>), device: Option<Rival>) -> Result<Answer<T>> {
        let (unit, system) = (T::UNIT_ROUNDOFF, self.matrix.system);
        // At least 1 by its definition; an estimate may lose that where numbers underflow.
        let condition = condition.map(|condition| condition.max(1.0));
        // If x itself leaves the range, no answer is right.
        let narrow = narrowed(system, x)?;
        if let Some(Rival { is_replaceable, loss, distance, is_stable }) = device {
            let forward_error = distance.max(unit) + error;
            if is_stable && distance <= AS_GOOD * unit + error {
                return Ok(Answer { x: None, forward_error, condition });
            }
            if !is_replaceable {
                let most = (loss * condition.unwrap_or(1.0) * unit).min(MOST_FORWARD_ERROR);
                if forward_error <= most {
                    return Ok(Answer { x: None, forward_error, condition });
                }
                return Err(Error::Inaccurate { system, forward_error });
            }
        }
        Ok(Answer { x: Some(narrow), forward_error: error + unit, condition })
    }
}
