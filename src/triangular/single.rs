//! A system in one workgroup (`shaders/triangular/single*.wgsl`).

use super::kernels::{ENTRY, LOAD_SCALAR, LOAD_UNITS, PROBLEM, TriangularAccess};
use super::policy::SinglePolicy;
use crate::error::{Error, Result};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};

/// Columns per step.
pub(super) const STEP: u32 = 8;
/// More rows than any device's workgroup can hold.
const MOST_ROWS: u32 = 1 << 16;
/// Steps that a thread's registers can hold.
const MOST_STEPS: u32 = 8;

parts! {
    SINGLE = "triangular/single";
    SINGLE_REGISTERS = "triangular/single_registers";
    SINGLE_WORKGROUP = "triangular/single_workgroup";
}

/// Checks that a policy's numbers are compatible.
pub(super) fn check(policy: SinglePolicy) -> Result<()> {
    let SinglePolicy { groups, precache, run, runs, .. } = policy;
    let wrong = |what: &str| Err(Error::Options(what.into()));
    match precache {
        1 if groups < 2 => wrong("groups=1 with precache=1: workgroup memory needs a group that loads"),
        1 if run * runs > 1 => wrong("run and runs are of registers: with precache=1 they are 1"),
        _ if run * runs > MOST_STEPS => {
            wrong("run times runs should be 8 at the most, for which threads have registers")
        }
        _ => Ok(()),
    }
}

/// The division of n rows by a policy.
pub(super) fn whole(n: u32, policy: SinglePolicy) -> Whole {
    let SinglePolicy { groups, columns, precache, run, runs } = policy;
    let keeping = if precache == 1 { Keeping::Workgroup } else { Keeping::Registers { run, runs } };
    let rows = n.clamp(32, MOST_ROWS).next_power_of_two();
    Whole { rows, groups, columns, keeping }
}

/// The default for `columns` right-hand sides at once.
pub(super) fn default_policy(columns: u32) -> SinglePolicy {
    SinglePolicy { groups: 1, columns, precache: 2, run: 1, runs: 1 }
}

/// Steps of a chunk of 32 rows, and two before it.
const NEAR_STEPS: u32 = 6;

/// How a workgroup divides its system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Whole {
    /// Rows that the workgroup can hold.
    pub rows: u32,
    /// Threads per row.
    pub groups: u32,
    /// Right-hand sides at once.
    pub columns: u32,
    pub keeping: Keeping,
}

/// The place where a workgroup keeps the matrix before use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Keeping {
    Workgroup,
    /// Registers: runs of steps per thread.
    Registers {
        run: u32,
        runs: u32,
    },
}

impl Whole {
    pub fn threads(self) -> u32 {
        self.rows * self.groups
    }

    /// Threads per row that multiply.
    fn parts(self) -> u32 {
        if self.keeping == Keeping::Workgroup { 1 } else { self.groups }
    }

    /// Numbers of two steps.
    fn eights(self) -> u32 {
        16 * self.columns
    }

    fn sums(self) -> u32 {
        self.parts() * self.rows * self.columns
    }

    pub fn memory(self, precision: Precision) -> u64 {
        let diagonals = self.rows * (8 + 16 / precision.bytes() as u32);
        let panels = if self.keeping == Keeping::Workgroup { 16 * self.rows } else { 0 };
        let numbers = diagonals + self.rows + 2 * self.eights() + self.sums() + panels;
        u64::from(numbers) * precision.bytes() + 16
    }

    pub fn permutation(self, precision: Precision, form: TriangularAccess) -> Permutation {
        let bytes = precision.bytes() as u32;
        // Each thread loads rows that lie along memory on its own: only columns are read in units.
        let whole_units = form.whole_units && form.across;
        let load = if whole_units { LOAD_UNITS } else { LOAD_SCALAR };
        let width = if whole_units { 16 / bytes } else { 1 };
        let mut constants = vec![
            ("BLOCK", STEP),
            ("THREADS", self.threads()),
            ("ROWS", self.rows),
            ("PARTS", self.parts()),
            ("COLUMNS", self.columns),
            ("WIDTH", width),
            ("EIGHT_LOADS", 8 / width),
            ("EIGHT", 8),
            ("EIGHT_UNITS", bytes / 2),
            ("RECIPROCALS", self.rows),
            ("EIGHTS", self.eights() * bytes / 16),
            ("ALL_SUMS", self.sums()),
            ("NEAR", 8 * NEAR_STEPS),
            ("NEAR_STEPS", NEAR_STEPS),
        ];
        let own = match self.keeping {
            Keeping::Workgroup => SINGLE_WORKGROUP,
            Keeping::Registers { run, runs } => {
                constants.extend([("RUN", run), ("RUNS", runs), ("STEPS", run * runs), ("HELD", 8 * run * runs)]);
                SINGLE_REGISTERS
            }
        };
        Permutation {
            kernel: "single",
            precision,
            writable_inputs: form.writable_inputs,
            subgroups: false,
            parts: vec![PROBLEM, load, SINGLE, own, ENTRY],
            constants,
            overrides: [vec![("WORKGROUP", self.threads())], form.overrides()].concat(),
            caller: None,
        }
    }
}
