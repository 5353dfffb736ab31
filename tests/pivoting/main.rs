//! Recursive partitions with pivoting, on the CPU and on this machine's adapter.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draw.rs"]
mod draw;
mod exchanges;

use common::gpu;
use draw::{in_precisions, some};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::tridiagonal::{
    self, Algorithm, DeviceSystem, Options, PivotingPolicy, Shape, Stability, Status, TridiagonalPlan,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Real, cpu};
use trisolve_lab::seed;
use trisolve_lab::{MATRICES, Measured, OnDevice, matrix, rpts_table};

/// Three diagonals and a solution.
struct System {
    lower: Vec<f64>,
    diag: Vec<f64>,
    upper: Vec<f64>,
    x: Vec<f64>,
}

impl System {
    /// Entries and solution from U(-1,1).
    fn random(n: usize, seed: u64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let [lower, diag, upper, x] = [(); 4].map(|()| (0..n).map(|_| random.random_range(-1.0..1.0)).collect());
        Self { lower, diag, upper, x }
    }

    fn rhs(&self) -> Vec<f64> {
        let Self { lower, diag, upper, x } = self;
        let n = x.len();
        let at = |i: usize| {
            let before = if i > 0 { lower[i] * x[i - 1] } else { 0.0 };
            let after = if i + 1 < n { upper[i] * x[i + 1] } else { 0.0 };
            before + diag[i] * x[i] + after
        };
        (0..n).map(at).collect()
    }

    /// Backward errors of partitions of so many rows, and of gtsv.
    fn errors(&self, rows: usize) -> Result<[f64; 2], Error> {
        let Self { lower, diag, upper, .. } = self;
        let rhs = self.rhs();
        let error = |x: Vec<f64>| cpu::backward_error(lower, diag, upper, &x, &rhs, false);
        let want = error(cpu::gtsv(lower, diag, upper, &rhs)?);
        Ok([error(cpu::pivoting_partition(lower, diag, upper, &rhs, rows)?), want])
    }

    fn check(&self, rows: usize, what: &str) {
        let n = self.x.len();
        match self.errors(rows) {
            // The worst of 16 000 random ones was 1e-12.
            Ok([own, gtsv]) => assert!(own < 1e-11, "{what}, n = {n}, {rows} rows: {own:e}, gtsv {gtsv:e}"),
            Err(error) => panic!("{what}, n = {n}, {rows} rows: {error}"),
        }
    }

    /// A solve that checks what it found; nothing where the adapter lacks the precision.
    fn solve_from_host<T: Real>(&self, policy: PivotingPolicy) -> Result<Vec<T>, Error> {
        let gpu = gpu(false, FeatureSwitches::ALL);
        let [lower, diag, upper, rhs] = [&self.lower, &self.diag, &self.upper, &self.rhs()]
            .map(|values| values.iter().map(|&value| T::from_f64(value)).collect::<Vec<_>>());
        let options = Options::on_device().algorithm(Algorithm::Pivoting).policy(policy);
        match TridiagonalPlan::<T>::new(&gpu, Shape::single(diag.len()), options) {
            Err(Error::Unsupported { .. }) => Ok(vec![]),
            plan => plan?.solve(&tridiagonal::System::new(&lower, &diag, &upper), &rhs),
        }
    }

    /// Entries and solution of -1, 1 and 2: some rows that a partition takes together are singular on their own.
    fn small_integers(n: usize, seed: u64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut vector = || (0..n).map(|_| [-1.0, 1.0, 2.0][random.random_range(0..3)]).collect();
        Self { lower: vector(), diag: vector(), upper: vector(), x: vector() }
    }

    /// Skeel's cond(A, x): infinite for a singular matrix, which small integers may make.
    fn condition(&self) -> f64 {
        let matrix = tridiagonal::System::new(&self.lower, &self.diag, &self.upper);
        match matrix.condition(&Shape::single(self.x.len()), 0, &self.x) {
            Err(Error::Singular { .. }) => f64::INFINITY,
            condition => condition.unwrap(),
        }
    }

    /// The backward error of what a device finds, in units of roundoff.
    fn error_on<T: Real>(&self, gpu: &Gpu, policy: PivotingPolicy) -> f64 {
        let (error, status) = self.recorded_on::<T>(gpu, policy, Stability::Fastest);
        // In f32 one partition in ten million is so by chance.
        assert!(matches!(status.check(), Ok(()) | Err(Error::SingularPartition { system: 0 })), "{status:?}");
        error
    }

    /// The same with what was noticed.
    fn recorded_on<T: Real>(&self, gpu: &Gpu, policy: PivotingPolicy, stability: Stability) -> (f64, Status) {
        let [lower, diag, upper, rhs] = [&self.lower, &self.diag, &self.upper, &self.rhs()]
            .map(|values| values.iter().map(|&value| T::from_f64(value)).collect::<Vec<_>>());
        let options = Options::on_device().algorithm(Algorithm::Pivoting).policy(policy).stability(stability);
        let plan = TridiagonalPlan::<T>::new(gpu, Shape::single(diag.len()), options).unwrap();
        let upload = |values: &[T]| DeviceVector::from_slice(gpu, "a vector", values).unwrap();
        let vectors =
            [&lower, &diag, &upper, &rhs, &vec![T::from_f64(f64::NAN); diag.len()]].map(|values| upload(values));
        let [a, b, c, d, x] = vectors.each_ref().map(DeviceVector::as_slice);
        let bound = plan.bind(&DeviceSystem { lower: a, diag: b, upper: c, rhs: d, x: Some(x) }).unwrap();
        bound.submit().unwrap();
        let found = vectors[4].read(gpu).unwrap();
        let error = cpu::backward_error(&lower, &diag, &upper, &found, &rhs, false) / T::UNIT_ROUNDOFF;
        (error, bound.read_status().unwrap())
    }
}

/// Slices as small as may be, so that few rows make several, and levels above.
fn small_slices(rows: u32) -> PivotingPolicy {
    PivotingPolicy { workgroup: 32, rows, lanes: 1, shuffles: true }
}

/// In one precision; the bound is of backward errors in units of roundoff.
fn check_on_device(random: &mut SmallRng, system: &System, policy: PivotingPolicy, (what, bound): (&str, f64)) {
    fn check<T: Real>(system: &System, policy: PivotingPolicy, (what, bound): (&str, f64)) {
        let error = system.error_on::<T>(&gpu(false, FeatureSwitches::ALL), policy);
        assert!(error < bound, "{what}, n = {}, {policy:?}, {}: {error:e}", system.x.len(), T::PRECISION);
    }
    in_precisions!(random, &gpu(false, FeatureSwitches::ALL), check(system, policy, (what, bound)));
}

#[test]
fn backward_errors_are_small() {
    let seed = seed("backward_errors_are_small");
    for rows in [4, 6, 8, 16, 32] {
        let around = [1, 2, 3].into_iter().chain(rows - 1..rows + 4).chain(4 * rows - 1..4 * rows + 4);
        for (at, n) in around.chain([512, 511, 513, 2048, 10007]).enumerate() {
            System::random(n, seed + at as u64).check(rows, "random");
        }
    }
}

/// One in 200 is refined.
#[test]
fn every_random_system_is_solved_from_the_host() {
    let seed = seed("every_random_system_is_solved_from_the_host");
    for at in 0..400 {
        if let Err(error) = System::random(2048, seed + at).solve_from_host::<f64>(small_slices(8)) {
            panic!("seed {}: {error}", seed + at);
        }
    }
}

/// A condition of 2e8, of which f32 keeps no digit of its own; and of 2e10, which is beyond what is solved unless x is
/// determined better than the matrix's condition says.
#[test]
fn conditions_beyond_roundoff() {
    let seed = seed("conditions_beyond_roundoff");
    let gpu = gpu(false, FeatureSwitches::ALL);
    for n in some(&mut SmallRng::seed_from_u64(seed), &[511, 4099], 1) {
        for algorithm in [Algorithm::Auto, Algorithm::Pivoting] {
            let options = Options::on_device().algorithm(algorithm);
            let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), options).unwrap();
            for (diag, solvable) in [(1e-8f32, true), (1e-10, false)] {
                let x = System::random(n, seed).x.iter().map(|x| x + 3.0).collect();
                let system = System { lower: vec![1.0; n], diag: vec![diag.into(); n], upper: vec![1.0; n], x };
                let narrow = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<_>>();
                let (off, diag, rhs) = (narrow(&system.lower), narrow(&system.diag), narrow(&system.rhs()));
                let found = plan.solve(&tridiagonal::System::new(&off, &diag, &off), &rhs);
                if let (false, Err(error)) = (solvable, &found) {
                    assert!(matches!(error, Error::NearlySingular { .. }), "{n} rows: {error}");
                    continue;
                }
                let wide = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
                let exact = cpu::gtsv(&wide(&off), &wide(&diag), &wide(&off), &wide(&rhs)).unwrap();
                let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::hypot);
                let error = norm(&mut found.unwrap().iter().zip(&exact).map(|(own, exact)| f64::from(*own) - exact));
                let error = error / norm(&mut exact.iter().copied());
                println!("{n} rows by {algorithm}: {error:.1e}");
                assert!(error < 1e-6, "{n} rows by {algorithm}: {error:e}");
            }
        }
    }
}

#[test]
fn random_systems_on_a_device() {
    let seed = seed("random_systems_on_a_device");
    let mut random = SmallRng::seed_from_u64(seed);
    for n in [1, 2, 7, 9, 64, 129, 513, 2047, 16_385, 100_003] {
        for rows in some(&mut random, &[8, 16], 1) {
            // Of 1000 of 2048 rows the worst had 640.
            let system = System::random(n, seed + n as u64);
            check_on_device(&mut random, &system, small_slices(rows), ("random", 1e5));
        }
    }
}

/// RPTS's matrices and two more, around its size, and one that takes three levels.
#[test]
fn the_papers_matrices() {
    const DENSE: std::ops::RangeInclusive<usize> = 8..=11;
    let seed = seed("the_papers_matrices");
    fn check<T: Real>(seed: u64, n: usize, matrices: &[usize], seeds: u64) {
        let gpu = gpu(false, FeatureSwitches::ALL);
        let from = (seed, seeds);
        let table = rpts_table::<T>(&gpu, n, matrices.iter().copied(), &[Algorithm::Pivoting], from, |_| {}).unwrap();
        for ((name, errors), number) in table.rows.iter().zip(matrices) {
            let error = |at: usize| match errors[at] {
                Measured::Error(error) => error,
                _ => f64::INFINITY,
            };
            let (own, gtsv) = (error(0), error(2));
            // Of 16 with an odd number of rows all partitions round alike, which gtsv's rows do not (the log).
            let odd = n % 2 == 1 && *number == 16;
            // Of ill-conditioned ones the medians of 20 differ too much from run to run.
            let close = own <= 10.0 * gtsv || own.min(gtsv) > T::UNIT_ROUNDOFF.powf(0.4) || odd;
            assert!(close, "n = {n}, {}, {name}: {own:e}, gtsv {gtsv:e}", T::PRECISION);
            if [17, 18].contains(number) {
                assert!(own < 4.0 * T::UNIT_ROUNDOFF, "n = {n}, {}, {name}: {own:e}", T::PRECISION);
            }
        }
    }
    let quick: Vec<_> = (1..=22).filter(|number| !DENSE.contains(number)).collect();
    let mut random = SmallRng::seed_from_u64(seed);
    let gpu = gpu(false, FeatureSwitches::ALL);
    // One below a power of two or one above it.
    let beside = some(&mut random, &[511, 513], 1);
    for (n, seeds) in [(512, 20), (20_003, 9)].into_iter().chain(beside.into_iter().map(|n| (n, 20))) {
        in_precisions!(&mut random, &gpu, check(seed, n, &quick, seeds));
    }
    if gpu.capabilities().features.f64 {
        check::<f64>(seed, 512, &some(&mut random, &DENSE.collect::<Vec<_>>(), 2), 9);
    }
}

#[test]
fn no_excess() {
    let options = Options::on_device().algorithm(Algorithm::Pivoting).diagonal(tridiagonal::Diagonal::Excess);
    let plan = TridiagonalPlan::<f32>::new(&gpu(false, FeatureSwitches::ALL), Shape::single(9), options);
    assert!(matches!(plan, Err(Error::Options(_))), "{plan:?}");
}

/// As far from the true solution as gtsv, on the matrices that solvers are compared on.
#[test]
fn as_accurate_as_gtsv() {
    let seed = seed("as_accurate_as_gtsv");
    for number in [1, 2, 3, 4, 5, 6, 7] {
        for n in [512, 511, 513] {
            let mut errors = [vec![], vec![]];
            for at in 0..20 {
                let found = matrix::<f64>(number, n, seed + 100 * at);
                let x = System::random(n, seed + at).x.iter().map(|x| x + 3.0).collect();
                let system = System { lower: found.lower, diag: found.diag, upper: found.upper, x };
                let (System { lower, diag, upper, x }, rhs) = (&system, system.rhs());
                let own = cpu::pivoting_partition(lower, diag, upper, &rhs, 8).unwrap();
                for (errors, found) in errors.iter_mut().zip([own, cpu::gtsv(lower, diag, upper, &rhs).unwrap()]) {
                    let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::hypot);
                    errors.push(norm(&mut found.iter().zip(x).map(|(own, x)| own - x)) / norm(&mut x.iter().copied()));
                }
            }
            let [own, gtsv] = errors.map(|mut errors| {
                errors.sort_by(f64::total_cmp);
                errors[errors.len() / 2]
            });
            println!("{}, n = {n}: {own:.1e}, gtsv {gtsv:.1e}", MATRICES[number - 1]);
            assert!(own <= 10.0 * gtsv, "{}, n = {n}: {own:e}, gtsv {gtsv:e}", MATRICES[number - 1]);
        }
    }
}

#[test]
fn refusals() {
    let solve = |diag: &[f64], rows| {
        let off = vec![0.0; diag.len()];
        cpu::pivoting_partition(&off, diag, &off, &vec![1.0; diag.len()], rows)
    };
    assert_eq!(solve(&[2.0; 20], 8), Ok(vec![0.5; 20]));
    for rows in [0, 2, 5] {
        assert!(matches!(solve(&[2.0; 20], rows), Err(Error::Options(_))));
    }
    assert!(matches!(solve(&[], 8), Err(Error::Shape(_))));
    let mut diag = [1.0; 20];
    diag[9] = 0.0;
    assert!(matches!(solve(&diag, 8), Err(Error::Singular { .. })), "{:?}", solve(&diag, 8));
    diag[9] = f64::NAN;
    assert!(matches!(solve(&diag, 8), Err(Error::NonFiniteInput { row: 9, .. })));
}
