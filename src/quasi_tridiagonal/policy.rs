//! How [`Algorithm::Bhisa`](super::Algorithm::Bhisa) divides its work.

use crate::error::Result;
use crate::gpu::wgsl::Precision;
use crate::plan::policies;

policies! {
    /// How [`Algorithm::Bhisa`](super::Algorithm::Bhisa) divides its work.
    Bhisa(BhisaPolicy) {
        /// Rows of a block (the paper: 64 and more). The larger, the nearer to [`Algorithm::Hisa`](super::Algorithm::Hisa).
        block: u32 in &[64, 128, 256, 512, 1024, 2048];
        /// Rows a thread eliminates by itself, before blocks of rows merge; 1 for the paper's cyclic reduction
        /// in workgroup memory, of a thread for two rows.
        rows: u32 in &[1, 4, 8, 16];
    }
}

impl Policy {
    /// The default with the numbers that a text gives, as `block=512,rows=4`.
    ///
    /// # Errors
    /// [`Error::Options`](crate::Error::Options) for an unknown name, one given twice, or a value that is not legal.
    pub fn bhisa(text: &str) -> Result<BhisaPolicy> {
        let Self::Bhisa(policy) = Self::from(default_policy(Precision::F32, usize::MAX >> 1)).with(text)?;
        Ok(policy)
    }
}

/// What measured best on an H200 (benches/results/quasi-tridiagonal-log.md).
pub(crate) fn default_policy(_precision: Precision, rows: usize) -> BhisaPolicy {
    let block = rows.clamp(64, 256).next_power_of_two() as u32;
    BhisaPolicy { block, rows: 4 }
}
