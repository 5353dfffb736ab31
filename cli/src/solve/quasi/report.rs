//! The report on a quasi-tridiagonal system, and the chart of its residuals.

use trisolve::quasi_tridiagonal::{Csr, Dominance, Outcome};
use trisolve::{Error, Real};
use trisolve_lab::chart::draw;

use super::solvers::{Solved, Way};
use crate::Failure;
use crate::convergence::{convergence, residuals};
use crate::output::{counted, tell};
use crate::time_spent::TimeSpent;

#[derive(serde::Serialize)]
pub struct Report {
    structure: &'static str,
    pub rows: usize,
    pub entries: usize,
    pub rhs: usize,
    algorithm: String,
    preconditioner: Option<&'static str>,
    precision: String,
    place: &'static str,
    adapter: String,
    outcome: &'static str,
    /// The most of all right-hand sides, as is the residual.
    iterations: usize,
    relative_residual: f64,
    /// Against the exact solution for the files' numbers; null if the method did not converge.
    forward_error: Option<f64>,
    /// Skeel's cond(A, x), where it was computed.
    condition: Option<f64>,
    seconds: f64,
    rows_not_dominant: usize,
    /// An estimate, of the last right-hand side: the residual falls by this factor per iteration of a splitting.
    spectral_radius: Option<f64>,
    #[serde(skip)]
    splitting: Option<&'static str>,
    /// Per right-hand side.
    residuals: Vec<Vec<f64>>,
    /// If it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<TimeSpent>,
}

impl Report {
    /// # Errors
    /// The library's for matrices and vectors that do not fit together.
    pub fn new<T: Real>(matrix: &Csr<T>, rhs: &[T], mixed: bool, solved: &Solved<T>) -> Result<Self, Error> {
        let n = matrix.rows();
        let Solved { x, ways, failed, .. } = solved;
        let relative = rhs.chunks(n).zip(x.chunks(n)).map(|(rhs, x)| matrix.relative_residual(x, rhs));
        let relative = relative.collect::<Result<Vec<_>, _>>()?;
        let (outcome, iterations, relative_residual) = match failed {
            Some(Error::NotConverged { outcome, iterations, residual, .. }) => (*outcome, *iterations, *residual),
            _ => {
                let worst = ways.iter().max_by_key(|way| (way.outcome != Outcome::Converged, way.history.len()));
                let tried = relative.into_iter().take(ways.len());
                (
                    worst.map_or(Outcome::Converged, |way| way.outcome),
                    worst.map_or(0, |way| way.history.len().saturating_sub(1)),
                    // NaN counts as the largest.
                    tried.map(f64::abs).max_by(f64::total_cmp).unwrap_or(0.0),
                )
            }
        };
        Ok(Self {
            structure: "quasi-tridiagonal",
            rows: n,
            entries: matrix.entries(),
            rhs: rhs.len() / n,
            algorithm: solved.algorithm.clone(),
            preconditioner: solved.preconditioner,
            precision: if mixed { format!("{} mixed", T::PRECISION) } else { T::PRECISION.to_string() },
            place: solved.place.name(),
            adapter: solved.adapter.clone(),
            outcome: outcome.name(),
            iterations,
            relative_residual,
            forward_error: failed.is_none().then_some(solved.forward_error),
            condition: solved.condition,
            seconds: solved.seconds,
            rows_not_dominant: Dominance::of(matrix).broken,
            spectral_radius: ways.last().and_then(|way| way.splitting).map(|splitting| splitting.1),
            splitting: ways.last().and_then(|way| way.splitting).map(|splitting| splitting.0),
            residuals: ways.iter().map(|way| way.history.clone()).collect(),
            timing: None,
        })
    }

    /// Tells the report on stderr.
    pub fn tell(&self) {
        let with = self.preconditioner.map_or_else(String::new, |name| format!(" with the preconditioner {name}"));
        tell(&format!(
            "quasi-tridiagonal system, {} rows, {} entries, {}\n\
             {}{with} in {} on {}: {}, {:.2} ms\nrelative residual {:.2e}",
            self.rows,
            self.entries,
            counted(self.rhs, "right-hand side"),
            self.algorithm,
            self.precision,
            self.adapter,
            counted(self.iterations, "iteration"),
            self.seconds * 1e3,
            self.relative_residual,
        ));
        if let Some(forward_error) = self.forward_error {
            tell(&format!("forward error about {forward_error:.0e}"));
        }
        if let Some(condition) = self.condition {
            tell(&format!("condition about {condition:.0e} (componentwise, cond(A, x))"));
        }
        if self.outcome == Outcome::Rounded.name() {
            tell(
                "rounding prevents a smaller residual, though the default tolerance is below it; with --tolerance this is an error",
            );
        }
        if self.rows_not_dominant > 0 {
            tell(&format!("{} not diagonally dominant", counted(self.rows_not_dominant, "row")));
        }
    }
}

impl Report {
    /// Tells why the method converges as fast as it does.
    pub fn explain(&self) {
        match (self.splitting, self.spectral_radius) {
            (Some(splitting), Some(radius)) if 0.0 < radius && radius < 1.0 => tell(&format!(
                "spectral radius of {splitting} about {radius:.3}: the residual falls to a tenth in {:.1} iterations",
                -1.0 / radius.log10()
            )),
            (Some(splitting), Some(radius)) => tell(&format!("spectral radius of {splitting} about {radius:.3}")),
            _ => tell(
                "no spectral radius: a splitting (hisa, bhisa, jacobi, gauss-seidel) with three iterations or more has one",
            ),
        }
    }
}

/// The residuals of all right-hand sides in one SVG; `None` if no residual is above 0.
pub fn chart(ways: &[Way], title: &str) -> Result<Option<String>, Failure> {
    let several = ways.len() > 1;
    let name = |at: usize| if several { format!(", right-hand side {}", at + 1) } else { String::new() };
    let lines = ways.iter().enumerate().map(|(at, way)| residuals(way.method.clone() + &name(at), &way.history));
    let lines: Vec<_> = lines.filter(|line| !line.points.is_empty()).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let drawn = draw("Convergence", &[convergence(title.into(), lines)]);
    drawn.map(Some).map_err(|error| Failure::Solver(format!("--plot: {error}")))
}
