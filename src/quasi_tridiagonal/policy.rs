//! How [`Algorithm::Bhisa`](super::Algorithm::Bhisa) divides its work.

use std::sync::Arc;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::plan::{policies, policy};
use crate::precision::Precision;
use crate::tuning::{self, Key, Tables};

policy! {
    /// How [`Algorithm::Bhisa`](super::Algorithm::Bhisa) divides its work.
    BhisaPolicy {
        /// Rows of a block (the paper: 64 and more). Larger blocks come nearer to [`Algorithm::Hisa`](super::Algorithm::Hisa).
        block: u32 in &[64, 128, 256, 512, 1024, 2048];
        /// Rows that each thread eliminates alone, before blocks of rows merge; 1 for the paper's cyclic reduction in workgroup memory, one
        /// thread per two rows.
        rows: u32 in &[1, 4, 8, 16];
    }
}

policies! { Bhisa(BhisaPolicy) }
impl Policy {
    /// The default with the numbers in a text, as `block=512,rows=4`.
    ///
    /// # Errors
    /// [`Error::Options`](crate::Error::Options) for an unknown name, a name given twice, or an illegal value.
    pub fn bhisa(text: &str) -> Result<BhisaPolicy> {
        let Self::Bhisa(policy) = Self::from(default_policy(usize::MAX >> 1)).with(text)?;
        Ok(policy)
    }
}

/// The fastest policy on an H200 (benches/results/quasi-tridiagonal-log.md).
pub fn default_policy(rows: usize) -> BhisaPolicy {
    let block = rows.clamp(64, 256).next_power_of_two() as u32;
    BhisaPolicy { block, rows: 4 }
}

/// The tuning key of matrices with this number of rows.
pub fn key(precision: Precision, rows: usize) -> Key {
    tuning::key("quasi-tridiagonal bhisa", precision, false, rows as u32, 1)
}

/// The tuned policy, if it `fits`, else the default.
pub(crate) fn tuned_or_default(
    gpu: &Gpu,
    precision: Precision,
    rows: usize,
    untuned: bool,
    fits: impl Fn(BhisaPolicy) -> Result<()>,
) -> BhisaPolicy {
    let tables = if untuned { Arc::default() } else { Tables::of(gpu.info()) };
    let default = default_policy(rows);
    for found in tables.find(&key(precision, rows)) {
        let text = found.policy;
        match Policy::from(default).with(text) {
            Ok(Policy::Bhisa(policy)) if fits(policy).is_ok() => return policy,
            // Entries of other devices may exceed this device's limits.
            Ok(_) => {}
            Err(error) => log::warn!("the tuned policy {text:?} of bhisa is ignored: {error}"),
        }
    }
    default
}
