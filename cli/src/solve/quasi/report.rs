//! The report on a quasi-tridiagonal system, and the chart of its residuals.

use trisolve::quasi_tridiagonal::{Csr, Dominance, Outcome};
use trisolve::{Error, Real};
use trisolve_lab::chart::draw;

use super::solvers::{Solved, Way};
use crate::Failure;
use crate::convergence::{convergence, residuals};
use crate::facts::Facts;
use crate::output::{counted, tell};
use crate::time_spent::microseconds;

#[derive(serde::Serialize)]
pub struct Report {
    #[serde(flatten)]
    pub facts: Facts,
    pub entries: usize,
    preconditioner: Option<&'static str>,
    outcome: &'static str,
    rows_not_dominant: usize,
    /// An estimate, of the last right-hand side: the residual falls by this factor per iteration of a splitting.
    spectral_radius: Option<f64>,
    #[serde(skip)]
    splitting: Option<&'static str>,
    /// Per right-hand side.
    residuals: Vec<Vec<f64>>,
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
            facts: Facts {
                structure: "quasi-tridiagonal".into(),
                rows: n,
                columns: rhs.len() / n,
                algorithm: solved.algorithm.clone(),
                policy: None,
                precision: if mixed { format!("{} mixed", T::PRECISION) } else { T::PRECISION.to_string() },
                place: solved.place.name(),
                adapter: solved.adapter.clone(),
                iterations: Some(iterations),
                relative_residual: Some(relative_residual),
                backward_error: None,
                // Of a method that failed there is no answer.
                forward_error: failed.is_none().then_some(solved.forward_error),
                condition: solved.condition,
                replaced: 0,
                solve_us: microseconds(solved.seconds),
                timing: None,
            },
            entries: matrix.entries(),
            preconditioner: solved.preconditioner,
            outcome: outcome.name(),
            rows_not_dominant: Dominance::of(matrix).broken,
            spectral_radius: ways.last().and_then(|way| way.splitting).map(|splitting| splitting.1),
            splitting: ways.last().and_then(|way| way.splitting).map(|splitting| splitting.0),
            residuals: ways.iter().map(|way| way.history.clone()).collect(),
        })
    }

    /// Tells the report on stderr.
    pub fn tell(&self) {
        let Facts { rows, columns, algorithm, precision, adapter, iterations, relative_residual, solve_us, .. } =
            &self.facts;
        let with = self.preconditioner.map_or_else(String::new, |name| format!(" with the preconditioner {name}"));
        tell(&format!(
            "quasi-tridiagonal system, {rows} rows, {} entries, {}\n\
             {algorithm}{with} in {precision} on {adapter}: {}, {:.2} ms\nrelative residual {:.2e}",
            self.entries,
            counted(*columns, "right-hand side"),
            counted(iterations.unwrap_or(0), "iteration"),
            solve_us / 1e3,
            relative_residual.unwrap_or(0.0),
        ));
        if let Some(forward_error) = self.facts.forward_error {
            tell(&format!("forward error about {forward_error:.0e}"));
        }
        if let Some(condition) = self.facts.condition {
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
