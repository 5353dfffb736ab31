//! The dispatches of the algorithms.

use wgpu::DeviceType;

use super::kernels::{Division, Form, KernelId, Params, can_chain, words};
use super::options::{Algorithm, Options};
use super::policy::{ChainedPolicy, LaunchSyncedPolicy, NEVER, Policy};
use super::shape::Shape;
use crate::error::{Error, Result};
use crate::gpu::wgsl::Precision;
use crate::gpu::{Capabilities, Gpu};
use crate::plan::{self, Slot, Step, check_memory, check_workgroup};

pub(super) type Program = plan::Program<KernelId, Params>;

/// Looks of a thread for all that it waits for, before its workgroup solves that itself: about half a second, where a
/// device is fast.
const PATIENCE: u32 = 1 << 20;
/// On processors, where drivers end all loops of a thread after some ten thousand rounds.
const PATIENCE_OF_PROCESSORS: u32 = 1_000;

/// The matrix in one or two bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Panels {
    /// The first block over memory of the second binding, of so many entries, where there is one.
    second: Option<Second>,
    /// Entries of the first.
    first_len: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Second {
    block: u32,
    /// In bytes.
    offset: u64,
    /// Entries before the block's first in that binding.
    entries_before: u64,
}

impl Panels {
    /// One binding where that is enough; otherwise the second begins at a block of columns.
    fn of(gpu: &Gpu, precision: Precision, shape: &Shape, block: u32, most: u64) -> Result<Self> {
        let limits = &gpu.capabilities().limits;
        let bytes = precision.bytes();
        // Kernels count entries of a binding in u32.
        let most = most.min(u64::from(u32::MAX) * bytes);
        let len = shape.matrix_len().unwrap_or(usize::MAX) as u64;
        // Loads of whole units may reach behind the last entry.
        let needed = len.saturating_mul(bytes).saturating_add(4 * bytes);
        if needed <= most {
            return Ok(Self { second: None, first_len: len });
        }
        let limit =
            |limit, needed, available| Error::Limit { what: "the matrix (in bytes)".into(), needed, limit, available };
        if shape.batch > 1 && shape.matrix_stride > 0 {
            return Err(limit("max_storage_buffer_binding_size", needed, most));
        }
        let column = shape.leading as u64 * bytes;
        let alignment = u64::from(limits.min_storage_buffer_offset_alignment);
        let whole = (most / column.max(1)).min(shape.n as u64) / u64::from(block);
        let start = whole * u64::from(block) * column;
        let offset = start / alignment * alignment;
        if whole == 0 || needed - offset > most {
            return Err(limit("max_storage_buffer_binding_size, twice,", needed, 2 * most));
        }
        let second = Second { block: whole as u32, offset, entries_before: (start - offset) / bytes };
        Ok(Self { second: Some(second), first_len: whole * u64::from(block) * shape.leading as u64 })
    }

    pub fn is_split(&self) -> bool {
        self.second.is_some()
    }

    fn params(&self, params: Params) -> Params {
        match self.second {
            Some(second) => Params { panel: second.block, panel_first: second.entries_before as u32, ..params },
            None => params,
        }
    }

    /// Where the matrix is bound.
    fn slots(&self, precision: Precision, len: u64) -> Vec<Slot> {
        match self.second {
            None => vec![Slot::Input(0)],
            Some(Second { offset, .. }) => {
                let bytes = precision.bytes();
                // To a whole unit, as the vector rounds its own.
                let end = (len * bytes).next_multiple_of(4 * bytes);
                let first = (self.first_len * bytes).next_multiple_of(16);
                vec![
                    Slot::InputPart { binding: 1, index: 0, offset: 0, bytes: first },
                    Slot::InputPart { binding: 2, index: 0, offset, bytes: end - offset },
                ]
            }
        }
    }
}

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
    let division = division(policy);
    if !division.is_possible() {
        let Division { block, threads, .. } = division;
        let entries = block * block;
        return Err(Error::Options(format!(
            "threads={threads} with block={block}: should be {} or {}",
            entries / 16,
            entries / 8
        )));
    }
    let panels = Panels::of(gpu, precision, shape, division.block, most)?;
    let program = match policy {
        Policy::LaunchSynced(policy) => launch_synced(gpu, precision, shape, policy, panels),
        Policy::Chained(policy) => chained(gpu, precision, shape, options, policy, panels),
    };
    check_workgroup(capabilities, "threads", division.threads)?;
    for step in program.steps.iter().take(1) {
        check_memory(
            capabilities,
            "the workgroup memory of such a policy",
            step.kernel.memory(precision, options.across()),
        )?;
    }
    Ok(Chosen { algorithm, policy, program, panels: panels.is_split() })
}

fn division(policy: Policy) -> Division {
    match policy {
        Policy::LaunchSynced(LaunchSyncedPolicy { block, threads, columns, .. })
        | Policy::Chained(ChainedPolicy { block, threads, columns, .. }) => Division { block, threads, columns },
    }
}

/// Bytes of workgroup memory that a policy's kernel takes at the least.
#[cfg(feature = "testing")]
pub(crate) fn least_memory(policy: Policy, precision: Precision, across: bool) -> u64 {
    let kernel = match policy {
        Policy::LaunchSynced(_) => KernelId::LaunchSynced(division(policy)),
        Policy::Chained(ChainedPolicy { precache, .. }) => {
            KernelId::Chained { division: division(policy), ahead: 1, precache }
        }
    };
    kernel.memory(precision, across)
}

/// Blocks of 64 rows and 256 threads where they fit, and as many right-hand sides at once as do.
fn default_policy(
    capabilities: &Capabilities,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    algorithm: Algorithm,
) -> Policy {
    let most = capabilities.limits.max_compute_invocations_per_workgroup;
    let wanted = shape.columns.next_power_of_two().min(8) as u32;
    let policy = |(block, threads, columns): (u32, u32, u32)| -> Policy {
        match algorithm {
            Algorithm::LaunchSynced => LaunchSyncedPolicy { block, threads, columns, rows: 4 }.into(),
            _ => ChainedPolicy { block, threads, columns, precache: 2, invert_from: 2 }.into(),
        }
    };
    let fits = |policy: &Policy| {
        let division = division(*policy);
        let kernel = match policy {
            Policy::LaunchSynced(_) => KernelId::LaunchSynced(division),
            Policy::Chained(_) => chained_kernel(capabilities, precision, options.across(), division, 2),
        };
        let memory = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
        division.threads <= most && kernel.memory(precision, options.across()) <= memory
    };
    let columns = [8, 4, 2, 1].into_iter().filter(|&columns| columns <= wanted);
    let small = shape.n <= 32;
    let divisions = columns.flat_map(|columns| {
        let large = (!small).then_some((64, 256, columns));
        large.into_iter().chain([(32, 128, columns)])
    });
    divisions.map(policy).find(fits).unwrap_or(policy((32, 64, 1)))
}

/// With four blocks waited for at once, or two where memory is scarce.
fn chained_kernel(
    capabilities: &Capabilities,
    precision: Precision,
    across: bool,
    division: Division,
    precache: u32,
) -> KernelId {
    let kernel = |ahead| KernelId::Chained { division, ahead, precache };
    let memory = u64::from(capabilities.limits.max_compute_workgroup_storage_size);
    let fits = |kernel: &KernelId| kernel.memory(precision, across) <= memory;
    [4, 2].into_iter().map(kernel).find(fits).unwrap_or(kernel(1))
}

/// The shape's part of the parameters.
fn params(gpu: &Gpu, shape: &Shape, division: Division, panels: Panels) -> Params {
    let groups = shape.columns.div_ceil(division.columns as usize);
    let back = if shape.increment < 0 { (shape.n - 1) * shape.increment.unsigned_abs() } else { 0 };
    panels.params(Params {
        n: shape.n as u32,
        lda: shape.leading as u32,
        blocks: (shape.n as u32).div_ceil(division.block),
        problems: (shape.batch * groups) as u32,
        groups: groups as u32,
        columns: shape.columns as u32,
        matrix_stride: shape.matrix_stride as u32,
        increment: shape.increment as u32,
        first: back as u32,
        column_stride: shape.column_stride as u32,
        vector_stride: shape.vector_stride as u32,
        patience: if gpu.info().device_type == DeviceType::Cpu { PATIENCE_OF_PROCESSORS } else { PATIENCE },
        invert_from: NEVER,
        ..Params::default()
    })
}

fn chained(
    gpu: &Gpu,
    precision: Precision,
    shape: &Shape,
    options: &Options,
    policy: ChainedPolicy,
    panels: Panels,
) -> Program {
    let ChainedPolicy { block, threads, columns, precache, invert_from } = policy;
    let division = Division { block, threads, columns };
    let mut program = program(shape);
    if shape.n == 0 {
        return program;
    }
    let params = params(gpu, shape, division, panels);
    let workgroups = u64::from(params.blocks) * u64::from(params.problems);
    let rows = workgroups * u64::from(block) * u64::from(columns);
    let told = program.kept_scratch(2 * 4 * words(precision) * rows, 0xff);
    let taken = program.kept_scratch(4, 0);
    let mut slots = panels.slots(precision, shape.matrix_len().unwrap_or(0) as u64);
    slots.extend([
        Slot::InputAt { binding: 3, index: 1 },
        Slot::Trouble,
        Slot::Output,
        Slot::Scratch { binding: 7, index: told },
        Slot::Scratch { binding: 8, index: taken },
    ]);
    let kernel = chained_kernel(gpu.capabilities(), precision, options.across(), division, precache);
    let params = Params { workgroups: workgroups as u32, invert_from, ..params };
    program.steps.push(Step { kernel, params, workgroups, slots });
    program
}

fn launch_synced(
    gpu: &Gpu,
    precision: Precision,
    shape: &Shape,
    policy: LaunchSyncedPolicy,
    panels: Panels,
) -> Program {
    let LaunchSyncedPolicy { block, threads, columns, rows } = policy;
    let division = Division { block, threads, columns };
    let mut program = program(shape);
    if shape.n == 0 {
        return program;
    }
    let params = params(gpu, shape, division, panels);
    for launch in 0..params.blocks.div_ceil(rows) {
        let behind = if launch == 0 { 0 } else { params.blocks.saturating_sub((launch + 1) * rows) };
        let workgroups = (1 + u64::from(behind)) * u64::from(params.problems);
        let mut slots = panels.slots(precision, shape.matrix_len().unwrap_or(0) as u64);
        slots.extend([Slot::InputAt { binding: 3, index: 1 }, Slot::Trouble, Slot::Output]);
        let params = Params { workgroups: workgroups as u32, launch, rows_each: rows, ..params };
        program.steps.push(Step { kernel: KernelId::LaunchSynced(division), params, workgroups, slots });
    }
    program
}

/// Half a matrix and two vectors.
fn program(shape: &Shape) -> Program {
    Program { values_per_row: (shape.n as f64 + 1.0) / 2.0 + 2.0 * shape.columns as f64, ..Program::default() }
}

/// The form of a plan's kernels, for inputs apart from x.
pub(super) fn form(options: &Options, panels: bool, whole_units: bool) -> Form {
    Form {
        across: options.across(),
        reversed: options.reversed(),
        unit_diagonal: options.diag == super::options::Diag::Unit,
        whole_units,
        panels,
        ..Form::default()
    }
}
