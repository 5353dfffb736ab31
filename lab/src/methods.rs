//! Steps and operations of the tridiagonal methods in the classic formulas: those of the references in [`trisolve::cpu`].

use trisolve::tridiagonal::{Algorithm, Policy};

/// A tridiagonal method with the division of its work.
///
/// A step is a set of updates that depend on the step before, but not on each other. In each method, one step only divides; in every other
/// step, rows are multiplied by results of the step before. `tests/operation_counts.rs` counts operations and steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// [`cpu::thomas`](trisolve::cpu::thomas).
    Thomas,
    /// [`cpu::cyclic_reduction`](trisolve::cpu::cyclic_reduction).
    Cr,
    /// [`cpu::parallel_cyclic_reduction`](trisolve::cpu::parallel_cyclic_reduction).
    Pcr,
    /// [`cpu::cr_pcr`](trisolve::cpu::cr_pcr).
    CrPcr {
        /// Most rows left to parallel cyclic reduction, at least 1.
        parallel: u64,
    },
    /// [`cpu::partition`](trisolve::cpu::partition).
    Partition {
        /// Rows per chunk, at least 1.
        rows: u64,
    },
    /// [`cpu::pivoting_partition`](trisolve::cpu::pivoting_partition).
    Pivoting {
        /// Rows per partition: even, at least 4.
        rows: u64,
    },
    /// [`cpu::tree_partitioning_reduction`](trisolve::cpu::tree_partitioning_reduction).
    Tpr {
        /// Rows per slice: a power of two, at least 2. Larger slices than the system count as the least power of two that holds it.
        slice: u64,
    },
    /// [`cpu::wang_mou`](fn@trisolve::cpu::wang_mou).
    WangMou,
}

/// The largest number of rows for which the counts fit u64.
pub const MOST_COUNTED_ROWS: usize = 1 << 48;

/// Counts that the TPR paper states in its table 1 and section 2.1, for powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublishedCounts {
    /// Steps of both phases.
    pub steps: u64,
    /// Operations; none for Thomas's algorithm.
    pub operations: Option<u64>,
}

/// ceil(log2 n).
fn log_up(n: u64) -> u64 {
    n.next_power_of_two().ilog2().into()
}

/// floor(log2 n).
fn log_down(n: u64) -> u64 {
    n.ilog2().into()
}

/// Steps of cyclic reduction until at most `parallel` rows are left, and the rows left.
fn reduced(n: u64, parallel: u64) -> (u64, u64) {
    let steps = (0..).find(|steps| n >> steps <= parallel).unwrap_or_default();
    (steps, n >> steps)
}

impl Method {
    /// The method that a plan's algorithm and policy follow. None for auto, which decides on the device, and scan, which has no reference.
    pub fn of(algorithm: Algorithm, policy: Policy) -> Option<Self> {
        Some(match (algorithm, policy) {
            (Algorithm::Thomas, _) => Self::Thomas,
            (Algorithm::Cr, _) => Self::Cr,
            (Algorithm::Pcr, _) => Self::Pcr,
            (Algorithm::CrPcr, Policy::Cyclic(policy)) => Self::CrPcr { parallel: policy.parallel.into() },
            (Algorithm::Partition, Policy::Partition(policy)) => Self::Partition { rows: policy.rows.into() },
            (Algorithm::Pivoting, Policy::Pivoting(policy)) => Self::Pivoting { rows: policy.rows.into() },
            (Algorithm::Tpr, Policy::Tpr(policy)) => Self::Tpr { slice: policy.slice.into() },
            (Algorithm::WangMou, _) => Self::WangMou,
            _ => return None,
        })
    }

    /// The method for machines without an adapter: the paper's S = 128, and common values.
    pub fn usual(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm {
            Algorithm::Thomas => Self::Thomas,
            Algorithm::Cr => Self::Cr,
            Algorithm::Pcr => Self::Pcr,
            Algorithm::CrPcr => Self::CrPcr { parallel: 32 },
            Algorithm::Partition => Self::Partition { rows: 8 },
            Algorithm::Pivoting => Self::Pivoting { rows: 8 },
            Algorithm::Tpr => Self::Tpr { slice: 128 },
            Algorithm::WangMou => Self::WangMou,
            Algorithm::Auto | Algorithm::Scan => return None,
        })
    }

    /// The division of the work for n rows, with its letter in [`Method::formulas`].
    pub fn parameter(self, n: usize) -> String {
        match self {
            Self::Thomas | Self::Cr | Self::Pcr | Self::WangMou => String::new(),
            Self::CrPcr { parallel } => format!("Q = {parallel}"),
            Self::Partition { rows } | Self::Pivoting { rows } => format!("R = {rows}"),
            Self::Tpr { slice } => format!("S = {}", slices(n as u64, slice).0),
        }
    }

    /// Steps and operations as formulas for powers of two.
    pub const fn formulas(self) -> [&'static str; 2] {
        match self {
            Self::Thomas => ["2n - 1", "8n - 7"],
            Self::Cr => ["2 log2 n + 1", "17(n - 1) - 8 log2 n + 1"],
            Self::Pcr => ["log2 n + 1", "12n log2 n - 11n + 12"],
            Self::CrPcr { .. } => ["2 log2 n - log2 Q + 1", "17(n - Q) - 8 log2(n/Q) + 12Q log2 Q - 11Q + 12"],
            Self::Partition { .. } => ["2R + 2 log2 C - 1, C = n/R", "17n + 23C - 8 log2 C - 2R - 45"],
            Self::Pivoting { .. } => [
                "2(R - 2) per level + 3; the levels have n, 2n/R, .. rows",
                "(44(R - 2) + 5) P + 11, P partitions on all levels",
            ],
            Self::Tpr { .. } => [
                "2 log2 n + 2, one less for M = 1; M = n/S",
                "M(29(S - 1) - 12 log2 S + 17) - 8 log2 M - 2 log2 S - 22",
            ],
            Self::WangMou => ["log2 n + 1", "9n log2 n + 7n - 12"],
        }
    }

    /// The paper's formulas of steps and operations, for powers of two.
    pub const fn published_formulas(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Thomas => Some(["2N", ""]),
            Self::Cr => Some(["2 log2 N - 1", "17N"]),
            Self::Pcr => Some(["log2 N", "12N log2 N"]),
            Self::Tpr { .. } => Some(["2 log2 N + 1", "24M(S - 2) + 60M - 36 + 5N"]),
            Self::WangMou => Some(["log2 N", "48N(log2 N - 1) + N"]),
            Self::CrPcr { .. } | Self::Partition { .. } | Self::Pivoting { .. } => None,
        }
    }

    /// Parallel steps for n rows, 1 to [`MOST_COUNTED_ROWS`].
    pub fn steps(self, n: usize) -> u64 {
        let n = n as u64;
        match self {
            Self::Thomas => 2 * n - 1,
            Self::Cr => 2 * log_down(n) + 1,
            Self::Pcr => log_up(n) + 1,
            Self::CrPcr { parallel } => {
                let (steps, left) = reduced(n, parallel);
                2 * steps + log_up(left) + 1
            }
            Self::Partition { rows } => match n.div_ceil(rows) {
                1 => 2 * rows - 1,
                chunks => 2 * rows + 2 * log_up(chunks) - 1,
            },
            Self::Pivoting { rows } => 2 * (rows - 2) * levels(n, rows).count() as u64 + 3,
            Self::Tpr { slice } => {
                let (slice, slices) = slices(n, slice);
                let between = if slices > 1 { 1 } else { 0 };
                2 * log_up(slice) + between + 2 * log_down(slices) + 1
            }
            Self::WangMou => log_up(n) + 1,
        }
    }

    /// Additions, subtractions, multiplications and divisions for n rows, 1 to [`MOST_COUNTED_ROWS`]. Negations and comparisons are not
    /// counted, nor are the operations by which [`Method::Pivoting`] finds the precision of its scalar.
    pub fn operations(self, n: usize) -> u64 {
        let n = n as u64;
        match self {
            Self::Thomas => 8 * n - 7,
            Self::Cr => cyclic(n, 1),
            Self::Pcr => cyclic(n, n),
            Self::CrPcr { parallel } => cyclic(n, parallel),
            Self::Partition { rows } => partition(n.div_ceil(rows), rows),
            Self::Pivoting { rows } => {
                let partitions: u64 = levels(n, rows).map(|level| level.div_ceil(rows)).sum();
                (44 * (rows - 2) + 5) * partitions + 11
            }
            Self::Tpr { slice } => {
                let (slice, slices) = slices(n, slice);
                let log_slice = log_up(slice);
                let sliced = slices * (24 * (slice - 1) - 12 * log_slice - 6);
                let back = 5 * slices * (slice - 1) - 2 * log_slice;
                sliced + 6 * (slices - 1) + cyclic(slices, 1) + back
            }
            Self::WangMou => wang_mou(n),
        }
    }

    /// The counts of the paper; none for other methods than its own, and unless n, and M = n / S, are powers of two from 2 up.
    pub fn published(self, n: usize) -> Option<PublishedCounts> {
        let n = n as u64;
        if n < 2 || !n.is_power_of_two() {
            return None;
        }
        let log = log_down(n);
        let (steps, operations) = match self {
            Self::Thomas => (2 * n, None),
            Self::Cr => (2 * log - 1, Some(17 * n)),
            Self::Pcr => (log, Some(12 * n * log)),
            Self::Tpr { slice } => {
                let (slice, slices) = slices(n, slice);
                (2 * log + 1, Some(24 * slices * (slice - 2) + 60 * slices - 36 + 5 * n))
            }
            Self::WangMou => (log, Some(48 * n * (log - 1) + n)),
            Self::CrPcr { .. } | Self::Partition { .. } | Self::Pivoting { .. } => return None,
        };
        Some(PublishedCounts { steps, operations })
    }
}

/// Operations of cyclic reduction until at most `parallel` rows are left, and of parallel cyclic reduction of these rows.
fn cyclic(n: u64, parallel: u64) -> u64 {
    let (steps, left) = reduced(n, parallel);
    // A reduction without a second neighbour takes 6 operations less; a substitution takes 2 less per missing neighbour.
    let ones = u64::from((n & ((1 << steps) - 1)).count_ones());
    let log_left = log_up(left);
    17 * (n - left) - 8 * (steps + ones) + 12 * left * log_left - 12 * ((1 << log_left) - 1) + left
}

/// The rows of the systems that the pivoting partition reduces, the caller's first.
fn levels(n: u64, rows: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(n), move |n| Some(2 * n.div_ceil(rows))).take_while(|&n| n > 2)
}

/// Rows per slice, and slices.
fn slices(n: u64, slice: u64) -> (u64, u64) {
    let slice = slice.min(n.next_power_of_two()).max(2);
    (slice, n.div_ceil(slice))
}

/// Operations of the partition, by its chunks and the rows of each.
fn partition(chunks: u64, rows: u64) -> u64 {
    let reduced = chunks * (13 * (rows - 1) + 3);
    // The top merge leaves out the relations of the whole system.
    let merged = if chunks > 1 { 25 * (chunks - 1) - 10 } else { 0 };
    let sizes = std::iter::successors(Some(chunks), |size| Some(size.div_ceil(2))).take_while(|&size| size > 1);
    // The first pair of each level lacks the unknown before it, and an even level's last pair the one behind it.
    let missing: u64 = sizes.map(|size| if size % 2 == 0 { 8 } else { 4 }).sum();
    reduced + merged + 8 * (chunks - 1) - missing + 4 * chunks * rows - 2 * rows - 2
}

/// Operations of Wang and Mou's method: each level merges blocks of `size` rows, the last perhaps with a shorter one.
fn wang_mou(n: u64) -> u64 {
    let sizes = std::iter::successors(Some(1), |size| Some(2 * size)).take_while(|&size| size < n);
    let merge = |left: u64, right: u64| 12 + 6 * left + if right > 1 { 12 * right } else { 0 };
    let level = |size: u64| {
        let (pairs, rest) = (n / (2 * size), n % (2 * size));
        pairs * merge(size, size) + if rest > size { merge(size, rest - size) } else { 0 }
    };
    sizes.map(level).sum::<u64>() + n
}
