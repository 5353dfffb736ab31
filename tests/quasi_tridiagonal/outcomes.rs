//! How solves end: not converged and why, where rounding stops, at the ends of the range.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::common::gpu;
use trisolve::quasi_tridiagonal::{
    self, Algorithm, Csr, DeviceSystem, Options, Outcome, Preconditioner, QuasiTridiagonalPlan, Report,
};
use trisolve::{DeviceVector, Error, FeatureSwitches};
use trisolve_lab::seed;
use trisolve_lab::{OffBand, convection_diffusion, quasi_matrix, quasi_methods};

use super::{ring, solved};

#[test]
fn what_does_not_converge_says_why() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let rhs = vec![1.0f32; 500];
    for algorithm in [Algorithm::Hisa, Algorithm::Bhisa, Algorithm::Jacobi, Algorithm::GaussSeidel] {
        // All of one sign: the error is in the mode that grows most.
        let report = solved(&gpu, &ring(500, 4.0), &rhs, Options::default().algorithm(algorithm));
        assert_eq!(report.outcome, Outcome::Diverged, "{algorithm}");
        assert!(report.iterations < 1000);
        let Err(error @ Error::NotConverged { broken_rows: 500, .. }) = report.check() else { panic!("{report:?}") };
        let text = error.to_string();
        assert!(text.contains("diverged") && text.contains("spectral radius"), "{text}");
        assert!(text.contains("row 0"), "{text}");
    }
    // x' = P x with P a permutation: neither grows nor falls.
    let report = solved(&gpu, &ring_of_one(500), &rhs_of_signs(500), Options::default().algorithm(Algorithm::Jacobi));
    assert_eq!(report.outcome, Outcome::Stagnated, "{report:?}");
    assert!(report.check().unwrap_err().to_string().contains("stagnated"));
    let options = Options::default().algorithm(Algorithm::Jacobi).max_iterations(3);
    let report = solved(&gpu, &ring(500, 0.4), &rhs, options);
    assert_eq!((report.outcome, report.iterations), (Outcome::Exhausted, 3));
    assert!(report.check().unwrap_err().to_string().contains("allow more"));
}

/// x[i] + x[i + 10] = b[i], a ring.
fn ring_of_one(rows: usize) -> Csr<f32> {
    Csr::from_triplets(rows, (0..rows).flat_map(|i| [(i, i, 1.0), (i, (i + 10) % rows, 1.0)])).unwrap()
}

fn rhs_of_signs(rows: usize) -> Vec<f32> {
    (0..rows).map(|i| if i % 3 == 0 { 1.0 } else { -0.5 }).collect()
}

#[test]
fn auto_goes_on_where_it_does_not_converge() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let options = Options::default();
    // A zero on the diagonal is nothing to GMRES without a preconditioner.
    let swapped = [(0, 1, 1.0f32), (1, 0, 1.0), (2, 2, 1.0), (0, 3, 0.1), (3, 3, 2.0)];
    let matrix = Csr::from_triplets(4, swapped).unwrap();
    let solution = quasi_tridiagonal::solve_by_any(&gpu, &matrix, &[1.0, 2.0, 3.0, 4.0], options).unwrap();
    assert_eq!(solution.report.algorithm, Algorithm::Gmres);
    for (found, want) in solution.x.iter().zip([2.0, 0.8, 3.0, 2.0]) {
        assert!((found - want).abs() < 1e-5, "{:?}", solution.x);
    }
}

/// T is singular where A is not.
#[test]
fn a_singular_tridiagonal_part_is_named() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let entries =
        [(0, 0, 1.0f32), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.0), (1, 3, 1.0), (2, 2, 1.0), (3, 0, 1.0), (3, 3, 1.0)];
    let matrix = Csr::from_triplets(4, entries).unwrap();
    for options in [Options::default().algorithm(Algorithm::Hisa), Options::default().algorithm(Algorithm::Bhisa)] {
        let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap();
        let error = plan.solve(&[1.0, 2.0, 3.0, 4.0]).unwrap_err().to_string();
        assert!(error.contains("tridiagonal part") && error.contains("gmres"), "{error}");
    }
    let krylov = Options::default().algorithm(Algorithm::Gmres).preconditioner(Preconditioner::None);
    let x = QuasiTridiagonalPlan::new(&gpu, &matrix, krylov).unwrap().solve(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert!(matrix.relative_residual(&x, &[1.0, 2.0, 3.0, 4.0]).unwrap() < 1e-5);
}

#[test]
fn a_right_hand_side_of_zeros_and_extremes() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let matrix = quasi_matrix::<f32>(300, OffBand::Banded, false, seed("zeros")).unwrap();
    for options in quasi_methods() {
        let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap();
        let solution = plan.solve_reported(&[0.0; 300]).unwrap();
        assert_eq!(solution.report.iterations, 0);
        assert!(solution.x.iter().all(|&value| value == 0.0));
        // Squares of these are past the range of f32.
        for scale in [1e30f32, 1e-30] {
            let rhs: Vec<f32> = (0..300).map(|i| scale * (1.0 + (i % 7) as f32)).collect();
            let solution = plan.solve_reported(&rhs).unwrap();
            assert!(matrix.relative_residual(&solution.x, &rhs).unwrap() < 2e-6, "{}", solution.report.method());
        }
    }
}

/// A smooth solution, whose terms are far larger than b: f32 cannot take the residual to 1e-6, and any method says so.
#[test]
fn where_rounding_stops() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let matrix: Csr<f32> =
        convection_diffusion([40, 40, 1], [1.0, 0.5, 0.0], 0.0, 0, 1).unwrap().matrix.converted().unwrap();
    let rhs = vec![1.0f32; 1600];
    for algorithm in [Algorithm::Bhisa, Algorithm::Hisa, Algorithm::Bicgstab, Algorithm::Gmres] {
        let options = Options::default().algorithm(algorithm);
        let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, options.tolerance(1e-6)).unwrap();
        match plan.solve(&rhs) {
            Err(Error::NotConverged { outcome: Outcome::Rounded, residual, advice, .. }) => {
                println!("{algorithm}: {residual:e}, {advice}");
                assert!(residual < 1e-3 && advice.contains("f64") && advice.contains("a tolerance of"), "{advice}");
            }
            other => panic!("{algorithm}: {:?}", other.map(|x| matrix.relative_residual(&x, &rhs))),
        }
        // Where the tolerance is the default one, that is what there is.
        let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap();
        let solution = plan.solve_reported(&rhs).unwrap();
        assert_eq!(solution.report.outcome, Outcome::Rounded, "{algorithm}");
        assert!(matrix.relative_residual(&solution.x, &rhs).unwrap() <= solution.report.rounding.unwrap());
    }
    assert!(quasi_tridiagonal::solve(&gpu, &matrix, &rhs).is_ok());
    // Rounding can hide more than a residual that is small as it was computed.
    let entries =
        [(0, 0, 1e8f32), (0, 1, 1e8), (0, 3, 1.0), (1, 0, 1e8), (1, 1, 1.0000001e8), (2, 2, 1.0), (3, 3, 1.0)];
    let cancelling = Csr::from_triplets(4, entries).unwrap();
    for method in quasi_methods() {
        let rhs = [1.0f32, 2.0, 3.0, 4.0];
        let Ok(plan) = QuasiTridiagonalPlan::new(&gpu, &cancelling, method) else { continue };
        if let Ok(x) = plan.solve(&rhs) {
            let residual = cancelling.relative_residual(&x, &rhs).unwrap();
            assert!(residual < 1e-2, "{}: {residual:e}", method.algorithm);
        }
    }
}

/// Words of one bound solve outlive another's binding.
#[test]
fn bound_while_another_is_under_way() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let matrix = Csr::from_triplets(40, (0..40).map(|i| (i, i, 1e-10f32))).unwrap();
    let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, Options::default().max_iterations(5)).unwrap();
    let right = DeviceVector::from_slice(&gpu, "rhs", &[1e30f32; 40]).unwrap();
    let x = DeviceVector::<f32>::new(&gpu, "x", 40).unwrap();
    let system = DeviceSystem::new(right.as_slice(), x.as_slice());
    let bound = plan.bind(&system).unwrap();
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    bound.record(&mut encoder.begin_compute_pass(&Default::default()));
    gpu.queue().submit([encoder.finish()]);
    let _other = plan.bind(&system).unwrap();
    assert!(matches!(bound.read_report(), Err(Error::Overflow { .. })));
}

/// Solutions below f32's range are seen in f64, and those below f64's are refused.
#[test]
fn small_solutions_in_f64() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    if !gpu.capabilities().features.f64 {
        return;
    }
    let scaled = |by: f64| Csr::from_triplets(40, (0..40).map(|i| (i, i, by))).unwrap();
    let solved = |matrix: &Csr<f64>, right: f64| {
        QuasiTridiagonalPlan::new(&gpu, matrix, Options::default()).unwrap().solve(&vec![right; 40])
    };
    let x = solved(&scaled(1e200), 1.0).unwrap();
    assert!(x.iter().all(|x| (x * 1e200 - 1.0).abs() < 1e-6));
    for (by, right) in [(1e200, 1e-300), (1e60, 1e-300), (1e300, 1e-10)] {
        let found = solved(&scaled(by), right);
        assert!(matches!(found, Err(Error::Underflow { .. })), "{by:e} {right:e}: {:?}", found.map(|x| x[0]));
    }
}

/// A named preconditioner is what auto takes; and where methods all fail, elimination finds that the matrix is singular.
#[test]
fn auto_with_what_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let matrix = quasi_matrix::<f32>(300, OffBand::Banded, false, seed("auto_with_what_is_named")).unwrap();
    let options = Options::default().preconditioner(Preconditioner::Jacobi);
    let solution = quasi_tridiagonal::solve_by_any(&gpu, &matrix, &[1.0; 300], options).unwrap();
    let Report { algorithm, preconditioner, .. } = solution.report;
    assert_eq!((algorithm, preconditioner), (Algorithm::Bicgstab, Preconditioner::Jacobi));
    // Only hisa and preconditioners solve all of T.
    let options = Options::default().tridiagonal(trisolve::tridiagonal::Algorithm::Cr);
    let solution = quasi_tridiagonal::solve_by_any(&gpu, &matrix, &[1.0; 300], options).unwrap();
    assert_eq!(solution.report.algorithm, Algorithm::Hisa);
    let singular = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)].map(|(i, j)| (i, j, 1.0f32));
    let singular = Csr::from_triplets(4, singular.into_iter().chain([(3, 0, 0.5), (3, 3, 2.0)])).unwrap();
    match quasi_tridiagonal::solve(&gpu, &singular, &[1.0, 2.0, 3.0, 4.0]) {
        Err(Error::Singular { .. }) => {}
        other => panic!("{other:?}"),
    }
}

/// BiCG loses its biorthogonality here, and begins anew.
#[test]
fn bicg_that_is_thrown_back() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for rows in [100, 200] {
        let row =
            |i: usize| [(i, 4.0f32), (i.wrapping_sub(1), -1.0), (i + 1, -1.0), (i + 5, -1.0)].map(|(j, v)| (i, j, v));
        let entries = (0..rows).flat_map(row).filter(|entry| entry.1 < rows);
        let matrix = Csr::from_triplets(rows, entries).unwrap();
        let report = solved(&gpu, &matrix, &vec![1.0; rows], Options::default().algorithm(Algorithm::Bicg));
        assert!(report.outcome == Outcome::Converged && report.iterations < 150, "{} iterations", report.iterations);
    }
}

/// What f32 cannot hold of a matrix in f64.
#[test]
fn what_a_narrower_precision_cannot_hold() {
    let with = |diagonal: f64, beside: f64| {
        let entries = [(0, 0, 1.0), (1, 1, diagonal), (1, 0, beside), (2, 2, 2.0), (2, 0, 1e-80)];
        Csr::from_triplets(3, entries).unwrap().converted::<f32>()
    };
    let narrowed = |found: Result<Csr<f32>, Error>, expected| match found {
        Err(Error::Narrowed { row: 1, what, .. }) => assert_eq!(what, expected),
        other => panic!("{expected}: {other:?}"),
    };
    narrowed(with(1e39, 1.0), "an entry is past");
    narrowed(with(1e-60, 1.0), "its diagonal entry is below");
    narrowed(with(1e-42, -1e-43), "all its entries are below");
    // Beside a diagonal that is there an entry may vanish.
    assert_eq!(with(1.0, 1e-60).unwrap().row(1).map(|(_, value)| value).sum::<f32>(), 1.0);
}

/// Unknowns near the end of the range, where the iteration's own products underflow: found by another power of two.
#[test]
fn small_unknowns_of_an_iteration() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let rows = |row: usize| [(row, 4.0f32), ((row + 1) % 40, -1.0), ((row + 17) % 40, 0.5)].map(|(j, v)| (row, j, v));
    let matrix = Csr::from_triplets(40, (0..40).flat_map(rows)).unwrap();
    let ones = matrix.times(&[1.0; 40]).unwrap();
    for size in [1e-31f32, 1e-36] {
        let rhs: Vec<_> = ones.iter().map(|value| value * size).collect();
        let x = trisolve::quasi_tridiagonal::solve(&gpu, &matrix, &rhs).unwrap();
        assert!(x.iter().all(|x| (x / size - 1.0).abs() < 1e-5), "{x:?}");
    }
    let subnormal: Vec<_> = ones.iter().map(|value| value * 1e-41).collect();
    let refused = trisolve::quasi_tridiagonal::solve(&gpu, &matrix, &subnormal);
    assert!(matches!(refused, Err(Error::Underflow { .. })), "{refused:?}");
}

/// 4 x[i] = b[i] on most rows; rows q and p are x[q] + x[p] and x[q] + (1 + apart) x[p].
fn hidden_block(rows: usize, [q, p]: [usize; 2], apart: f32) -> Csr<f32> {
    let plain = (0..rows).filter(|row| ![q, p].contains(row)).map(|row| (row, row, 4.0));
    let block = [(q, q, 1.0), (q, p, 1.0), (p, q, 1.0), (p, p, 1.0 + apart)];
    let corner = [(0, rows - 1, 0.5)];
    Csr::from_triplets(rows, plain.chain(block).chain(corner)).unwrap()
}

/// Two rows of many decide: they count for little in a norm, and iterations leave them unsolved.
#[test]
fn two_rows_of_many_are_seen() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let rows = 513;
    for places in [[100, 400], [251, 252]] {
        let mut rhs = vec![1.0f32; rows];
        let singular = hidden_block(rows, places, 0.0);
        let by_name = |matrix: &Csr<f32>, rhs: &[f32]| {
            let options = Options::default().algorithm(Algorithm::Bicgstab);
            QuasiTridiagonalPlan::new(&gpu, matrix, options)?.solve(rhs)
        };
        let refused = by_name(&singular, &rhs);
        assert!(refused.is_err(), "{rows} rows, {places:?}: a singular matrix is solved");
        let refused = quasi_tridiagonal::solve(&gpu, &singular, &rhs);
        assert!(matches!(refused, Err(Error::Singular { .. })), "{rows} rows, {places:?}: {refused:?}");
        // x[q] = -x[p] = -2.6 dominates x.
        let apart = 2f32.powi(-17);
        (rhs[places[0]], rhs[places[1]]) = (0.0, 2e-5);
        let nearly = hidden_block(rows, places, apart);
        let right = 2e-5 / apart;
        let off = |x: &[f32]| (x[places[1]] - right).abs().max((x[places[0]] + right).abs()) / right;
        if let Ok(x) = by_name(&nearly, &rhs) {
            assert!(off(&x) <= 1e-2, "{rows} rows, {places:?}: {} and {}", x[places[0]], x[places[1]]);
        }
        let x = quasi_tridiagonal::solve(&gpu, &nearly, &rhs).unwrap();
        assert!(off(&x) <= 1e-3, "{rows} rows, {places:?}: {} and {}", x[places[0]], x[places[1]]);
    }
}

/// Dominant rows of up to nine entries anywhere, and two equal ones of so many that they are eliminated late.
fn two_equal_among(rows: usize, seed: u64) -> Csr<f64> {
    let mut random = SmallRng::seed_from_u64(seed);
    let equal = [rows / 3, rows / 2];
    let mut all: Vec<_> = (0..8 * rows).map(|at| (at % rows, random.random_range(0..rows), 1.0)).collect();
    all.extend((0..rows).map(|row| (row, row, 10.0)));
    all.retain(|entry| !equal.contains(&entry.0));
    let own: Vec<_> =
        (0..100).map(|_| (random.random_range(0..rows), 0.05)).chain(equal.map(|at| (at, 10.0))).collect();
    all.extend(equal.into_iter().flat_map(|row| own.iter().map(move |&(column, value)| (row, column, value))));
    Csr::from_triplets(rows, all).unwrap()
}

/// A matrix that fills up in elimination is judged by solves for random right-hand sides.
#[test]
fn two_rows_are_seen_where_elimination_fills_up() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let (rows, seed) = (4000, seed("two equal rows"));
    let matrix = two_equal_among(rows, seed);
    let rhs = vec![1.0; rows];
    let direct = quasi_tridiagonal::solve_directly(&matrix, &rhs);
    assert!(matches!(direct, Err(Error::Unsupported { .. })), "seed {seed}: {direct:?}");
    let options = Options::default().algorithm(Algorithm::Bicgstab).preconditioner(Preconditioner::Jacobi);
    let found = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap().solve(&rhs);
    assert!(matches!(found, Err(Error::Unverified { .. })), "seed {seed}: {found:?}");
}

/// Nearly singular, and well determined for f64: a graph's Laplacian and a little more.
#[test]
fn a_nearly_singular_laplacian_is_solved() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let (rows, seed, shift) = (600, seed("Laplacian"), 1e-9);
    let mut random = SmallRng::seed_from_u64(seed);
    let far: Vec<_> = (0..rows / 2).map(|_| [random.random_range(0..rows), random.random_range(0..rows)]).collect();
    let edges = (1..rows).map(|row| [row - 1, row]).chain(far.into_iter().filter(|[from, to]| from != to));
    let laplacian = edges.flat_map(|[i, j]| [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)]);
    let entries = laplacian.chain((0..rows).map(|row| (row, row, shift)));
    let matrix = Csr::<f64>::from_triplets(rows, entries).unwrap();
    // Each row sums up to the shift, but for its rounded diagonal entry.
    let rhs: Vec<_> = (0..rows).map(|row| matrix.row(row).map(|(_, value)| value).sum()).collect();
    let solution = quasi_tridiagonal::solve_by_any(&gpu, &matrix, &rhs, Options::default()).unwrap();
    let off = solution.x.iter().fold(0.0, |most: f64, x| most.max((x - 1.0).abs()));
    // Sums in f64 are off by some roundings of entries of up to 8; shifts amplify them.
    assert!(
        off <= 1e-14 / shift && solution.forward_error <= 1e-2,
        "seed {seed}: off by {off:e}: {:?}",
        solution.report
    );
}

/// What Gauss-Seidel does not solve is eliminated on the CPU too; tolerances and unknowns have the limits of the device.
#[test]
fn the_cpu_solves_and_refuses_what_the_device_does() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let solved = |matrix: &Csr<f32>, rhs: &[f32], tolerance| {
        let options = Options { tolerance: Some(tolerance), ..Options::default() };
        let by_device = quasi_tridiagonal::solve_by_any(&gpu, matrix, rhs, options);
        (by_device, quasi_tridiagonal::solve_on_cpu(matrix, rhs, tolerance, 1000))
    };
    let swapped = [(0, 1, 1.0), (1, 0, 1.0), (2, 2, 1.0), (0, 3, 0.1), (3, 3, 2.0)];
    let zeros_on_diagonal = Csr::from_triplets(4, swapped).unwrap();
    for (matrix, outcome) in [
        (ring(60, 4.0), Outcome::Eliminated),
        (zeros_on_diagonal, Outcome::Eliminated),
        (ring(60, 0.4), Outcome::Converged),
    ] {
        let rhs = matrix.times(&vec![1.0; matrix.rows()]).unwrap();
        let (by_device, by_cpu) = solved(&matrix, &rhs, 1e-6);
        let by_cpu = by_cpu.unwrap();
        assert_eq!(by_cpu.outcome, outcome);
        for x in [by_device.unwrap().x, by_cpu.x] {
            assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-4), "{outcome:?}: {x:?}");
        }
    }
    let matrix = ring(60, 0.4);
    for tolerance in [0.0, 1e-7, 1.0, f64::NAN] {
        match solved(&matrix, &[1.0; 60], tolerance) {
            (Err(Error::Options(by_device)), Err(Error::Options(by_cpu))) => assert_eq!(by_device, by_cpu),
            other => panic!("{tolerance:e}: {other:?}"),
        }
    }
    match solved(&matrix, &[1e-41; 60], 1e-6) {
        (Err(Error::Underflow { .. }), Err(Error::Underflow { .. })) => {}
        other => panic!("{other:?}"),
    }
    // Methods of the device are named as such.
    let error = trisolve::cpu::gauss_seidel(&ring(60, 4.0), &[1.0; 60], 1e-6, 1000).unwrap_err().to_string();
    assert!(error.contains("on a device take bicgstab"), "{error}");
}

/// The bound holds, and is infinite without strict dominance.
#[test]
fn dominance_bounds_errors() {
    let matrix = ring(60, 0.4);
    let rhs = matrix.times(&[1.0; 60]).unwrap();
    let mut x = [1.0; 60];
    x[7] += 1e-3;
    let bound = matrix.dominant_bound(&x, &rhs).unwrap();
    assert!((1e-3..1e-1).contains(&bound), "{bound:e}");
    assert!(matrix.dominant_bound(&[1.0; 60], &rhs).unwrap() < 1e-5);
    assert_eq!(ring(60, 4.0).dominant_bound(&x, &rhs), Ok(f64::INFINITY));
    assert!(matches!(matrix.dominant_bound(&x[1..], &rhs), Err(Error::Length { vector: "x", .. })));
}

#[test]
fn elimination_names_the_right_hand_side() {
    let matrix = Csr::<f32>::from_triplets(2, [(0, 0, 1e-30), (1, 1, 1e-30)]).unwrap();
    let solution = quasi_tridiagonal::solve_directly(&matrix, &[1e-30, 2e-30, 3e-30, 4e-30]).unwrap();
    assert_eq!(solution.x, [1.0, 2.0, 3.0, 4.0]);
    let refused = quasi_tridiagonal::solve_directly(&matrix, &[1e-30, 2e-30, 3e-30, 4e10]);
    assert!(matches!(refused, Err(Error::Overflow { system: 1, row: 1, .. })), "{refused:?}");
    let short = quasi_tridiagonal::solve_directly(&matrix, &[1e-30, 2e-30, 3e-30]);
    assert!(matches!(short, Err(Error::Length { .. })), "{short:?}");
}
