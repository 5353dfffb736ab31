//! Sequential references, generic over the scalar: for the tests, the judge of answers, and measurements. To solve on the CPU, call
//! `solve_on_cpu` of the family.
//!
//! All take one system of n rows as four slices of n entries; `lower[0]` and `upper[n-1]` are
//! read only by [`periodic_gtsv`]. They are written for clarity and run sequentially; the iterative methods for sparse matrices
//! ([`PreparedIteration`]) also run on several threads.

mod carried;
mod condition;
mod cyclic;
mod filter;
mod gauss_seidel;
mod gtsv;
mod inverse;
mod iterations;
mod moebius;
mod norm;
mod p_scheme;
mod partition;
pub(crate) mod periodic;
mod pivoting_partition;
mod recurrence;
mod residual;
mod row;
mod scaling;
mod thomas;
pub mod tree_partitioning;
pub(crate) mod triangular;
pub mod wang_mou;

pub(crate) use carried::{comparison_ring, excess_of, is_dominant, least_complement};
pub use carried::{excess, thomas_carried, thomas_excess};
pub(crate) use condition::{estimated_norm, inverse_norm};
pub use cyclic::{cr_pcr, cyclic_reduction, parallel_cyclic_reduction};
pub use filter::{filter, filter_residual};
pub(crate) use gauss_seidel::check_tolerance;
pub use gauss_seidel::gauss_seidel;
pub use gtsv::gtsv;
pub(crate) use inverse::Pivots;
pub use iterations::{End, Iterated, Iteration, PreparedIteration, Rooted, Workers};
pub use moebius::moebius;
use norm::Norm;
pub use p_scheme::{PScheme, p_scheme};
pub use partition::partition;
pub use periodic::periodic_gtsv;
pub(crate) use periodic::ring_gtsv;
pub use pivoting_partition::pivoting_partition;
pub use recurrence::{recurrence, recurrence_residual};
pub(crate) use residual::measures;
pub use residual::{backward_error, relative_residual};
pub use row::{Coupled, Equation};
pub(crate) use scaling::Equilibrated;
pub use thomas::thomas;
pub use tree_partitioning::{TreePartitioning, tree_partitioning_reduction};
pub use triangular::{Triangle, triangular_backward_error, trsv};
pub use wang_mou::{WangMou, wang_mou};

use crate::error::{Error, Result};
use crate::real::Scalar;

/// The four slices have one length, at least 1.
fn check_lengths<S>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<()> {
    if diag.is_empty() {
        return Err(Error::Shape("n is 0; it must be at least 1".into()));
    }
    for (vector, found) in [("lower", lower.len()), ("upper", upper.len()), ("rhs", rhs.len())] {
        if found != diag.len() {
            return Err(Error::Length { vector, expected: diag.len().to_string(), found });
        }
    }
    Ok(())
}

/// A system with no pivot in a row.
fn singular(row: usize) -> Error {
    Error::Singular { system: 0, row }
}

/// A zero or overflowing pivot without exchanges.
fn breakdown(row: usize) -> Error {
    Error::Breakdown { system: 0, row }
}

/// The unknowns; a breakdown at the first that is not finite.
fn finite<S: Scalar>(x: Vec<S>) -> Result<Vec<S>> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(breakdown(row)),
        None => Ok(x),
    }
}

/// The first row with an entry that is not finite, named.
pub(crate) fn check_finite<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<()> {
    check_rows(lower, diag, upper, rhs, false)
}

/// The same where the corners are entries.
fn check_all_finite<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<()> {
    check_rows(lower, diag, upper, rhs, true)
}

fn check_rows<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S], corners: bool) -> Result<()> {
    let n = diag.len();
    for row in 0..n {
        let named = [
            ("lower", (row > 0 || corners).then(|| lower[row])),
            ("diag", Some(diag[row])),
            ("upper", (row + 1 < n || corners).then(|| upper[row])),
            ("rhs", Some(rhs[row])),
        ];
        for (vector, value) in named {
            if value.is_some_and(|value| !value.is_finite()) {
                return Err(Error::NonFiniteInput { vector, system: 0, row });
            }
        }
    }
    Ok(())
}
