//! Systems that deceived an estimate, a bound or a refinement of the judge's.
#![allow(clippy::excessive_precision)] // Numbers as files had them.

use super::*;
use trisolve::recurrence::moebius::{self, Moebius, MoebiusPlan};
use trisolve::tridiagonal::Diagonal;
use trisolve_lab::OnDevice;

/// I + t C, C orthogonal to ones and to alternating vectors: Hager's estimate of the inverse misses t.
#[test]
fn a_triangular_matrix_made_for_an_estimate() {
    let n = 10;
    let mut matrix = vec![0.0f32; n * n];
    let scales = [1.0, 1.0, 18.0, 4.0, 20.0, 1.0, 1.0, 1.0, 1.0, 1.0f32];
    for (i, scale) in scales.iter().enumerate() {
        matrix[i * n + i] = 49.0 * scale;
        matrix[i] = -49.0 * scale;
    }
    (matrix[0], matrix[9]) = (49.0, -490.0);
    for (i, entry) in [(5, 2.6722530601467904e16), (6, -1724034232352768.0), (7, -2.4998496369115136e16f32)] {
        (matrix[n + i], matrix[2 * n + i]) = (entry, -entry);
    }
    let rhs = [1.0f32, -1.0, -18.0, -4.0, -20.0, -1.0, -1.0, -1.0, -1.0, -10.0];
    let (shape, options) = (triangular::Shape::single(n), triangular::Options::on_device());
    let plan = triangular::TriangularPlan::new(&gpu(false, FeatureSwitches::ALL), shape, options).unwrap();
    let on_cpu = triangular::solve_on_cpu(&shape, &options, &matrix, &rhs).unwrap();
    for x in [plan.solve(&matrix, &rhs).unwrap(), on_cpu.x] {
        assert!((x[0] * 49.0 - 1.0).abs() < 1e-6);
        assert!(x[1..].iter().all(|x| x.abs() < 1e-9), "{x:?}");
    }
}

/// w = a w + b cancels to 0 by rounding only, then 1 / w.
#[test]
fn a_moebius_recurrence_through_a_rounded_zero() {
    fn solve<T: Real>(gpu: &Gpu, a: f64, initial: f64) {
        let [a, initial] = [a, initial].map(T::from_f64);
        let product = DoubleDouble::from(a.to_f64()) * DoubleDouble::from(initial.to_f64());
        let b = T::from_f64(-product.to_f64());
        let left = product + DoubleDouble::from(b.to_f64());
        let exact = [left.to_f64(), (DoubleDouble::from(1.0) / left).to_f64()];
        let one = T::from_f64(1.0);
        let coefficients = [[a, T::ZERO], [b, one], [T::ZERO, one], [one, T::ZERO]];
        let [a, b, c, d] = coefficients.each_ref().map(|values| Coefficient::Each(&values[..]));
        let system = Moebius { a, b, c, d, initial: Coefficient::Constant(initial) };
        let plan = MoebiusPlan::<T>::new(gpu, Shape::single(2), moebius::Options::on_device()).unwrap();
        let w = plan.solve(&system).unwrap();
        for (w, exact) in w.iter().zip(exact) {
            assert!((w.to_f64() / exact - 1.0).abs() < 1e-6, "{}: {w:?}, not {exact:e}", T::PRECISION);
        }
    }
    let gpu = gpu(false, FeatureSwitches::ALL);
    solve::<f32>(&gpu, 1.3163437843322754, 0.8569469451904297);
    if gpu.capabilities().features.f64 {
        solve::<f64>(&gpu, 1.3163437843322754, 0.8569469451904298);
    }
}

/// Exact zeros and poles stay what they are.
#[test]
fn moebius_recurrences_through_exact_zeros() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    // w - 3 of 3, then 1 / w, then 2 / w.
    let coefficients = [[1.0f32, 0.0, 0.0], [-3.0, 1.0, 2.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]];
    let [a, b, c, d] = coefficients.each_ref().map(|values| Coefficient::Each(&values[..]));
    let system = Moebius { a, b, c, d, initial: Coefficient::Constant(3.0) };
    let plan = MoebiusPlan::<f32>::new(&gpu, Shape::single(3), moebius::Options::on_device()).unwrap();
    assert_eq!(plan.solve(&system).unwrap(), [0.0, f32::INFINITY, 0.0]);
}

/// A refinement in the precision of the solve loses what carrying the dominance kept.
#[test]
fn refinements_of_dominant_systems() {
    fn solve<T: Real>(gpu: &Gpu, excess: f64, kind: Diagonal) {
        let n = 100;
        let minus = vec![T::from_f64(-1.0); n];
        let own = |i: usize| match kind {
            Diagonal::Excess => excess,
            Diagonal::Value => excess + if i == 0 || i == n - 1 { 1.0 } else { 2.0 },
        };
        let diag: Vec<_> = (0..n).map(|i| T::from_f64(own(i))).collect();
        let mut rhs = vec![T::ZERO; n];
        rhs[0] = T::from_f64(1.0);
        let system = match kind {
            Diagonal::Excess => System::with_excess(&minus, &diag, &minus),
            Diagonal::Value => System::new(&minus, &diag, &minus),
        };
        let options = Options::on_device().matching(&system);
        let solved = |options| TridiagonalPlan::new(gpu, Shape::single(n), options)?.solve_reported(&system, &rhs);
        let plain = solved(options).unwrap().x;
        let size = plain[0].to_f64().abs();
        for algorithm in [Algorithm::Auto, Algorithm::Partition, Algorithm::Thomas] {
            for refinements in 1..3 {
                match solved(options.algorithm(algorithm).refinements(refinements)) {
                    Ok(solution) => {
                        let off = solution.x.iter().zip(&plain).map(|(x, plain)| (x.to_f64() - plain.to_f64()).abs());
                        let error = off.fold(0.0, f64::max) / size;
                        let stated = solution.forward_error.unwrap() + 100.0 * T::UNIT_ROUNDOFF;
                        assert!(error <= stated, "{algorithm}, {refinements}: {error:e}, stated {stated:e}");
                    }
                    // Its answer may not be replaced.
                    Err(Error::Inaccurate { .. }) if algorithm != Algorithm::Auto => {}
                    Err(error) => panic!("{algorithm}, {refinements}: {error}"),
                }
            }
        }
    }
    let gpu = gpu(false, FeatureSwitches::ALL);
    for excess in [1e-10, 2f64.powi(-50)] {
        if gpu.capabilities().features.f64 {
            solve::<f64>(&gpu, excess, Diagonal::Value);
            solve::<f64>(&gpu, excess, Diagonal::Excess);
        }
        solve::<f32>(&gpu, excess, Diagonal::Excess);
    }
}

/// Entries of very different sizes, on which the device breaks down, are factored all the same.
#[test]
fn a_factored_ring_of_very_different_sizes() {
    let lower = [-10.341512680053711f32, -13776.8720703125, -0.4785102903842926];
    let diag = [-1.2137914371518344e-13f32, -2367322849280.0, -1179517.875];
    let upper = [2.0604124074452557e-05f32, 2.0827969050367754e+18, 1.0601756139649865e-09];
    let rhs = [4062.448486328125f32, -4.260988450965897e-09, -9.43348954507428e-10];
    let system = System::new(&lower, &diag, &upper).periodic();
    let options = Options::on_device().matching(&system);
    let plan = TridiagonalPlan::new(&gpu(false, FeatureSwitches::ALL), Shape::single(3), options).unwrap();
    let plain = plan.solve(&system, &rhs).unwrap();
    let factored = plan.factor(&system).unwrap().solve(&rhs).unwrap();
    let size = plain.iter().fold(0f32, |most, x| most.max(x.abs()));
    assert!(
        plain.iter().zip(&factored).all(|(one, other)| (one - other).abs() <= 1e-5 * size),
        "{plain:?} {factored:?}"
    );
}

/// Rows (-1 2 -1) with hardly any excess: roundings of one sign add up along the rows.
#[test]
fn weak_dominance_over_many_rows() {
    let n = 10_000;
    let minus = vec![-1.0f32; n];
    let mut diag = vec![2.0f32; n];
    diag[0] = 2.002;
    let system = System::new(&minus, &diag, &minus);
    let rhs = vec![1.0f32; n];
    let wide = |values: &[f32]| values.iter().map(|v| DoubleDouble::new(f64::from(*v))).collect::<Vec<_>>();
    let exact = cpu::gtsv(&wide(&minus), &wide(&diag), &wide(&minus), &wide(&rhs)).unwrap();
    let size = exact.iter().fold(0f64, |most, x| most.max(x.to_f64().abs()));
    for algorithm in [Algorithm::Auto, Algorithm::Thomas] {
        let options = Options::on_device().algorithm(algorithm).matching(&system);
        let plan = TridiagonalPlan::new(&gpu(false, FeatureSwitches::ALL), Shape::single(n), options).unwrap();
        let solution = plan.solve_reported(&system, &rhs).unwrap();
        let off = solution.x.iter().zip(&exact).map(|(x, exact)| (f64::from(*x) - exact.to_f64()).abs());
        let (error, stated) = (off.fold(0.0, f64::max) / size, solution.forward_error.unwrap());
        assert!(error <= 2.0 * stated, "{algorithm}: {error:e}, stated {stated:e}");
        assert!(stated <= 1e-3, "{algorithm}: stated {stated:e}");
    }
}

/// A block of condition 1e20 whose weak direction cancels for right-hand sides of equal sizes.
#[test]
fn a_hidden_block() {
    let n = 600;
    let rows = [66usize, 136, 255, 560];
    let tiny = 2f64.powi(-66);
    let block = [
        [85.0, 64.0 * tiny, 98.0, 106.0],
        [96.0, 111.0, 107.0, 107.0],
        [78.0, 101.0, 94.0, 126.0],
        [121.0, 20.0, 124.0, 68.0],
    ];
    let mut entries = vec![];
    for (row, values) in rows.iter().zip(block) {
        entries.extend(rows.iter().zip(values).map(|(column, value)| (*row, *column, value / 64.0)));
    }
    let others = (0..n).filter(|row| !rows.contains(row));
    for row in others {
        let beside = [row.checked_sub(1), Some(row + 1)].into_iter().flatten();
        let beside = beside.filter(|column| *column < n && !rows.contains(column));
        entries.extend(beside.map(|column| (row, column, 0.25)).chain([(row, row, 1.5)]));
    }
    let mut rhs = vec![1.0; n];
    rows.iter().for_each(|row| rhs[*row] = 0.0);
    rhs[rows[3]] = -tiny;
    let matrix = Csr::from_triplets(n, entries).unwrap();
    let error = quasi_tridiagonal::solve_directly(&matrix, &rhs).unwrap_err();
    assert!(matches!(error, Error::NearlySingular { condition, .. } if condition > 1e18), "{error}");
}

/// Unknowns that decay to both sides, below the range of f64, around a row that determines them badly.
#[test]
fn a_decay_below_the_range() {
    let n = 1500;
    let gpu = gpu(false, FeatureSwitches::ALL);
    if !gpu.capabilities().features.f64 {
        return;
    }
    let minus = vec![-1.0f64; n];
    let (mut diag, mut rhs) = (vec![4.0f64; n], vec![0.0f64; n]);
    (diag[n / 2], rhs[n / 2]) = (0.5358983848622454 + 1e-14, 1.0);
    let wide = |values: &[f64]| values.iter().map(|v| DoubleDouble::new(*v)).collect::<Vec<_>>();
    // Of the ring too: its corners see nothing but decay.
    let exact = cpu::gtsv(&wide(&minus), &wide(&diag), &wide(&minus), &wide(&rhs)).unwrap()[n / 2].to_f64();
    for periodic in [false, true] {
        let system = System { periodic, ..System::new(&minus, &diag, &minus) };
        let plan = TridiagonalPlan::new(&gpu, Shape::single(n), Options::on_device().matching(&system)).unwrap();
        let solution = plan.solve_reported(&system, &rhs).unwrap();
        let (error, stated) = ((solution.x[n / 2] / exact - 1.0).abs(), solution.forward_error.unwrap());
        assert!(error <= 10.0 * stated, "{error:e}, stated {stated:e}");
    }
}

/// Maps, and then their inverses, lead back to 1; then (w - 1) / (2 w - 2) is 0 / 0.
#[test]
fn a_moebius_recurrence_to_no_value() {
    fn solve<T: Real>(gpu: &Gpu) {
        let mut numbers = SmallRng::seed_from_u64(5);
        for k in 1..8 {
            let mut entry = || T::from_f64(numbers.random_range(0.5..1.5));
            let maps: Vec<_> = (0..k).map(|_| [0; 4].map(|_| entry())).collect();
            let inverses = maps.iter().rev().map(|[a, b, c, d]| [*d, -*b, -*c, *a]);
            let last = [1.0, -1.0, 2.0, -2.0].map(T::from_f64);
            let all: Vec<_> = maps.iter().copied().chain(inverses).chain([last]).collect();
            let column = |at: usize| all.iter().map(|map| map[at]).collect::<Vec<_>>();
            let columns = [0, 1, 2, 3].map(column);
            let [a, b, c, d] = columns.each_ref().map(|values| Coefficient::Each(&values[..]));
            let system = Moebius { a, b, c, d, initial: Coefficient::Constant(T::from_f64(1.0)) };
            let error = moebius::solve(gpu, &system, moebius::Options::on_device()).expect_err(&format!("{k}"));
            assert!(matches!(error, Error::Indeterminate { .. } | Error::NoDigits { .. }), "{k}: {error}");
        }
    }
    let gpu = gpu(false, FeatureSwitches::ALL);
    solve::<f32>(&gpu);
    if gpu.capabilities().features.f64 {
        solve::<f64>(&gpu);
    }
}

/// An exactly singular matrix of small integers, whose entries grow in elimination: f64 finds pivots far from 0.
#[test]
fn a_singular_matrix_of_integers() {
    let lines = include_str!("singular_integers.mtx").lines().skip(2);
    let entries: Vec<_> = lines
        .map(|line| {
            let numbers: Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            (numbers[0] as usize - 1, numbers[1] as usize - 1, numbers[2])
        })
        .collect();
    let matrix = Csr::from_triplets(64, entries).unwrap();
    let rhs = matrix.times(&[1.0; 64]).unwrap();
    let error = quasi_tridiagonal::solve_directly(&matrix, &rhs).unwrap_err();
    assert!(matches!(error, Error::Singular { .. } | Error::NearlySingular { .. }), "{error}");
}

/// A grid of conductors, each with a sink, in units that change from cell to cell: the largest entries of rows and columns misled
/// elimination, which found no pivots.
#[test]
fn units_that_change_along_a_grid() {
    for (width, height, span) in [(20, 20, 60), (20, 20, 100), (24, 25, 60), (30, 30, 60), (40, 40, 100)] {
        let n = width * height;
        let unit = |i: usize| 2f64.powi((2.0 * f64::from(span) * i as f64 / n as f64).round() as i32 - span);
        let near = |i: usize| {
            let beside = [(!i.is_multiple_of(width)).then(|| i - 1), (!(i + 1).is_multiple_of(width)).then_some(i + 1)];
            let over = [i.checked_sub(width), (i + width < n).then_some(i + width)];
            beside.into_iter().chain(over).flatten()
        };
        let row = |i: usize| near(i).map(|j| (j, -1.0)).chain([(i, near(i).count() as f64 + 0.5)]);
        let entries = (0..n).flat_map(|i| row(i).map(move |(j, value)| (i, j, value * unit(i) / unit(j))));
        let matrix = Csr::from_triplets(n, entries).unwrap();
        let rhs: Vec<_> = (0..n).map(|i| 0.5 * unit(i)).collect();
        let solution = quasi_tridiagonal::solve_directly(&matrix, &rhs)
            .unwrap_or_else(|error| panic!("{width} x {height}, {span}: {error}"));
        for (i, x) in solution.x.iter().enumerate() {
            assert!((x / unit(n - 1) - unit(i) / unit(n - 1)).abs() <= 10.0 * solution.forward_error, "row {i}: {x:e}");
        }
        assert!(
            solution.forward_error < 1e-13 && solution.condition < 100.0,
            "{:e} {:e}",
            solution.forward_error,
            solution.condition
        );
    }
}
