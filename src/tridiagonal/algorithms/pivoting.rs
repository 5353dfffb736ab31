//! Pivoting: recursive partitions with partial pivoting (`shaders/tridiagonal/pivoting_*.wgsl`).
//!
//! A thread takes a partition of M rows and eliminates its inner unknowns from above and from below. Two rows remain and go to workgroup
//! memory. There M rows form a partition again; two threads eliminate it, one from each side. This repeats until a slice has two rows left.
//! The slices' rows form a coarse system in scratch (32 bytes per slice in f32), solved in the same way. A second pass over the rows starts
//! from its unknowns (8 bytes per slice): it eliminates again, and on every level substitutes from the side with the stronger pivots. If
//! neither side has strong pivots, the inner unknowns of a partition are solved from all its rows, once its ends are known. Nothing else is
//! kept, and row exchanges cause no divergent branches.
//!
//! A periodic system is a ring on every level: the first slice and the last are neighbours. The two rows left at the top couple their
//! unknowns to each other from both sides (`pivoting_closed.wgsl`).
//!
//! If a slice is a whole system and four rows are left at the top, they are solved at once (`pivoting_top.wgsl`).
//!
//! Rows are scaled by powers of two on every level, so pivots are compared as scaled ones.

use wgpu::Limits;

use super::partition::Slicing;
use super::{Divide, PlanRequest, WORKGROUPS};
use crate::error::Result;
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, Params, Slot, Tree, check_workgroup, policy};
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Level, Program, Properties, loaded, row_constants};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};

/// Rows of a partition, on all levels.
pub const ROWS: [u32; 2] = [8, 16];

policy! {
    /// How [`Algorithm::Pivoting`](super::Algorithm::Pivoting) divides its work.
    PivotingPolicy {
        /// Most threads per workgroup: the number of threads of a slice is a power of half the rows of a partition.
        workgroup: u32 in WORKGROUPS;
        /// Rows per partition and per thread (M in the paper), on all levels.
        rows: u32 in &ROWS;
        /// Most neighbouring systems per workgroup, if systems lie closer than rows.
        lanes: u32 in &[1, 2, 4, 8, 16, 32, 64];
        /// Neighbouring threads store together by shuffles, if there are subgroups and rows lie closer than systems.
        shuffles: bool in OFF_ON;
    }
}

/// Numbers of a row.
const ROW_VALUES: u64 = 4;
/// Least rows per slice, if there are several slices: the two rows and unknowns of each take 10 numbers of scratch.
const LEAST_SLICE: u32 = 128;

fn fits(limits: &Limits, precision: Precision, rows: u32, tree: Tree) -> bool {
    tree.workgroup <= limits.max_compute_invocations_per_workgroup
        && tree.workgroup <= limits.max_compute_workgroup_size_x
        // The coarse rows, and one pivot per thread.
        && (u64::from(tree.coarse_nodes(rows)) * ROW_VALUES + u64::from(tree.workgroup)) * precision.bytes()
            <= u64::from(limits.max_compute_workgroup_storage_size)
}

/// Slices of a system.
fn slicing(
    capabilities: &Capabilities,
    precision: Precision,
    policy: PivotingPolicy,
    params: &Params,
    variant: Variant,
) -> Slicing {
    let PivotingPolicy { workgroup, rows, lanes, shuffles } = policy;
    let limits = &capabilities.limits;
    let systems_first = params.systems_first();
    let problems = params.problems.next_power_of_two();
    let tree = |log_chunks, log_problems: u32| {
        let tree = Tree { workgroup: 1u32 << (log_problems + log_chunks), log_chunks, systems_first, log_run: 0 };
        if shuffles { tree.with_shuffles(capabilities.subgroup_lanes) } else { tree }
    };
    // Systems side by side: fewer than 8 would waste most of each memory sector.
    let least_problems = if systems_first { problems.min(8) } else { 1 };
    // A ring needs an even number of rows; pivoting_closed.wgsl fills it up.
    let n = if variant.closed { params.n.next_multiple_of(2) } else { params.n };
    let log_chunks = n.div_ceil(rows).next_power_of_two().ilog2();
    let most = (workgroup >> log_chunks).min(if systems_first { lanes } else { workgroup }).min(problems);
    let whole = (0..=most.max(1).ilog2()).rev().map(|log_problems| tree(log_chunks, log_problems));
    let whole = whole.filter(|tree| tree.problems() >= least_problems && tree.workgroup <= workgroup);
    if let Some(tree) = whole.into_iter().find(|&tree| fits(limits, precision, rows, tree)) {
        return Slicing { tree, slices: 1 };
    }
    let most = if systems_first { least_problems.max(lanes.min(problems)) } else { 1 };
    // The least slice that keeps scratch small, for any workgroup size.
    let least = LEAST_SLICE.div_ceil(rows).next_power_of_two().ilog2();
    let held = |log_chunks| {
        (0..=most.ilog2())
            .rev()
            .map(|log_problems| tree(log_chunks, log_problems))
            .find(|&tree| (tree.workgroup <= workgroup || log_chunks == least) && fits(limits, precision, rows, tree))
    };
    let found = (least..=10).rev().filter_map(held).find(|tree| tree.problems() >= least_problems);
    let tree = found.or_else(|| held(least)).unwrap_or_else(|| tree(least, 0));
    Slicing { tree, slices: n.div_ceil(tree.chunks() * rows) }
}

/// The policy for coarse systems: one workgroup solves a whole system if it fits.
const LEVEL_POLICY: PivotingPolicy = PivotingPolicy { workgroup: 256, rows: 8, lanes: 1, shuffles: false };

impl Divide for PivotingPolicy {
    /// The policy that measured best on an H200 (benches/results/pivoting-log.md).
    fn default_for(request: &PlanRequest<'_>) -> Self {
        let (limits, params) = (&request.capabilities.limits, &request.params);
        let policy = |workgroup, lanes| Self { workgroup, rows: 8, lanes, shuffles: true };
        let rows_in_all = u64::from(params.n) * u64::from(params.problems);
        let largest = limits.max_compute_invocations_per_workgroup.min(256);
        if params.systems_first() {
            // Systems longer than 256 rows: slices of 128 rows, of 16 systems.
            return policy(if params.n > 256 { largest.min(128) } else { largest }, 16);
        }
        match params.n {
            // Two systems of 512 rows, or as many threads as a whole system takes.
            ..=2048 => policy(params.n.div_ceil(8).next_power_of_two().clamp(128, 256).min(largest), 1),
            // As few slices as fill a device.
            _ if rows_in_all <= 1 << 21 => policy(largest, 1),
            _ => policy(64, 1),
        }
    }

    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        let variant = request.variant();
        check_workgroup(capabilities, "the pivoting policy's workgroup", self.workgroup)?;
        let mut program = Program::default();
        let Slicing { tree, slices } = slicing(capabilities, precision, self, &params, variant);
        program.values_per_row = if slices == 1 { 5.0 } else { 9.0 + 20.0 / f64::from(tree.chunks() * self.rows) };
        let slots = [&[Slot::Inputs][..], &[Slot::Status, Slot::Output]];
        passes(&mut program, capabilities, precision, (Level::Caller, self, variant), params, slots);
        Ok(program)
    }
}

/// Adds the passes over a level's rows, and the levels above between them.
fn passes(
    program: &mut Program,
    capabilities: &Capabilities,
    precision: Precision,
    (level, policy, variant): (Level, PivotingPolicy, Variant),
    params: Params,
    [rows_in, x_out]: [&[Slot]; 2],
) {
    let base = slicing(capabilities, precision, policy, &params, variant);
    let Slicing { tree, slices } = base;
    let (here, workgroups) = base.params(&params);
    let rows = policy.rows;
    let solve = PivotingKernel::Solve { level, rows, tree, variant, whole: slices == 1 };
    if slices == 1 {
        let none = Slot::Scratch { binding: 7, index: program.scratch(2 * precision.bytes()) };
        program.push(solve, here, workgroups, &[rows_in, x_out, &[none]].concat());
        return;
    }
    let coarse = 2 * u64::from(params.problems) * u64::from(slices);
    let ends = program.scratch(coarse * ROW_VALUES * precision.bytes());
    let x = program.scratch(coarse * precision.bytes());
    let reduce = PivotingKernel::Reduce { level, rows, tree, variant };
    program.push(reduce, here, workgroups, &[rows_in, &[Slot::Scratch { binding: 6, index: ends }]].concat());
    let above = params.coarse(2 * slices);
    let found = [Slot::Status, Slot::Scratch { binding: 6, index: x }];
    let slots = [&[Slot::Scratch { binding: 8, index: ends }][..], &found[..]];
    passes(program, capabilities, precision, (Level::Scratch, LEVEL_POLICY, variant), above, slots);
    let beside = Slot::Scratch { binding: 7, index: x };
    program.push(solve, here.with_neighbours(true), workgroups, &[rows_in, x_out, &[beside]].concat());
}

parts! {
    SCALE_F32 = "tridiagonal/scale_f32";
    SCALE_F64 = "tridiagonal/scale_f64";
    PIVOTING_DETECT = "tridiagonal/pivoting_detect";
    PIVOTING_SINGULAR = "tridiagonal/pivoting_singular";
    PIVOTING_OPEN = "tridiagonal/pivoting_open";
    PIVOTING_CLOSED = "tridiagonal/pivoting_closed";
    PIVOTING_RISE = "tridiagonal/pivoting_rise";
    PIVOTING_FALL = "tridiagonal/pivoting_fall";
    PIVOTING_ROWS = "tridiagonal/pivoting_rows";
    PIVOTING_LEVEL = "tridiagonal/pivoting_level";
    PIVOTING_PUT = "tridiagonal/pivoting_put";
    PIVOTING_PUT_LEVEL = "tridiagonal/pivoting_put_level";
    PIVOTING_REDUCE = "tridiagonal/pivoting_reduce";
    PIVOTING_SOLVE = "tridiagonal/pivoting_solve";
}

/// Variants of the pivoting kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Variant {
    /// Singular partitions are mended.
    pub mending: bool,
    /// Periodic systems are solved directly.
    pub closed: bool,
}

impl Variant {
    /// The files that fill its two roles.
    pub fn parts(self) -> [Part; 2] {
        [
            if self.mending { PIVOTING_SINGULAR } else { PIVOTING_DETECT },
            if self.closed { PIVOTING_CLOSED } else { PIVOTING_OPEN },
        ]
    }

    /// The override that it sets.
    pub fn overrides(self) -> Option<(&'static str, u32)> {
        self.closed.then_some(("CLOSED", 1))
    }
}

impl Tree {
    /// Rows left at the top by partitions of `rows` rows.
    pub fn rows_at_top(self, rows: u32) -> u32 {
        let mut count = 2 * self.chunks();
        while count >= rows {
            count = 2 * (count / rows);
        }
        count
    }

    /// Number of levels, of partitions of `rows` rows, below a level of `top` rows, and the place where that level begins, as
    /// `pivoting_tree.wgsl` lays them out; `partial`: short levels are filled up.
    pub fn levels_below(self, rows: u32, top: u32, partial: bool) -> [u32; 2] {
        let (mut count, mut start, mut levels) = (2 * self.chunks(), 0, 0);
        while count > top {
            let filled = if partial && count > 2 { count.max(rows) } else { count };
            start += self.problems() * (filled + (filled - 1) / rows);
            levels += 1;
            count = 2 * (count / rows).max(1);
        }
        [levels, start]
    }

    /// Most rows of all levels above partitions of `rows` rows, as `pivoting_tree.wgsl` lays them out.
    pub fn coarse_nodes(self, rows: u32) -> u32 {
        // Above the lower levels: two rows per problem, and the unknowns beside its slice.
        let [_, top] = self.levels_below(rows, 2, true);
        top + 3 * self.problems()
    }
}

/// The kernels, for partitions of `rows` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PivotingKernel {
    Reduce {
        level: Level,
        rows: u32,
        tree: Tree,
        variant: Variant,
    },
    Solve {
        level: Level,
        rows: u32,
        tree: Tree,
        variant: Variant,
        /// A slice is all of its system.
        whole: bool,
    },
}

impl Kernel for PivotingKernel {
    fn properties(self) -> Properties {
        let (Self::Reduce { level, tree, variant, .. } | Self::Solve { level, tree, variant, .. }) = self;
        let shuffles = matches!(self, Self::Solve { .. }) && tree.log_run > 0;
        let properties = Properties::new(level != Level::Scratch, shuffles, level == Level::Caller);
        Properties { closes_rings: variant.closed, ..properties }
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let scale = match precision {
            Precision::F32 => SCALE_F32,
            Precision::F64 => SCALE_F64,
        };
        let partitioned = |level| match level {
            Level::Caller => [&with.caller[..], &[with.load, scale, PIVOTING_ROWS]].concat(),
            Level::Scratch | Level::Joined => vec![PROBLEM, scale, PIVOTING_LEVEL],
        };
        match self {
            Self::Reduce { level, rows, tree, variant } => {
                let own = [VERDICT_OPEN, PIVOTING_RISE, PIVOTING_REDUCE, ENTRY];
                let parts = [&partitioned(level)[..], &variant.parts(), &own].concat();
                let overrides = overrides(rows, tree, variant, false);
                with.permutation("pivoting_reduce", parts, constants(precision, rows), overrides)
            }
            Self::Solve { level, rows, tree, variant, whole } => {
                let put = match level {
                    Level::Caller => [&[FAULT][..], &with.stores(tree), &[PIVOTING_PUT]].concat(),
                    Level::Scratch | Level::Joined => vec![PIVOTING_PUT_LEVEL],
                };
                let own = [VERDICT_OPEN, PIVOTING_FALL, PIVOTING_SOLVE, ENTRY];
                let parts = [&partitioned(level)[..], &put, &variant.parts(), &own].concat();
                let overrides = overrides(rows, tree, variant, whole);
                with.permutation("pivoting_solve", parts, constants(precision, rows), overrides)
            }
        }
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let follows = Gate::Follows { accepted: 12, followers: 5, reports: false };
        let mut kernels = Vec::new();
        for level in [Level::Caller, Level::Scratch] {
            let solves = match level {
                Level::Caller => vec![Gate::Open, follows, Gate::Takes { accepted: 12 }],
                Level::Scratch | Level::Joined => vec![Gate::Open, follows],
            };
            for (rows, [mending, closed]) in ROWS.into_iter().flat_map(|rows| SWITCHES.map(|switches| (rows, switches)))
            {
                let variant = Variant { mending, closed };
                kernels.push((Self::Reduce { level, rows, tree: all::TREE, variant }, vec![Gate::Open, follows]));
                // Of 16 rows this tree leaves four at the top.
                let solve = |tree| Self::Solve { level, rows, tree, variant, whole: true };
                kernels.extend([all::TREE, all::TREE.with_shuffles(8)].map(|tree| (solve(tree), solves.clone())));
            }
        }
        kernels
    }
}

#[cfg(feature = "internals")]
const SWITCHES: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

fn constants(precision: Precision, rows: u32) -> Vec<(&'static str, u32)> {
    let own = [("INNER", rows - 2), ("PAIRS", rows / 2), ("LOG_STEP", (rows / 2).ilog2())];
    [&row_constants(precision, rows, loaded(rows))[..], &own].concat()
}

/// `whole` where slices are all of their systems, so that the top may be solved from more than two rows.
fn overrides(rows: u32, tree: Tree, variant: Variant, whole: bool) -> Vec<(&'static str, u32)> {
    let top = tree.rows_at_top(rows);
    // A ring's first and last row tie each other, and of more rows there is a partition to be had.
    let solved = whole && !variant.closed && top <= 4;
    let partial = top > 2 && !solved;
    let top = if solved { top } else { 2 };
    let [levels, start] = tree.levels_below(rows, top, partial);
    let own = [
        ("NODES", tree.coarse_nodes(rows)),
        ("PARTIAL", partial.into()),
        ("TOP", top),
        ("LEVELS", levels),
        ("TOP_START", start),
    ];
    tree.place_overrides().into_iter().chain(own).chain(variant.overrides()).collect()
}
