//! The CPU references: they agree with each other at any size, and refuse what they cannot solve.

use trisolve::{Error, cpu};

#[test]
fn references_agree_at_any_size() {
    for n in [1usize, 2, 3, 4, 5, 7, 31, 33, 1000, 1023, 1025] {
        let lower: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
        let upper: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).cos()).collect();
        let diag: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { -2.5 } else { 2.2 }).collect();
        let rhs: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let want = cpu::gtsv(&lower, &diag, &upper, &rhs).unwrap();
        type Solver = fn(&[f64], &[f64], &[f64], &[f64]) -> trisolve::Result<Vec<f64>>;
        let solvers: [Solver; 8] = [
            cpu::thomas,
            cpu::thomas_carried,
            cpu::cyclic_reduction,
            cpu::parallel_cyclic_reduction,
            |lower, diag, upper, rhs| cpu::cr_pcr(lower, diag, upper, rhs, 8),
            |lower, diag, upper, rhs| cpu::partition(lower, diag, upper, rhs, 1),
            |lower, diag, upper, rhs| cpu::partition(lower, diag, upper, rhs, 7),
            |lower, diag, upper, rhs| cpu::partition(lower, diag, upper, rhs, 32),
        ];
        for solver in solvers {
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
    let in_chunks = |l: &[f32], d: &[f32], u: &[f32], r: &[f32]| cpu::partition(l, d, u, r, 2);
    for (name, x) in [
        ("thomas", cpu::thomas(&lower, &diag, &upper, &rhs)),
        ("thomas_carried", cpu::thomas_carried(&lower, &diag, &upper, &rhs)),
        ("gtsv", cpu::gtsv(&lower, &diag, &upper, &rhs)),
        ("cyclic_reduction", cpu::cyclic_reduction(&lower, &diag, &upper, &rhs)),
        ("parallel_cyclic_reduction", cpu::parallel_cyclic_reduction(&lower, &diag, &upper, &rhs)),
        ("tree_partitioning_reduction", in_slices(&lower, &diag, &upper, &rhs)),
        ("partition", in_chunks(&lower, &diag, &upper, &rhs)),
        ("wang_mou", cpu::wang_mou(&lower, &diag, &upper, &rhs)),
    ] {
        match x {
            Ok(x) => assert!(x.iter().all(|x| (x - 0.5).abs() < 1e-6), "{name}: {x:?}"),
            Err(error) => assert!(matches!(error, Error::Breakdown { .. }), "{name}: {error}"),
        }
    }
}

#[test]
fn no_rows_are_refused() {
    let one = [1.0];
    for x in [cpu::cr_pcr(&one, &one, &one, &one, 0), cpu::partition(&one, &one, &one, &one, 0)] {
        assert!(matches!(x, Err(Error::Options(_))));
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
    assert_eq!(singular, Err(Error::Singular { system: 0, row: 1 }));
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
    // Once more over the same memory, with other coefficients.
    let mut phases = cpu::PScheme::new(&s, &t, 3).unwrap();
    phases.precompute(|i| s[9 - i], &s).unwrap();
    let before = phases.propagate(2.0);
    let reversed: Vec<_> = s.iter().rev().copied().collect();
    let one_by_one = cpu::recurrence(&reversed, &s, 2.0, false).unwrap();
    phases.determine(&before);
    for (w, want) in phases.values().iter().zip(&one_by_one) {
        approx::assert_relative_eq!(w, want, max_relative = 1e-12);
    }
    assert!(matches!(phases.precompute(|i| s[i], &t[1..]), Err(Error::Length { vector: "t", .. })));
    assert!(matches!(cpu::p_scheme(&s, &t, 2.0, 0), Err(Error::Shape(_))));
    assert!(matches!(cpu::p_scheme::<f64>(&[], &[], 2.0, 1), Err(Error::Shape(_))));
    assert!(matches!(cpu::p_scheme(&s, &t[1..], 2.0, 1), Err(Error::Length { vector: "t", .. })));
}
