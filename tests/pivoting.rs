//! Recursive partitions with pivoting, on the CPU and on this machine's adapter.

mod common;

use common::gpu;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::tridiagonal::{
    self, Algorithm, DeviceSystem, Options, PivotingPolicy, Shape, Stability, Status, TridiagonalPlan,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Real, cpu};
use trisolve_lab::seed;
use trisolve_lab::{MATRICES, Measured, matrix, rpts_table};

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
        let options = Options::default().algorithm(Algorithm::Pivoting).policy(policy);
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
        let options = Options::default().algorithm(Algorithm::Pivoting).policy(policy).stability(stability);
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

/// In both precisions, where the adapter has both; the bound is of backward errors in units of roundoff.
fn check_on_device(system: &System, policy: PivotingPolicy, what: &str, bound: f64) {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut errors = vec![system.error_on::<f32>(&gpu, policy)];
    if gpu.capabilities().features.f64 {
        errors.push(system.error_on::<f64>(&gpu, policy));
    }
    assert!(errors.iter().all(|&error| error < bound), "{what}, n = {}, {policy:?}: {errors:?}", system.x.len());
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

/// What no method without exchanges survives, for partitions of so many rows.
fn without_pivots(n: usize, rows: usize, seed: u64) -> Vec<(System, &'static str)> {
    let random = || {
        let mut system = System::random(n, seed);
        let sizes = system.lower.iter_mut().chain(&mut system.upper);
        sizes.for_each(|value| *value = value.signum() * (1.0 + value.abs()));
        system
    };
    let mut zeros = random();
    zeros.diag.fill(0.0);
    let mut blocks = random();
    for (i, value) in blocks.diag.iter_mut().enumerate() {
        *value = if i % 2 == 0 { 0.0 } else { 1e-3 * *value };
    }
    // (0 1; 1 0), which a partition's ends leave weak pivots from both sides.
    let mut coupled = System::random(n, seed);
    for i in 0..n {
        (coupled.diag[i], coupled.lower[i]) = (0.0, if i % 2 == 0 { coupled.lower[i] / 4.0 } else { 1.0 });
        coupled.upper[i] = if i % 2 == 0 { 1.0 } else { coupled.upper[i] / 4.0 };
    }
    // The second unknown of each partition stands in its first row alone.
    let mut apart = System::random(n, seed);
    for start in (0..n).step_by(rows).filter(|start| start + 2 < n) {
        apart.diag[start + 1] = 0.0;
        apart.lower[start + 2] = 0.0;
        (apart.upper[start], apart.lower[start + 1]) = (2.0, 2.0);
    }
    // And the last but one in its last.
    let mut both =
        System { lower: apart.lower.clone(), diag: apart.diag.clone(), upper: apart.upper.clone(), x: apart.x.clone() };
    for end in (rows - 1..n).step_by(rows) {
        both.diag[end - 1] = 0.0;
        both.upper[end - 2] = 0.0;
        (both.lower[end], both.upper[end - 1]) = (2.0, 2.0);
    }
    let all = vec![
        (zeros, "a diagonal of zeros"),
        (blocks, "blocks of two rows"),
        (coupled, "coupled exchanges"),
        (apart, "a column apart"),
        (both, "two columns apart"),
    ];
    // Now and then one is singular.
    let solvable = |system: &System| cpu::gtsv(&system.lower, &system.diag, &system.upper, &system.rhs()).is_ok();
    all.into_iter().filter(|(system, _)| solvable(system)).collect()
}

#[test]
fn zeros_where_pivots_should_be() {
    let seed = seed("zeros_where_pivots_should_be");
    for rows in [4, 8, 16] {
        // Nonsingular for an even n alone.
        for n in [2, 4, 6, 8, 10, 14, 16, 18, 30, 32, 34, 64, 126, 510, 512] {
            without_pivots(n, rows, seed + n as u64).into_iter().for_each(|(system, what)| system.check(rows, what));
        }
    }
}

#[test]
fn zeros_where_pivots_should_be_on_a_device() {
    let seed = seed("zeros_where_pivots_should_be_on_a_device");
    for rows in [8, 16] {
        for n in [2, 8, 18, 130, 2050, 20_010] {
            for (system, what) in without_pivots(n, rows as usize, seed + n as u64) {
                // Of these one in seven has a partition whose ends depend on each other by its inner rows alone; then
                // both rows that are left of it say the same, and refinement has to make up for it.
                if what == "blocks of two rows" && n > 1000 {
                    let found = system.solve_from_host::<f64>(small_slices(rows));
                    assert!(
                        matches!(found, Ok(_) | Err(Error::NearlySingular { .. })),
                        "n = {n}, {rows} rows: {found:?}"
                    );
                } else {
                    // The worst of 30 seeds had 64.
                    check_on_device(&system, small_slices(rows), what, 1e4);
                }
            }
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
    for n in [511, 4099] {
        for algorithm in [Algorithm::Auto, Algorithm::Pivoting] {
            let options = Options::default().algorithm(algorithm);
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
    for rows in [8, 16] {
        for (at, n) in [1, 2, 7, 9, 64, 129, 513, 2047, 16_385, 100_003].into_iter().enumerate() {
            // Of 1000 of 2048 rows the worst had 640.
            check_on_device(&System::random(n, seed + at as u64), small_slices(rows), "random", 1e5);
        }
    }
}

/// Rows of very different sizes; f64 alone has room for the last.
#[test]
fn sizes_far_apart() {
    let seed = seed("sizes_far_apart");
    let gpu = gpu(false, FeatureSwitches::ALL);
    for n in [100, 5000] {
        let scaled = |size: &dyn Fn(usize) -> i32| {
            let mut system = System::random(n, seed);
            for diagonal in [&mut system.lower, &mut system.diag, &mut system.upper] {
                diagonal.iter_mut().enumerate().for_each(|(i, value)| *value *= 10f64.powi(size(i)));
            }
            system
        };
        check_on_device(&scaled(&|i| (i * 7 % 25) as i32 - 12), small_slices(8), "rows of 1e-12 to 1e12", 1e5);
        if gpu.capabilities().features.f64 {
            let error = scaled(&|i| (i * 37 % 577) as i32 - 288).error_on::<f64>(&gpu, small_slices(8));
            assert!(error < 1e5, "rows of 1e-288 to 1e288: {error:e}");
        }
    }
}

/// Partitions that are singular on their own spoil a recorded solve, which says so, or leave it half of its digits, and all of
/// one from the host.
fn integers<T: Real>(gpu: &Gpu, seed: u64) {
    let half = T::UNIT_ROUNDOFF.sqrt();
    let mut doubtful = 0;
    for (n, times) in [(8, 20), (24, 20), (100, 30), (1000, 10), (5000, 2)] {
        for (at, rows) in (0..times).flat_map(|at| [(at, 8), (at, 16)]) {
            let system = System::small_integers(n, seed + at);
            let x = &system.x;
            let what = format!("{} n = {n}, {rows} rows, seed {}", T::PRECISION, seed + at);
            let condition = system.condition();
            if condition * half > 0.1 {
                continue;
            }
            for stability in [Stability::Fastest, Stability::Stable] {
                let (error, status) = system.recorded_on::<T>(gpu, small_slices(rows), stability);
                match (status.check(), stability) {
                    // 3e5 has been seen, which in f32 is 2%: coarse rows that are nearly singular.
                    (Ok(()), _) => assert!(error < 2e6, "{what}: {error:e} units"),
                    (Err(Error::SingularPartition { system: 0 }), Stability::Stable) => {
                        doubtful += 1;
                        // 6e3 has been seen: partitions of what singular partitions leave.
                        assert!(error * half < 1e5, "{what}: {error:e} units");
                    }
                    (Err(Error::SingularPartition { system: 0 } | Error::Breakdown { system: 0, .. }), _) => {}
                    (Err(error), _) => panic!("{what}: {error}"),
                }
            }
            let found =
                system.solve_from_host::<T>(small_slices(rows)).unwrap_or_else(|error| panic!("{what}: {error}"));
            let worst = found.iter().zip(x).map(|(found, x)| (found.to_f64() - x).abs()).fold(0.0, f64::max);
            assert!(worst < 1e3 * condition * T::UNIT_ROUNDOFF, "{what}: {worst:e}, condition {condition:.1e}");
        }
    }
    assert!(doubtful > 0, "{}: {doubtful} partitions that are singular", T::PRECISION);
}

#[test]
fn small_integers() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("small_integers");
    integers::<f32>(&gpu, seed);
    if gpu.capabilities().features.f64 {
        integers::<f64>(&gpu, seed);
    }
    let mut worse = 0;
    for at in 0..200 {
        let system = System::small_integers(100, seed + at);
        let condition = system.condition();
        if condition > 1e5 {
            continue;
        }
        let (System { lower, diag, upper, x }, rhs) = (&system, system.rhs());
        for rows in [4, 8, 16] {
            let own = cpu::pivoting_partition(lower, diag, upper, &rhs, rows).unwrap();
            let worst = own.iter().zip(x).map(|(own, x)| (own - x).abs()).fold(0.0, f64::max);
            // Of 18 000, three were above 1e-6, and one of them above 1e-4: partitions of what singular partitions leave.
            assert!(worst < 1e-2 * condition, "{rows} rows, seed {}: {worst:e}, {condition:.1e}", seed + at);
            worse += usize::from(worst > 1e-6 * condition);
        }
    }
    assert!(worse <= 3, "{worse} of 600 have less than half of their digits");
}

/// Singular blocks in a nonsingular whole are solved, and a singular whole is an error that says so.
#[test]
fn singular_systems() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("singular_systems");
    for n in [8usize, 100, 3000] {
        let options = Options::default().algorithm(Algorithm::Pivoting).policy(small_slices(8));
        let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), options).unwrap();
        let narrow = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<_>>();
        let solve = |system: &System| {
            let [lower, diag, upper, rhs] =
                [&system.lower, &system.diag, &system.upper, &system.rhs()].map(|v| narrow(v));
            plan.solve(&tridiagonal::System::new(&lower, &diag, &upper), &rhs)
        };
        // Dominant but for its first and last block of two rows, (1 1; 1 1) with a neighbour.
        let mut system = System::random(n, seed);
        system.diag.iter_mut().for_each(|value| *value = 3.0);
        // Neighbours that the blocks can do without would leave them singular.
        for (at, before) in [(1, false), (n - 2, true)] {
            let (own, back) = match before {
                true => (&mut system.lower[at], &mut system.upper[at - 1]),
                false => (&mut system.upper[at], &mut system.lower[at + 1]),
            };
            (*own, *back) = (0.5, 0.75);
        }
        for start in [0, n - 2] {
            (system.diag[start], system.upper[start], system.lower[start + 1], system.diag[start + 1]) =
                (1.0, 1.0, 1.0, 1.0);
        }
        let x = solve(&system).unwrap();
        let worst = x.iter().zip(&system.x).map(|(found, x)| (f64::from(*found) - x).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-4, "n = {n}: {worst}");
        // A row of zeros, a column of zeros, two equal rows.
        let singular = [
            |system: &mut System, at: usize| (system.lower[at], system.diag[at], system.upper[at]) = (0.0, 0.0, 0.0),
            |system: &mut System, at: usize| {
                (system.upper[at - 1], system.diag[at], system.lower[at + 1]) = (0.0, 0.0, 0.0)
            },
            |system: &mut System, at: usize| {
                let equal = (system.diag[at], system.upper[at], 0.0);
                system.lower[at] = 0.0;
                (system.lower[at + 1], system.diag[at + 1], system.upper[at + 1]) = equal;
            },
        ];
        for (kind, spoil) in singular.iter().enumerate() {
            for at in [1, n / 2, n - 2] {
                let mut system = System::random(n, seed);
                system.diag.iter_mut().for_each(|value| *value = 3.0);
                spoil(&mut system, at);
                let found = solve(&system);
                let refused = matches!(found, Err(Error::Singular { system: 0, .. } | Error::NearlySingular { .. }));
                assert!(refused, "n = {n}, kind {kind}, row {at}: {found:?}");
                // Recorded, too, though the right-hand side is consistent.
                for stability in [Stability::Fastest, Stability::Stable] {
                    let (error, status) = system.recorded_on::<f32>(&gpu, small_slices(8), stability);
                    let said = status.check().is_err();
                    assert!(said, "n = {n}, kind {kind}, row {at}, {stability:?}: {error:e} units, said nothing");
                }
            }
        }
        let mut nan = System::random(n, seed);
        nan.upper[n / 2] = f64::INFINITY;
        assert!(matches!(solve(&nan), Err(Error::NonFiniteInput { system: 0, .. })), "{:?}", solve(&nan));
    }
}

/// RPTS's matrices and two more, around its size, and one that takes three levels.
#[test]
fn the_papers_matrices() {
    const DENSE: std::ops::RangeInclusive<usize> = 8..=11;
    fn check<T: Real>(n: usize, matrices: &[usize], seeds: u64) {
        let gpu = gpu(false, FeatureSwitches::ALL);
        let from = (seed("the_papers_matrices"), seeds);
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
    let has_f64 = gpu(false, FeatureSwitches::ALL).capabilities().features.f64;
    for (n, seeds) in [(512, 20), (511, 20), (513, 20), (20_003, 9)] {
        check::<f32>(n, &quick, seeds);
        if has_f64 {
            check::<f64>(n, &quick, seeds);
        }
    }
    if has_f64 {
        check::<f64>(512, &DENSE.collect::<Vec<_>>(), 9);
    }
}

#[test]
fn no_excess() {
    let options = Options::default().algorithm(Algorithm::Pivoting).diagonal(tridiagonal::Diagonal::Excess);
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
