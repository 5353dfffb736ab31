//! The cases of tridiagonal systems for every policy: between them they reach every form of every kernel.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::layouts::{Placement, pick};
use super::tridiagonal_cases::{CheckCase, computed_rhs, diagonal, matrix_form};
use trisolve::internals::tridiagonal::{PARTITION_ROWS, PIVOTING_PARTITIONS, TPR_ROWS, WANG_MOU_ROWS};
use trisolve::tridiagonal::{
    Algorithm, Along, AutoPolicy, CyclicPolicy, Layout, PartitionPolicy, PivotingPolicy, Policy, ScanPolicy, Shape,
    TprPolicy, WangMouPolicy,
};

/// The cases with a policy, for every form of every kernel that a policy selects.
pub fn policy_cases(seed: u64) -> Vec<CheckCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut all = partition_cases(&mut random);
    all.extend(auto_cases(&mut random));
    all.extend(interleaved_auto_cases(&mut random));
    all.extend(pivoting_cases(&mut random));
    all.extend(wang_mou_cases(&mut random));
    all.extend(tpr_cases(&mut random));
    all.extend(cyclic_cases(&mut random));
    all.extend(scan_cases(&mut random));
    all.extend(own_right_cases(random.random()));
    all
}

/// A case by a policy, in a random placement.
fn by_policy(
    random: &mut SmallRng,
    algorithm: Algorithm,
    policy: impl Into<Policy>,
    shape: (&'static str, Shape),
) -> CheckCase {
    CheckCase { policy: Some(policy.into()), ..by_default(random, algorithm, shape) }
}

/// A case in a random placement.
fn by_default(random: &mut SmallRng, algorithm: Algorithm, (layout, shape): (&'static str, Shape)) -> CheckCase {
    let diagonal = diagonal(random, algorithm);
    let placement = pick(random, &[Placement::Apart, Placement::OneBuffer]);
    let (structure, forms, periodic) = matrix_form(random, diagonal, shape.n);
    let computed_rhs = computed_rhs(random, placement);
    CheckCase {
        algorithm,
        layout,
        shape,
        diagonal,
        structure,
        forms,
        computed_rhs,
        periodic,
        placement,
        policy: None,
        untuned: false,
        seed: random.random(),
    }
}

/// Right-hand sides in a layout of their own: cyclic reduction through device memory, the only cases with a policy; pixels, and rows side by side that
/// start at different places of their units, by algorithms with other loads and stores; slices with halos, and two ends.
pub fn own_right_cases(seed: u64) -> Vec<CheckCase> {
    let random = &mut SmallRng::seed_from_u64(seed);
    let side_by_side = |n: usize, batch: usize| {
        let right = Layout { element_stride: 1, system_stride: n + 3, group: batch, group_stride: 0 };
        ("side by side", Shape::padded(n, batch, n + 1).with_right(right, 2, (n + 3) * batch))
    };
    let columns =
        |width, height, channels| ("pixels along columns", Shape::pixels(width, height, channels, Along::Columns));
    let held =
        CyclicPolicy { threads: 64, systems: 1, parallel: 16, held: 64, lane_rows: 1, subgroups: 1, spread: false };
    let rows = ("pixels along rows", Shape::pixels(100, 2, 3, Along::Rows));
    let mut cases: Vec<_> = [Algorithm::Cr, Algorithm::Pcr, Algorithm::CrPcr]
        .into_iter()
        .map(|algorithm| by_policy(random, algorithm, held, rows))
        .collect();
    for algorithm in [Algorithm::Thomas, Algorithm::Partition, Algorithm::Pivoting, Algorithm::Tpr, Algorithm::WangMou]
    {
        cases.push(by_default(random, algorithm, columns(3, 700, 4)));
        cases.push(by_default(random, algorithm, side_by_side(701, 3)));
    }
    cases.push(by_default(random, Algorithm::Auto, side_by_side(9001, 2)));
    cases.push(by_default(random, Algorithm::Auto, columns(64, 600, 2)));
    cases
}

/// Two systems of n rows: aligned, padded and strided.
fn row_accesses(random: &mut SmallRng, n: usize) -> [(&'static str, Shape); 3] {
    let pad = random.random_range(1..9);
    [
        ("aligned", Shape::padded(n, 2, n.next_multiple_of(4) + 4)),
        ("padded", Shape::padded(n, 2, (n + 2 * pad) | 1)),
        ("strided", Shape::strided(n, 2, 3, 3 * n + pad)),
    ]
}

/// A number of rows such that the last of `slices` slices, and its last thread, is partly empty.
fn nearly(random: &mut SmallRng, slices: u32, threads: u32, rows: u32) -> usize {
    let empty = random.random_range(0..threads) * rows + random.random_range(0..rows);
    ((slices * threads * rows).saturating_sub(empty)).max(1) as usize
}

/// Each number of rows per thread and both trees (`together` has shuffles only). The slices gather their neighbours from few or
/// many blocks, or read them from the levels above.
fn partition_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let workgroup = 32;
    let mut cases = Vec::new();
    for rows in PARTITION_ROWS {
        for shuffles in [true, false] {
            // One dispatch; slices that gather 1, 2, 4 or 8 blocks per thread; one or two levels above.
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
        // With `together`; few devices run the larger cases all at once.
        for (slices, workgroup) in [(2, 64), (3, 64), (33, 64), (65, 64), (129, 32)] {
            for placement in Placement::ALL {
                let policy =
                    PartitionPolicy { workgroup, rows, lanes: 8, shuffles: true, gather: true, together: 1024 };
                let n = nearly(random, slices, workgroup, rows);
                let shape = row_accesses(random, n)[random.random_range(0..3)];
                let case = by_policy(random, Algorithm::Partition, policy, shape);
                cases.push(CheckCase {
                    placement,
                    computed_rhs: case.computed_rhs && placement != Placement::InPlace,
                    ..case
                });
            }
        }
    }
    cases
}

/// Each number of rows per thread and both trees; two or many slices; halos that are wide enough, and halos that are not.
fn auto_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for rows in PARTITION_ROWS {
        for (shuffles, workgroup, halo, slices) in
            [(true, 32, 6, 3), (true, 64, 16, 40), (true, 128, 12, 9), (false, 64, 2, 3), (false, 128, 16, 2)]
        {
            let policy = AutoPolicy { workgroup, rows, halo, shuffles, fill: 1 << 14 };
            // With fewer rows the plan takes one slice of the partition.
            let n = nearly(random, slices, workgroup - 2 * halo, rows).max(8193);
            let columns = ("columns", Shape::contiguous(n, 2).with_columns(3));
            let [aligned, padded, strided] = row_accesses(random, n);
            let shape = [aligned, padded, strided, columns][random.random_range(0..4)];
            let case = by_policy(random, Algorithm::Auto, policy, shape);
            let placement = pick(random, &Placement::ALL);
            cases.push(CheckCase {
                placement,
                computed_rhs: case.computed_rhs && placement != Placement::InPlace,
                ..case
            });
        }
    }
    cases
}

/// Systems that lie closer than rows: whole, and in one or several slices, at the sizes where blocks, windows, halos and slices begin and
/// end; halos that are wide enough, and halos that are not.
fn interleaved_auto_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for rows in [4, 8] {
        for (workgroup, halo, fill) in [(32, 2, 1 << 18), (64, 8, 1 << 18), (64, 6, 1 << 13), (1024, 4, 1 << 16)] {
            let policy = AutoPolicy { workgroup, rows, halo, shuffles: true, fill };
            // Slices of two windows at the least.
            let window = halo * rows;
            let edges =
                [1, rows, 2 * rows, window, 2 * window, 2 * (window + rows), 3 * window, 4 * window, 9 * window];
            for edge in edges {
                let n = (edge + random.random_range(0..3)).saturating_sub(1).max(1) as usize;
                let batch = random.random_range(2..2 * workgroup.min(128) as usize);
                let shape = match random.random_range(0..4) {
                    0 => ("columns", Shape::interleaved(n, batch).with_columns(2)),
                    1 => ("padded rows", Shape::strided(n, batch, batch + 3, 1)),
                    _ => ("interleaved", Shape::interleaved(n, batch)),
                };
                let case = by_policy(random, Algorithm::Auto, policy, shape);
                let placement = pick(random, &Placement::ALL);
                cases.push(CheckCase {
                    placement,
                    computed_rhs: case.computed_rhs && placement != Placement::InPlace,
                    ..case
                });
            }
        }
    }
    cases
}

/// Each number of rows per partition; one or several slices; levels of one dispatch and of three.
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

/// Each number of rows per thread of Wang and Mou's method, both trees; one or several slices.
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

/// Each number of rows per thread; slices within a subgroup and larger ones; one slice, several, and enough slices that the
/// overall reduction is divided into slices too.
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

/// One or several systems per workgroup; more and fewer threads than rows; several sizes from which PCR takes over; each number of rows
/// per lane, one and several subgroups; rows in their order and spread; first steps through device memory.
fn cyclic_cases(random: &mut SmallRng) -> Vec<CheckCase> {
    let mut cases = Vec::new();
    for algorithm in [Algorithm::Cr, Algorithm::Pcr, Algorithm::CrPcr] {
        for (threads, systems) in [(1, 1), (1, 32), (4, 4), (8, 16), (32, 2), (128, 1)] {
            for lane_rows in [0, 1, 4, 16] {
                // Fits the smallest workgroup memory of any device in f64.
                let n = random.random_range(1..=200.min(512 / systems as usize));
                let policy = CyclicPolicy {
                    threads,
                    systems,
                    parallel: pick(random, &[16, 64, 256]),
                    held: pick(random, &[2, 64, 4096, 4096]),
                    lane_rows,
                    subgroups: pick(random, &[1, 2, 8, 32]),
                    spread: random.random(),
                };
                let contiguous = ("contiguous", Shape::contiguous(n, 7));
                let shape = pick(random, &[contiguous, contiguous, ("interleaved", Shape::interleaved(n, 7))]);
                cases.push(by_policy(random, algorithm, policy, shape));
            }
        }
    }
    // PCR of one row fewer and more than lanes hold, and than the groups of eight rows of `spread`.
    for n in [1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 511, 512, 1023, 1024] {
        for (lane_rows, subgroups) in [(1, 1), (1, 32), (4, 2), (16, 1), (16, 8)] {
            let (threads, spread) = (pick(random, &[32, 128]), random.random());
            let policy = CyclicPolicy { threads, systems: 1, parallel: 16, held: 4096, lane_rows, subgroups, spread };
            cases.push(by_policy(random, Algorithm::Pcr, policy, ("contiguous", Shape::contiguous(n, 3))));
        }
    }
    cases
}

/// One slice of all scans; several slices of the pivots' scan, which has fewer rows per thread; several slices of all scans;
/// more slices than a workgroup has threads.
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
