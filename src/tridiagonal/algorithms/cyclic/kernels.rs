//! The kernels of cyclic reduction.

#[cfg(feature = "internals")]
use super::ITEMS;
use crate::precision::Precision;
use crate::shader::{Permutation, parts};
use crate::tridiagonal::kernels::parts::*;
use crate::tridiagonal::kernels::{Access, Assembly, Kernel, Level, Properties};
#[cfg(feature = "internals")]
use crate::tridiagonal::kernels::{Gate, all};

parts! {
    PARALLEL_WORKGROUP = "tridiagonal/parallel_workgroup";
    PARALLEL_SUBGROUP = "tridiagonal/parallel_subgroup";
    PARALLEL_LANES = "tridiagonal/parallel_lanes";
    PARALLEL_STEP = "tridiagonal/parallel_step";
    PARALLEL_FINISH = "tridiagonal/parallel_finish";
    CYCLIC_RUN = "tridiagonal/cyclic_run";
    CYCLIC_REDUCE = "tridiagonal/cyclic_reduce";
    CYCLIC_SUBSTITUTE = "tridiagonal/cyclic_substitute";
}

/// The threads of a workgroup of cyclic reduction, and the number of problems that share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threads {
    pub workgroup: u32,
    pub problems: u32,
    /// Neighbouring threads take neighbouring systems.
    pub systems_first: bool,
}

/// How the parallel part passes rows on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parallel {
    /// Through workgroup memory, `rows` per thread.
    Threads { rows: u32 },
    /// By shuffles among `span` lanes in each of `groups` subgroups per system, `rows` per lane.
    Lanes { rows: u32, span: u32, groups: u32 },
}

/// The kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CyclicKernel {
    /// Whole systems on chip.
    OnChip {
        level: Level,
        parallel: Parallel,
        threads: Threads,
        rows_held: u32,
        spread: bool,
    },
    Reduce {
        level: Level,
        workgroup: u32,
    },
    Substitute {
        level: Level,
        workgroup: u32,
    },
    ParallelStep {
        level: Level,
        workgroup: u32,
    },
    ParallelFinish {
        workgroup: u32,
    },
}

impl Kernel for CyclicKernel {
    fn properties(self) -> Properties {
        match self {
            Self::OnChip { level, parallel, .. } => {
                let shuffles = matches!(parallel, Parallel::Lanes { .. });
                Properties::new(level == Level::Caller, shuffles, false)
            }
            Self::Reduce { level, .. } | Self::Substitute { level, .. } | Self::ParallelStep { level, .. } => {
                Properties::new(level != Level::Scratch, false, false)
            }
            Self::ParallelFinish { .. } => Properties::new(true, false, false),
        }
    }

    fn permutation(self, precision: Precision, access: Access) -> Permutation {
        let with = Assembly::new(self.properties(), precision, access);
        let (kernel, parts, workgroup) = match self {
            Self::OnChip { level, parallel, threads, rows_held, spread } => {
                let mut overrides = vec![
                    ("WORKGROUP", threads.workgroup),
                    ("PROBLEMS", threads.problems),
                    ("SYSTEMS_FIRST", threads.systems_first.into()),
                    ("ROWS_HELD", rows_held),
                    ("SPREAD", spread.into()),
                ];
                let (parallel, constants) = match parallel {
                    Parallel::Threads { rows } => (PARALLEL_WORKGROUP, vec![("ITEMS", rows)]),
                    Parallel::Lanes { rows: 1, groups: 1, .. } => (PARALLEL_SUBGROUP, vec![]),
                    Parallel::Lanes { rows, span, groups } => {
                        overrides.extend([("SPAN", span), ("GROUPS", groups)]);
                        (PARALLEL_LANES, vec![("ITEMS", rows), ("LOG_ITEMS", rows.ilog2())])
                    }
                };
                let parts = [&with.source(level)[..], &[with.sink(level), parallel, CYCLIC_RUN, ENTRY]].concat();
                return with.permutation("cyclic", parts, constants, overrides);
            }
            Self::Reduce { level, workgroup } => {
                ("cyclic_reduce", [&with.source(level)[..], &[CYCLIC_REDUCE]].concat(), workgroup)
            }
            Self::Substitute { level, workgroup } => {
                let parts = [&with.source(level)[..], &[with.sink(level), CYCLIC_SUBSTITUTE]].concat();
                ("cyclic_substitute", parts, workgroup)
            }
            Self::ParallelStep { level, workgroup } => {
                ("parallel_step", [&with.source(level)[..], &[PARALLEL_STEP]].concat(), workgroup)
            }
            Self::ParallelFinish { workgroup } => {
                let parts = [&with.source(Level::Scratch)[..], &[SINK_X, PARALLEL_FINISH]].concat();
                ("parallel_finish", parts, workgroup)
            }
        };
        with.permutation(kernel, parts, vec![], vec![("WORKGROUP", workgroup)])
    }

    #[cfg(feature = "internals")]
    fn all() -> Vec<(Self, Vec<Gate>)> {
        let workgroup = all::WORKGROUP;
        let mut kernels = vec![Self::ParallelFinish { workgroup }];
        for level in [Level::Caller, Level::Scratch] {
            kernels.extend([
                Self::Reduce { level, workgroup },
                Self::Substitute { level, workgroup },
                Self::ParallelStep { level, workgroup },
            ]);
        }
        for level in [Level::Caller, Level::Scratch, Level::Joined] {
            let threads = Threads { workgroup, problems: 2, systems_first: false };
            let on_chip = |parallel| Self::OnChip { level, parallel, threads, rows_held: 256, spread: false };
            kernels.extend(ITEMS.map(|rows| on_chip(Parallel::Threads { rows })));
            kernels.push(on_chip(Parallel::Lanes { rows: 1, span: 4, groups: 1 }));
            kernels.extend(ITEMS.map(|rows| on_chip(Parallel::Lanes { rows, span: 4, groups: 2 })));
        }
        kernels.into_iter().map(|kernel| (kernel, vec![Gate::Open])).collect()
    }
}
