//! Quasi-tridiagonal systems on a device, by their residual.
#![cfg(feature = "testing")]

#[path = "common/run_all.rs"]
mod run_all;

mod common;
#[path = "common/seed.rs"]
mod seed;

use common::gpu;
use run_all::run_all;
use seed::seed;
use trisolve::quasi_tridiagonal::{
    self, Algorithm, BhisaPolicy, Csr, DeviceCsr, DeviceSystem, Options, Outcome, Pattern, Preconditioner,
    QuasiTridiagonalPlan, Report, Stop,
};
use trisolve::testing::{
    GAS_CASES, GasCase, OffBand, convection_diffusion, quasi_cases, quasi_matrix, quasi_methods, quasi_policy_cases,
};
use trisolve::{DeviceSlice, DeviceVector, Error, FeatureSwitches, Gpu, Real, cpu};

/// One in so many cases, others with another seed; `trisolve check` runs all.
fn sweep<T: Real>(name: &str, gpu: &Gpu, one_of: usize) {
    let seed = seed(name);
    let all = [quasi_cases(seed), quasi_policy_cases(seed)].concat();
    run_all::<T>(gpu, all.into_iter().skip(seed as usize % one_of).step_by(one_of));
}

#[test]
fn f32_checked() {
    sweep::<f32>("f32_checked", &gpu(true, FeatureSwitches::ALL), 5);
}

#[test]
fn f32_unchecked() {
    sweep::<f32>("f32_unchecked", &gpu(false, FeatureSwitches::NONE), 5);
}

#[test]
fn f64_both() {
    for checked in [true, false] {
        let gpu = gpu(checked, FeatureSwitches::ALL);
        if gpu.capabilities().features.f64 {
            sweep::<f64>("f64_both", &gpu, 9);
        }
    }
}

fn solved<T: Real>(gpu: &Gpu, matrix: &Csr<T>, rhs: &[T], options: Options) -> Report {
    let plan = QuasiTridiagonalPlan::new(gpu, matrix, options).unwrap();
    let solution = plan.attempt(rhs).unwrap();
    let residual = matrix.relative_residual(&solution.x, rhs).unwrap();
    if solution.report.outcome == Outcome::Converged {
        let tolerance = options.tolerance.unwrap_or(if T::UNIT_ROUNDOFF > 1e-10 { 1e-6 } else { 1e-7 });
        assert!(residual <= 1.3 * tolerance, "{}: {residual:e}", solution.report.method());
    }
    solution.report
}

/// The paper's cases up to 10^5 rows by every method with every preconditioner, in f32, f64 and mixed. Iterations tell
/// the story of its Table 6.
#[test]
fn the_papers_cases() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let has_f64 = gpu.capabilities().features.f64;
    for case in GAS_CASES.into_iter().filter(|case| case.rows <= 100_000) {
        let system = case.system(seed("the_papers_cases")).unwrap();
        let single: Csr<f32> = system.matrix.converted().unwrap();
        let rhs: Vec<f32> = system.rhs.iter().map(|&value| value as f32).collect();
        for options in quasi_methods() {
            let options = match options.algorithm {
                Algorithm::Gmres => options.restart(5),
                Algorithm::Bhisa => options.policy(BhisaPolicy { block: 64, rows: 4 }),
                _ => options,
            };
            let report = solved(&gpu, &single, &rhs, options);
            assert_eq!(report.outcome, Outcome::Converged, "{} of {}", report.method(), case.name);
            if has_f64 {
                for mixed in [true, false] {
                    let report = solved(&gpu, &system.matrix, &system.rhs, Options { mixed, ..options });
                    assert_eq!(report.outcome, Outcome::Converged, "{} of {}", report.method(), case.name);
                    if !mixed && options.preconditioner.is_none_or(|one| one == Preconditioner::None) {
                        check_count(&case, &report);
                    }
                }
            }
        }
    }
}

/// Iterations beside those of Table 6.
fn check_count(case: &GasCase, report: &Report) {
    use Algorithm::{Bhisa, GaussSeidel, Hisa, Jacobi};
    let theirs = f64::from(case.iterations_of(report.algorithm).unwrap());
    let ours = report.iterations as f64;
    println!("{} {}: {ours}, the paper {theirs}", case.name, report.algorithm);
    let allowed = match report.algorithm {
        Hisa => 1.0,
        Jacobi => 1.0 + 0.08 * theirs,
        Bhisa => 2.0,
        // By colours it takes about half of Jacobi's, where the paper's takes 13 whatever that takes.
        GaussSeidel => 0.6 * f64::from(case.iterations[2]) - theirs + 2.0,
        _ => 0.5 * theirs,
    };
    assert!((ours - theirs).abs() <= allowed, "{} of {}: {ours}, not {theirs}", report.algorithm, case.name);
}

/// 2 on the diagonal, 0.5 at distance 1 and `beside` at distance 10.
fn ring(rows: usize, beside: f32) -> Csr<f32> {
    let row = |i: usize| [(i, 2.0), ((i + 1) % rows, 0.5), ((i + 10) % rows, beside)].map(|(j, v)| (i, j, v));
    Csr::from_triplets(rows, (0..rows).flat_map(row)).unwrap()
}

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
        convection_diffusion([60, 60, 1], [1.0, 0.5, 0.0], 0.0, 0, 1).unwrap().matrix.converted().unwrap();
    let rhs = vec![1.0f32; 3600];
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

/// A named preconditioner is what auto takes; and of methods that all fail, the nearest is named, not one that left the range.
#[test]
fn auto_with_what_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let matrix = quasi_matrix::<f32>(300, OffBand::Banded, false, seed("auto_with_what_is_named")).unwrap();
    let options = Options::default().preconditioner(Preconditioner::Jacobi);
    let solution = quasi_tridiagonal::solve_by_any(&gpu, &matrix, &[1.0; 300], options).unwrap();
    let Report { algorithm, preconditioner, .. } = solution.report;
    assert_eq!((algorithm, preconditioner), (Algorithm::Bicgstab, Preconditioner::Jacobi));
    let singular = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)].map(|(i, j)| (i, j, 1.0f32));
    let singular = Csr::from_triplets(4, singular.into_iter().chain([(3, 0, 0.5), (3, 3, 2.0)])).unwrap();
    match quasi_tridiagonal::solve(&gpu, &singular, &[1.0, 2.0, 3.0, 4.0]) {
        Err(Error::NotConverged { residual, .. }) => assert!(residual.is_finite(), "{residual}"),
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

/// From near the solution in fewer iterations, from the solution in none, and from far away at all.
#[test]
fn from_a_guess() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("from_a_guess");
    let matrix = quasi_matrix::<f32>(1500, OffBand::Banded, false, seed).unwrap();
    let rhs: Vec<f32> = (0..1500).map(|i| (i % 11) as f32 - 5.0).collect();
    for options in quasi_methods() {
        let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap();
        let from = |guess: Option<&[f32]>| plan.attempt_from(guess, &rhs, &mut |_, _| {}).unwrap();
        let cold = from(None);
        let method = cold.report.method();
        cold.report.check().unwrap();
        let warm = from(Some(&cold.x)).report;
        assert_eq!(warm.outcome, Outcome::Converged, "{method}");
        assert!(warm.iterations <= 1 && warm.history[0] < 2e-6, "{method}: {} iterations", warm.iterations);
        let near: Vec<f32> = cold.x.iter().enumerate().map(|(i, x)| x * (1.0 + 1e-3 * (i as f32).sin())).collect();
        let nearer = from(Some(&near)).report;
        assert_eq!(nearer.outcome, Outcome::Converged, "{method}");
        assert!(nearer.iterations < cold.report.iterations, "{method}: {} iterations", nearer.iterations);
        let far: Vec<f32> = (0..1500).map(|i| 1e5 * (i as f32).cos()).collect();
        let x = plan.solve_from(&far, &rhs).unwrap();
        let residual = matrix.relative_residual(&x, &rhs).unwrap();
        assert!(residual < 1.3e-6, "{method}: {residual:e}");
    }
    let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, Options::default()).unwrap();
    let mut guess = vec![1.0f32; 1500];
    assert_eq!(plan.solve_from(&guess, &[0.0; 1500]).unwrap(), vec![0.0; 1500]);
    assert!(matches!(plan.solve_from(&guess[1..], &rhs), Err(Error::Length { vector: "guess", .. })));
    guess[1499] = f32::NAN;
    assert!(matches!(plan.solve_from(&guess, &rhs), Err(Error::NonFiniteInput { vector: "guess", row: 1499, .. })));
    // On the device, over itself; and once noticed, it does not stick.
    let right = DeviceVector::from_slice(&gpu, "rhs", &rhs).unwrap();
    let x = DeviceVector::from_slice(&gpu, "x", &guess).unwrap();
    let system = DeviceSystem::new(right.as_slice(), x.as_slice()).from_guess(x.as_slice());
    let bound = plan.bind(&system).unwrap();
    let error = bound.solve(&mut |_, _| {}).unwrap_err();
    assert!(matches!(error, Error::NonFiniteInput { vector: "guess", row: 1499, .. }), "{error}");
    gpu.queue().write_buffer(x.buffer(), 0, &[0; 6000]);
    bound.solve(&mut |_, _| {}).unwrap().0.check().unwrap();
    let again = bound.solve(&mut |_, _| {}).unwrap().0;
    assert!(again.iterations <= 1, "{} iterations", again.iterations);
    let over = plan.bind(&DeviceSystem::in_place(right.as_slice()).from_guess(right.as_slice())).unwrap();
    over.solve(&mut |_, _| {}).unwrap().0.check().unwrap();
    assert!(matrix.relative_residual(&right.read(&gpu).unwrap(), &rhs).unwrap() < 1.3e-6);
    let short = plan.bind(&system.from_guess(right.slice(0, 10)));
    assert!(matches!(short, Err(Error::Length { vector: "guess", .. })));
}

/// What an engine does: into its own pass, iterations that are not wanted passed over.
#[test]
fn recorded_into_a_pass() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let matrix = quasi_matrix::<f32>(1000, OffBand::Banded, false, seed("recorded")).unwrap();
    let rhs: Vec<f32> = (0..1000).map(|i| (i % 11) as f32 - 5.0).collect();
    for options in quasi_methods() {
        let options = options.max_iterations(150);
        let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap();
        let right = DeviceVector::from_slice(&gpu, "rhs", &rhs).unwrap();
        let x = DeviceVector::from_slice(&gpu, "x", &vec![f32::NAN; 1000]).unwrap();
        let bound = plan.bind(&DeviceSystem::new(right.as_slice(), x.as_slice())).unwrap();
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        bound.record(&mut encoder.begin_compute_pass(&Default::default()));
        gpu.queue().submit([encoder.finish()]);
        let report = bound.read_report().unwrap();
        report.check().unwrap();
        let residual = matrix.relative_residual(&x.read(&gpu).unwrap(), &rhs).unwrap();
        assert!(residual < 1.3e-6, "{}: {residual:e}", report.method());
        // Too few iterations end as such, with what there is in x.
        let few = QuasiTridiagonalPlan::new(&gpu, &matrix, options.max_iterations(2)).unwrap();
        let bound = few.bind(&DeviceSystem::new(right.as_slice(), x.as_slice())).unwrap();
        gpu.queue().write_buffer(x.buffer(), 0, &[0xff; 4000]);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        bound.record(&mut encoder.begin_compute_pass(&Default::default()));
        gpu.queue().submit([encoder.finish()]);
        assert_eq!(bound.read_report().unwrap().outcome, Outcome::Exhausted, "{}", report.method());
        assert!(x.read(&gpu).unwrap().iter().all(|value| value.is_finite()));
    }
}

/// A row and a column with an entry everywhere, so many that their pieces have pieces.
#[test]
fn rows_with_entries_everywhere() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let rows = 30_000;
    let mut triplets: Vec<(usize, usize, f32)> = (0..rows).flat_map(|i| [(i, i, 3.0), (i, 0, 0.5)]).collect();
    triplets.extend((2..rows).map(|column| (0, column, 1e-4)));
    triplets.extend((0..rows).step_by(3).map(|column| (rows / 2, column, -1e-4)));
    let matrix = Csr::from_triplets(rows, triplets).unwrap();
    let rhs: Vec<f32> = (0..rows).map(|i| 1.0 + (i % 3) as f32).collect();
    for algorithm in [Algorithm::Bhisa, Algorithm::Hisa, Algorithm::Bicg, Algorithm::Gmres] {
        let report = solved(&gpu, &matrix, &rhs, Options::default().algorithm(algorithm));
        assert_eq!(report.outcome, Outcome::Converged, "{algorithm}");
    }
    let refused = QuasiTridiagonalPlan::new(&gpu, &matrix, Options::default().algorithm(Algorithm::GaussSeidel));
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
}

#[test]
fn matrices_from_triplets() {
    let matrix = Csr::from_triplets(3, [(2, 0, 1.0f64), (0, 0, 2.0), (2, 0, 0.5), (1, 1, 3.0), (2, 2, 1.0)]).unwrap();
    assert_eq!(matrix.row(2).collect::<Vec<_>>(), [(0, 1.5), (2, 1.0)]);
    assert_eq!(matrix.transposed().row(0).collect::<Vec<_>>(), [(0, 2.0), (2, 1.5)]);
    assert_eq!(matrix.times(&[1.0, 2.0, 3.0]).unwrap(), [2.0, 6.0, 4.5]);
    let outside = Csr::from_triplets(2, [(0, 2, 1.0f64)]);
    assert_eq!(outside, Err(Error::Index { row: 0, column: 2, rows: 2 }));
    assert!(matches!(Csr::new(&[0, 1], &[5], &[1.0f32]), Err(Error::Index { .. })));
    assert!(matches!(Csr::new(&[0, 2], &[0], &[1.0f32]), Err(Error::Shape(_))));
    assert!(matches!(Csr::<f32>::new(&[], &[], &[]), Err(Error::Length { .. })));
    assert!(matches!(Csr::new(&[0, 1], &[0], &[f32::NAN]), Err(Error::NonFiniteInput { row: 0, .. })));
    assert!(matches!(Csr::new(&[0, 1], &[0, 1], &[1.0f32]), Err(Error::Length { .. })));
}

#[test]
fn refusals() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let matrix = ring(20, 0.3);
    let refused = |matrix: &Csr<f32>, options: Options| QuasiTridiagonalPlan::new(&gpu, matrix, options).unwrap_err();
    let default = Options::default();
    let zero = Csr::from_triplets(3, [(0, 0, 1.0f32), (1, 0, 1.0), (2, 2, 1.0)]).unwrap();
    assert!(matches!(refused(&zero, default.algorithm(Algorithm::Jacobi)), Error::ZeroOnDiagonal { row: 1, .. }));
    let empty = Csr::from_triplets(3, [(0, 0, 1.0f32), (2, 2, 1.0)]).unwrap();
    assert_eq!(refused(&empty, default), Error::EmptyRow { row: 1 });
    let none = Csr::<f32>::new(&[0], &[], &[]).unwrap();
    assert!(matches!(refused(&none, default), Error::Shape(_)));
    for options in [
        default.tolerance(1e-9),
        default.tolerance(0.0),
        default.tolerance(f64::NAN),
        default.max_iterations(0),
        default.algorithm(Algorithm::Gmres).restart(0),
        default.algorithm(Algorithm::Gmres).restart(1000),
        default.algorithm(Algorithm::Hisa).restart(5),
        default.algorithm(Algorithm::Hisa).preconditioner(Preconditioner::Jacobi),
        default.algorithm(Algorithm::Gmres).stop(Stop::Step),
        default.mixed(),
        default.algorithm(Algorithm::Jacobi).policy(BhisaPolicy { block: 64, rows: 4 }),
        default.algorithm(Algorithm::Bhisa).policy(BhisaPolicy { block: 65, rows: 4 }),
        default.algorithm(Algorithm::Bhisa).policy(BhisaPolicy { block: 64, rows: 3 }),
    ] {
        assert!(matches!(refused(&matrix, options), Error::Options(_)), "{options:?}");
    }
    let plan = QuasiTridiagonalPlan::new(&gpu, &matrix, default).unwrap();
    assert!(matches!(plan.solve(&[1.0; 19]), Err(Error::Length { vector: "rhs", .. })));
    let mut rhs = [1.0f32; 20];
    rhs[7] = f32::INFINITY;
    assert!(matches!(plan.solve(&rhs), Err(Error::NonFiniteInput { vector: "rhs", row: 7, .. })));
    // On the device it is the device that notices.
    let right = DeviceVector::from_slice(&gpu, "rhs", &rhs).unwrap();
    let bound = plan.bind(&DeviceSystem::in_place(right.as_slice())).unwrap();
    let error = bound.solve(&mut |_, _| {}).unwrap_err();
    assert!(matches!(error, Error::NonFiniteInput { vector: "rhs", row: 7, .. }));
    let short = plan.bind(&DeviceSystem::in_place(right.slice(0, 10)));
    assert!(matches!(short, Err(Error::Length { vector: "rhs", .. })));
    let overlapping = DeviceVector::<f32>::new(&gpu, "both", 200).unwrap();
    let both = plan.bind(&DeviceSystem::new(overlapping.slice(0, 20), overlapping.slice(0, 20)));
    assert!(matches!(both, Err(Error::Overlap { .. })));
}

#[test]
fn gauss_seidel_on_the_cpu() {
    let system = GAS_CASES[0].system(seed("gauss_seidel_on_the_cpu")).unwrap();
    let (x, history) = cpu::gauss_seidel(&system.matrix, &system.rhs, 1e-7, 100).unwrap();
    println!("{} sweeps", history.len() - 1);
    assert!(history.len() - 1 <= 20);
    assert!(system.matrix.relative_residual(&x, &system.rhs).unwrap() <= 1e-7);
    assert!(matches!(cpu::gauss_seidel(&ring(20, 4.0), &[1.0; 20], 1e-6, 100), Err(Error::NotConverged { .. })));
}

/// Indices in device memory.
fn indices(gpu: &Gpu, values: &[u32]) -> trisolve::wgpu::Buffer {
    use trisolve::wgpu::{BufferDescriptor, BufferUsages};
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let size = 4 * values.len().max(1) as u64;
    let buffer = gpu.device().create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    gpu.queue().write_buffer(&buffer, 0, &bytes);
    buffer
}

/// Offsets, columns, values.
type Compressed<T> = (Vec<u32>, Vec<u32>, Vec<T>);

/// Rows in compressed form, in the order they are given.
fn compressed<T: Real>(rows: &[Vec<(u32, T)>]) -> Compressed<T> {
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for row in rows {
        columns.extend(row.iter().map(|entry| entry.0));
        values.extend(row.iter().map(|entry| entry.1));
        offsets.push(columns.len() as u32);
    }
    (offsets, columns, values)
}

fn on_the_device<T: Real>(mixed: bool) {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 700;
    let matrix = quasi_matrix::<T>(n, OffBand::Irregular, false, seed("on_the_device")).unwrap();
    // Backwards, and every entry in two halves.
    let half = |(column, value): (usize, T)| [(column as u32, value * T::from_f64(0.5)); 2];
    let rows: Vec<Vec<_>> = (0..n)
        .map(|row| {
            let mut own: Vec<_> = matrix.row(row).flat_map(half).collect();
            own.reverse();
            own
        })
        .collect();
    let (offsets, columns, values) = compressed(&rows);
    let width = rows.iter().map(Vec::len).max().unwrap();
    let pattern = Pattern { rows: n, entries: columns.len(), width };
    let [offset_buffer, column_buffer] = [&offsets, &columns].map(|values| indices(&gpu, values));
    let value_buffer = DeviceVector::from_slice(&gpu, "values", &values).unwrap();
    let on_device = DeviceCsr {
        offsets: DeviceSlice::whole(&offset_buffer),
        columns: DeviceSlice::whole(&column_buffer),
        values: value_buffer.as_slice(),
    };
    let rhs: Vec<T> = (0..n).map(|i| T::from_f64((i % 13) as f64 - 6.0)).collect();
    let right = DeviceVector::from_slice(&gpu, "rhs", &rhs).unwrap();
    let x = DeviceVector::<T>::new(&gpu, "x", n).unwrap();
    for options in quasi_methods() {
        let options = Options { mixed, ..options };
        let plan = match QuasiTridiagonalPlan::<T>::for_pattern(&gpu, pattern, options) {
            Err(Error::Unsupported { .. })
                if [Algorithm::Bicg, Algorithm::Bicrstab, Algorithm::GaussSeidel].contains(&options.algorithm) =>
            {
                continue;
            }
            plan => plan.unwrap(),
        };
        let split = plan.bind_matrix(&on_device).unwrap();
        let bound = plan.bind(&DeviceSystem::new(right.as_slice(), x.as_slice())).unwrap();
        // Twice, as an engine would whose entries change.
        for _ in 0..2 {
            split.submit().unwrap();
            assert_eq!(split.check().unwrap(), (0, None));
            let (report, _) = bound.solve(&mut |_, _| {}).unwrap();
            report.check().unwrap();
            let residual = matrix.relative_residual(&x.read(&gpu).unwrap(), &rhs).unwrap();
            assert!(residual < 2e-6, "{}: {residual:e}", report.method());
        }
        let host = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap();
        assert!(matches!(host.bind_matrix(&on_device), Err(Error::Options(_))));
    }
}

#[test]
fn a_matrix_in_device_memory() {
    on_the_device::<f32>(false);
    if gpu(true, FeatureSwitches::ALL).capabilities().features.f64 {
        on_the_device::<f64>(false);
        on_the_device::<f64>(true);
    }
}

#[test]
fn what_is_wrong_with_a_matrix_in_device_memory() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let sound = (vec![0u32, 2, 4, 6], vec![0u32, 1, 0, 1, 2, 0], vec![2.0f32, 1.0, 1.0, 2.0, 2.0, 1.0]);
    let found = |change: &dyn Fn(&mut Compressed<f32>)| {
        let mut own = sound.clone();
        change(&mut own);
        let [offsets, columns] = [&own.0, &own.1].map(|values| indices(&gpu, values));
        let values = DeviceVector::from_slice(&gpu, "values", &own.2).unwrap();
        let matrix = DeviceCsr {
            offsets: DeviceSlice::whole(&offsets),
            columns: DeviceSlice::whole(&columns),
            values: values.as_slice(),
        };
        let pattern = Pattern { rows: 3, entries: 6, width: 1 };
        let options = Options::default().algorithm(Algorithm::Jacobi);
        let plan = QuasiTridiagonalPlan::<f32>::for_pattern(&gpu, pattern, options)?;
        let bound = plan.bind_matrix(&matrix)?;
        bound.submit()?;
        bound.check()
    };
    assert_eq!(found(&|_| {}), Ok((0, None)));
    assert_eq!(found(&|own| own.2[2] = -9.0), Ok((1, Some(1))));
    assert!(matches!(found(&|own| own.0[1] = 5), Err(Error::Shape(_))));
    assert!(matches!(found(&|own| own.0[3] = 7), Err(Error::Shape(_))));
    let outside = |result| matches!(result, Err(Error::Shape(message)) if message.contains("row 1 has a column"));
    assert!(outside(found(&|own| own.1[3] = 3)));
    assert!(outside(found(&|own| own.1[3] = u32::MAX)));
    assert!(matches!(found(&|own| own.1[0] = 2), Err(Error::ZeroOnDiagonal { row: 0, .. })));
    assert!(matches!(found(&|own| own.2[5] = f32::NAN), Err(Error::NonFiniteInput { row: 2, .. })));
    assert!(matches!(found(&|own| own.2[4..].fill(0.0)), Err(Error::EmptyRow { row: 2 })));
    assert!(matches!(found(&|own| own.1[4..].fill(0)), Err(Error::Length { .. })));
    assert!(matches!(found(&|own| own.0.truncate(3)), Err(Error::Length { vector: "offsets", .. })));
    assert!(matches!(found(&|own| own.2.truncate(5)), Err(Error::Length { vector: "values", .. })));
}
