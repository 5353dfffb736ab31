//! Which algorithm solves a shape, and how it divides its work.

use std::sync::Arc;

use super::kernels::Program;
use super::options::{Algorithm, Diagonal, Options, Stability};
use super::policy::{Policy, default_policy};
use super::{cyclic, partition, pivoting, scan, thomas, tpr, wang_mou};
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
    let chosen = |algorithm, policy| {
        let program = program(capabilities, precision, algorithm, policy, params)?;
        for scratch in &program.scratch {
            check_scratch(gpu, algorithm.name(), scratch.bytes, precision)?;
        }
        Ok(Chosen { algorithm, policy, program })
    };
    if let Some(policy) = policy {
        if algorithm == Algorithm::Tpr && stability == Stability::Stable {
            return Err(Error::Options("a policy says how stable TPR is: give it or `Stability::Stable`".into()));
        }
        // The only one that a shape alone would lead to.
        let algorithm = if algorithm == Algorithm::Auto { Algorithm::Partition } else { algorithm };
        return chosen(algorithm, policy);
    }
    let tables = if untuned { Arc::default() } else { Tables::of(gpu.info()) };
    let key = |algorithm: Algorithm| {
        tuning::key(algorithm.name(), precision, params.systems_first(), params.n, params.problems)
    };
    let tuned_or_default = |algorithm| {
        let default = default_policy(capabilities, precision, algorithm, stability, &params);
        // What was tuned is fast, not stable.
        if algorithm != Algorithm::Tpr || stability == Stability::Fastest {
            for found in tables.find(&key(algorithm)) {
                let text = found.policy;
                match default.with(text).and_then(|policy| chosen(algorithm, policy)) {
                    Ok(chosen) if as_tuned(&chosen, found) => return Ok(chosen),
                    Ok(_) => {}
                    // Other devices may have more to offer.
                    Err(Error::Limit { .. }) if !found.own => {}
                    Err(error) => log::warn!("the tuned policy {text:?} of {algorithm} is ignored: {error}"),
                }
            }
        }
        chosen(algorithm, default)
    };
    if algorithm != Algorithm::Auto {
        return tuned_or_default(algorithm);
    }
    for found in tables.find(&key(algorithm)) {
        let named = match found.policy.parse() {
            Ok(Algorithm::Auto | Algorithm::Scan) | Err(_) => {
                log::warn!(
                    "the tuned choice {:?} of auto is ignored: it should name an algorithm that auto may take",
                    found.policy
                );
                continue;
            }
            Ok(named) => named,
        };
        if let Ok(chosen) = tuned_or_default(named)
            && modest(&chosen.program, precision, &params)
        {
            return Ok(chosen);
        }
    }
    tuned_or_default(Algorithm::Partition)
}

/// Whether a tuned policy does what made it fast: one that rests on how much runs at once does so
/// where it was found, and in one dispatch.
fn as_tuned(chosen: &Chosen, found: Suggestion<'_>) -> bool {
    !chosen.policy.is_of_one_device() || (found.at_home() && chosen.program.steps.len() == 1)
}

/// Whether the scratch is under a twentieth of the input, which long systems may count on unless they
/// ask for an algorithm that takes more.
fn modest(program: &Program, precision: Precision, params: &Params) -> bool {
    let scratch: u64 = program.scratch.iter().map(|scratch| scratch.bytes).sum();
    let vectors = 3 * u64::from(params.problems / params.columns) + u64::from(params.problems);
    params.n < 1 << 16 || 20 * scratch < vectors * u64::from(params.n) * precision.bytes()
}

/// The dispatches of an algorithm.
///
/// # Errors
/// [`Error::Options`], [`Error::Limit`] for a policy that is of another algorithm, not legal or too large.
pub(crate) fn program(
    capabilities: &Capabilities,
    precision: Precision,
    algorithm: Algorithm,
    policy: Policy,
    params: Params,
) -> Result<Program> {
    // Built by hand, it may hold any number.
    let policy = policy.with_values(&policy.values())?;
    match (algorithm, policy) {
        (Algorithm::Auto | Algorithm::Partition, Policy::Partition(policy)) => {
            partition::plan(capabilities, precision, policy, params)
        }
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
