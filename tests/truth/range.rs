//! Numbers at the ends of the range, and matrices whose entries differ by more than the range of their precision allows to multiply: right,
//! or an error that says what leaves the range. On the CPU, whose judge is that of the device.

use trisolve::filter::{self, Coefficients, Direction};
use trisolve::quasi_tridiagonal::{Csr, solve_directly};
use trisolve::triangular::{self, Uplo};
use trisolve::tridiagonal::{System, solve_on_cpu_reported};
use trisolve::{Error, Real};
use trisolve_lab::OnDevice;

type Triplet = (usize, usize, f64);

/// Solves a tridiagonal or, by its corners, periodic matrix of entries (row, column, value), counted from 1.
fn solved<T: Real>(entries: &[Triplet], rhs: &[f64]) -> Result<(Vec<f64>, f64), Error> {
    let n = rhs.len();
    let zero = || vec![T::ZERO; n];
    let (mut lower, mut diag, mut upper) = (zero(), zero(), zero());
    let mut periodic = false;
    for &(row, column, value) in entries {
        let (row, column, value) = (row - 1, column - 1, T::from_f64(value));
        match (column + n - row) % n {
            0 => diag[row] = value,
            1 => upper[row] = value,
            _ => lower[row] = value,
        }
        periodic |= row.abs_diff(column) > 1;
    }
    let rhs: Vec<_> = rhs.iter().map(|&b| T::from_f64(b)).collect();
    let system = System { periodic, ..System::new(&lower, &diag, &upper) };
    let solution = solve_on_cpu_reported(&system, &rhs)?;
    Ok((solution.x.iter().map(|x| x.to_f64()).collect(), solution.forward_error))
}

/// Compares with a solution of exact arithmetic, printed to 6 digits.
#[track_caller]
fn check(found: Result<(Vec<f64>, f64), Error>, exact: &[f64]) {
    let (x, stated) = found.unwrap_or_else(|error| panic!("{error}"));
    let size = exact.iter().fold(0f64, |most, x| most.max(x.abs()));
    let off = x.iter().zip(exact).fold(0f64, |most, (x, exact)| most.max((x - exact).abs()));
    assert!(off <= 1e-5 * size, "{x:?}, not {exact:?}");
    assert!(stated < 1e-6, "stated {stated:e}");
}

#[test]
fn tridiagonal_entries_of_any_size() {
    let graded = [(1, 1, -8.081692026041466e-307), (1, 2, 1.0), (2, 2, -1.0), (2, 1, -1.0505333158717214e305)];
    let graded =
        [&graded[..], &[(2, 3, -2.5264992354215643e300), (3, 3, 5.452138379328982e-307), (3, 2, 1.0)]].concat();
    let rhs = [0.17771601636548184, -1.6481973043483365e150, -2.2111039927632551e-150];
    // Of exact rational arithmetic.
    check(solved::<f64>(&graded, &rhs), &[7.83943e300, 0.177722, -3.25968e305]);
    let from_below = [(1, 1, 1.0), (2, 1, 1e39), (2, 3, 1.0), (3, 2, 1e-27), (3, 3, 1.0), (4, 3, 1.0), (4, 4, 1e14)];
    check(solved::<f64>(&from_below, &[0.0, 0.0, 0.0, 1.0]), &[0.0, 0.0, 0.0, 1e-14]);
    let swapped =
        [(1, 1, 1e-202), (1, 2, 1.0), (2, 1, 1e58), (2, 3, 1e58), (3, 4, 1.0), (4, 3, 1e-244), (4, 5, 1e-282)];
    let swapped =
        [&swapped[..], &[(5, 5, 1e-109), (5, 6, 1e-171), (6, 5, 1.0), (6, 7, 1e52), (7, 8, 1.0), (8, 7, 1.0)]];
    let exact = [1e-58, -1e-260, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    check(solved::<f64>(&swapped.concat(), &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), &exact);
}

#[test]
fn rings_of_any_size() {
    for tiny in [1e-30, 1e-40, 1e-65] {
        let (a, b) = (-0.5770335292857189, 0.7870980921298951);
        let entries = [(1, 2, 1.0), (1, 5, 1.0), (2, 1, a), (2, 2, b), (2, 3, 0.7869669629432051), (3, 3, 1.0)];
        let entries = [&entries[..], &[(3, 4, tiny), (4, 3, -0.5648882677236421), (5, 5, 1.0)]].concat();
        let exact = [-b / a, 1.0, 0.0, 0.0, 0.0];
        check(solved::<f64>(&entries, &[1.0, 0.0, 0.0, 0.0, 0.0]), &exact);
        if tiny >= 1e-30 {
            check(solved::<f32>(&entries, &[1.0, 0.0, 0.0, 0.0, 0.0]), &exact);
        }
    }
    let entries = [
        (1, 2, 1.0),
        (2, 2, -5.920851628254107e-34),
        (2, 3, -2.2294349591418383e38),
        (3, 3, 1e38),
        (4, 4, 1.0),
        (4, 5, 1.0),
        (5, 5, 1e-36),
        (5, 6, 1e-33),
        (6, 6, 1e38),
        (6, 1, 1.0),
        (1, 6, -1.0),
    ];
    let exact = [0.0, 0.0, 0.0, -3.2803732e35, 3.2803732e35, 0.0];
    check(solved::<f32>(&entries, &[0.0, 0.0, 0.0, 0.0, 0.3280373215675354, 0.0]), &exact);
}

#[test]
fn a_row_past_the_range_is_named() {
    let entries = [(1, 2, 1.0), (2, 1, 1.0), (3, 2, 1e-250), (3, 4, 1e-250), (4, 3, 1e250), (4, 4, -1e250)];
    let entries = [
        &entries[..],
        &[(4, 5, 1e250), (5, 4, -1e250), (5, 5, 1e250), (6, 5, -1.0), (6, 6, 2.0), (6, 7, -1.0), (7, 6, -1e-250)],
        &[(7, 7, -1e-250)],
    ]
    .concat();
    let rhs = [1.0, 0.0, 2.1395149845397563e261, 0.0, 0.0, 0.0, 0.0];
    let error = solved::<f64>(&entries, &rhs).unwrap_err();
    assert!(matches!(error, Error::Overflow { row: 3..=6, .. }), "{error}");
}

#[test]
fn triangular_products_next_to_underflow() {
    let solve = |n: usize, matrix: &[f64], rhs: &[f64], uplo: Uplo| {
        let options = triangular::Options::on_device().uplo(uplo);
        triangular::solve_on_cpu(&triangular::Shape::single(n), &options, matrix, rhs)
            .map(|solution| (solution.x, solution.forward_error))
    };
    let small = [-1e-305, -1.0, 0.0, 1e-305];
    let (x, stated) = solve(2, &small, &[-1.1921237590982826e-300, -119212.37590982826], Uplo::Lower).unwrap();
    assert!((x[1] / 2.448222331372051e293 - 1.0).abs() <= 10.0 * stated, "{x:?}, {stated:e}");
    let subnormal = [5.3954174065e-314, 0.0, 0.0, -0.9873709024818339, 0.9747991877208751, 0.0];
    let subnormal = [&subnormal[..], &[-0.1346615410323292, -0.000506637504507895, 4.243796292e-314]].concat();
    let rhs = [-966109034.9398332, -3643815.6638980187, 3.044676704272438e-304];
    let (x, stated) = solve(3, &subnormal, &rhs, Uplo::Upper).unwrap();
    assert!((x[0] / 5.17238457781189e305 - 1.0).abs() <= 10.0 * stated, "{x:?}, {stated:e}");
    let large = [1.0, 1e10, 0.0, 1.0].map(|entry| 1e295 * entry);
    let (x, _) = solve(2, &large, &[1e295, 1e305], Uplo::Lower).unwrap();
    assert_eq!(x[0], 1.0);
    // An unknown below the range, times an entry that brings it back.
    let (x, stated) = solve(2, &[1e200, 1e250, 0.0, 1.0], &[1e-200, 1e-160], Uplo::Lower).unwrap();
    assert!((x[1] / (1e-160 - 1e-150) - 1.0).abs() <= 10.0 * stated, "{x:?}, {stated:e}");
    let vanished = solve(1, &[1e200], &[1e-200], Uplo::Lower).unwrap_err();
    assert!(matches!(vanished, Error::Underflow { .. }), "{vanished}");
    // Of subnormal entries, which have few digits but are exact.
    let smallest = [3.0, 7.0, 0.0, 5.0].map(|entry| entry * 1e-323);
    let (x, stated) = solve(2, &smallest, &[1e-323, 1e-323], Uplo::Lower).unwrap();
    let [a, b, _, c] = smallest.map(|entry| entry / 5e-324);
    let expected = [2.0 / a, (2.0 - b * 2.0 / a) / c];
    let off = x.iter().zip(expected).fold(0f64, |most, (x, expected)| most.max((x - expected).abs()));
    assert!(off <= 10.0 * stated, "{x:?}, not {expected:?}");
}

/// Solves a matrix given by its excess.
fn solved_by_excess<T: Real>(off: f64, excess: &[f64], rhs: &[f64], periodic: bool) -> Result<(Vec<f64>, f64), Error> {
    let narrow = |values: &[f64]| values.iter().map(|&value| T::from_f64(value)).collect::<Vec<_>>();
    let (off, excess) = (vec![T::from_f64(off); rhs.len()], narrow(excess));
    let system = System { periodic, ..System::with_excess(&off, &excess, &off) };
    let solution = solve_on_cpu_reported(&system, &narrow(rhs))?;
    Ok((solution.x.iter().map(|x| x.to_f64()).collect(), solution.forward_error))
}

#[test]
fn no_excess_is_singular_and_the_smallest_is_not() {
    fn check_in<T: Real>() {
        for periodic in [false, true] {
            for rhs in [[1.0, 0.0, 0.0, 0.0], [0.0; 4]] {
                let singular = solved_by_excess::<T>(-1.0, &[0.0; 4], &rhs, periodic);
                assert!(matches!(singular, Err(Error::Singular { .. } | Error::NearlySingular { .. })), "{singular:?}");
            }
            // The rows add up to 1e-20 x[3] = 1.
            let found = solved_by_excess::<T>(-1.0, &[0.0, 0.0, 0.0, 1e-20], &[1.0, 0.0, 0.0, 0.0], periodic);
            check(found, &[1e20; 4]);
        }
    }
    check_in::<f32>();
    check_in::<f64>();
}

#[test]
fn an_unknown_below_the_range_is_refused() {
    for (diag, rhs) in [(-2.5e89, 8.2e-259), (5e57, 4.5e-283)] {
        let vanished = solved::<f64>(&[(1, 1, diag)], &[rhs]).unwrap_err();
        assert!(matches!(vanished, Error::Underflow { .. }), "{vanished}");
    }
    // 1e-90 times 1e-300 underflows; x[1] does not.
    let chain = [(1, 1, 1.0), (2, 1, -1e-90), (2, 2, 1e-90), (3, 3, 1.0)];
    check(solved::<f64>(&chain, &[1e-300, 0.0, 0.0]), &[1e-300, 1e-300, 0.0]);
    let matrix = Csr::new(&[0, 1, 2, 3], &[0, 1, 2], &[1e250, 1e200, 1e250]).unwrap();
    let vanished = trisolve::quasi_tridiagonal::solve_on_cpu(&matrix, &[1e-254; 3], 1e-7, 100).unwrap_err();
    assert!(matches!(vanished, Error::Underflow { .. }), "{vanished}");
}

/// An output that is 0 only by underflow is an error; one that another row or a state beyond the last row makes up for is none.
#[test]
fn filters_at_the_ends_of_the_range() {
    let filter = |b: &[f64], a: &[f64], x: &[f64], initial: &[f64]| {
        let coefficients = Coefficients::new(b, a).unwrap();
        filter::solve_on_cpu(&coefficients, x, initial, Direction::Forward)
            .map(|solution| (solution.y, solution.forward_error))
    };
    let underflow = filter(&[1e-30], &[1.0, 0.0], &[1e-306], &[]).unwrap_err();
    assert!(matches!(underflow, Error::Underflow { .. }), "{underflow}");
    let (y, _) = filter(&[1e-100], &[1.0, 1e108], &[1e-300, 0.0, 0.0, 0.0, 0.0], &[]).unwrap();
    assert!((y[4] / 1e32 - 1.0).abs() < 1e-12, "{y:?}");
    let (y, _) = filter(&[1.0], &[1.0, -0.5], &[1e308, 0.0, 0.0], &[]).unwrap();
    assert_eq!(y, [1e308, 5e307, 2.5e307]);
    // Sums of products, that the estimate takes, leave the range.
    let (_, stated) = filter(&[1.0, 1.09, 0.48], &[1.0, 1.08, 0.49], &[2e307, -1e307, 2e307, 1.5e307], &[]).unwrap();
    assert!(stated < 1e-14, "{stated:e}");
    let (y, _) = filter(&[1e-30, 1.0], &[1.0, 0.0], &[1.0], &[]).unwrap();
    assert_eq!(y, [1e-30]);
    let (y, _) = filter(&[1.0, 0.0, 0.0], &[1.0, 0.0, 0.0], &[1.0], &[0.5, 1e200]).unwrap();
    assert_eq!(y, [1.5]);
    // (1 - 3 z + 3 z^2 - 1.001 z^3) / (1 - z)^3, whose outputs cancel.
    let x = [9.66e-307, 1e-307, 1.817e-306, 0.0, -9.2e-307, -1.219e-306];
    let (y, _) = filter(&[1.0, -3.0, 3.0, -1.001], &[1.0, -3.0, 3.0, -1.0], &x, &[]).unwrap();
    let large: Vec<_> = x.iter().map(|x| x * 2f64.powi(600)).collect();
    let (expected, _) = filter(&[1.0, -3.0, 3.0, -1.001], &[1.0, -3.0, 3.0, -1.0], &large, &[]).unwrap();
    let size = y.iter().fold(0f64, |most, y| most.max(y.abs()));
    for (y, expected) in y.iter().zip(&expected) {
        assert!((y - expected * 2f64.powi(-600)).abs() <= 2.0 * f64::EPSILON * size, "{y:e}");
    }
}

#[test]
fn sparse_matrices_of_any_size() {
    let directly = |n: usize, entries: &[Triplet], rhs: &[f64]| {
        let matrix = Csr::from_triplets(n, entries.iter().map(|&(i, j, value)| (i - 1, j - 1, value))).unwrap();
        solve_directly(&matrix, rhs).map(|solution| (solution.x, solution.forward_error))
    };
    let entries = [(1, 1, 1.0), (2, 1, 1e-211), (2, 2, 1.0), (4, 3, 1.0), (4, 4, 1e-156), (1, 3, 1e-183), (3, 2, 1.0)];
    let error = directly(4, &entries, &[1.0, 0.0, 0.0, 0.0]).unwrap_err();
    assert!(matches!(error, Error::Overflow { row: 3, .. }), "{error}");
    let entries = [(1, 1, 1.0), (1, 3, 1e110), (2, 1, 1.0), (2, 2, 1.0), (3, 3, 1.0), (4, 1, 1e69), (4, 5, 1e78)];
    let entries = [&entries[..], &[(5, 4, 1.0), (6, 5, 1e131), (6, 6, 1.0)]].concat();
    let large = 1.3386809760658793e130;
    check(directly(6, &entries, &[0.0, large, 0.0, 0.0, 0.0, 0.0]), &[0.0, large, 0.0, 0.0, 0.0, 0.0]);
}
