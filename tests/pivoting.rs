//! Recursive partitions with pivoting.
#![cfg(feature = "testing")]

#[path = "common/seed.rs"]
mod seed;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use seed::seed;
use trisolve::testing::{MATRICES, matrix};
use trisolve::{Error, cpu};

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

/// What no method without exchanges survives.
#[test]
fn zeros_where_pivots_should_be() {
    let seed = seed("zeros_where_pivots_should_be");
    for rows in [4, 8, 16] {
        for n in [2, 4, 6, 8, 10, 14, 16, 18, 30, 32, 34, 64, 126, 510, 512] {
            // Nonsingular for an even n alone.
            let mut system = System::random(n, seed + n as u64);
            system.diag.fill(0.0);
            let sizes = system.lower.iter_mut().chain(&mut system.upper);
            sizes.for_each(|value| *value = value.signum() * (1.0 + value.abs()));
            system.check(rows, "a diagonal of zeros");
            // Blocks of two rows, singular each but for what couples them.
            let mut system = System::random(n, seed + n as u64);
            for (i, value) in system.diag.iter_mut().enumerate() {
                *value = if i % 2 == 0 { 0.0 } else { 1e-3 * *value };
            }
            let sizes = system.lower.iter_mut().chain(&mut system.upper);
            sizes.for_each(|value| *value = value.signum() * (1.0 + value.abs()));
            system.check(rows, "blocks of two rows");
            // The second unknown of each partition stands in its first row alone.
            let mut system = System::random(n, seed + n as u64);
            for start in (0..n).step_by(rows).filter(|start| start + 2 < n) {
                system.diag[start + 1] = 0.0;
                system.lower[start + 2] = 0.0;
                (system.upper[start], system.lower[start + 1]) = (2.0, 2.0);
            }
            // Now and then that is singular.
            if cpu::gtsv(&system.lower, &system.diag, &system.upper, &system.rhs()).is_ok() {
                system.check(rows, "a column apart");
            }
        }
    }
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
