//! Many right-hand sides of a system in one workgroup (`shaders/triangular/abreast.wgsl`).

use super::kernels::{ENTRY, LOAD_SCALAR, LOAD_UNITS, PROBLEM, TriangularAccess};
use super::policy::AbreastPolicy;
use super::shape::Shape;
use crate::error::{Result, check_limit};
use crate::precision::Precision;
use crate::shader::{Permutation, parts};

/// Rows of a block.
pub(super) const BLOCK: u32 = 16;
/// Most tiles per thread: its registers hold them.
const MOST_RUNS: u32 = 2;
/// Threads of a default policy, if they suffice for the rows.
const THREADS: u32 = 128;
/// Fewest right-hand sides for which auto takes abreast.
const FEWEST_COLUMNS: usize = 8;
/// Most rows for which auto takes it, in a batch of at least [`MANY`] systems.
const MOST_ROWS: usize = 512;
/// Most rows for which auto takes it in smaller batches.
const FEW_ROWS: usize = 64;
/// Fewest systems of a large batch.
const MANY: usize = 16;

parts! {
    ABREAST = "triangular/abreast";
    ABREAST_DOWN = "triangular/abreast_down";
    ABREAST_ACROSS = "triangular/abreast_across";
}

/// How a workgroup divides its system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Abreast {
    /// Right-hand sides.
    pub columns: u32,
    /// Blocks of 16 rows side by side; a thread has a tile of four rows and four right-hand sides.
    pub spans: u32,
    /// Tiles per thread.
    pub runs: u32,
}

/// Whether auto takes it without tuning.
pub(super) fn is_best(shape: &Shape) -> bool {
    let fits = shape.n <= FEW_ROWS || shape.n <= MOST_ROWS && shape.batch >= MANY;
    shape.columns >= FEWEST_COLUMNS && fits && !shape.is_trapezoid()
}

/// The division of n rows by a policy.
pub(super) fn division(n: usize, policy: AbreastPolicy) -> Abreast {
    let AbreastPolicy { columns, spans } = policy;
    let blocks = n.div_ceil(BLOCK as usize).clamp(1, u32::MAX as usize) as u32;
    Abreast { columns, spans, runs: blocks.div_ceil(spans) }
}

/// The policies to try first for a shape, from the largest workgroup on.
pub(super) fn policies(shape: &Shape) -> impl Iterator<Item = AbreastPolicy> {
    let blocks = shape.n.div_ceil(BLOCK as usize).next_power_of_two().min(16) as u32;
    let most = shape.columns.next_power_of_two().clamp(8, 64) as u32;
    [64, 32, 16, 8].into_iter().filter(move |&columns| columns <= most).map(move |columns| {
        let least = blocks.div_ceil(MOST_RUNS);
        AbreastPolicy { columns, spans: blocks.min((THREADS / columns).max(least)) }
    })
}

impl Abreast {
    pub fn threads(self) -> u32 {
        self.columns * self.spans
    }

    /// [`Error::Limit`](crate::Error::Limit) for more rows than the registers hold.
    pub fn check_registers(self, n: usize) -> Result<()> {
        let most = u64::from(MOST_RUNS * BLOCK * self.spans);
        check_limit("abreast's rows (chained takes any number)", n as u64, "32 rows per span", most)
    }

    /// Fours of numbers: two blocks of all right-hand sides.
    fn exchanged(self) -> u32 {
        2 * BLOCK / 4 * self.columns
    }

    /// Fours of entries in workgroup memory where rows lie along memory.
    fn panel(self) -> u32 {
        BLOCK * (BLOCK / 4 * self.spans + 2)
    }

    pub fn memory(self, precision: Precision, across: bool) -> u64 {
        let panel = if across { 4 * self.panel() } else { 0 };
        let numbers = panel + 4 * self.exchanged() + BLOCK * BLOCK + 2 * BLOCK;
        u64::from(numbers) * precision.bytes() + 16
    }

    pub fn permutation(self, precision: Precision, form: TriangularAccess) -> Permutation {
        let load = if form.whole_units { LOAD_UNITS } else { LOAD_SCALAR };
        let width = if form.whole_units { 16 / precision.bytes() as u32 } else { 1 };
        let threads = self.threads();
        Permutation {
            kernel: "abreast",
            precision,
            writable_inputs: form.writable_inputs,
            subgroups: false,
            parts: vec![PROBLEM, load, ABREAST, if form.across { ABREAST_ACROSS } else { ABREAST_DOWN }, ENTRY],
            constants: vec![
                ("BLOCK", BLOCK),
                ("THREADS", threads),
                ("COLUMNS", self.columns),
                ("SPANS", self.spans),
                ("RUNS", self.runs),
                ("WIDTH", width),
                ("FOUR", 4),
                ("SIXTEEN", BLOCK),
                ("FOUR_LOADS", 4 / width),
                ("SHARED_OUT", (BLOCK * BLOCK / 4).div_ceil(threads)),
                ("RECIPROCALS", BLOCK),
                ("EXCHANGED", self.exchanged()),
                ("SHARES", 16u32.div_ceil(self.columns)),
                ("PANEL", self.panel()),
            ],
            overrides: [vec![("WORKGROUP", threads)], form.overrides()].concat(),
            caller: None,
        }
    }
}
