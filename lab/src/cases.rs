//! What to check: shapes, layouts and policies that between them reach every form of every kernel.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::internals::tridiagonal::{PARTITION_ROWS, PIVOTING_PARTITIONS, TPR_ROWS, WANG_MOU_ROWS};
use trisolve::tridiagonal::{
    Algorithm, AutoPolicy, CyclicPolicy, Diagonal, Layout, PartitionPolicy, PivotingPolicy, Policy, ScanPolicy, Shape,
    Structure, TprPolicy, WangMouPolicy,
};

/// How a case's vectors lie in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// A buffer a vector.
    Apart,
    /// x over rhs.
    InPlace,
    /// Ranges of one buffer.
    OneBuffer,
}

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckCase {
    /// The algorithm asked for.
    pub algorithm: Algorithm,
    /// What the layout is called.
    pub layout: &'static str,
    /// The systems.
    pub shape: Shape,
    /// How the diagonal is given.
    pub diagonal: Diagonal,
    /// What the vectors hold.
    pub structure: Structure,
    /// Whether the corners count.
    pub periodic: bool,
    /// Where the vectors lie.
    pub placement: Placement,
    /// Where it is neither tuned nor the default.
    pub policy: Option<Policy>,
    /// The default, whatever was tuned.
    pub untuned: bool,
    /// Of the random input.
    pub seed: u64,
}

/// Sizes around the edges of chunks, workgroups and levels.
const SIZES: [usize; 25] =
    [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 255, 257, 1023, 1024, 1025, 2047, 2049, 4097, 20011];
const BATCHES: [usize; 5] = [1, 2, 7, 64, 1000];
/// Rows of a case at the most.
const ROWS: usize = 200_000;

/// The cases of a check; `thorough` adds sizes and batches.
pub fn cases(thorough: bool, seed: u64) -> Vec<CheckCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for algorithm in Algorithm::ALL {
        for (at, n) in SIZES.into_iter().enumerate() {
            let fitting: Vec<_> = BATCHES.into_iter().filter(|batch| n * batch <= ROWS).collect();
            for (turn, &batch) in fitting.iter().enumerate() {
                // Every size meets every batch over the algorithms; a quick check takes one each.
                if !thorough && turn != (at + algorithm as usize) % fitting.len() {
                    continue;
                }
                for (layout, shape) in layouts(n, batch, &mut random) {
                    let placement =
                        [Placement::Apart, Placement::InPlace, Placement::OneBuffer][random.random_range(0..3)];
                    let diagonal = diagonal(&mut random, algorithm);
                    let (untuned, seed) = random.random();
                    let (structure, periodic) = structure(&mut random, diagonal, n);
                    cases.push(CheckCase {
                        algorithm,
                        layout,
                        shape,
                        diagonal,
                        structure,
                        periodic,
                        placement,
                        policy: None,
                        untuned,
                        seed,
                    });
                }
            }
        }
    }
    cases
}

/// Cases for every form of the kernels that a policy decides on; a policy of its own for each.
pub fn policy_cases(seed: u64) -> Vec<CheckCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut all = partition_cases(&mut random);
    all.extend(auto_cases(&mut random));
    all.extend(pivoting_cases(&mut random));
    all.extend(wang_mou_cases(&mut random));
    all.extend(tpr_cases(&mut random));
    all.extend(cyclic_cases(&mut random));
    all.extend(scan_cases(&mut random));
    all
}

/// A case in a random placement.
fn by_policy(
    random: &mut SmallRng,
    algorithm: Algorithm,
    policy: impl Into<Policy>,
    (layout, shape): (&'static str, Shape),
) -> CheckCase {
    let diagonal = diagonal(random, algorithm);
    let placement = [Placement::Apart, Placement::OneBuffer][random.random_range(0..2)];
    let policy = Some(policy.into());
    let (structure, periodic) = structure(random, diagonal, shape.n);
    CheckCase {
        algorithm,
        layout,
        shape,
        diagonal,
        structure,
        periodic,
        placement,
        policy,
        untuned: false,
        seed: random.random(),
    }
}

/// What the vectors hold: every other time, rows of a tridiagonal matrix.
fn structure(random: &mut SmallRng, diagonal: Diagonal, n: usize) -> (Structure, bool) {
    if random.random() {
        return (Structure::General, false);
    }
    let all = [Structure::General, Structure::Symmetric, Structure::Constant, Structure::Transposed];
    let fitting = if diagonal == Diagonal::Excess { 3 } else { 4 };
    (all[random.random_range(0..fitting)], n > 1 && random.random_range(0..3) == 0)
}

/// How the diagonal is given, of those that the algorithm takes.
fn diagonal(random: &mut SmallRng, algorithm: Algorithm) -> Diagonal {
    let drawn = [Diagonal::Value, Diagonal::Excess][random.random_range(0..2)];
    if algorithm == Algorithm::Pivoting { Diagonal::Value } else { drawn }
}

/// Two systems of n rows that lie aligned, side by side and strided.
fn row_accesses(random: &mut SmallRng, n: usize) -> [(&'static str, Shape); 3] {
    let pad = random.random_range(1..9);
    [
        ("aligned", Shape::padded(n, 2, n.next_multiple_of(4) + 4)),
        ("padded", Shape::padded(n, 2, (n + 2 * pad) | 1)),
        ("strided", Shape::strided(n, 2, 3, 3 * n + pad)),
    ]
}

/// A number of rows that leaves the last of `slices` slices, and its last thread, partly empty.
fn nearly(random: &mut SmallRng, slices: u32, threads: u32, rows: u32) -> usize {
    let empty = random.random_range(0..threads) * rows + random.random_range(0..rows);
    ((slices * threads * rows).saturating_sub(empty)).max(1) as usize
}

/// Each number of rows per thread, both trees (together: shuffles only), slices that gather their neighbours from few blocks or
/// many and that read them from levels above.
fn partition_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let workgroup = 32;
    let mut cases = Vec::new();
    for rows in PARTITION_ROWS {
        for shuffles in [true, false] {
            // One dispatch; slices that gather 1, 2, 4, 8 blocks per thread; one level above, or two.
            let more = if rows == PARTITION_ROWS[0] { 1100 } else { 129 };
            let two_passes = [(1, true), (3, true), (33, true), (65, true), (129, true), (3, false), (more, false)];
            for (slices, gather) in two_passes {
                let policy = PartitionPolicy { workgroup, rows, lanes: 8, shuffles, gather, together: 0 };
                let n = nearly(random, slices, workgroup, rows);
                for shape in row_accesses(random, n) {
                    cases.push(by_policy(random, Algorithm::Partition, policy, shape));
                }
            }
        }
        // Together; few devices run the larger ones all at once.
        for (slices, workgroup) in [(2, 64), (3, 64), (33, 64), (65, 64), (129, 32)] {
            for placement in [Placement::Apart, Placement::InPlace, Placement::OneBuffer] {
                let policy =
                    PartitionPolicy { workgroup, rows, lanes: 8, shuffles: true, gather: true, together: 1024 };
                let n = nearly(random, slices, workgroup, rows);
                let shape = row_accesses(random, n)[random.random_range(0..3)];
                let case = by_policy(random, Algorithm::Partition, policy, shape);
                cases.push(CheckCase { placement, ..case });
            }
        }
    }
    cases
}

/// Each number of rows per thread and both trees; two slices and many, halos that are wide enough and some that are not.
fn auto_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for rows in PARTITION_ROWS {
        for (shuffles, workgroup, halo, slices) in
            [(true, 32, 6, 3), (true, 64, 16, 40), (true, 128, 12, 9), (false, 64, 2, 3), (false, 128, 16, 2)]
        {
            let policy = AutoPolicy { workgroup, rows, halo, shuffles };
            // Below that they are one slice of the partition.
            let n = nearly(random, slices, workgroup - 2 * halo, rows).max(8193);
            let columns = ("columns", Shape::contiguous(n, 2).with_columns(3));
            let [aligned, padded, strided] = row_accesses(random, n);
            let shape = [aligned, padded, strided, columns][random.random_range(0..4)];
            let case = by_policy(random, Algorithm::Auto, policy, shape);
            let placement = [Placement::Apart, Placement::InPlace, Placement::OneBuffer][random.random_range(0..3)];
            cases.push(CheckCase { placement, ..case });
        }
    }
    cases
}

/// Each number of rows a partition; one slice, several, levels of one dispatch and of three.
fn pivoting_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for rows in PIVOTING_PARTITIONS {
        for (workgroup, slices) in [(32, 1), (128, 1), (32, 3), (64, 3), (32, 70), (32, 1100)] {
            let chunks = if rows << 4 >= 256 { 8 } else { 16 };
            let policy = PivotingPolicy { workgroup, rows, lanes: 4, shuffles: random.random() };
            let n = nearly(random, slices, chunks, rows);
            let [aligned, padded, strided] = row_accesses(random, n);
            let side_by_side = ("interleaved", Shape::interleaved(n, 3));
            let columns = ("columns", Shape::contiguous(n, 2).with_columns(3));
            for at in 0..2 {
                let shape =
                    [aligned, padded, strided, side_by_side, columns][(random.random_range(0..3) * 2 + at).min(4)];
                cases.push(by_policy(random, Algorithm::Pivoting, policy, shape));
            }
        }
    }
    cases
}

/// The same for Wang and Mou's method.
fn wang_mou_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for rows in WANG_MOU_ROWS {
        for shuffles in [true, false] {
            for (workgroup, slices, gather) in
                [(32, 1, true), (128, 1, true), (32, 3, true), (32, 65, true), (128, 3, false), (32, 129, false)]
            {
                let policy = WangMouPolicy { workgroup, rows, shuffles, gather };
                let n = nearly(random, slices, workgroup, rows);
                let shape = row_accesses(random, n)[random.random_range(0..3)];
                cases.push(by_policy(random, Algorithm::WangMou, policy, shape));
            }
        }
    }
    cases
}

/// Each number of rows per thread; slices within a subgroup and beyond; one slice, several, and so many
/// that the overall reduction is one in slices.
fn tpr_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for rows in TPR_ROWS {
        for shuffles in [true, false] {
            for (threads, slices) in [(2, 1), (2, 5), (64, 1), (64, 5), (128, 2), (2, 4099)] {
                let (overall_threads, overall_systems) = [(1, 1), (2, 2), (8, 4), (64, 1)][random.random_range(0..4)];
                let slice = rows * threads;
                let policy = TprPolicy { slice, threads, overall_threads, overall_systems, shuffles };
                let n = nearly(random, slices, threads, rows);
                let [aligned, padded, strided] = row_accesses(random, n);
                let side_by_side = ("interleaved", Shape::interleaved(n, 3));
                let shape = [aligned, padded, strided, side_by_side][random.random_range(0..4)];
                cases.push(by_policy(random, Algorithm::Tpr, policy, shape));
            }
        }
    }
    cases
}

/// Several systems per workgroup, more and fewer threads than rows, and where PCR takes over.
fn cyclic_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for algorithm in [Algorithm::Cr, Algorithm::Pcr, Algorithm::CrPcr] {
        for (threads, systems) in [(1, 1), (1, 32), (4, 4), (8, 16), (32, 2), (128, 1)] {
            for parallel in [16, 64] {
                // What the least workgroup memory there is holds in f64.
                let n = random.random_range(1..=200.min(512 / systems as usize));
                let policy = CyclicPolicy { threads, systems, parallel };
                let shapes = [("contiguous", Shape::contiguous(n, 7)), ("interleaved", Shape::interleaved(n, 7))];
                let shape = shapes[random.random_range(0..2)];
                cases.push(by_policy(random, algorithm, policy, shape));
            }
        }
    }
    cases
}

/// One slice of all scans, several of the pivots', which has fewer rows per thread, several of all, and more than a
/// workgroup has threads.
fn scan_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for (workgroup, shuffles) in [(32, true), (64, true), (64, false), (128, false)] {
        for rows in [7, 8 * workgroup as usize, 15 * workgroup as usize, 40 * workgroup as usize, 40_000] {
            let n = rows + random.random_range(0..8);
            let [aligned, padded, strided] = row_accesses(random, n);
            let side_by_side = ("interleaved", Shape::interleaved(n, 3));
            let columns = ("columns", Shape::contiguous(n, 2).with_columns(3));
            let shape = [aligned, padded, strided, side_by_side, columns][random.random_range(0..5)];
            cases.push(by_policy(random, Algorithm::Scan, ScanPolicy { workgroup, shuffles }, shape));
        }
    }
    cases
}

pub(super) fn layouts(n: usize, batch: usize, random: &mut SmallRng) -> Vec<(&'static str, Shape)> {
    let pad = random.random_range(1..9);
    let grouped = Layout { element_stride: 3, system_stride: 1, group: 3, group_stride: 3 * n + pad };
    vec![
        ("contiguous", Shape::contiguous(n, batch)),
        ("aligned", Shape::padded(n, batch, n.next_multiple_of(4) + 4)),
        ("padded", Shape::padded(n, batch, n + pad)),
        ("interleaved", Shape::interleaved(n, batch)),
        ("strided", Shape::strided(n, batch, 3, 3 * n + pad)),
        ("middle axis", Shape::with_layout(n, batch, grouped)),
        ("columns", Shape::contiguous(n, batch).with_columns(3)),
        ("interleaved columns", Shape::interleaved(n, batch).with_columns(2)),
    ]
}
