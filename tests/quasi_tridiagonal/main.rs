//! Quasi-tridiagonal systems on a device, by their residual.

#[path = "../common/draw.rs"]
mod draw;
#[path = "../common/run_all.rs"]
mod run_all;
#[path = "../common/sweeps.rs"]
mod sweeps;

#[path = "../common/mod.rs"]
mod common;
mod cores;
mod device_memory;
mod hybrid;
mod outcomes;

use common::gpu;
use draw::{in_precisions, some};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use sweeps::sweeps;
use trisolve::quasi_tridiagonal::{
    Algorithm, BhisaPolicy, Csr, DeviceSystem, Options, Outcome, Preconditioner, QuasiTridiagonalPlan, Report, Stop,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Real, cpu};
use trisolve_lab::seed;
use trisolve_lab::{GAS_CASES, GasCase, OffBand, quasi_cases, quasi_matrix, quasi_methods, quasi_policy_cases};

sweeps!(|seed| [quasi_cases(seed), quasi_policy_cases(seed)].concat(), per_group: 1);

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

/// 2 on the diagonal, 0.5 at distance 1 and `beside` at distance 10.
fn ring(rows: usize, beside: f32) -> Csr<f32> {
    let row = |i: usize| [(i, 2.0), ((i + 1) % rows, 0.5), ((i + 10) % rows, beside)].map(|(j, v)| (i, j, v));
    Csr::from_triplets(rows, (0..rows).flat_map(row)).unwrap()
}

/// The paper's cases up to 10^4 rows by every method with every preconditioner, in f32, f64 or mixed. Iterations tell
/// the story of its Table 6; `benches/papers.sh hisa` has the larger cases.
#[test]
fn the_papers_cases() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let has_f64 = gpu.capabilities().features.f64;
    let seed = seed("the_papers_cases");
    let mut random = SmallRng::seed_from_u64(seed);
    for case in GAS_CASES.into_iter().filter(|case| case.rows <= 10_000) {
        let system = case.system(seed).unwrap();
        let single: Csr<f32> = system.matrix.converted().unwrap();
        let rhs: Vec<f32> = system.rhs.iter().map(|&value| value as f32).collect();
        for options in quasi_methods() {
            let options = match options.algorithm {
                Algorithm::Gmres => options.restart(5),
                Algorithm::Bhisa => options.policy(BhisaPolicy { block: 64, rows: 4, factored: false }),
                _ => options,
            };
            for numbers in some(&mut random, if has_f64 { &["f32", "f64", "mixed"] } else { &["f32"] }, 1) {
                let report = match numbers {
                    "f32" => solved(&gpu, &single, &rhs, options),
                    _ => {
                        let mixed = numbers == "mixed";
                        solved(&gpu, &system.matrix, &system.rhs, Options { mixed, ..options })
                    }
                };
                assert_eq!(report.outcome, Outcome::Converged, "{} of {}, {numbers}", report.method(), case.name);
                if numbers == "f64" && options.preconditioner.is_none_or(|one| one == Preconditioner::None) {
                    check_count(&case, &report);
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

/// From near the solution in fewer iterations, from the solution in none, and from far away at all.
#[test]
fn from_a_guess() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("from_a_guess");
    let matrix = quasi_matrix::<f32>(1500, OffBand::Banded, false, seed).unwrap();
    let rhs: Vec<f32> = (0..1500).map(|i| (i % 11) as f32 - 5.0).collect();
    // Of the methods whose residuals may rise on their way, from nothing and from nearby.
    let mut restless = [0, 0];
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
        if matches!(nearer.algorithm, Algorithm::Bicg | Algorithm::Bicgstab | Algorithm::Tfqmr) {
            restless[0] += cold.report.iterations;
            restless[1] += nearer.iterations;
        } else {
            assert!(nearer.iterations < cold.report.iterations, "{method}: {} iterations", nearer.iterations);
        }
        let far: Vec<f32> = (0..1500).map(|i| 1e5 * (i as f32).cos()).collect();
        let x = plan.solve_from(&far, &rhs).unwrap();
        let residual = matrix.relative_residual(&x, &rhs).unwrap();
        assert!(residual < 1.3e-6, "{method}: {residual:e}");
    }
    assert!(restless[1] < restless[0], "{restless:?}");
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
    let seed = seed("recorded_into_a_pass");
    let matrix = quasi_matrix::<f32>(1000, OffBand::Banded, false, seed).unwrap();
    let rhs: Vec<f32> = (0..1000).map(|i| (i % 11) as f32 - 5.0).collect();
    for options in some(&mut SmallRng::seed_from_u64(seed), &quasi_methods(), 5) {
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
        default.algorithm(Algorithm::Jacobi).policy(BhisaPolicy { block: 64, rows: 4, factored: false }),
        default.algorithm(Algorithm::Bhisa).policy(BhisaPolicy { block: 65, rows: 4, factored: false }),
        default.algorithm(Algorithm::Bhisa).policy(BhisaPolicy { block: 64, rows: 3, factored: false }),
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

/// One large row hides no others: without dominance, with rows scaled, and two that are equal.
#[test]
fn rows_of_any_size_count_alike() {
    fn all<T: Real>(gpu: &Gpu) {
        let rows = [
            [1.0, 1.0, 0.0, 1.0, 0.0],
            [-1.0, 1.0, 1.0, 0.0, 0.0],
            [1e8, 1e8, 3e8, 0.0, 0.0],
            [0.0, 0.0, 1.0, 1.0, -1.0],
            [0.0, 1.0, 0.0, 1.0, 1.0],
        ];
        let of = |rows: &[[f64; 5]; 5]| {
            let entries = (0..5).flat_map(|i| (0..5).map(move |j| (i, j)));
            let entries: Vec<_> = entries.map(|(i, j)| (i, j, T::from_f64(rows[i][j]))).collect();
            Csr::from_triplets(5, entries).unwrap()
        };
        let (matrix, ones) = (of(&rows), vec![T::ONE; 5]);
        let rhs = matrix.times(&ones).unwrap();
        for algorithm in [Algorithm::Auto, Algorithm::Gmres, Algorithm::Tfqmr] {
            let solution =
                trisolve::quasi_tridiagonal::solve_by_any(gpu, &matrix, &rhs, Options::default().algorithm(algorithm))
                    .unwrap();
            let off = solution.x.iter().map(|x| (x.to_f64() - 1f64).abs());
            let error = off.fold(0f64, f64::max);
            assert!(error <= 10.0 * solution.forward_error && error < 1e-4, "{algorithm}: {error:e}");
        }
        // Rows of 1e30, and two equal rows, with a right-hand side that agrees with them or not.
        let scaled = of(&rows.map(|row| row.map(|entry| entry * 1e22)));
        assert!(trisolve::quasi_tridiagonal::solve(gpu, &scaled, &scaled.times(&ones).unwrap()).is_ok());
        let mut equal = rows;
        equal[3] = equal[4];
        let equal = of(&equal);
        for rhs in [equal.times(&ones).unwrap(), vec![T::ONE, T::ZERO, T::ONE, T::ZERO, T::ONE]] {
            let found = trisolve::quasi_tridiagonal::solve(gpu, &equal, &rhs);
            assert!(matches!(found, Err(Error::Singular { .. } | Error::NearlySingular { .. })), "{found:?}");
        }
    }
    let gpu = gpu(false, FeatureSwitches::ALL);
    in_precisions!(&mut SmallRng::seed_from_u64(seed("rows_of_any_size_count_alike")), &gpu, all(&gpu));
}
