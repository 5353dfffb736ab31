//! Tree partitioning reduction and Wang and Mou's method, step by step, on the paper's example.

use trisolve::cpu::{self, Coupled, TreePartitioning, WangMou};

/// Some forty roundings per row, times the largest condition number that `example` allows: diagonals of
/// 2.2 at the least and 2.5 at the most, off-diagonals of 2 together, hence 22.
const TOLERANCE: f64 = 40.0 * 22.0 * (f64::EPSILON / 2.0);

struct Example {
    lower: Vec<f64>,
    diag: Vec<f64>,
    upper: Vec<f64>,
    rhs: Vec<f64>,
    x: Vec<f64>,
}

/// Dominant, with a known solution.
fn example(n: usize) -> Example {
    let lower: Vec<_> = (0..n).map(|i| (0.7 * i as f64).sin()).collect();
    let upper: Vec<_> = (0..n).map(|i| (1.3 * i as f64).cos()).collect();
    let diag: Vec<_> = (0..n).map(|i| if i % 3 == 0 { -2.5 } else { 2.2 }).collect();
    let x: Vec<_> = (0..n).map(|i| 1.0 + 0.5 * (0.9 * i as f64).sin()).collect();
    let rhs = (0..n)
        .map(|i| {
            let left = if i > 0 { lower[i] * x[i - 1] } else { 0.0 };
            let right = if i + 1 < n { upper[i] * x[i + 1] } else { 0.0 };
            left + diag[i] * x[i] + right
        })
        .collect();
    Example { lower, diag, upper, rhs, x }
}

/// The unknowns of each equation, counted from 1, and that the solution satisfies it.
fn unknowns(equations: &[Coupled<f64>], x: &[f64]) -> Vec<Vec<usize>> {
    equations
        .iter()
        .map(|&Coupled { prev, row, next, equation }| {
            let term = |coefficient: f64, at: Option<usize>| at.map_or(0.0, |at| coefficient * x[at]);
            let left = term(equation.a, prev) + term(equation.b, Some(row)) + term(equation.c, next);
            approx::assert_relative_eq!(left, equation.d, max_relative = TOLERANCE, epsilon = TOLERANCE);
            [prev, Some(row), next].into_iter().flatten().map(|at| at + 1).collect()
        })
        .collect()
}

#[test]
fn sixteen_rows_in_slices_of_four() {
    let Example { lower, diag, upper, rhs, x } = example(16);
    let mut reduction = TreePartitioning::new(&lower, &diag, &upper, &rhs, 4).unwrap();
    let rows: Vec<Vec<usize>> =
        (1..=16).map(|i| (i - 1..=i + 1).filter(|at| (1..=16).contains(at)).collect()).collect();
    assert_eq!(unknowns(&reduction.towards_first(), &x), rows);
    assert_eq!(unknowns(&reduction.towards_last(), &x), rows);
    assert!(reduction.overall().is_err());

    reduction.reduce();
    let first = [
        vec![1, 3],
        vec![1, 3, 4],
        vec![4, 5, 7],
        vec![5, 7, 8],
        vec![8, 9, 11],
        vec![9, 11, 12],
        vec![12, 13, 15],
        vec![13, 15, 16],
    ];
    let last = [
        vec![2, 4],
        vec![2, 4, 5],
        vec![4, 6, 8],
        vec![6, 8, 9],
        vec![8, 10, 12],
        vec![10, 12, 13],
        vec![12, 14, 16],
        vec![14, 16],
    ];
    assert_eq!(unknowns(&reduction.towards_first(), &x), first);
    assert_eq!(unknowns(&reduction.towards_last(), &x), last);

    reduction.reduce();
    assert!(reduction.is_reduced());
    assert_eq!(unknowns(&reduction.towards_first(), &x), [vec![1, 4], vec![4, 5, 8], vec![8, 9, 12], vec![12, 13, 16]]);
    assert_eq!(unknowns(&reduction.towards_last(), &x), [vec![4, 5], vec![4, 8, 9], vec![8, 12, 13], vec![12, 16]]);
    assert_eq!(
        unknowns(&reduction.overall().unwrap(), &x),
        [vec![4, 8], vec![4, 8, 12], vec![8, 12, 16], vec![12, 16]]
    );

    for (solved, x) in reduction.solve().unwrap().iter().zip(&x) {
        approx::assert_relative_eq!(solved, x, max_relative = TOLERANCE);
    }
}

/// The same system by Wang and Mou: blocks of 2, 4 (slices of S = 4 end here), 8, 16.
#[test]
fn sixteen_rows_in_doubling_blocks() {
    let Example { lower, diag, upper, rhs, x } = example(16);
    let mut method = WangMou::new(&lower, &diag, &upper, &rhs).unwrap();
    for size in [1, 2, 4, 8, 16] {
        let wanted: Vec<Vec<usize>> = (0..16)
            .map(|row| {
                let start = row - row % size;
                let beside = [start, row + 1, start + size + 1];
                beside.into_iter().filter(|at| (1..=16).contains(at)).collect()
            })
            .collect();
        assert_eq!(unknowns(&method.own(), &x), wanted);
        assert_eq!(method.is_whole(), size == 16);
        if size < 16 {
            method.double();
        }
    }
    for (solved, x) in method.solve().unwrap().iter().zip(&x) {
        approx::assert_relative_eq!(solved, x, max_relative = TOLERANCE);
    }
}

/// What the paper makes of the first row in its step log2 S + 1, by means of the last row and with
/// the coupling between slices as the pivot, is the same equation.
#[test]
fn the_first_row_is_the_papers() {
    let Example { lower, diag, upper, rhs, .. } = example(16);
    let mut reduction = TreePartitioning::new(&lower, &diag, &upper, &rhs, 4).unwrap();
    reduction.reduce();
    let seven = reduction.towards_first()[3].equation;
    reduction.reduce();
    let (ours, last) = (reduction.towards_first()[1].equation, reduction.towards_last()[1].equation);
    // {5 7 8} with row 8, {7 8 9} at first, is {5 7 9}; row 5 with that is {4 5 9}.
    let k = seven.c / diag[7];
    let seven = (seven.a, seven.b - lower[7] * k, -upper[7] * k, seven.d - rhs[7] * k);
    let five = (lower[4], diag[4], upper[4], rhs[4]);
    let k = five.2 / diag[5];
    let five = (five.0, five.1 - lower[5] * k, -upper[5] * k, five.3 - rhs[5] * k);
    let k = five.2 / seven.1;
    let five = (five.0, five.1 - seven.0 * k, -seven.2 * k, five.3 - seven.3 * k);
    // {4 8 9} takes 9 out of {4 5 9}.
    let k = five.2 / last.c;
    let paper = [five.0 - last.a * k, five.1, -last.b * k, five.3 - last.d * k];
    for (ours, paper) in [ours.a, ours.c, ours.d].iter().zip([paper[0], paper[2], paper[3]]) {
        approx::assert_relative_eq!(
            ours / reduction.towards_first()[1].equation.b,
            paper / five.1,
            max_relative = TOLERANCE
        );
    }
}

#[test]
fn any_size_in_any_slices() {
    for n in [1, 2, 3, 4, 5, 7, 8, 16, 31, 33, 100, 1000, 1023, 1025] {
        let Example { lower, diag, upper, rhs, x } = example(n);
        let check = |solved: Vec<f64>| {
            for (solved, x) in solved.iter().zip(&x) {
                approx::assert_relative_eq!(solved, x, max_relative = TOLERANCE);
            }
            assert_eq!(solved.len(), n);
        };
        for slice in [2, 4, 8, 64, 1024] {
            check(cpu::tree_partitioning_reduction(&lower, &diag, &upper, &rhs, slice).unwrap());
        }
        check(cpu::wang_mou(&lower, &diag, &upper, &rhs).unwrap());
    }
}

#[test]
fn slices_that_are_no_power_of_two_are_refused() {
    let Example { lower, diag, upper, rhs, .. } = example(12);
    for slice in [0, 1, 3, 12] {
        let refused = cpu::tree_partitioning_reduction(&lower, &diag, &upper, &rhs, slice);
        assert!(matches!(refused, Err(trisolve::Error::Options(_))), "{slice}: {refused:?}");
    }
}

/// Slices that nothing couples: the paper's pivot would be zero.
#[test]
fn slices_may_be_decoupled() {
    let Example { mut lower, diag, mut upper, rhs, .. } = example(16);
    (upper[7], lower[8]) = (0.0, 0.0);
    let want = cpu::gtsv(&lower, &diag, &upper, &rhs).unwrap();
    let x = cpu::tree_partitioning_reduction(&lower, &diag, &upper, &rhs, 4).unwrap();
    for (x, want) in x.iter().zip(&want) {
        approx::assert_relative_eq!(x, want, max_relative = TOLERANCE);
    }
}
