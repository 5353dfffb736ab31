//! A returned answer is right: systems that elimination without care gets wrong, against elimination in double-double arithmetic.

mod cancelled_steps;
mod carried;
#[path = "../common/mod.rs"]
mod common;
mod deceptions;
mod range;
mod range_ends;
mod silent_filters;

use common::gpu;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::quasi_tridiagonal::{self, Csr};
use trisolve::recurrence::{self, Coefficient, Direction, Recurrence};
use trisolve::tridiagonal::{self, Algorithm, Options, Shape, System, TridiagonalPlan};
use trisolve::{DoubleDouble, Error, FeatureSwitches, Gpu, Real, Wide, cpu, triangular};
use trisolve_lab::{OnDevice, seed};

/// One system, n entries in each vector.
struct Sample<T> {
    vectors: [Vec<T>; 4],
    periodic: bool,
}

impl<T: Real> Sample<T> {
    fn new(vectors: [Vec<f64>; 4], periodic: bool) -> Self {
        Self { vectors: vectors.map(|values| values.into_iter().map(T::from_f64).collect()), periodic }
    }

    fn exact(&self) -> Vec<f64> {
        let [lower, diag, upper, rhs] =
            self.vectors.each_ref().map(|v| v.iter().map(|v| DoubleDouble::new(v.to_f64())).collect::<Vec<_>>());
        let solve = if self.periodic { cpu::periodic_gtsv } else { cpu::gtsv };
        solve(&lower, &diag, &upper, &rhs).unwrap().into_iter().map(Wide::to_f64).collect()
    }

    /// Solves it every way, and returns the largest forward error, each compared with what is stated of it.
    fn worst(&self, gpu: &Gpu, what: &str) -> f64 {
        let [lower, diag, upper, rhs] = &self.vectors;
        let system = System { periodic: self.periodic, ..System::new(lower, diag, upper) };
        let exact = self.exact();
        let largest =
            |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |most: f64, value| most.max(value.abs()));
        let size = largest(&mut exact.iter().copied());
        let mut worst = 0f64;
        for algorithm in [Algorithm::Auto, Algorithm::Pivoting] {
            let options = Options::on_device().algorithm(algorithm).matching(&system);
            let plan = TridiagonalPlan::new(gpu, Shape::single(rhs.len()), options).unwrap();
            let factored = plan.factor(&system).unwrap();
            for solution in [plan.solve_reported(&system, rhs), factored.solve_reported(rhs)] {
                let solution = solution.unwrap_or_else(|error| panic!("{what} by {algorithm}: {error}"));
                let error = largest(&mut solution.x.iter().zip(&exact).map(|(x, exact)| x.to_f64() - exact)) / size;
                let stated = solution.forward_error.unwrap();
                assert!(error <= 10.0 * stated, "{what} by {algorithm}: {error:e}, stated {stated:e}");
                worst = worst.max(error);
            }
        }
        worst
    }
}

/// Columns of very different sizes: the last unknown is 4e-2 beside one of 2e14.
#[test]
fn columns_of_very_different_sizes() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let vectors = || {
        [
            vec![0.0, 5.044271957784542e-25, 4.99016105984e11, 3.44942325555984e24],
            vec![-1.7262015833736e-15, 1.3834453375277518e-25, 1.5753446875e5, 69.79200744628906],
            vec![-3.485121826038147e-16, -1.1694433021134273e24, -1.5923909302273387e-7, 0.0],
            vec![-0.28214213252067566, 0.9663980007171631, -0.5714154839515686, 0.5829019546508789],
        ]
    };
    for algorithm in [Some(Algorithm::Auto), Some(Algorithm::Pivoting), None] {
        let sample = Sample::<f32>::new(vectors(), false);
        let [lower, diag, upper, rhs] = &sample.vectors;
        let system = System::new(lower, diag, upper);
        let x = match algorithm {
            Some(algorithm) => {
                let options = Options::on_device().algorithm(algorithm);
                TridiagonalPlan::new(&gpu, Shape::single(4), options).unwrap().solve(&system, rhs)
            }
            None => tridiagonal::solve_on_cpu(&system, rhs),
        };
        let x = x.unwrap();
        assert!((x[3] - 0.049194988).abs() < 1e-7, "{algorithm:?}: {x:?}");
    }
    let seed = seed("columns_of_very_different_sizes");
    let mut random = SmallRng::seed_from_u64(seed);
    for n in [4, 33, 700] {
        let mut uniform = |low: f64, high: f64| (0..n).map(|_| random.random_range(low..high)).collect::<Vec<f64>>();
        let [mut lower, mut diag, mut upper, rhs] = [(); 4].map(|()| uniform(-1.0, 1.0));
        for (i, power) in uniform(-60.0, 60.0).into_iter().enumerate() {
            let size = 10f64.powf(power);
            diag[i] *= size;
            lower[(i + 1) % n] *= size;
            upper[(i + n - 1) % n] *= size;
        }
        let error = Sample::<f64>::new([lower, diag, upper, rhs], false).worst(&gpu, &format!("{n} rows"));
        println!("{n} rows: {error:e}");
        assert!(error < 1e-10, "{n} rows: {error:e}");
    }
}

/// A ring with one corner far larger than all else.
#[test]
fn a_ring_with_a_large_corner() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("a_ring_with_a_large_corner");
    let mut random = SmallRng::seed_from_u64(seed);
    for n in [3, 15, 200] {
        for at in 0..10 {
            let mut uniform = || (0..n).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>();
            let mut vectors = [uniform(), uniform(), uniform(), uniform()];
            vectors[0][0] = 5e5;
            let error = Sample::<f32>::new(vectors, true).worst(&gpu, &format!("{n} rows, ring {at}"));
            assert!(error < 1e-4, "{n} rows, ring {at}: {error:e}");
        }
    }
}

/// Refinement goes on while it gains: dominant rows but for one, and entries of 0 and +-1.
#[test]
fn every_digit_there_is() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("every_digit_there_is");
    let mut random = SmallRng::seed_from_u64(seed);
    let n = 2048;
    for at in 0..6 {
        let mut uniform = || (0..n).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        let [lower, mut diag, upper, rhs] = [(); 4].map(|()| uniform());
        for i in 0..n {
            diag[i] = diag[i].signum() * (lower[i].abs() + upper[i].abs() + 0.1);
        }
        diag[n / 2] *= 1e-2;
        let error =
            Sample::<f32>::new([lower, diag, upper, rhs], false).worst(&gpu, &format!("dominant but one, {at}"));
        assert!(error < 1e-6, "dominant but one, {at}: {error:e}");
    }
    for at in 0..20 {
        let n = 100;
        let mut integers = || (0..n).map(|_| f64::from(random.random_range(-1i32..2))).collect::<Vec<_>>();
        let vectors = [(); 4].map(|()| integers());
        let sample = Sample::<f32>::new(vectors, false);
        let [lower, diag, upper, rhs] = &sample.vectors;
        let plan = TridiagonalPlan::new(&gpu, Shape::single(n), Options::on_device()).unwrap();
        match plan.solve_reported(&System::new(lower, diag, upper), rhs) {
            Ok(_) => {
                let error = sample.worst(&gpu, &format!("integers {at}"));
                assert!(error < 1e-6, "integers {at}: {error:e}");
            }
            Err(Error::Singular { .. } | Error::NearlySingular { .. }) => {}
            Err(error) => panic!("integers {at}: {error}"),
        }
    }
}

/// The condition is that of the unknowns sought, not of the best scaling.
#[test]
fn a_condition_that_does_not_hide() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let [lower, diag, upper] = [[0.0f32, 1.0], [1.0, 2e-30], [1e-30, 0.0]];
    let system = System::new(&lower, &diag, &upper);
    let solve = |rhs: &[f32]| {
        TridiagonalPlan::new(&gpu, Shape::single(2), Options::on_device()).unwrap().solve_reported(&system, rhs)
    };
    // x = (1, 0): data that differ by a rounding make x[1] 1e22.
    assert!(matches!(solve(&[1.0, 1.0]), Err(Error::NearlySingular { condition, .. }) if condition > 1e29));
    // x = (0, 1e30), of which every digit is determined.
    let solution = solve(&[1.0, 2.0]).unwrap();
    assert!((f64::from(solution.x[1]) / 1e30 - 1.0).abs() < 1e-6, "{solution:?}");
    assert!(solution.condition.is_none_or(|condition| condition < 10.0), "{solution:?}");
}

/// Rows scaled by 1e30 are well posed, also where products of their entries are past the range.
#[test]
fn rows_of_1e30() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("rows_of_1e30");
    let mut random = SmallRng::seed_from_u64(seed);
    for n in [5, 100] {
        let mut uniform = || (0..n).map(|_| 1e30 * random.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        let error = Sample::<f32>::new([uniform(), uniform(), uniform(), uniform()], false).worst(&gpu, "1e30");
        assert!(error < 1e-5, "{n} rows: {error:e}");
    }
}

/// Growth that magnifies roundings beside values that stay where they are: f32 and f64 alone would give any number.
#[test]
fn recurrences_that_magnify_roundings() {
    let gpu = Gpu::new().unwrap();
    let n = 3000;
    // Of w = 1: it stays there, while errors grow by half a per cent per row.
    fn solve<T: Real>(gpu: &Gpu, n: usize) {
        let growth = T::from_f64(1.0 + 1.0 / 256.0);
        let (s, t) = (vec![growth; n], vec![T::from_f64(-1.0 / 256.0); n]);
        let one = recurrence::Coefficient::Constant(T::from_f64(1.0));
        let given = recurrence::Recurrence { initial: one, ..recurrence::Recurrence::new(&s, &t) };
        let plan = recurrence::RecurrencePlan::new(gpu, recurrence::Shape::single(n), Default::default()).unwrap();
        let solution = plan.solve_reported(&given).unwrap();
        let worst = solution.w.iter().map(|w| (w.to_f64() - 1.0).abs()).fold(0.0, f64::max);
        let stated = solution.forward_error.unwrap();
        assert!(worst <= 10.0 * stated, "{worst:e}, {stated:e}");
        let alone = recurrence::solve_on_cpu(n, &given, recurrence::Direction::Forward).unwrap();
        assert!(alone.w.iter().all(|w| w.to_f64() == 1.0));
    }
    solve::<f32>(&gpu, n);
    solve::<f64>(&gpu, n);
}

/// A triangular matrix with small pivots: what substitution in f32 loses, the CPU finds.
#[test]
fn triangular_matrices_with_small_pivots() {
    let gpu = Gpu::new().unwrap();
    let n = 64;
    let mut matrix = vec![0.0f32; n * n];
    for j in 0..n {
        matrix[j * n + j] = 1.0;
        (j + 1..n).for_each(|i| matrix[j * n + i] = if (i + j) % 3 == 0 { -1.0 } else { 1.0 });
    }
    let rhs: Vec<f32> = (0..n).map(|i| 1.0 / (i + 3) as f32).collect();
    let wide: Vec<f64> = matrix.iter().map(|&entry| f64::from(entry)).collect();
    let (shape, options) = (triangular::Shape::single(n), triangular::Options::on_device());
    let exact =
        triangular::solve_on_cpu(&shape, &options, &wide, &rhs.iter().map(|&b| f64::from(b)).collect::<Vec<_>>());
    let exact = exact.unwrap().x;
    let size = exact.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let plan = triangular::TriangularPlan::new(&gpu, shape, options).unwrap();
    let solution = plan.solve_reported(&matrix, &rhs).unwrap();
    let worst = solution.x.iter().zip(&exact).map(|(x, exact)| (f64::from(*x) - exact).abs()).fold(0.0, f64::max);
    let stated = solution.forward_error.unwrap();
    assert!(worst / size <= 10.0 * stated && stated < 1e-3, "{worst:e}, {stated:e}");
}

/// A nearly singular block with small unknowns beside a good one: x as a whole is well conditioned, and the block hides in it.
#[test]
fn a_nearly_singular_block_beside_large_unknowns() {
    let lower = [0.0, 0.0, 0.0, 0.0, 2178647.0, 16757533.0];
    let diag = [24.0, 39.0, 30.0, 3812229.0, 13551261.0, 9333094.0];
    let upper = [0.0, 0.0, 0.0, 4036750.0, 6262505.0, 0.0];
    let rhs = [250000.0, 380000.0, 270000.0, -3.552713678800501e-15, -3.552713678800501e-15, 2.4868995751603507e-14];
    let gpu = gpu(false, FeatureSwitches::ALL);
    let sample = Sample::<f32>::new([lower, diag, upper, rhs].map(Vec::from), false);
    let exact = sample.exact();
    let [lower, diag, upper, rhs] = &sample.vectors;
    let system = System::new(lower, diag, upper);
    let plan = TridiagonalPlan::new(&gpu, Shape::single(6), Options::on_device()).unwrap();
    match plan.solve_reported(&system, rhs) {
        Ok(solution) => {
            let off = solution.x.iter().zip(&exact).map(|(x, exact)| (x.to_f64() - exact).abs());
            let error = off.fold(0.0, f64::max) / exact.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let stated = solution.forward_error.unwrap();
            assert!(error <= 10.0 * stated, "{error:e}, stated {stated:e}");
        }
        Err(error) => assert!(matches!(error, Error::NearlySingular { .. }), "{error}"),
    }
}

/// Rows near the least normal number: dominance bounds an error, but not what underflows.
#[test]
fn dominant_rows_next_to_underflow() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let tiny = f64::from(f32::MIN_POSITIVE);
    for (unit, least) in [(1.1 * tiny, 1e-4 * tiny), (1e-30, 1e-42)] {
        let vectors = [
            vec![0.0, -unit, -unit],
            vec![3.0, 3.0 * unit, 3.0 * unit],
            vec![-1.0, -unit, 0.0],
            vec![2.0 * unit, least, least],
        ];
        let error = Sample::<f32>::new(vectors, false).worst(&gpu, &format!("rows of {unit:e}"));
        println!("rows of {unit:e}: {error:e}");
    }
}

/// A product that underflows to nothing is no 0.
#[test]
fn values_below_the_range() {
    let w = recurrence::solve_on_cpu(
        1,
        &Recurrence {
            s: Coefficient::Constant(1e-300),
            t: Coefficient::Each(&[0.0]),
            initial: Coefficient::Constant(1e-300),
        },
        Direction::Forward,
    );
    assert!(matches!(w, Err(Error::Underflow { .. })), "{w:?}");
    let system = System::new(&[0.0, 0.0], &[1e300, 1e300], &[0.0, 0.0]);
    let x = tridiagonal::solve_on_cpu(&system, &[1e-300, 0.0]);
    assert!(matches!(x, Err(Error::Underflow { .. })), "{x:?}");
}

/// A quasi-tridiagonal matrix of more rows than are eliminated, of which the last three are singular but for 2^-44, with right-hand
/// sides below the tolerance of the iteration.
#[test]
fn a_weak_block_of_a_large_quasi_tridiagonal_matrix() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let n = 600;
    let weak = 2f64.powi(-44);
    let mut triplets = vec![];
    let good = n - 3;
    for i in 0..good {
        triplets.push((i, i, 4.0));
        triplets.extend((i > 0).then(|| (i, i - 1, -1.0)));
        triplets.extend((i + 1 < good).then(|| (i, i + 1, -1.0)));
        triplets.extend((i + 40 < good).then(|| (i, i + 40, 0.5)));
    }
    triplets.extend((good..n).flat_map(|i| (good..n).map(move |j| (i, j, if i == j { 2.0 + weak } else { -1.0 }))));
    let matrix = Csr::<f64>::from_triplets(n, triplets).unwrap();
    let mut rhs: Vec<f64> = (0..n).map(|row| matrix.row(row).map(|(_, value)| value).sum()).collect();
    rhs[good..].fill(weak);
    match quasi_tridiagonal::solve(&gpu, &matrix, &rhs) {
        Ok(x) => assert!(x.iter().all(|x| (x - 1.0).abs() < 0.1), "{:?}", &x[n - 4..]),
        Err(error) => assert!(
            matches!(error, Error::NearlySingular { .. } | Error::NoDigits { .. } | Error::Unverified { .. }),
            "{error}"
        ),
    }
    // And one that is singular, of a right-hand side of zeros.
    let singular = Csr::<f64>::from_triplets(2, [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 4.0)]).unwrap();
    assert!(quasi_tridiagonal::solve(&gpu, &singular, &[0.0, 0.0]).is_err());
}
