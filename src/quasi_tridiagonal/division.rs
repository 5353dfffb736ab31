//! How HISA and BHISA divide the rows among threads, and what fits a device.

use super::hybrid::{Slices, factor_numbers};
use super::options::{Algorithm, Settled};
use super::policy::{BhisaPolicy, HisaPolicy, Policy, tuned_or_default};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::plan::{Tree, check_memory, check_workgroup};
use crate::precision::Precision;
use crate::real::Real;
use crate::tridiagonal::algorithms::partition;

/// How an iteration divides its work.
pub(super) enum Division {
    /// BHISA, by an elimination per iteration, or by kept factors.
    Blocks(BhisaPolicy, Tree),
    Factors(BhisaPolicy, Tree),
    /// HISA in two passes.
    Slices(Slices),
    /// By rows.
    Rows,
}

impl Division {
    pub fn new(gpu: &Gpu, precision: Precision, policy: Option<Policy>, padded: usize) -> Result<Self> {
        Ok(match policy {
            Some(Policy::Bhisa(policy)) if policy.factored => {
                Self::Factors(policy, factored_tree(gpu, precision, policy)?)
            }
            Some(Policy::Bhisa(policy)) => Self::Blocks(policy, tree(gpu, precision, policy)?),
            Some(Policy::Hisa(policy)) => {
                let tree = sliced_tree(gpu, precision, policy)?;
                Self::Slices(Slices::new(gpu.proven_capabilities()?, precision, policy, tree, padded)?)
            }
            None => Self::Rows,
        })
    }

    /// Numbers per row that an iteration moves, but for the entries beside the three diagonals.
    pub fn values_per_row(&self) -> f64 {
        match self {
            Self::Factors(policy, _) => factor_numbers(*policy, 1 << 20) as f64 / f64::from(1 << 20) + 3.0,
            Self::Slices(_) => 12.0,
            // T, the right-hand side, x read and written.
            Self::Blocks(..) | Self::Rows => 6.0,
        }
    }
}

/// The policy of HISA and BHISA; other methods have none, nor has HISA in other passes than its own.
pub(super) fn policy<I: Real>(gpu: &Gpu, rows: usize, settled: &Settled) -> Option<Policy> {
    let algorithm = match settled.algorithm {
        Algorithm::Auto => Algorithm::Bhisa,
        Algorithm::Hisa if settled.tridiagonal.is_some() => return None,
        named => named,
    };
    let fits = |policy: Policy| match policy {
        Policy::Bhisa(policy) if policy.factored => factored_tree(gpu, I::PRECISION, policy).map(|_| ()),
        Policy::Bhisa(policy) => tree(gpu, I::PRECISION, policy).map(|_| ()),
        Policy::Hisa(policy) => sliced_tree(gpu, I::PRECISION, policy).map(|_| ()),
    };
    settled.policy.or_else(|| tuned_or_default(gpu, I::PRECISION, (algorithm, rows), settled.untuned, fits))
}

/// Threads that share a block's rows; small blocks share a workgroup.
fn tree(gpu: &Gpu, precision: Precision, policy: BhisaPolicy) -> Result<Tree> {
    let capabilities = gpu.proven_capabilities()?;
    let BhisaPolicy { block, rows, .. } = policy;
    let threads = if rows == 1 { block / 2 } else { block / rows };
    // Small blocks share a workgroup.
    let workgroup = if rows == 1 { threads } else { threads.max(64) };
    let tree = Tree { workgroup, log_chunks: threads.ilog2(), systems_first: false, log_run: 0 };
    check_workgroup(capabilities, "a block of bhisa", workgroup)?;
    let what = "a block of bhisa in workgroup memory";
    if rows == 1 {
        check_memory(capabilities, what, (4 * u64::from(block) + u64::from(threads)) * precision.bytes())?;
        return Ok(tree);
    }
    let tree = tree.merged_by_shuffles(capabilities.subgroup_lanes);
    // Two relations per node, and one sum per thread.
    check_memory(capabilities, what, (8 * u64::from(tree.nodes()) + u64::from(workgroup)) * precision.bytes())?;
    if !partition::fits(&capabilities.limits, precision, Tree { log_run: 0, ..tree }) && tree.log_run == 0 {
        return Err(Error::Options(format!(
            "bhisa with {block} rows per block and {rows} per thread does not fit a workgroup"
        )));
    }
    Ok(tree)
}

/// Threads that share a block's factors, a chunk of rows each; small blocks share a workgroup.
fn factored_tree(gpu: &Gpu, precision: Precision, policy: BhisaPolicy) -> Result<Tree> {
    let capabilities = gpu.proven_capabilities()?;
    let threads = policy.block / policy.rows;
    let tree = Tree { workgroup: threads.max(64), log_chunks: threads.ilog2(), systems_first: false, log_run: 0 };
    check_workgroup(capabilities, "a block of bhisa, factored", tree.workgroup)?;
    // A relation per chunk.
    let bytes = 4 * u64::from(tree.workgroup) * precision.bytes();
    check_memory(capabilities, "a block of bhisa, factored, in workgroup memory", bytes)?;
    Ok(tree)
}

/// Threads that share a slice of T in HISA's passes.
fn sliced_tree(gpu: &Gpu, precision: Precision, policy: HisaPolicy) -> Result<Tree> {
    let capabilities = gpu.proven_capabilities()?;
    let workgroup = policy.workgroup;
    let tree = Tree { workgroup, log_chunks: workgroup.ilog2(), systems_first: false, log_run: 0 };
    check_workgroup(capabilities, "a slice of hisa", workgroup)?;
    let tree = tree.merged_by_shuffles(capabilities.subgroup_lanes);
    // Two relations per node, and one sum per thread.
    let bytes = (8 * u64::from(tree.nodes()) + u64::from(workgroup)) * precision.bytes();
    check_memory(capabilities, "a slice of hisa in workgroup memory", bytes)?;
    Ok(tree)
}

/// Padding of rows: to whole blocks, whole slices, and diagonals at offsets that any device can bind.
pub(super) fn multiple(policy: Option<Policy>) -> usize {
    const ALIGNED: usize = 256;
    match policy {
        Some(Policy::Bhisa(policy)) => ALIGNED.max(policy.block as usize),
        Some(Policy::Hisa(_)) | None => ALIGNED,
    }
}
