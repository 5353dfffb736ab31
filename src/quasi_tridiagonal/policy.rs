//! How [`Algorithm::Hisa`](super::Algorithm::Hisa) and [`Algorithm::Bhisa`](super::Algorithm::Bhisa) divide their work.

use std::sync::Arc;

use super::options::Algorithm;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::plan::{OFF_ON, policies, policy};
use crate::precision::Precision;
use crate::tuning::{self, Key, Tables};

policy! {
    /// How [`Algorithm::Bhisa`](super::Algorithm::Bhisa) divides its work.
    BhisaPolicy {
        /// Rows of a block (the paper: 64 and more). Larger blocks come nearer to [`Algorithm::Hisa`](super::Algorithm::Hisa).
        block: u32 in &[64, 128, 256, 512, 1024, 2048];
        /// Rows that each thread eliminates alone, before blocks of rows merge; 1 for the paper's cyclic reduction in workgroup memory.
        rows: u32 in &[1, 4, 8, 16];
        /// Compute the factors of the blocks once and keep them (step 1 of the paper's algorithm 3), in place of an elimination per
        /// iteration. Fewer operations per iteration; it keeps 5 / `rows` more numbers per row, and 2 per block.
        factored: bool in OFF_ON;
    }
}

policy! {
    /// How [`Algorithm::Hisa`](super::Algorithm::Hisa) divides the rows of T among workgroups.
    HisaPolicy {
        /// Threads per workgroup.
        workgroup: u32 in &[32, 64, 128, 256, 512, 1024];
        /// Rows per thread.
        rows: u32 in &[4, 8, 12, 16];
    }
}

policies! { Bhisa(BhisaPolicy), Hisa(HisaPolicy) }

impl Policy {
    /// The default of an algorithm with the numbers in a text, as `block=512,rows=4`.
    ///
    /// # Errors
    /// [`Error::Options`] for an algorithm without a policy, an unknown name, a name given twice, or an illegal value.
    pub fn of(algorithm: Algorithm, text: &str) -> Result<Self> {
        default_policy(algorithm, usize::MAX >> 1)
            .ok_or_else(|| Error::Options(format!("{algorithm} has no policy; hisa and bhisa have one")))?
            .with(text)
    }

    /// Whether an iteration computes the residual from its step: M (x' - x).
    pub(crate) fn takes_residuals_from_steps(&self) -> bool {
        match self {
            Self::Bhisa(policy) => policy.factored,
            Self::Hisa(_) => true,
        }
    }

    /// The algorithm that it belongs to.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            Self::Bhisa(_) => Algorithm::Bhisa,
            Self::Hisa(_) => Algorithm::Hisa,
        }
    }
}

/// The fastest policy on an H200 (benches/results/quasi-tridiagonal-log.md), for an algorithm that has one.
pub fn default_policy(algorithm: Algorithm, rows: usize) -> Option<Policy> {
    match algorithm {
        Algorithm::Bhisa => {
            let block = rows.clamp(64, 256).next_power_of_two() as u32;
            Some(BhisaPolicy { block, rows: 4, factored: false }.into())
        }
        Algorithm::Hisa => Some(HisaPolicy { workgroup: 64, rows: 4 }.into()),
        _ => None,
    }
}

/// The tuning key of matrices with this number of rows.
pub fn key(algorithm: Algorithm, precision: Precision, rows: usize) -> Key {
    tuning::key(&format!("quasi-tridiagonal {algorithm}"), precision, false, rows as u32, 1)
}

/// The tuned policy, if it `fits`, else the default.
pub(crate) fn tuned_or_default(
    gpu: &Gpu,
    precision: Precision,
    (algorithm, rows): (Algorithm, usize),
    untuned: bool,
    fits: impl Fn(Policy) -> Result<()>,
) -> Option<Policy> {
    let tables = if untuned { Arc::default() } else { Tables::of(gpu.info()) };
    let default = default_policy(algorithm, rows)?;
    for found in tables.find(&key(algorithm, precision, rows)) {
        let text = found.policy;
        match default.with(text) {
            Ok(policy) if fits(policy).is_ok() => return Some(policy),
            // Entries of other devices may exceed this device's limits.
            Ok(_) => {}
            Err(error) => log::warn!("the tuned policy {text:?} of {algorithm} is ignored: {error}"),
        }
    }
    Some(default)
}
