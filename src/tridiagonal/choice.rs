//! Which algorithm solves a shape, and how it divides its work.

use std::sync::Arc;

use super::kernels::Program;
use super::options::{Algorithm, Diagonal, Options, Stability};
use super::policy::{PartitionPolicy, Policy, default_policy};
use super::{auto, cyclic, partition, pivoting, scan, thomas, tpr, wang_mou};
use crate::error::{Error, Result};
use crate::gpu::wgsl::Precision;
use crate::gpu::{Capabilities, Gpu};
use crate::plan::{Params, check_scratch};
use crate::tuning::{self, Suggestion, Tables};

/// An algorithm with its policy, and the dispatches that they come to.
pub(crate) struct Chosen {
    pub algorithm: Algorithm,
    pub policy: Policy,
    pub program: Program,
}

/// What the caller asks for; else what was tuned, as far as the device can run it; else the default.
pub(crate) fn choose(
    gpu: &Gpu,
    capabilities: &Capabilities,
    precision: Precision,
    options: &Options,
    params: Params,
) -> Result<Chosen> {
    let Options { algorithm, stability, policy, untuned, .. } = *options;
    if algorithm == Algorithm::Pivoting && options.diagonal == Diagonal::Excess {
        return Err(Error::Options(
            "pivoting takes the diagonal's values: exchanged rows have no use for an excess. The other algorithms carry it, \
             for dominant matrices"
                .into(),
        ));
    }
    let tables = if untuned { Arc::default() } else { Tables::of(gpu.info()) };
    let choice = Choice { gpu, capabilities, precision, options, params, tables };
    match policy {
        Some(_) if algorithm == Algorithm::Tpr && stability == Stability::Stable => {
            Err(Error::Options("a policy says how stable TPR is: give it or `Stability::Stable`".into()))
        }
        Some(policy) => choice.with(algorithm, policy),
        None => choice.tuned_or_default(algorithm),
    }
}

/// What a choice depends on.
struct Choice<'a> {
    gpu: &'a Gpu,
    capabilities: &'a Capabilities,
    precision: Precision,
    options: &'a Options,
    params: Params,
    tables: Arc<Tables>,
}

impl Choice<'_> {
    fn with(&self, algorithm: Algorithm, policy: Policy) -> Result<Chosen> {
        let Self { gpu, capabilities, precision, params, .. } = *self;
        let program = program(capabilities, precision, algorithm, policy, params, || self.rivals())?;
        for scratch in &program.scratch {
            check_scratch(gpu, algorithm.name(), scratch.bytes, precision)?;
        }
        Ok(Chosen { algorithm, policy, program })
    }

    fn tuned_or_default(&self, algorithm: Algorithm) -> Result<Chosen> {
        let Self { capabilities, precision, options, params, .. } = *self;
        let default = default_policy(capabilities, precision, algorithm, options.stability, &params);
        // What was tuned is fast, not stable.
        if algorithm != Algorithm::Tpr || options.stability == Stability::Fastest {
            let key = tuning::key(algorithm.name(), precision, params.systems_first(), params.n, params.problems);
            for found in self.tables.find(&key) {
                let text = found.policy;
                match default.with(text).and_then(|policy| self.with(algorithm, policy)) {
                    Ok(chosen) if as_tuned(&chosen, found) => return Ok(chosen),
                    Ok(_) => {}
                    // Other devices may have more to offer.
                    Err(Error::Limit { .. }) if !found.own => {}
                    Err(error) => log::warn!("the tuned policy {text:?} of {algorithm} is ignored: {error}"),
                }
            }
        }
        self.with(algorithm, default)
    }

    fn rivals(&self) -> Result<Rivals> {
        let chosen = self.tuned_or_default(Algorithm::Partition)?;
        let partition = match chosen.policy {
            Policy::Partition(policy) if policy.together > 0 => {
                self.with(Algorithm::Partition, PartitionPolicy { together: 0, ..policy }.into())?.program
            }
            _ => chosen.program,
        };
        let pivoting = match self.options.diagonal {
            Diagonal::Value => Some(self.tuned_or_default(Algorithm::Pivoting)?.program),
            Diagonal::Excess => None,
        };
        Ok(Rivals { partition, pivoting })
    }
}

/// What auto decides between.
pub(crate) struct Rivals {
    /// In passes, where it is not one dispatch.
    pub partition: Program,
    /// Not for a diagonal that is given as its excess.
    pub pivoting: Option<Program>,
}

impl Rivals {
    /// As they come without a table.
    #[cfg(feature = "testing")]
    pub fn by_default(capabilities: &Capabilities, precision: Precision, params: Params) -> Result<Self> {
        let of = |algorithm| {
            let policy = default_policy(capabilities, precision, algorithm, Stability::default(), &params);
            let none = || Err(Error::Options(format!("{algorithm} has no rivals")));
            program(capabilities, precision, algorithm, policy, params, none)
        };
        Ok(Self { partition: of(Algorithm::Partition)?, pivoting: Some(of(Algorithm::Pivoting)?) })
    }
}

/// Whether a tuned policy does what made it fast: one that rests on how much runs at once does so
/// where it was found, and in one dispatch.
fn as_tuned(chosen: &Chosen, found: Suggestion<'_>) -> bool {
    !chosen.policy.is_of_one_device() || (found.at_home() && chosen.program.steps.len() == 1)
}

/// The dispatches of an algorithm; auto's from those of its rivals.
///
/// # Errors
/// [`Error::Options`], [`Error::Limit`] for a policy that is of another algorithm, not legal or too large.
pub(crate) fn program(
    capabilities: &Capabilities,
    precision: Precision,
    algorithm: Algorithm,
    policy: Policy,
    params: Params,
    rivals: impl FnOnce() -> Result<Rivals>,
) -> Result<Program> {
    // Built by hand, it may hold any number.
    let policy = policy.with_values(&policy.values())?;
    match (algorithm, policy) {
        (Algorithm::Auto, Policy::Auto(policy)) => auto::plan(capabilities, precision, policy, params, rivals()?),
        (Algorithm::Partition, Policy::Partition(policy)) => partition::plan(capabilities, precision, policy, params),
        (Algorithm::Pivoting, Policy::Pivoting(policy)) => pivoting::plan(capabilities, precision, policy, params),
        (Algorithm::Thomas, Policy::Thomas(policy)) => thomas::plan(capabilities, precision, policy, params),
        (Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr, Policy::Cyclic(policy)) => {
            cyclic::plan(capabilities, precision, (algorithm, policy), params)
        }
        (Algorithm::Tpr, Policy::Tpr(policy)) => tpr::plan(capabilities, precision, policy, params),
        (Algorithm::WangMou, Policy::WangMou(policy)) => wang_mou::plan(capabilities, precision, policy, params),
        (Algorithm::Scan, Policy::Scan(policy)) => scan::plan(capabilities, precision, policy, params),
        _ => Err(Error::Options(format!("{policy} is not a policy of {algorithm}"))),
    }
}
