//! The operation and step counts that the docs state, counted.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use trisolve::cpu::{End, Iteration, PreparedIteration, Rooted, Workers};
use trisolve::internals::mapped;
use trisolve::quasi_tridiagonal::Csr;
use trisolve::{Scalar, cpu};
use trisolve_lab::{CommunicationStep, Method, Phase, communication};

thread_local! {
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
    static MULTIPLICATIONS: Cell<u64> = const { Cell::new(0) };
}

/// A number that counts the operations on it, and carries the length of the longest chain of multiplications that it depends on. Negation
/// is free.
#[derive(Clone, Copy)]
struct Counted {
    value: f64,
    chain: u64,
}

/// An input: no multiplication yet.
const fn input(value: f64) -> Counted {
    Counted { value, chain: 0 }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

macro_rules! counted {
    ($($trait:ident $method:ident $added:literal $multiplies:literal),*) => {
        $(impl $trait for Counted {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                OPERATIONS.set(OPERATIONS.get() + 1);
                MULTIPLICATIONS.set(MULTIPLICATIONS.get() + $multiplies);
                Self { value: self.value.$method(other.value), chain: self.chain.max(other.chain) + $added }
            }
        })*
    };
}
counted!(Add add 0 0, Sub sub 0 0, Mul mul 1 1, Div div 0 1);

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Scalar for Counted {
    const ZERO: Self = input(0.0);
    const ONE: Self = input(1.0);
    fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }
    fn is_finite(self) -> bool {
        self.value.is_finite()
    }
}

impl Rooted for Counted {
    fn root(self) -> Self {
        Self { value: self.value.sqrt(), ..self }
    }
    fn nearest(self) -> f64 {
        self.value
    }
}

/// The operations of a method's reference for n rows, and its longest chain of multiplications.
fn count(method: Method, n: usize) -> (u64, u64) {
    let vector = |value: f64| vec![input(value); n];
    let [lower, diag, upper, rhs] = [-1.0, 3.0, -1.0, 1.0].map(vector);
    OPERATIONS.set(0);
    let x = match method {
        Method::Thomas => cpu::thomas(&lower, &diag, &upper, &rhs),
        Method::Cr => cpu::cyclic_reduction(&lower, &diag, &upper, &rhs),
        Method::Pcr => cpu::parallel_cyclic_reduction(&lower, &diag, &upper, &rhs),
        Method::CrPcr { parallel } => cpu::cr_pcr(&lower, &diag, &upper, &rhs, parallel as usize),
        Method::Partition { rows } => cpu::partition(&lower, &diag, &upper, &rhs, rows as usize),
        Method::Pivoting { rows } => cpu::pivoting_partition(&lower, &diag, &upper, &rhs, rows as usize),
        Method::Tpr { slice } => cpu::tree_partitioning_reduction(&lower, &diag, &upper, &rhs, slice as usize),
        Method::WangMou => cpu::wang_mou(&lower, &diag, &upper, &rhs),
    };
    let (x, operations) = (x.unwrap(), OPERATIONS.get());
    assert!(x.iter().all(|x| x.value > 0.0 && x.value < 1.0 + 1e-9), "{method:?}, n = {n}");
    (operations, x.iter().map(|x| x.chain).max().unwrap_or_default())
}

/// Counts a method's operations and steps for several n. One step only divides, so it adds no multiplication. `more(n)` multiplications
/// follow each other within steps, beyond the first of each step. A system with a shorter last block may have a shorter chain: there the
/// steps are an upper bound.
#[track_caller]
fn check(method: Method, sizes: impl IntoIterator<Item = usize>, more: impl Fn(usize) -> u64) {
    for n in sizes {
        let (operations, chain) = count(method, n);
        assert_eq!(operations, method.operations(n) + extra(method), "operations of {method:?}, n = {n}");
        let steps = method.steps(n) - 1 + more(n);
        match has_equal_blocks(method, n) {
            true => assert_eq!(chain, steps, "steps of {method:?}, n = {n}"),
            false => assert!(chain <= steps, "steps of {method:?}, n = {n}: {chain}, not up to {steps}"),
        }
    }
}

/// Whether all blocks on all levels have the same number of rows. Methods without blocks count as if they had.
fn has_equal_blocks(method: Method, n: usize) -> bool {
    match method {
        Method::Thomas | Method::Cr | Method::Pcr | Method::CrPcr { .. } | Method::Pivoting { .. } => true,
        // In slices of two rows, the first row has nothing to take in: the intermediate step does not wait for it.
        Method::Tpr { slice } => slice > 2 && n.is_multiple_of(slice as usize),
        Method::Partition { rows } => n.is_multiple_of(rows as usize) && (n / rows as usize).is_power_of_two(),
        Method::WangMou => n.is_power_of_two(),
    }
}

/// Operations that do not depend on the system: finding the scalar's precision.
fn extra(method: Method) -> u64 {
    let Method::Pivoting { rows } = method else { return 0 };
    // Halving a number until 1 stays 1, and the changes of singular partitions, by the primes from 11 on.
    let primes = [11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61];
    4 * 26 + 8 + primes[rows as usize - 3] + 2 * (rows - 2)
}

/// Powers of two, their neighbours, and others.
const SIZES: [usize; 24] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 100, 127, 128, 500, 1000, 1023, 1024];

fn powers() -> impl Iterator<Item = u64> {
    (1..=11).map(|power| 1 << power)
}

#[test]
fn thomas_takes_8n_minus_7() {
    check(Method::Thomas, SIZES, |_| 0);
    assert_eq!(Method::Thomas.operations(1000), 7993);
    assert_eq!(Method::Thomas.steps(1000), 1999);
}

#[test]
fn cyclic_reduction_takes_17n() {
    check(Method::Cr, SIZES, |_| 0);
    for n in powers() {
        let log = u64::from(n.ilog2());
        assert_eq!(Method::Cr.operations(n as usize), 17 * (n - 1) - 8 * log + 1);
        assert_eq!(Method::Cr.steps(n as usize), 2 * log + 1);
    }
    // As its docs state for any n: 1000 is 1111101000 in binary.
    assert_eq!(Method::Cr.operations(1000), 17_000 - 8 * (9 + 6 + 1));
}

#[test]
fn parallel_cyclic_reduction_takes_12_n_log_n() {
    check(Method::Pcr, SIZES, |_| 0);
    for n in powers() {
        let log = u64::from(n.ilog2());
        assert_eq!(Method::Pcr.operations(n as usize), 12 * n * log - 11 * n + 12);
        assert_eq!(Method::Pcr.steps(n as usize), log + 1);
    }
}

#[test]
fn cr_pcr_takes_less_than_pcr() {
    for parallel in [1, 2, 5, 16, 32, 1024] {
        check(Method::CrPcr { parallel }, SIZES, |_| 0);
    }
    for (n, q) in [(1024u64, 32u64), (1024, 64), (64, 64)] {
        let (log_n, log_q) = (u64::from(n.ilog2()), u64::from(q.ilog2()));
        let method = Method::CrPcr { parallel: q };
        let operations = 17 * (n - q) - 8 * (log_n - log_q) + 12 * q * log_q - 11 * q + 12;
        assert_eq!(method.operations(n as usize), operations, "{n}, {q}");
        assert_eq!(method.steps(n as usize), 2 * log_n - log_q + 1, "{n}, {q}");
    }
}

/// Figures 1 and 2 of the course project: the rows that each step reads give the steps and operations that are counted.
#[test]
fn communication_patterns_give_the_counts() {
    for n in SIZES {
        for method in [Method::Cr, Method::Pcr, Method::CrPcr { parallel: 5 }, Method::CrPcr { parallel: 32 }] {
            let steps = communication(method, n).unwrap();
            assert_eq!(steps.len() as u64, method.steps(n), "{method:?}, n = {n}");
            let operations = |phase, read: usize| match phase {
                Phase::Reduce => 6 * read,
                Phase::Solve => 1,
                Phase::Substitute => 1 + 2 * read,
            };
            let of_step = |step: &CommunicationStep| -> usize {
                step.updates.iter().map(|(_, read)| operations(step.phase, read.len())).sum()
            };
            let counted: usize = steps.iter().map(of_step).sum();
            assert_eq!(counted as u64, method.operations(n), "{method:?}, n = {n}");
        }
    }
    // The first step of the figures.
    let [cr, pcr] = [Method::Cr, Method::Pcr].map(|method| communication(method, 8).unwrap()[0].updates.clone());
    assert_eq!(cr, [(1, vec![0, 2]), (3, vec![2, 4]), (5, vec![4, 6]), (7, vec![6])]);
    assert_eq!(pcr.len(), 8);
    assert_eq!(pcr[..2], [(0, vec![1]), (1, vec![0, 2])]);
}

#[test]
fn partition_takes_20n() {
    for rows in [1, 2, 3, 8] {
        // A merge takes three multiplications in a row, the last merge two. The relation of a chunk's first unknown takes one more than that of
        // its last unknown.
        let merges = |n: usize| match n.div_ceil(rows as usize) {
            1 => 0,
            chunks => 2 * u64::from(chunks.next_power_of_two().ilog2()) - u64::from(rows == 1),
        };
        check(Method::Partition { rows }, SIZES, merges);
    }
    for rows in [4, 8, 32u64] {
        for chunks in powers() {
            let n = rows * chunks;
            let operations = 17 * n + 23 * chunks - 8 * u64::from(chunks.ilog2()) - 2 * rows - 45;
            assert_eq!(Method::Partition { rows }.operations(n as usize), operations, "{chunks} chunks of {rows}");
        }
    }
}

#[test]
fn tree_partitioning_takes_29n() {
    for log_slice in 1..=7u64 {
        let slice = 1 << log_slice;
        // The reference does not shorten slices that are longer than the system.
        let sizes = SIZES.into_iter().filter(|n| n.next_power_of_two() >= slice as usize);
        check(Method::Tpr { slice }, sizes, |_| 0);
        for slices in powers() {
            let (n, log_slices) = (slice * slices, u64::from(slices.ilog2()));
            let sliced = 24 * (slice - 1) - 12 * log_slice - 6;
            let overall = 17 * (slices - 1) + 1 - 8 * log_slices;
            let back = 5 * slices * (slice - 1) - 2 * log_slice;
            let method = Method::Tpr { slice };
            let operations = slices * sliced + 6 * (slices - 1) + overall + back;
            assert_eq!(method.operations(n as usize), operations, "{slices} slices of {slice}");
            assert_eq!(method.steps(n as usize), 2 * u64::from(n.ilog2()) + 2);
            // The paper solves the last two rows in one step, and its operations are about as many.
            let published = method.published(n as usize).unwrap();
            assert_eq!(published.steps, method.steps(n as usize) - 1);
            let ratio = published.operations.unwrap() as f64 / operations as f64;
            assert!(slice < 8 || (1.0..1.5).contains(&ratio), "{slices} slices of {slice}: {ratio}");
        }
    }
}

#[test]
fn wang_mou_takes_9_n_log_n() {
    // A step eliminates the two unknowns at a seam one after the other.
    check(Method::WangMou, SIZES, |n| u64::from(n.next_power_of_two().ilog2()));
    for n in powers() {
        let log = u64::from(n.ilog2());
        assert_eq!(Method::WangMou.operations(n as usize), 9 * n * log + 7 * n - 12);
        assert_eq!(Method::WangMou.steps(n as usize), log + 1);
    }
}

#[test]
fn pivoting_partition_takes_44n() {
    for rows in [4u64, 6, 8, 16] {
        check(Method::Pivoting { rows }, SIZES, |_| 0);
        let mut n = rows;
        for levels in 1..=3 {
            let method = Method::Pivoting { rows };
            assert_eq!(method.operations(n as usize), 44 * n - 77 + 5 * (n - 2) / (rows - 2), "n = {n}, {rows} rows");
            assert_eq!(method.steps(n as usize), 2 * (rows - 2) * levels + 3);
            n *= rows / 2;
        }
    }
}

/// The paper's table 1, for n = 1024.
#[test]
fn the_papers_counts() {
    let published = |method: Method| method.published(1024).map(|counts| (counts.steps, counts.operations));
    assert_eq!(published(Method::Thomas), Some((2048, None)));
    assert_eq!(published(Method::Cr), Some((19, Some(17_408))));
    assert_eq!(published(Method::Pcr), Some((10, Some(122_880))));
    assert_eq!(published(Method::WangMou), Some((10, Some(443_392))));
    assert_eq!(published(Method::Tpr { slice: 128 }), Some((21, Some(24 * 8 * 126 + 60 * 8 - 36 + 5 * 1024))));
    assert_eq!(published(Method::Partition { rows: 8 }), None);
    assert_eq!(Method::Cr.published(1000), None);
}

/// Multiplications and divisions per iteration of the methods for quasi-tridiagonal systems (table 1 of Li, Yang and Li): of so many
/// iterations, less those of fewer.
#[test]
fn iterations_multiply_as_stated() {
    let n = 640;
    let row = |i: usize| {
        let near = [(i > 0).then(|| (i, i - 1, -1.0)), (i + 1 < n).then(|| (i, i + 1, -0.8))];
        let far = [(i, i, 4.0), (i, (i + 100) % n, -0.5), (i, (i + 317) % n, -0.7)];
        near.into_iter().flatten().chain(far)
    };
    let plain = Csr::from_triplets(n, (0..n).flat_map(row)).unwrap();
    let entries = plain.entries();
    let matrix = mapped(&plain, input);
    let rhs: Vec<_> = (0..n).map(|i| input((i as f64).sin())).collect();
    let workers = Workers::new(1).unwrap();
    for (iteration, [fewer, more]) in [
        (Iteration::Hisa, [2, 4]),
        (Iteration::Bhisa { block: 64 }, [2, 4]),
        (Iteration::Jacobi, [2, 4]),
        (Iteration::GaussSeidel, [2, 4]),
        // Whole cycles.
        (Iteration::Gmres { restart: 5 }, [5, 10]),
        (Iteration::Gmres { restart: 3 }, [3, 9]),
        (Iteration::Bicg, [2, 4]),
        (Iteration::Bicgstab, [2, 4]),
        (Iteration::Tfqmr, [2, 4]),
        (Iteration::Bicrstab, [2, 4]),
    ] {
        let prepared = PreparedIteration::new(&matrix, iteration, &workers).unwrap();
        let count = |most| {
            MULTIPLICATIONS.set(0);
            let result = prepared.solve(&rhs, End { tolerance: 1e-30, most }).unwrap();
            assert_eq!(result.iterations(), most, "{iteration:?}: {:?}", result.outcome);
            MULTIPLICATIONS.get()
        };
        let counted = (count(more) - count(fewer)) as f64 / (more - fewer) as f64;
        let stated = iteration.multiplications(n, entries);
        // Single numbers: coefficients, rotations, the quotients of sums.
        assert!((counted - stated).abs() < 60.0, "{iteration:?}: {counted}, stated {stated}");
        assert!(counted >= stated - 3.0, "{iteration:?}: {counted}, stated {stated}");
    }
}

/// The phases cost what the paper says, O(N/P), O(P) and O(N/P) for each of P threads.
#[test]
fn p_scheme_takes_5n() {
    for chunks in [1, 2, 7, 32] {
        for each in [1, 2, 5, 100] {
            let n = chunks * each;
            let s: Vec<_> = (0..n).map(|i| input((i as f64 + 0.5).sin())).collect();
            let t: Vec<_> = (0..n).map(|i| input((i as f64).cos())).collect();
            let counted = || OPERATIONS.replace(0) as usize;
            counted();
            let mut phases = cpu::PScheme::new(&s, &t, chunks).unwrap();
            assert_eq!(counted(), 3 * (n - chunks), "pre-computation, {chunks} chunks of {each}");
            let before = phases.propagate(input(0.5));
            assert_eq!(counted(), 2 * chunks, "propagation, {chunks} chunks of {each}");
            phases.determine(&before);
            assert_eq!(counted(), 2 * (n - chunks), "determination, {chunks} chunks of {each}");
            let one_by_one = cpu::recurrence(&s, &t, input(0.5), false).unwrap();
            assert_eq!(counted(), 2 * n);
            for (w, want) in phases.values().iter().zip(&one_by_one) {
                approx::assert_relative_eq!(w.value, want.value, max_relative = 1e-12, epsilon = 1e-14);
            }
        }
    }
}

/// 4 operations and a division; behind values above 1 a division more.
#[test]
fn moebius_takes_5n() {
    let n = 100;
    let vector = |value: f64| vec![input(value); n];
    for (d, expected) in [(4.0, 5 * n), (0.25, 6 * n - 1)] {
        OPERATIONS.set(0);
        let w = cpu::moebius(&vector(1.0), &vector(1.0), &vector(0.25), &vector(d), input(0.5), false).unwrap();
        assert_eq!(OPERATIONS.get(), expected as u64, "d = {d}");
        // The fixed point.
        let last = w[n - 1].value;
        approx::assert_relative_eq!((last + 1.0) / (0.25 * last + d), last, max_relative = 1e-12);
    }
}
