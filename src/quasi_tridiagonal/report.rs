//! The result of an iteration.

use super::dominance::Dominance;
use super::kernels::word;
use super::options::{Algorithm, MOST_RESTART, Preconditioner, Settled, Stop};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::precision::Precision;

/// The report of a solve.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The method that ran.
    pub algorithm: Algorithm,
    /// Its preconditioner.
    pub preconditioner: Preconditioner,
    /// How it ended.
    pub outcome: Outcome,
    /// Iterations done.
    pub iterations: usize,
    /// ||b - A x|| / ||b|| of the returned x, with rows scaled by powers of two if their sizes differ by more than 16; after [`Stop::Step`]
    /// of the iterate before.
    pub relative_residual: f64,
    /// ||x' - x|| / ||x|| of the last step, if this was the criterion.
    pub step: Option<f64>,
    /// The relative residual after each iteration; the first is before any iteration. For TFQMR, and between the restarts of the others,
    /// the residual of the recurrence.
    pub history: Vec<f64>,
    /// Number of restarts of a Krylov or mixed method from the true residual.
    pub cycles: usize,
    /// The relative residual that rounding may leave: u ||A|| max |x| sqrt(n) / ||b||, with the unit of roundoff u and the norm of
    /// [`Dominance::norm`]. Unknown for a matrix in device memory.
    pub rounding: Option<f64>,
    /// Dominance of the matrix; unknown for one in device memory.
    pub dominance: Option<Dominance>,
    pub(crate) precision: Precision,
    pub(crate) mixed: bool,
    pub(crate) restart: u32,
    pub(crate) tolerance: f64,
    /// Whether the tolerance is the default one.
    pub(crate) by_default: bool,
    /// Whether residuals are computed from the step that follows.
    pub(crate) from_steps: bool,
}

/// The device's status words, decoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    words: [u32; word::COUNT],
}

/// Outcomes as `control.wgsl` numbers them.
const CONVERGED: u32 = 1;
const DIVERGED: u32 = 2;
const STAGNATED: u32 = 3;
const EXHAUSTED: u32 = 4;
const ZERO_RHS: u32 = 6;
const RHS_NOT_FINITE: u32 = 7;
const BROKE_DOWN: u32 = 8;
const DONE: u32 = 2;

impl Found {
    pub fn new(words: &[f32]) -> Self {
        let mut own = [0; word::COUNT];
        for (own, word) in own.iter_mut().zip(words) {
            *own = word.to_bits();
        }
        Self { words: own }
    }

    pub fn is_done(&self) -> bool {
        self.words[word::PHASE] == DONE
    }

    pub fn iterations(&self) -> usize {
        self.words[word::ITERATIONS] as usize
    }

    pub fn residual(&self) -> f64 {
        f64::from(f32::from_bits(self.words[word::RESIDUAL]))
    }

    pub fn has_converged(&self) -> bool {
        self.words[word::OUTCOME] == CONVERGED
    }

    pub fn has_bad_rhs(&self) -> bool {
        self.words[word::OUTCOME] == RHS_NOT_FINITE
    }

    fn outcome(&self) -> Outcome {
        match self.words[word::OUTCOME] {
            CONVERGED | ZERO_RHS => Outcome::Converged,
            DIVERGED => Outcome::Diverged,
            STAGNATED => Outcome::Stagnated,
            EXHAUSTED => Outcome::Exhausted,
            BROKE_DOWN => Outcome::BrokeDown,
            _ => Outcome::NotFinite,
        }
    }

    pub fn report(
        &self,
        settled: &Settled,
        precision: Precision,
        dominance: Option<Dominance>,
        history: &[f32],
        from_steps: bool,
    ) -> Report {
        let is_zero = self.words[word::OUTCOME] == ZERO_RHS;
        let outcome = if self.is_done() { self.outcome() } else { Outcome::Exhausted };
        let step = (settled.stop == Stop::Step).then(|| f64::from(f32::from_bits(self.words[word::STEP])));
        Report {
            algorithm: settled.algorithm,
            preconditioner: settled.preconditioner,
            outcome,
            iterations: self.iterations(),
            relative_residual: if is_zero { 0.0 } else { self.residual() },
            step: step.filter(|_| !is_zero),
            history: if is_zero { vec![0.0] } else { history.iter().map(|&value| f64::from(value)).collect() },
            cycles: self.words[word::CYCLES].saturating_sub(1) as usize,
            rounding: None,
            dominance,
            precision,
            mixed: settled.mixed,
            restart: settled.restart,
            tolerance: settled.tolerance,
            by_default: settled.by_default,
            from_steps,
        }
    }
}

/// A converged residual is rejected if its rounding exceeds this many tolerances. The bound overestimates rounding about ten times, and
/// more if x has few large entries.
const CANCELLED: f64 = 100.0;
/// A larger residual is no solution, for any cause.
const MOST_ROUNDED: f64 = 1e-2;

impl Report {
    /// The method's name, with its preconditioner where it takes one.
    pub fn method(&self) -> String {
        method(self.algorithm, self.preconditioner)
    }

    /// The factor per iteration by which the residual changed, over the last iterations.
    pub fn rate(&self) -> Option<f64> {
        const OVER: usize = 10;
        let finite: Vec<_> = self.history.iter().copied().filter(|value| value.is_finite() && *value > 0.0).collect();
        let last = finite.len().checked_sub(1)?;
        let first = last.saturating_sub(OVER);
        (last > first).then(|| (finite[last] / finite[first]).powf(1.0 / (last - first) as f64))
    }

    /// An estimate of the spectral radius of a splitting's iteration matrix I - M^-1 A, which is -T^-1 S for [`Algorithm::Hisa`]: the factor
    /// by which the residual fell per iteration, over the last ten. It nears the radius as the components of the error that fall faster
    /// vanish. `None` for Krylov methods, in mixed precision, and for fewer than three iterations. A radius below 1 is necessary and
    /// sufficient for convergence (Li, Yang and Li 2016, lemma 1).
    pub fn spectral_radius(&self) -> Option<f64> {
        let is_stationary = !self.algorithm.is_krylov() && !self.mixed && self.outcome != Outcome::Eliminated;
        if is_stationary && self.iterations >= 3 { self.rate() } else { None }
    }

    /// The matrix of the splitting's iteration in terms of the formulas, for messages.
    pub fn splitting(&self) -> Option<&'static str> {
        match self.algorithm {
            Algorithm::Hisa => Some("T^-1 S"),
            Algorithm::Bhisa => Some("T^-1 S by blocks"),
            Algorithm::Jacobi => Some("I - D^-1 A"),
            Algorithm::GaussSeidel => Some("the Gauss-Seidel iteration"),
            _ => None,
        }
    }

    /// Detects a residual that rounding keeps from falling. x is given by its largest entry and b by its norm, both in the same scale.
    pub(crate) fn judge_rounding(&mut self, rows: usize, largest: f64, norm: f64) {
        let Some(dominance) = &self.dominance else { return };
        let unit = if self.precision == Precision::F32 { 0.5 * f64::from(f32::EPSILON) } else { 0.5 * f64::EPSILON };
        let rounding = unit * dominance.norm * largest * (rows as f64).sqrt() / norm;
        self.rounding = Some(rounding).filter(|rounding| rounding.is_finite());
        let Some(rounding) = self.rounding else { return };
        let stands = matches!(self.outcome, Outcome::Stagnated | Outcome::BrokeDown);
        if stands && self.relative_residual <= rounding {
            self.outcome = Outcome::Rounded;
        }
        // The residual was computed with roundings far larger than itself: only these roundings are known.
        if self.outcome == Outcome::Converged && rounding > CANCELLED * self.tolerance {
            self.outcome = Outcome::Rounded;
            self.relative_residual = self.relative_residual.max(rounding);
        }
    }

    /// [`Error::NotConverged`] unless the tolerance was met, or the default tolerance was limited by rounding.
    ///
    /// # Errors
    /// That one.
    pub fn check(&self) -> Result<()> {
        match self.outcome {
            Outcome::Converged | Outcome::Eliminated => Ok(()),
            Outcome::Rounded if self.by_default && self.relative_residual <= MOST_ROUNDED => Ok(()),
            outcome => {
                let relies = !self.algorithm.is_krylov() && !matches!(outcome, Outcome::NotFinite | Outcome::Rounded);
                let broken = self.dominance.as_ref().filter(|_| relies);
                Err(Error::NotConverged {
                    method: self.method(),
                    outcome,
                    iterations: self.iterations,
                    residual: self.relative_residual,
                    advice: self.advice(),
                    broken_rows: broken.map_or(0, |dominance| dominance.broken),
                    first_broken: broken.and_then(|dominance| dominance.first_broken.first().copied()),
                })
            }
        }
    }

    /// Whether A times the guess is not finite. Residuals that follow from a step say nothing of the guess.
    fn is_lost_before_a_step(&self) -> bool {
        !self.from_steps && self.history.first().is_some_and(|first| !first.is_finite())
    }

    /// The cause, as far as it is known, and alternatives to try.
    fn advice(&self) -> String {
        let splitting = self.splitting();
        let f32_alone = self.precision == Precision::F32;
        // For a matrix of unknown norm: the residual that rounding leaves, if the matrix is nearly dominant.
        let near_rounding = self.relative_residual < 1e3 * if f32_alone { 6e-8 } else { 1.2e-16 };
        if self.outcome == Outcome::Rounded || (self.outcome == Outcome::Stagnated && near_rounding) {
            let wider = if f32_alone { "take f64, or f64 with `mixed`, or" } else { "take" };
            let reachable = 3.0 * self.relative_residual;
            return match reachable < MOST_ROUNDED {
                true => format!("rounding keeps it there: {wider} a tolerance of {reachable:.0e}"),
                false => format!("rounding keeps it there: {wider} rows of one size, by scaling them and b"),
            };
        }
        let zero_pivot = "the tridiagonal part has a zero pivot, or is singular, which the whole need not be, or numbers leave the range";
        let solves_t = match splitting {
            Some(_) => self.algorithm != Algorithm::Jacobi,
            None => self.preconditioner == Preconditioner::Tridiagonal,
        };
        let rate = self.rate();
        let text = match (self.outcome, splitting) {
            (Outcome::Diverged, Some(of)) => match rate {
                Some(rate) if rate > 1.0 => {
                    format!(
                        "the residual grows {rate:.3} times per iteration: the spectral radius of {of} is not below 1"
                    )
                }
                _ => format!("the spectral radius of {of} is not below 1"),
            },
            (Outcome::Diverged, None) => "its residual grows instead of falling".into(),
            // The residual was small before.
            (Outcome::Stagnated | Outcome::BrokeDown, _) if self.relative_residual < 1e-2 && f32_alone => {
                "rounding may keep it there: take f64, or f64 with `mixed`; else".into()
            }
            (Outcome::Stagnated, Some(of)) => format!("the spectral radius of {of} is about 1"),
            // Residuals of Krylov methods fall irregularly.
            (Outcome::Exhausted, Some(_)) => match rate {
                Some(rate) if rate < 0.99995 => {
                    format!("the residual falls to {rate:.4} of itself an iteration; allow more of them, or")
                }
                _ => "it hardly falls any more;".into(),
            },
            (Outcome::Exhausted, None) => "allow more of them, or".into(),
            (Outcome::NotFinite, _) if self.is_lost_before_a_step() => {
                return "A times the guess leaves the range of numbers: take another guess, or none".into();
            }
            (Outcome::NotFinite, _) if solves_t => zero_pivot.into(),
            (Outcome::NotFinite, _) => "an overflow".into(),
            _ => String::new(),
        };
        let larger_restart = match self.algorithm == Algorithm::Gmres && self.restart >= MOST_RESTART {
            true => "",
            false => "gmres with a larger restart, or ",
        };
        let instead = match (self.outcome, self.preconditioner, splitting) {
            (Outcome::NotFinite, _, _) => "take gmres or bicgstab with the preconditioner jacobi or none".into(),
            (_, _, Some(_)) => "take bicgstab or gmres with the preconditioner tridiagonal".into(),
            (_, Preconditioner::Tridiagonal, None) => format!(
                "take {larger_restart}another preconditioner; a matrix that none of them suits needs a direct solver"
            ),
            _ => format!("take {larger_restart}the preconditioner tridiagonal"),
        };
        let joined = match text.chars().next_back() {
            None | Some(';') => " ",
            _ if text.ends_with(" or") || text.ends_with(" else") => " ",
            _ => "; ",
        };
        format!("{text}{joined}{instead}").trim_start().to_owned()
    }
}

pub(crate) fn method(algorithm: Algorithm, preconditioner: Preconditioner) -> String {
    match algorithm.is_krylov() {
        true => format!("{algorithm} with the preconditioner {preconditioner}"),
        false => algorithm.to_string(),
    }
}
