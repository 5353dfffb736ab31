//! The report on a tridiagonal system.

use trisolve::Real;

use super::solvers::Solved;
use crate::facts::Facts;
use crate::output::{tell, tell_replaced};
use crate::structure::{Matrix, tell_against_ones};
use crate::time_spent::{TimeSpent, microseconds};

/// The report as JSON.
pub fn facts<T: Real>(matrix: &Matrix<T>, columns: usize, solved: &Solved<T>, timing: Option<TimeSpent>) -> Facts {
    Facts {
        structure: matrix.name().into(),
        rows: solved.x.len() / columns,
        columns,
        algorithm: solved.algorithm.clone(),
        policy: solved.policy.clone(),
        precision: T::PRECISION.to_string(),
        place: solved.place.name(),
        adapter: solved.adapter.clone(),
        iterations: None,
        relative_residual: Some(solved.relative_residual),
        backward_error: solved.backward_error,
        forward_error: Some(solved.forward_error),
        condition: solved.condition,
        replaced: solved.replaced,
        solve_us: microseconds(solved.seconds),
        timing,
    }
}

/// Tells the report on stderr.
pub fn tell_facts<T: Real>(facts: &Facts, solved: &Solved<T>, rhs_is_ones: bool) {
    facts.tell(&format!("{} system", facts.structure), "right-hand side");
    if let Some(policy) = &solved.policy {
        tell(&format!("policy {policy}"));
    }
    if let Some(backward_error) = solved.backward_error {
        tell(&format!("backward error {backward_error:.2e}"));
    }
    tell(&format!("forward error about {:.0e}", solved.forward_error));
    if let Some(condition) = solved.condition {
        tell(&format!("condition about {condition:.0e} (componentwise, cond(A, x))"));
    }
    tell_replaced(solved.replaced, "right-hand side", "solved");
    if rhs_is_ones {
        tell_against_ones(&solved.x);
    }
    facts.tell_timing();
}
