//! Which algorithm, and with which policy.

use wgpu::DeviceType;

use super::kernels::{Division, KernelId, can_chain};
use super::options::{Algorithm, Options};
use super::panels::Panels;
use super::policy::{ChainedPolicy, LaunchSyncedPolicy, Policy};
use super::programs::{self, Program};
use super::shape::Shape;
use super::single;
use crate::error::{Error, Result};
use crate::gpu::wgsl::Precision;
use crate::gpu::{Capabilities, Gpu};
use crate::plan::{check_memory, check_workgroup};

/// A program and what it was made of.
pub(super) struct Chosen {
    pub algorithm: Algorithm,
    pub policy: Policy,
    pub program: Program,
    pub panels: bool,
}

/// What the caller asks for, else the default, where one binding holds so many bytes.
pub(super) fn choose(gpu: &Gpu, precision: Precision, shape: &Shape, options: &Options, most: u64) -> Result<Chosen> {
    let capabilities = gpu.capabilities();
    let chains = can_chain(capabilities, precision);
    // Processors run few workgroups at a time, and launch the next at little cost.
    let auto =
        if chains && gpu.info().device_type != DeviceType::Cpu { Algorithm::Chained } else { Algorithm::LaunchSynced };
    let algorithm = match options.algorithm {
        Algorithm::Auto => options.policy.map_or(auto, |policy| policy.algorithm()),
        named => named,
    };
    if algorithm == Algorithm::Chained && !chains {
        return Err(Error::Unsupported {
            what: "chained in f64 on a device without 64-bit integers".into(),
            hint: "take launch-synced or auto".into(),
        });
    }
    let policy = match options.policy {
        // Built by hand, it may hold any number.
        Some(policy) => policy.with_values(&policy.values())?,
        None => default_policy(capabilities, precision, shape, options, algorithm),
    };
    if policy.algorithm() != algorithm {
        return Err(Error::Options(format!(
            "{policy} is a policy of {}, not of {algorithm}: name that algorithm",
            policy.algorithm()
        )));
    }
    let block = match policy {
        Policy::Single(policy) => single::check(policy).map(|()| None)?,
        Policy::LaunchSynced(policy) => Some(policy.division().checked()?.block),
        Policy::Chained(policy) => Some(policy.division().checked()?.block),
    };
    let panels = Panels::of(gpu, precision, shape, block, most)?;
    let kernel = kernel(capabilities, precision, shape, options, policy);
    check_workgroup(capabilities, "threads", kernel.threads())?;
    let memory = kernel.memory(precision, options.across());
    check_memory(capabilities, "the workgroup memory of such a policy", memory)?;
    let program = match policy {
        _ if shape.n == 0 => Program::default(),
        Policy::Single(policy) => programs::single(gpu, precision, shape, kernel, policy, panels),
        Policy::LaunchSynced(policy) => programs::launch_synced(gpu, precision, shape, kernel, policy, panels),
        Policy::Chained(policy) => programs::chained(gpu, precision, shape, kernel, policy, panels),
    };
    Ok(Chosen { algorithm, policy, program, panels: panels.is_split() })
}

impl LaunchSyncedPolicy {
    fn division(self) -> Division {
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
) -> KernelId {
    match policy {
        Policy::Single(policy) => KernelId::Single(single::whole(shape.n as u32, policy)),
        Policy::LaunchSynced(policy) => KernelId::LaunchSynced(policy.division()),
        Policy::Chained(policy) => {
            // Four blocks are waited for at once, or fewer where memory is scarce.
            let ahead = |ahead| KernelId::Chained { division: policy.division(), ahead, precache: policy.precache };
            let memory = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
            let fits = |kernel: &KernelId| kernel.memory(precision, options.across()) <= memory;
            [4, 2].into_iter().map(ahead).find(fits).unwrap_or(ahead(1))
        }
    }
}

/// Whether a device has the threads and the memory for a policy.
pub(crate) fn fits(
    capabilities: &Capabilities,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    policy: Policy,
) -> bool {
    let limits = &capabilities.limits;
    let kernel = kernel(capabilities, precision, shape, options, policy);
    kernel.threads() <= limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x)
        && kernel.memory(precision, options.across()) <= u64::from(limits.max_compute_workgroup_storage_size)
}

/// Blocks of 64 rows and 256 threads where they fit, and as many right-hand sides at once as do.
fn default_policy(
    capabilities: &Capabilities,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    algorithm: Algorithm,
) -> Policy {
    let wanted = shape.columns.next_power_of_two().min(8) as u32;
    let columns = || [8, 4, 2, 1].into_iter().filter(|&columns| columns <= wanted);
    let candidates: Vec<Policy> = match algorithm {
        Algorithm::Single => columns().flat_map(single::candidates).collect(),
        _ => {
            let small = shape.n <= 32;
            let divisions = columns().flat_map(|columns| {
                let large = (!small).then_some((64, 256, columns));
                large.into_iter().chain([(32, 128, columns)])
            });
            let policy = |(block, threads, columns)| -> Policy {
                match algorithm {
                    Algorithm::LaunchSynced => LaunchSyncedPolicy { block, threads, columns, rows: 4 }.into(),
                    _ => ChainedPolicy { block, threads, columns, precache: 2, invert_from: 1 }.into(),
                }
            };
            divisions.chain([(32, 64, 1)]).map(policy).collect()
        }
    };
    let least = candidates[candidates.len() - 1];
    candidates.into_iter().find(|&policy| fits(capabilities, precision, shape, options, policy)).unwrap_or(least)
}
