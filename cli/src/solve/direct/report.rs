//! The report on a tridiagonal system.

use trisolve::Real;

use super::solvers::Solved;
use crate::output::{tell, tell_replaced};
use crate::structure::{Matrix, tell_against_ones};
use crate::summary::Summary;
use crate::time_spent::TimeSpent;

/// The report as JSON; `null` for the iterations, which a direct solve has none of.
#[derive(serde::Serialize)]
pub struct Report<'a> {
    structure: &'static str,
    rows: usize,
    rhs: usize,
    algorithm: &'a str,
    precision: &'static str,
    place: &'static str,
    adapter: &'a str,
    relative_residual: f64,
    /// Against the exact solution for the file's numbers.
    forward_error: f64,
    /// Skeel's cond(A, x), where it was computed.
    condition: Option<f64>,
    device_us: f64,
    iterations: Option<u64>,
    /// If it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<TimeSpent>,
}

impl<'a> Report<'a> {
    pub fn new<T: Real>(matrix: &Matrix<T>, columns: usize, solved: &'a Solved<T>, timing: Option<TimeSpent>) -> Self {
        Self {
            structure: matrix.name(),
            rows: solved.x.len() / columns,
            rhs: columns,
            algorithm: &solved.algorithm,
            precision: T::PRECISION.name(),
            place: solved.place.name(),
            adapter: &solved.adapter,
            relative_residual: solved.relative_residual,
            forward_error: solved.forward_error,
            condition: solved.condition,
            device_us: solved.seconds * 1e6,
            iterations: None,
            timing,
        }
    }

    /// Tells the report on stderr, with the facts that the JSON does not have.
    pub fn tell<T: Real>(&self, solved: &Solved<T>, rhs_is_ones: bool) {
        Summary {
            what: &format!("{} system", self.structure),
            rows: self.rows,
            columns: self.rhs,
            column: "right-hand side",
            algorithm: self.algorithm,
            precision: self.precision,
            adapter: self.adapter,
            device_us: self.device_us,
            relative_residual: self.relative_residual,
        }
        .tell();
        if let Some(policy) = &solved.policy {
            tell(&format!("policy {policy}"));
        }
        if let Some(backward_error) = solved.backward_error {
            tell(&format!("backward error {backward_error:.2e}"));
        }
        tell(&format!("forward error about {:.0e}", self.forward_error));
        if let Some(condition) = self.condition {
            tell(&format!("condition about {condition:.0e} (componentwise, cond(A, x))"));
        }
        tell_replaced(solved.replaced, "right-hand side", "solved");
        if rhs_is_ones {
            tell_against_ones(&solved.x);
        }
        if let Some(timing) = &self.timing {
            timing.tell();
        }
    }
}
