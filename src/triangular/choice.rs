//! Choice of algorithm and policy.

use std::sync::Arc;

use super::abreast;
use super::kernels::{Division, Launch, TriangularKernel, can_chain};
use super::options::{Algorithm, Options};
use super::panels::Panels;
use super::policy::{ChainedPolicy, LaunchSyncedPolicy, Policy};
use super::programs::{self, Program};
use super::shape::Shape;
use super::single;
use crate::error::{Error, Result};
use crate::gpu::{Capabilities, Gpu};
use crate::plan::{check_memory, check_scratch, check_workgroup};
use crate::precision::Precision;
use crate::tuning::{self, Key, Tables};

/// A program with its algorithm and policy.
pub(super) struct Chosen {
    pub algorithm: Algorithm,
    pub policy: Policy,
    pub program: Program,
    pub panels: bool,
}

/// The caller's choice; else the tuned one, if the device can run it; else the default. One binding holds at most `most` bytes.
pub(super) fn choose(gpu: &Gpu, precision: Precision, shape: &Shape, options: &Options, most: u64) -> Result<Chosen> {
    let capabilities = gpu.capabilities();
    let chosen = |algorithm, policy| chosen(gpu, precision, shape, options, most, (algorithm, policy));
    if let Some(policy) = options.policy {
        let own = policy.algorithm();
        let algorithm = if options.algorithm == Algorithm::Auto { own } else { options.algorithm };
        return chosen(algorithm, policy);
    }
    let tables = if options.untuned { Arc::default() } else { Tables::of(gpu.info()) };
    let tuned_or_default = |algorithm| {
        check_trapezoid(algorithm, shape)?;
        let default = default_policy(capabilities, precision, shape, options, algorithm);
        for found in tables.find(&key(algorithm, precision, shape)) {
            let text = found.policy;
            match default.with(text).and_then(|policy| chosen(algorithm, policy)) {
                Ok(chosen) => return Ok(chosen),
                // The entry is for other devices or other right-hand sides.
                Err(Error::Limit { .. }) => {}
                Err(error) => log::warn!("the tuned policy {text:?} of {algorithm} is ignored: {error}"),
            }
        }
        chosen(algorithm, default)
    };
    if options.algorithm != Algorithm::Auto {
        return tuned_or_default(options.algorithm);
    }
    // Tables are of one right-hand side.
    let abreast = default_policy(capabilities, precision, shape, options, Algorithm::Abreast);
    if abreast::is_best(shape)
        && fits(capabilities, precision, shape, options, abreast)
        && let Ok(chosen) = tuned_or_default(Algorithm::Abreast)
    {
        return Ok(chosen);
    }
    for found in tables.find(&key(Algorithm::Auto, precision, shape)) {
        match found.policy.parse() {
            Ok(Algorithm::Auto) | Err(_) => log::warn!(
                "the tuned choice {:?} of auto is ignored: it should name an algorithm that auto may take",
                found.policy
            ),
            Ok(named) => {
                if let Ok(chosen) = tuned_or_default(named) {
                    return Ok(chosen);
                }
            }
        }
    }
    tuned_or_default(default_algorithm(gpu, precision, shape, options))
}

/// Refuses trapezoids for algorithms whose workgroup has all rows of a triangle.
fn check_trapezoid(algorithm: Algorithm, shape: &Shape) -> Result<()> {
    if matches!(algorithm, Algorithm::Single | Algorithm::Abreast) && shape.is_trapezoid() {
        let what = format!("{algorithm} with a trapezoid (fewer stored columns than rows)");
        return Err(Error::Unsupported { what, hint: "take chained, launch-synced or auto".into() });
    }
    Ok(())
}

/// The tuning key of a shape.
pub fn key(algorithm: Algorithm, precision: Precision, shape: &Shape) -> Key {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let problems = number(shape.batch.saturating_mul(shape.columns));
    // Other families have algorithms of the same names.
    tuning::key(&format!("triangular {algorithm}"), precision, false, number(shape.n), problems)
}

/// Without tuning: one workgroup per system for many small systems, and on CPU adapters, which run few workgroups at once; else one per
/// block row, if workgroups can wait for each other.
pub fn default_algorithm(gpu: &Gpu, precision: Precision, shape: &Shape, options: &Options) -> Algorithm {
    const MANY: usize = 64;
    const FEW_ROWS: usize = 32;
    let capabilities = gpu.capabilities();
    let single = default_policy(capabilities, precision, shape, options, Algorithm::Single);
    let processor = gpu.capabilities().software;
    let small = shape.n <= FEW_ROWS || shape.batch >= MANY || processor;
    if small && !shape.is_trapezoid() && fits(capabilities, precision, shape, options, single) {
        Algorithm::Single
    } else if can_chain(capabilities, precision) {
        Algorithm::Chained
    } else {
        Algorithm::LaunchSynced
    }
}

fn chosen(
    gpu: &Gpu,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    most: u64,
    (algorithm, policy): (Algorithm, Policy),
) -> Result<Chosen> {
    let capabilities = gpu.capabilities();
    if algorithm == Algorithm::Chained && !can_chain(capabilities, precision) {
        return Err(Error::Unsupported {
            what: "chained in f64 on a device without 64-bit integers".into(),
            hint: "take launch-synced or auto".into(),
        });
    }
    check_trapezoid(algorithm, shape)?;
    // A policy built by hand may hold any number.
    let policy = policy.with_values(&policy.values())?;
    if policy.algorithm() != algorithm {
        return Err(Error::Options(format!(
            "{policy} is a policy of {}, not of {algorithm}: name that algorithm",
            policy.algorithm()
        )));
    }
    let block = match policy {
        Policy::Single(policy) => single::check(policy).map(|()| None)?,
        Policy::Abreast(policy) => abreast::division(shape.n, policy).check_registers(shape.n).map(|()| None)?,
        Policy::LaunchSynced(policy) => Some(policy.division().checked()?.block),
        Policy::Chained(policy) => Some(policy.division().checked()?.block),
    };
    let kernel = kernel(capabilities, precision, shape, options, policy);
    let what = match policy {
        Policy::Abreast(_) => "abreast's workgroup".into(),
        Policy::Single(_) => format!("single's workgroup for all of {} rows (chained takes any number)", shape.n),
        _ => "the workgroup of such a policy".into(),
    };
    check_workgroup(capabilities, &what, kernel.threads())?;
    check_memory(capabilities, &what, kernel.memory(precision, options.across()))?;
    let panels = Panels::of(gpu, precision, shape, block, most)?;
    let program: Program = match policy {
        _ if shape.n == 0 => Program::default(),
        Policy::Single(policy) => programs::single(gpu, precision, shape, kernel, policy.columns, panels),
        Policy::Abreast(policy) => programs::single(gpu, precision, shape, kernel, policy.columns, panels),
        Policy::LaunchSynced(policy) => {
            programs::launch_synced(gpu, precision, shape, options.reversed(), policy, panels)
        }
        Policy::Chained(policy) => programs::chained(gpu, precision, shape, kernel, policy, panels),
    };
    program.scratch.iter().try_for_each(|scratch| check_scratch(gpu, algorithm.name(), scratch.bytes, precision))?;
    Ok(Chosen { algorithm, policy, program, panels: panels.is_split() })
}

impl LaunchSyncedPolicy {
    pub(super) fn division(self) -> Division {
        let Self { block, threads, columns, .. } = self;
        Division { block, threads, columns }
    }
}

impl ChainedPolicy {
    fn division(self) -> Division {
        let Self { block, threads, columns, .. } = self;
        Division { block, threads, columns }
    }
}

impl Division {
    fn checked(self) -> Result<Self> {
        let Self { block, threads, .. } = self;
        if self.is_possible() {
            return Ok(self);
        }
        let entries = block * block;
        let (few, many) = (entries / 16, entries / 8);
        Err(Error::Options(format!("threads={threads} with block={block}: should be {few} or {many}")))
    }
}

/// A policy's kernel.
fn kernel(
    capabilities: &Capabilities,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    policy: Policy,
) -> TriangularKernel {
    match policy {
        Policy::Single(policy) => TriangularKernel::Single(single::whole(shape.n as u32, policy)),
        Policy::Abreast(policy) => TriangularKernel::Abreast(abreast::division(shape.n, policy)),
        Policy::LaunchSynced(policy) => {
            TriangularKernel::Launch { kind: Launch::Solve, division: policy.division(), rows: policy.rows }
        }
        Policy::Chained(policy) => {
            // Waits for four blocks at once, or for fewer if memory is scarce.
            let ahead =
                |ahead| TriangularKernel::Chained { division: policy.division(), ahead, precache: policy.precache };
            let fits = |kernel: &TriangularKernel| {
                check_memory(capabilities, "", kernel.memory(precision, options.across())).is_ok()
            };
            [4, 2].into_iter().map(ahead).find(fits).unwrap_or(ahead(1))
        }
    }
}

/// Whether a device has the threads and the memory for a policy.
pub fn fits(
    capabilities: &Capabilities,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    policy: Policy,
) -> bool {
    let kernel = kernel(capabilities, precision, shape, options, policy);
    let has_registers = match kernel {
        TriangularKernel::Abreast(division) => division.check_registers(shape.n).is_ok(),
        _ => true,
    };
    has_registers
        && check_workgroup(capabilities, "", kernel.threads()).is_ok()
        && check_memory(capabilities, "", kernel.memory(precision, options.across())).is_ok()
}

/// Blocks of 64 rows and 256 threads if they fit and n is large, with as many right-hand sides at once as fit.
pub fn default_policy(
    capabilities: &Capabilities,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    algorithm: Algorithm,
) -> Policy {
    let wanted = shape.columns.next_power_of_two().min(8) as u32;
    let columns = || [8, 4, 2, 1].into_iter().filter(|&columns| columns <= wanted);
    // Blocks of half as many rows need twice as many hops, each shorter.
    let small = shape.n <= if algorithm == Algorithm::Chained { 400 } else { 32 };
    let divisions = columns().flat_map(|columns| {
        let large = (!small).then_some(Division { block: 64, threads: 256, columns });
        large.into_iter().chain([Division { block: 32, threads: 128, columns }])
    });
    let divisions = divisions.chain([Division { block: 32, threads: 64, columns: 1 }]);
    let candidates: Vec<Policy> = match algorithm {
        Algorithm::Single => columns().map(|columns| single::default_policy(columns).into()).collect(),
        Algorithm::Abreast => abreast::policies(shape).map(Policy::from).collect(),
        Algorithm::LaunchSynced => divisions
            .map(|Division { block, threads, columns }| LaunchSyncedPolicy { block, threads, columns, rows: 4 }.into())
            .collect(),
        Algorithm::Chained | Algorithm::Auto => divisions
            .map(|Division { block, threads, columns }| {
                ChainedPolicy { block, threads, columns, precache: 2, invert_from: 1 }.into()
            })
            .collect(),
    };
    let least = candidates[candidates.len() - 1];
    candidates.into_iter().find(|&policy| fits(capabilities, precision, shape, options, policy)).unwrap_or(least)
}
