//! The operation and step counts that the docs state, counted.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use trisolve::{Scalar, cpu};

thread_local! {
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count_one() {
    OPERATIONS.set(OPERATIONS.get() + 1);
}

/// A number that counts what is done with it; negation is free.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Counted(f64);

macro_rules! counted {
    ($($trait:ident $method:ident),*) => {
        $(impl $trait for Counted {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                count_one();
                Self(self.0.$method(other.0))
            }
        })*
    };
}
counted!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Scalar for Counted {
    const ZERO: Self = Self(0.0);
    const ONE: Self = Self(1.0);
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

type Slice<'a> = &'a [Counted];

fn count(solver: impl Fn(Slice, Slice, Slice, Slice) -> trisolve::Result<Vec<Counted>>, n: usize) -> u64 {
    let vector = |value: f64| vec![Counted(value); n];
    OPERATIONS.set(0);
    let x = solver(&vector(-1.0), &vector(3.0), &vector(-1.0), &vector(1.0)).unwrap();
    let operations = OPERATIONS.get();
    assert!(x.iter().all(|x| x.0 > 0.0 && x.0 < 1.0 + 1e-9));
    operations
}

#[test]
fn thomas_takes_8n_minus_7() {
    for n in [1u64, 2, 3, 17, 1000] {
        assert_eq!(count(cpu::thomas, n as usize), 8 * n - 7, "n = {n}");
    }
}

#[test]
fn cyclic_reduction_takes_17n() {
    for m in 0..12u64 {
        let n = 1 << m;
        assert_eq!(count(cpu::cyclic_reduction, n as usize), 17 * (n - 1) + 1 - 8 * m, "n = {n}");
    }
}

#[test]
fn parallel_cyclic_reduction_takes_12_n_log_n() {
    for m in 0..12u64 {
        let n = 1 << m;
        assert_eq!(count(cpu::parallel_cyclic_reduction, n as usize), 12 * n * m + n - 12 * (n - 1), "n = {n}");
    }
}

#[test]
fn tree_partitioning_takes_29n() {
    for slice_log in 1..6u64 {
        for slices_log in 0..6u64 {
            let (slice, slices) = (1 << slice_log, 1 << slices_log);
            let solver = |lower: &[_], diag: &[_], upper: &[_], rhs: &[_]| {
                cpu::tree_partitioning_reduction(lower, diag, upper, rhs, slice as usize)
            };
            let sliced = 24 * (slice - 1) - 12 * slice_log - 6;
            let overall = 17 * (slices - 1) + 1 - 8 * slices_log;
            let back = 5 * slices * (slice - 1) - 2 * slice_log;
            let expected = slices * sliced + 6 * (slices - 1) + overall + back;
            assert_eq!(count(solver, (slice * slices) as usize), expected, "{slices} slices of {slice}");
        }
    }
}

#[test]
fn wang_mou_takes_9_n_log_n() {
    for m in 1..12u64 {
        let n = 1 << m;
        assert_eq!(count(cpu::wang_mou, n as usize), 9 * n * m + 7 * n - 12, "n = {n}");
    }
}

#[test]
fn pivoting_partition_takes_44n() {
    for rows in [4u64, 6, 8, 16] {
        let mut n = rows;
        for _ in 0..3 {
            let solver = |lower: &[_], diag: &[_], upper: &[_], rhs: &[_]| {
                cpu::pivoting_partition(lower, diag, upper, rhs, rows as usize)
            };
            // Halving a number until 1 stays 1, and the changes of singular partitions, by the primes from 11 on.
            let primes = [11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61];
            let precision = 4 * 26 + 8 + primes[rows as usize - 3] + 2 * (rows - 2);
            let want = 44 * n - 77 + 5 * (n - 2) / (rows - 2) + precision;
            assert_eq!(count(solver, n as usize), want, "n = {n}, {rows} rows");
            n *= rows / 2;
        }
    }
}

/// The phases cost what the paper says, O(N/P), O(P) and O(N/P) for each of P threads.
#[test]
fn p_scheme_takes_5n() {
    for chunks in [1, 2, 7, 32] {
        for each in [1, 2, 5, 100] {
            let n = chunks * each;
            let s: Vec<_> = (0..n).map(|i| Counted((i as f64 + 0.5).sin())).collect();
            let t: Vec<_> = (0..n).map(|i| Counted((i as f64).cos())).collect();
            let counted = || OPERATIONS.replace(0) as usize;
            counted();
            let phases = cpu::PScheme::new(&s, &t, chunks).unwrap();
            assert_eq!(counted(), 3 * (n - chunks), "pre-computation, {chunks} chunks of {each}");
            let before = phases.propagate(Counted(0.5));
            assert_eq!(counted(), 2 * chunks, "propagation, {chunks} chunks of {each}");
            let w = phases.determine(&before);
            assert_eq!(counted(), 2 * (n - chunks), "determination, {chunks} chunks of {each}");
            let one_by_one = cpu::recurrence(&s, &t, Counted(0.5), false).unwrap();
            assert_eq!(counted(), 2 * n);
            for (w, want) in w.iter().zip(&one_by_one) {
                approx::assert_relative_eq!(w.0, want.0, max_relative = 1e-12, epsilon = 1e-14);
            }
        }
    }
}

#[test]
fn p_scheme_takes_any_number_of_chunks() {
    let (s, t): (Vec<f64>, Vec<f64>) = (0..10).map(|i| (0.3 * f64::from(i) - 1.0, f64::from(i))).unzip();
    let one_by_one = cpu::recurrence(&s, &t, 2.0, false).unwrap();
    for chunks in 1..15 {
        for (w, want) in cpu::p_scheme(&s, &t, 2.0, chunks).unwrap().iter().zip(&one_by_one) {
            approx::assert_relative_eq!(w, want, max_relative = 1e-12);
        }
    }
    assert!(matches!(cpu::p_scheme(&s, &t, 2.0, 0), Err(trisolve::Error::Shape(_))));
    assert!(matches!(cpu::p_scheme::<f64>(&[], &[], 2.0, 1), Err(trisolve::Error::Shape(_))));
    assert!(matches!(cpu::p_scheme(&s, &t[1..], 2.0, 1), Err(trisolve::Error::Length { vector: "t", .. })));
}

/// 4 operations and a division; behind values above 1 a division more.
#[test]
fn moebius_takes_5n() {
    let n = 100;
    let vector = |value: f64| vec![Counted(value); n];
    for (d, expected) in [(4.0, 5 * n), (0.25, 6 * n - 1)] {
        OPERATIONS.set(0);
        let w = cpu::moebius(&vector(1.0), &vector(1.0), &vector(0.25), &vector(d), Counted(0.5), false).unwrap();
        assert_eq!(OPERATIONS.get(), expected as u64, "d = {d}");
        // The fixed point.
        let last = w[n - 1].0;
        approx::assert_relative_eq!((last + 1.0) / (0.25 * last + d), last, max_relative = 1e-12);
    }
}

#[test]
fn references_agree_at_any_size() {
    for n in [1usize, 2, 3, 4, 5, 7, 31, 33, 1000, 1023, 1025] {
        let lower: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
        let upper: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).cos()).collect();
        let diag: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { -2.5 } else { 2.2 }).collect();
        let rhs: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let want = cpu::gtsv(&lower, &diag, &upper, &rhs).unwrap();
        for solver in [cpu::thomas, cpu::thomas_carried, cpu::cyclic_reduction, cpu::parallel_cyclic_reduction] {
            let x = solver(&lower, &diag, &upper, &rhs).unwrap();
            for (x, want) in x.iter().zip(&want) {
                approx::assert_relative_eq!(x, want, max_relative = 1e-12, epsilon = 1e-14);
            }
        }
    }
}

/// A pivot that overflows divides to zero, which is finite: no reference may take that for an answer.
#[test]
fn an_overflowing_pivot_is_a_breakdown() {
    let h = 3e38f32;
    // Twice (h h; -h h), whose solution for (h, 0) is a half in both.
    let (lower, diag, upper, rhs) = ([0.0, -h, 0.0, -h], [h; 4], [h, 0.0, h, 0.0], [h, 0.0, h, 0.0]);
    let in_slices = |l: &[f32], d: &[f32], u: &[f32], r: &[f32]| cpu::tree_partitioning_reduction(l, d, u, r, 2);
    for (name, x) in [
        ("thomas", cpu::thomas(&lower, &diag, &upper, &rhs)),
        ("thomas_carried", cpu::thomas_carried(&lower, &diag, &upper, &rhs)),
        ("gtsv", cpu::gtsv(&lower, &diag, &upper, &rhs)),
        ("cyclic_reduction", cpu::cyclic_reduction(&lower, &diag, &upper, &rhs)),
        ("parallel_cyclic_reduction", cpu::parallel_cyclic_reduction(&lower, &diag, &upper, &rhs)),
        ("tree_partitioning_reduction", in_slices(&lower, &diag, &upper, &rhs)),
        ("wang_mou", cpu::wang_mou(&lower, &diag, &upper, &rhs)),
    ] {
        match x {
            Ok(x) => assert!(x.iter().all(|x| (x - 0.5).abs() < 1e-6), "{name}: {x:?}"),
            Err(error) => assert!(matches!(error, trisolve::Error::Breakdown { .. }), "{name}: {error}"),
        }
    }
}

#[test]
fn gtsv_exchanges_rows() {
    let (lower, diag, upper) = ([0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [3.0, 1.0, 0.0]);
    let x = cpu::gtsv(&lower, &diag, &upper, &[3.0, 2.0, 3.0]).unwrap();
    for x in x {
        approx::assert_relative_eq!(x, 1.0, max_relative = 1e-14);
    }
    let singular = cpu::gtsv(&[0.0, 1.0], &[1.0, 1.0], &[1.0, 0.0], &[1.0, 1.0]);
    assert_eq!(singular, Err(trisolve::Error::Singular { system: 0, row: 1 }));
}
