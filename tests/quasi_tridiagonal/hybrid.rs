//! HISA and BHISA: solvers of T, kept factors, and the spectral radius of the iteration.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::quasi_tridiagonal::{
    Algorithm, BhisaPolicy, Csr, Options, Outcome, Preconditioner, QuasiTridiagonalPlan, Stop,
};
use trisolve::{Error, FeatureSwitches, cpu, tridiagonal};
use trisolve_lab::seed;

use super::common::gpu;

/// The three diagonals, and the entries beside them.
struct Parts {
    diagonals: [Vec<f64>; 3],
    beside: Vec<(usize, usize, f64)>,
}

impl Parts {
    fn matrix(&self) -> Csr<f64> {
        let [lower, diag, upper] = &self.diagonals;
        let n = diag.len();
        let band = (0..n).flat_map(|i| {
            let left = (i > 0).then(|| (i, i - 1, lower[i]));
            let right = (i + 1 < n).then(|| (i, i + 1, upper[i]));
            [Some((i, i, diag[i])), left, right].into_iter().flatten()
        });
        Csr::from_triplets(n, band.chain(self.beside.iter().copied())).unwrap()
    }

    /// The spectral radius of T^-1 S by the power method in f64, over the last of many steps.
    fn spectral_radius(&self, random: &mut SmallRng) -> f64 {
        let [lower, diag, upper] = &self.diagonals;
        let mut v: Vec<f64> = diag.iter().map(|_| random.random_range(-1.0..1.0)).collect();
        let norm = |v: &[f64]| v.iter().map(|value| value * value).sum::<f64>().sqrt();
        let (steps, over) = (400, 100);
        let mut logarithms = vec![];
        for _ in 0..steps {
            let mut product = vec![0.0; v.len()];
            self.beside.iter().for_each(|&(row, column, value)| product[row] += value * v[column]);
            let next = cpu::gtsv(lower, diag, upper, &product).unwrap();
            let factor = norm(&next) / norm(&v);
            logarithms.push(factor.ln());
            let size = norm(&next);
            v = next.into_iter().map(|value| value / size).collect();
        }
        (logarithms[steps - over..].iter().sum::<f64>() / over as f64).exp()
    }
}

/// Dominant, with two entries per row beside the diagonals.
fn dominant(n: usize, random: &mut SmallRng) -> Parts {
    let mut vector = || (0..n).map(|_| random.random_range(-1.0..0.0)).collect::<Vec<f64>>();
    let (lower, upper) = (vector(), vector());
    let beside: Vec<(usize, usize, f64)> = (0..n)
        .flat_map(|row| [(row + 17) % n, (row + n - 23) % n].map(|column| (row, column)))
        .map(|(row, column)| (row, column, random.random_range(-1.0..0.0)))
        .collect();
    let mut diag: Vec<f64> = (0..n).map(|row| lower[row].abs() + upper[row].abs()).collect();
    beside.iter().for_each(|&(row, _, value)| diag[row] += value.abs());
    Parts { diagonals: [lower, diag.into_iter().map(|sum| 1.2 * sum).collect(), upper], beside }
}

#[test]
fn the_report_estimates_the_spectral_radius() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("the_report_estimates_the_spectral_radius"));
    let parts = dominant(500, &mut random);
    let matrix = parts.matrix();
    let radius = parts.spectral_radius(&mut random);
    let rhs: Vec<f64> = (0..500).map(|_| random.random_range(-1.0..1.0)).collect();
    let options = Options::default().algorithm(Algorithm::Hisa).tolerance(1e-12);
    let report = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap().solve_reported(&rhs).unwrap().report;
    let estimate = report.spectral_radius().unwrap();
    println!("spectral radius {radius:.4}, estimated as {estimate:.4} after {} iterations", report.iterations);
    assert!((estimate / radius - 1.0).abs() < 0.1, "{estimate} for {radius}");
    let krylov = Options::default().algorithm(Algorithm::Bicgstab);
    let report = QuasiTridiagonalPlan::new(&gpu, &matrix, krylov).unwrap().solve_reported(&rhs).unwrap().report;
    assert_eq!(report.spectral_radius(), None);
}

/// T with zeros on its diagonal needs exchanges of rows.
#[test]
fn a_named_algorithm_solves_t() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("a_named_algorithm_solves_t"));
    let n = 300;
    let beside = (0..n).map(|row| (row, (row + 40) % n, random.random_range(-0.1..0.1))).collect();
    // Pairs of rows that only an exchange solves, coupled to each other a little.
    let within = |i: usize, odd: bool| if (i % 2 == 1) == odd { 1.0 } else { 0.1 };
    let lower = (0..n).map(|i| within(i, true)).collect();
    let upper = (0..n).map(|i| within(i, false)).collect();
    let exchanged = Parts { diagonals: [lower, vec![0.0; n], upper], beside };
    let rhs: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
    let hisa = Options::default().algorithm(Algorithm::Hisa);
    let krylov = Options::default().algorithm(Algorithm::Bicgstab).preconditioner(Preconditioner::Tridiagonal);
    let matrix = exchanged.matrix();
    for options in [hisa, krylov] {
        let plain = QuasiTridiagonalPlan::new(&gpu, &matrix, options);
        assert!(matches!(plain, Err(Error::ZeroOnDiagonal { row: 0, .. })), "{plain:?}");
        let pivoting = options.tridiagonal(tridiagonal::Algorithm::Pivoting);
        let solution = QuasiTridiagonalPlan::new(&gpu, &matrix, pivoting).unwrap().solve_reported(&rhs).unwrap();
        assert_eq!(solution.report.outcome, Outcome::Converged);
        assert!(matrix.relative_residual(&solution.x, &rhs).unwrap() < 2e-7);
    }
    let matrix = dominant(n, &mut random).matrix();
    let iterations = [None, Some(tridiagonal::Algorithm::Partition), Some(tridiagonal::Algorithm::Cr)].map(|named| {
        let options = Options { tridiagonal: named, ..hisa };
        let solution = QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap().solve_reported(&rhs).unwrap();
        assert!(matrix.relative_residual(&solution.x, &rhs).unwrap() < 2e-7, "{named:?}");
        solution.report.iterations
    });
    assert!(iterations.iter().all(|count| count.abs_diff(iterations[0]) <= 1), "{iterations:?}");
    let useless = Options::default().algorithm(Algorithm::Bhisa).tridiagonal(tridiagonal::Algorithm::Cr);
    let refused = QuasiTridiagonalPlan::new(&gpu, &matrix, useless);
    assert!(matches!(&refused, Err(Error::Options(why)) if why.contains("cr as the solver of T")), "{refused:?}");
}

/// By both criteria, as an elimination per iteration does.
#[test]
fn kept_factors_iterate_alike() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("kept_factors_iterate_alike"));
    let matrix = dominant(1000, &mut random).matrix();
    let rhs: Vec<f64> = (0..1000).map(|_| random.random_range(-1.0..1.0)).collect();
    for stop in [Stop::Residual, Stop::Step] {
        let reports = [false, true].map(|factored| {
            let policy = BhisaPolicy { block: 64, rows: 4, factored };
            let options = Options::default().algorithm(Algorithm::Bhisa).policy(policy).stop(stop);
            QuasiTridiagonalPlan::new(&gpu, &matrix, options).unwrap().solve_reported(&rhs).unwrap().report
        });
        assert_eq!(reports[0].iterations, reports[1].iterations, "{stop}");
        for (again, kept) in reports[0].history.iter().zip(&reports[1].history) {
            assert!((again / kept - 1.0).abs() < 1e-3, "{stop}: {again:e}, {kept:e}");
        }
    }
}
