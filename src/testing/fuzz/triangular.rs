//! Triangular systems: well conditioned, graded, with an inverse that grows with the rows, and past the range.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::Tally;
use crate::cpu::{Triangle, quotient};
use crate::error::Error;
use crate::gpu::Gpu;
use crate::gpu::wgsl::Precision;
use crate::real::Real;
use crate::testing::big::Big;
use crate::triangular::{Algorithm, Diag, Options, Order, Shape, Trans, TriangularPlan, Uplo, solve_on_cpu};

/// Rows; few sizes, so that kernels are compiled once.
const SIZES: [usize; 8] = [1, 2, 3, 17, 33, 64, 130, 300];

/// Entries of a batch in all: what a draw costs is compiling its kernels.
const ENTRIES: usize = 40_000;

/// Draws matrices and right-hand sides.
pub(super) fn draw(gpu: &Gpu, precision: Precision, seed: u64) -> Tally {
    match precision {
        Precision::F32 => attack::<f32>(gpu, seed),
        Precision::F64 => attack::<f64>(gpu, seed),
    }
}

/// All n x n entries, of which one triangle counts.
fn matrix<T: Real>(kind: usize, n: usize, random: &mut SmallRng) -> Vec<T> {
    let mut all: Vec<f64> = (0..n * n).map(|_| random.random_range(-1.0..1.0)).collect();
    let most = if T::PRECISION == Precision::F32 { 12.0 } else { 120.0 };
    let power = 10f64.powf(random.random_range(-6.0..0.0));
    let diagonal = |all: &mut [f64], of: &mut dyn FnMut(f64) -> f64| {
        (0..n).for_each(|i| all[i * n + i] = of(all[i * n + i]));
    };
    match kind {
        // Dominant; as it comes, with a condition of some 2^n; like a Cholesky factor.
        0 => diagonal(&mut all, &mut |value| value.signum() * (n as f64 + 1.0)),
        1 => {}
        2 => diagonal(&mut all, &mut |value| value.signum() * (n as f64).sqrt()),
        // Small entries; small pivots.
        3 => {
            all.iter_mut().for_each(|value| *value *= power);
            diagonal(&mut all, &mut |value| value.signum());
        }
        4 => diagonal(&mut all, &mut |value| value * power),
        // Rows of any size; columns of any size.
        5 | 6 => {
            diagonal(&mut all, &mut |value| value.signum() * 2.0);
            let powers: Vec<_> = (0..n).map(|_| 10f64.powf(random.random_range(-most..most))).collect();
            (0..n * n).for_each(|at| all[at] *= powers[if kind == 5 { at / n } else { at % n }]);
        }
        // Kahan's and the worst for the comparison matrix: all of one sign, ones on the diagonal.
        7 => all.iter_mut().for_each(|value| *value = if *value > -0.5 { -1.0 } else { 1.0 }),
        _ => {
            all.iter_mut().for_each(|value| *value = (*value * 2.0).round());
            diagonal(&mut all, &mut |value| if value == 0.0 { 1.0 } else { value });
        }
    }
    all.into_iter().map(T::from_f64).collect()
}

fn exact<T: Real>(triangle: &Triangle<'_, T>, rhs: &[T]) -> Vec<f64> {
    let n = triangle.n();
    let mut x = vec![Big::new(0.0); n];
    for step in 0..n {
        let i = if triangle.is_lower() { step } else { n - 1 - step };
        let (mut left, mut diagonal) = (Big::new(rhs[i].to_f64()), Big::new(1.0));
        for (j, entry) in triangle.row(i) {
            let entry = Big::new(entry.to_f64());
            if i == j {
                diagonal = entry;
            } else {
                left = left.minus(&entry.times(&x[j]));
            }
        }
        x[i] = left.over(&diagonal);
    }
    x.iter().map(Big::value).collect()
}

fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let kind = random.random_range(0..9);
    let batch = (ENTRIES / (n * n)).clamp(1, 400);
    let columns = random.random_range(1..3);
    let shape = Shape::batch(n, batch).with_columns(columns);
    let mut choose = || random.random_range(0..2) == 0;
    let options = Options {
        uplo: if choose() { Uplo::Lower } else { Uplo::Upper },
        trans: if choose() { Trans::No } else { Trans::Transpose },
        diag: if choose() { Diag::NonUnit } else { Diag::Unit },
        order: if choose() { Order::ColumnMajor } else { Order::RowMajor },
        ..Options::default()
    };
    let algorithm =
        [Algorithm::Auto, Algorithm::Single, Algorithm::LaunchSynced, Algorithm::Chained][random.random_range(0..4)];
    let entries: Vec<T> = (0..batch).flat_map(|_| matrix::<T>(kind, n, &mut random)).collect();
    let sign = random.random_range(0..3) == 0;
    let rhs: Vec<T> = (0..n * columns * batch)
        .map(|_| T::from_f64(random.random_range(if sign { 0.0..1.0 } else { -1.0..1.0 })))
        .collect();
    let truth: Vec<_> = (0..batch * columns)
        .map(|problem| {
            let triangle = Triangle::of(&options, &shape, &entries, problem / columns);
            exact(&triangle, &rhs[problem * n..][..n])
        })
        .collect();
    let size_of = |x: &[f64]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let name = |way: &str, problem: usize| {
        format!("kind {kind}, n = {n}, {options:?}, problem {problem}, {way}, seed {seed}, {}", T::PRECISION)
    };
    let judge = |tally: &mut Tally, way: &str, problem: usize, found: Result<(&[T], f64), &Error>| {
        let exact = &truth[problem];
        let size = size_of(exact);
        match found {
            Ok((x, stated)) => {
                let off = x.iter().zip(exact).fold(0.0, |most: f64, (x, exact)| {
                    let off = (x.to_f64() - exact).abs();
                    if off > most || off.is_nan() { off } else { most }
                });
                tally.returned(|| name(way, problem), quotient(off, size), stated);
            }
            Err(error) => {
                let rightly = match error {
                    Error::Overflow { .. } => !T::from_f64(0.9 * size).is_finite() || kind == 6 || kind == 5,
                    Error::Underflow { .. } => size < 2.0 * T::PRECISION.least_normal(),
                    // 30 digits are lost.
                    Error::NoDigits { .. } => [1, 4, 5, 6, 7].contains(&kind),
                    // Rows that a workgroup has no room for.
                    Error::Unsupported { .. } | Error::Limit { .. } => algorithm == Algorithm::Single,
                    Error::ZeroDiagonal { .. } => true,
                    _ => false,
                };
                tally.refused(|| name(way, problem), error, rightly);
            }
        }
    };
    let solved = TriangularPlan::<T>::new(gpu, shape, options.algorithm(algorithm))
        .and_then(|plan| plan.solve_reported(&entries, &rhs));
    let way = algorithm.to_string();
    for problem in 0..batch * columns {
        match &solved {
            Ok(solution) => {
                judge(&mut tally, &way, problem, Ok((&solution.x[problem * n..][..n], solution.forward_error)));
            }
            // Of another system.
            Err(Error::NoDigits { system, .. } | Error::Overflow { system, .. }) if *system != problem / columns => {}
            Err(_) if batch * columns > 1 => {}
            Err(error) => judge(&mut tally, &way, problem, Err(error)),
        }
    }
    // One by one on the CPU.
    let single = Shape::single(n);
    for problem in 0..(batch * columns).min(4) {
        let own = &entries[problem / columns * n * n..][..n * n];
        let found = solve_on_cpu(&single, &options, own, &rhs[problem * n..][..n]);
        judge(&mut tally, "cpu", problem, found.as_ref().map(|solution| (&solution.x[..], solution.forward_error)));
    }
    tally
}
