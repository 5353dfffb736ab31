//! Tree partitioning reduction in the three stages of the paper (`shaders/tridiagonal/tpr*.wgsl`).

use super::Algorithm;
use super::cyclic::policy::{ROW_VALUES, capacity};
use super::cyclic::{self, CyclicPolicy};
use super::{Divide, PlanRequest};
use crate::error::{Error, Result};
use crate::gpu::Capabilities;
use crate::plan::{OFF_ON, POWERS_TO_1024, Params, Slot, Tree, check_memory, check_workgroup, chunks_over, policy};
use crate::precision::Precision;
use crate::shader::{Part, Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Level, Program, Properties};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};
use crate::tridiagonal::options::Stability;

/// Rows that a thread may take (P).
pub const ROWS: [u32; 3] = [2, 4, 8];
/// Rows per slice (S) of [`Stability::Stable`], as in section 5.2 of the paper.
pub const STABLE_SLICE: u32 = 2048;

policy! {
    /// How [`Algorithm::Tpr`](super::Algorithm::Tpr) divides its work: the paper's S, L and (L_x, L_y).
    ///
    /// A. P. Diéguez, M. Amor, R. Doallo, "Tree Partitioning Reduction: A New Parallel Partition Method for Solving Tridiagonal Systems",
    /// ACM TOMS 45 (2019). [`cpu::tree_partitioning`](crate::cpu::tree_partitioning) describes the method with the paper's example of N =
    /// 16 and S = 4; `tests/tree_partitioning.rs` follows it step by step.
    ///
    /// N rows form slices of S rows (`TprPolicy::slice`). A slice has L threads (`threads`) of P = S / L rows each. The overall reduction
    /// of M = N / S rows has L_x threads per problem (`overall_threads`) and L_y problems per workgroup (`overall_systems`).
    ///
    /// | stage | who | what | f32 bytes per row |
    /// | --- | --- | --- | --- |
    /// | 1 | a workgroup per slice | log2 S steps of both sub-systems: the first log2 P within a thread, the next through workgroup memory, the last with shuffles | reads 16, writes 6 |
    /// | 2 | L_y problems per workgroup | the intermediate step, as the slices' ends are read; cyclic reduction of the M = N/S rows and back | 80 a slice |
    /// | 3 | a workgroup per slice | log2 S steps back | reads 22, writes 4 |
    ///
    /// 48 bytes per row in all: at best 75% of the speed of the partition, whose two passes move 36. As in section 4.3 of the paper, stage
    /// 1 keeps the odd rows in their reduced form (rows count from 0; in the paper, which counts from 1, these are the even rows). Stage 3
    /// reads the even rows again. The caller's vectors are not overwritten: the odd rows go to scratch, as three numbers without their
    /// dominance. Systems of any size have full slices: rows x = 0 follow the last row. A system of one slice takes one dispatch, 20 bytes
    /// per row. If there are more slices than a workgroup's memory holds rows, the same three stages solve them as a system of M rows.
    TprPolicy {
        /// Rows per slice (S). If systems lie closer than rows, a workgroup divides them among slices of 8 systems.
        slice: u32 in &[4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
        /// Threads per slice (L): S / 2, S / 4 or S / 8.
        threads: u32 in &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
        /// Threads per problem of the overall reduction (L_x).
        overall_threads: u32 in POWERS_TO_1024;
        /// Problems per workgroup of the overall reduction (L_y).
        overall_systems: u32 in POWERS_TO_1024;
        /// The last steps of a slice use shuffles, if there are subgroups and rows lie closer than systems.
        shuffles: bool in OFF_ON;
    }
}

/// Neighbouring systems per workgroup: they fill a memory sector.
const SYSTEMS_ABREAST: u32 = 8;

/// [`Error::Options`], [`Error::Limit`] if a policy cannot run.
fn check(capabilities: &Capabilities, precision: Precision, policy: TprPolicy) -> Result<()> {
    let TprPolicy { slice, threads, overall_threads, overall_systems, shuffles: _ } = policy;
    if !ROWS.iter().any(|rows| rows * threads == slice) {
        return Err(Error::Options(format!(
            "a slice of {slice} rows for {threads} threads: slice / threads, the rows that a thread takes, should be one of \
             {ROWS:?}"
        )));
    }
    check_workgroup(capabilities, "threads of the policy of TPR", threads)?;
    check_workgroup(
        capabilities,
        "overall_threads x overall_systems of the policy of TPR",
        overall_threads * overall_systems,
    )?;
    // A row of both sub-systems per thread.
    let bytes = 2 * u64::from(threads) * ROW_VALUES * precision.bytes();
    check_memory(capabilities, "the memory of a slice of TPR", bytes)
}

/// The slices of a workgroup at one level, and the number of slices per problem.
fn slicing(capabilities: &Capabilities, policy: TprPolicy, params: &Params) -> (Slices, u32) {
    let rows = policy.slice / policy.threads;
    let threads = chunks_over(rows, policy.threads, SYSTEMS_ABREAST, params);
    let threads = if policy.shuffles { threads.with_shuffles(capabilities.subgroup_lanes) } else { threads };
    let slices = Slices { rows, threads };
    (slices, params.n.div_ceil(slices.slice_rows()))
}

impl Divide for TprPolicy {
    /// Table 4 of the paper: P = 2, S = 128, or the least larger S that lets one workgroup hold the rows of the overall reduction (2048 at
    /// the most), with L_x = M / 2 as in its text, up to 256; `Stable` takes S = 2048, as in section 5.2, and P = 8.
    fn default_for(request: &PlanRequest<'_>) -> Self {
        let &PlanRequest { capabilities, precision, stability, ref params, .. } = request;
        let held = capacity(capabilities, precision).min(2048);
        let slice = match stability {
            Stability::Stable => STABLE_SLICE,
            Stability::Fastest => {
                [128, 256, 512, 1024].into_iter().find(|s| params.n.div_ceil(*s) <= held).unwrap_or(2048)
            }
        };
        let most = ROWS[ROWS.len() - 1];
        let fewest = |at: usize| match stability {
            // More rows per thread are faster (benches/results/tpr-log.md).
            Stability::Stable => ROWS[ROWS.len() - 1 - at],
            Stability::Fastest => ROWS[at],
        };
        let threads = (0..ROWS.len()).map(|at| slice / fewest(at)).find(|&threads| {
            let policy = TprPolicy { slice, threads, overall_threads: 1, overall_systems: 1, shuffles: false };
            check(capabilities, precision, policy).is_ok()
        });
        let overall = params.n.div_ceil(slice);
        let overall_threads = (overall / 2).next_power_of_two().clamp(2, 256);
        let overall_systems = (64 / overall_threads).max(1).min(params.problems.next_power_of_two());
        TprPolicy { slice, threads: threads.unwrap_or(slice / most), overall_threads, overall_systems, shuffles: true }
    }

    fn program(self, request: &PlanRequest<'_>) -> Result<Program> {
        let &PlanRequest { capabilities, precision, params, .. } = request;
        check(capabilities, precision, self)?;
        let mut program = Program::default();
        let (slices, count) = slicing(capabilities, self, &params);
        if count == 1 {
            let workgroups = params.problems.div_ceil(slices.threads.problems());
            program.values_per_row = 5.0;
            program.push(
                TprKernel::Whole { slices },
                params,
                workgroups.into(),
                &[Slot::Inputs, Slot::Status, Slot::Output],
            );
            return Ok(program);
        }
        // Rows are read twice; their odd half is written and read again; so are the ends and the last unknown of each slice.
        program.values_per_row = 12.0 + 20.0 / f64::from(slices.slice_rows());
        let mut stages = Stages { program: &mut program, capabilities, precision, policy: self };
        stages.add(params, Level::Caller, &[Slot::Inputs], &[Slot::Status, Slot::Output]);
        Ok(program)
    }
}

struct Stages<'a> {
    program: &'a mut Program,
    capabilities: &'a Capabilities,
    precision: Precision,
    policy: TprPolicy,
}

impl Stages<'_> {
    /// Adds the stages for the rows of a level: kernels read the level through `rows` and write its unknowns through `solved`.
    fn add(&mut self, params: Params, level: Level, rows: &[Slot], solved: &[Slot]) {
        let &mut Self { capabilities, precision, policy, .. } = self;
        let (slices, count) = slicing(capabilities, policy, &params);
        let workgroups = u64::from(params.problems.div_ceil(slices.threads.problems())) * u64::from(count);
        let here = Params { slices: count, ..params };
        let in_all = u64::from(params.problems) * u64::from(count);
        let odd_rows = workgroups * u64::from(slices.threads.workgroup) * u64::from(slices.rows / 2);
        let bytes = precision.bytes();
        let kept = Slot::Scratch { binding: 7, index: self.program.scratch(odd_rows * 3 * bytes) };
        let ends = self.program.scratch(in_all * 2 * ROW_VALUES * bytes);
        let x_ends = self.program.scratch(in_all * bytes);
        let stage_1 = [rows, &[kept, Slot::Scratch { binding: 8, index: ends }]].concat();
        self.program.push(TprKernel::Reduce { level, slices }, here, workgroups, &stage_1);

        let overall = Params { n: count, ..params };
        let joined = Slot::Scratch { binding: 1, index: ends };
        let ends_solved = Slot::Scratch { binding: 6, index: x_ends };
        if count <= capacity(capabilities, precision) {
            let TprPolicy { overall_threads: threads, overall_systems: systems, .. } = policy;
            // Cyclic reduction of all rows, without the parallel form.
            let chosen = (Algorithm::Cr, CyclicPolicy { threads, systems, ..CyclicPolicy::PLAIN });
            let slots = [joined, ends_solved];
            cyclic::on_chip(self.program, capabilities, precision, chosen, overall, Level::Joined, &slots);
        } else {
            self.add(overall, Level::Joined, &[joined], &[ends_solved]);
        }

        let stage_3 = [rows, solved, &[kept, Slot::Scratch { binding: 8, index: x_ends }]].concat();
        self.program.push(TprKernel::Substitute { level, slices }, here, workgroups, &stage_3);
    }
}

parts! {
    TPR_OWN_SOURCE = "tridiagonal/tpr_own_source";
    TPR_MEMORY = "tridiagonal/tpr_memory";
    TPR_SHUFFLES = "tridiagonal/tpr_shuffles";
    TPR_PUT_ROWS = "tridiagonal/tpr_put_rows";
    TPR_PUT_LEVEL = "tridiagonal/tpr_put_level";
    TPR = "tridiagonal/tpr";
    TPR_REDUCE = "tridiagonal/tpr_reduce";
    TPR_SUBSTITUTE = "tridiagonal/tpr_substitute";
}

/// A workgroup's slices in tree partitioning reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slices {
    /// Rows per thread (P).
    pub rows: u32,
    /// The threads of a slice; they use shuffles in the last steps.
    pub threads: Tree,
}

impl Slices {
    /// Rows per slice (S).
    pub fn slice_rows(self) -> u32 {
        self.rows * self.threads.chunks()
    }

    /// Rows of both sub-systems that pass through workgroup memory.
    pub fn held(self) -> u32 {
        if self.threads.log_run > 0 && self.threads.log_chunks <= self.threads.log_run {
            1
        } else {
            2 * self.threads.workgroup
        }
    }

    /// The module that reduces rows of several threads.
    fn together(self) -> Part {
        if self.threads.log_run > 0 { TPR_SHUFFLES } else { TPR_MEMORY }
    }

    pub fn constants(self) -> Vec<(&'static str, u32)> {
        vec![("HALF", self.rows / 2), ("ROW_STEPS", self.rows.ilog2() - 1), ("KEPT", 3 * self.rows / 2)]
    }

    pub fn overrides(self) -> Vec<(&'static str, u32)> {
        [self.threads.place_overrides(), vec![("HELD", self.held())]].concat()
    }
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TprKernel {
    /// Systems that are one slice.
    Whole { slices: Slices },
    /// Stage 1.
    Reduce { level: Level, slices: Slices },
    /// Stage 3.
    Substitute { level: Level, slices: Slices },
}

impl Kernel for TprKernel {
    fn properties(self) -> Properties {
        match self {
            Self::Whole { slices } => Properties::new(true, slices.threads.log_run > 0, slices.rows >= 4),
            Self::Reduce { level, slices } | Self::Substitute { level, slices } => {
                let whole = level == Level::Caller && slices.rows >= 4;
                Properties::new(level != Level::Joined, slices.threads.log_run > 0, whole)
            }
        }
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let caller = &with.caller[..];
        let (Self::Whole { slices } | Self::Reduce { slices, .. } | Self::Substitute { slices, .. }) = self;
        let constants = [with.row_constants(slices.rows, slices.rows), slices.constants()].concat();
        let together = slices.together();
        let (kernel, parts) = match self {
            Self::Whole { .. } => (
                "tpr",
                [
                    caller,
                    &[with.load, FAULT, OWN_ROWS, together],
                    &with.stores(slices.threads),
                    &[TPR_PUT_ROWS, TPR, ENTRY],
                ]
                .concat(),
            ),
            Self::Reduce { level, .. } => {
                let own = match level {
                    Level::Caller => [caller, &[with.load, OWN_ROWS]].concat(),
                    Level::Scratch | Level::Joined => [&with.source(level)[..], &[TPR_OWN_SOURCE]].concat(),
                };
                ("tpr_reduce", [&own[..], &[together, TPR_REDUCE, ENTRY]].concat())
            }
            Self::Substitute { level, .. } => {
                let own = match level {
                    Level::Caller => {
                        let stores = with.stores(slices.threads);
                        [caller, &[with.load, FAULT, OWN_ROWS], &stores, &[TPR_PUT_ROWS]].concat()
                    }
                    Level::Scratch | Level::Joined => {
                        [&with.source(level)[..], &[TPR_OWN_SOURCE, with.sink(level), TPR_PUT_LEVEL]].concat()
                    }
                };
                ("tpr_substitute", [&own[..], &[together, TPR_SUBSTITUTE, ENTRY]].concat())
            }
        };
        with.permutation(kernel, parts, constants, slices.overrides())
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let mut kernels = Vec::new();
        for (rows, threads) in ROWS.into_iter().flat_map(|rows| all::trees().map(|tree| (rows, tree))) {
            let slices = Slices { rows, threads };
            kernels.push(Self::Whole { slices });
            for level in [Level::Caller, Level::Joined] {
                kernels.extend([Self::Reduce { level, slices }, Self::Substitute { level, slices }]);
            }
        }
        kernels.into_iter().map(|kernel| (kernel, vec![Gate::Open])).collect()
    }
}
