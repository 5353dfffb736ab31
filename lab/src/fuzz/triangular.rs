//! Triangular systems: well-conditioned, graded, with an inverse that grows with the rows, and outside the range.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Tally, UNDETERMINED, distance, largest};
use crate::big::Big;
use trisolve::cpu::Triangle;
use trisolve::gpu::Gpu;
use trisolve::internals::quotient;
use trisolve::triangular::{Algorithm, Diag, Options, Order, Shape, Trans, TriangularPlan, Uplo, solve_on_cpu};
use trisolve::{Error, Precision, Real};

/// Rows; few sizes, so that kernels are compiled once.
const SIZES: [usize; 8] = [1, 2, 3, 17, 33, 64, 130, 300];

/// Entries of a batch in all: compiling kernels dominates the time of a draw.
const ENTRIES: usize = 40_000;

/// Rows up to which the oracle inverts a matrix for its condition.
const INVERTED: usize = 64;

/// The number of kinds of matrices.
const KINDS: usize = 11;
/// The kind with few entries, of any size.
const FEW: usize = 8;
/// The kind with entries next to the end of the range.
const SMALLEST: usize = 9;

/// The n x n entries; a solve reads one triangle.
fn matrix<T: Real>(kind: usize, n: usize, random: &mut SmallRng) -> Vec<T> {
    let mut all: Vec<f64> = (0..n * n).map(|_| random.random_range(-1.0..1.0)).collect();
    let most = if T::PRECISION == Precision::F32 { 12.0 } else { 120.0 };
    let power = 10f64.powf(random.random_range(-6.0..0.0));
    let diagonal = |all: &mut [f64], of: &mut dyn FnMut(f64) -> f64| {
        (0..n).for_each(|i| all[i * n + i] = of(all[i * n + i]));
    };
    match kind {
        // Dominant; random, with a condition number of about 2^n; like a Cholesky factor.
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
        // Kahan's worst case for the comparison matrix: entries of one sign, ones on the diagonal.
        7 => all.iter_mut().for_each(|value| *value = if *value > -0.5 { -1.0 } else { 1.0 }),
        // Few entries, of any size; then entries next to the end of the range.
        FEW => {
            let most = if T::PRECISION == Precision::F32 { 25.0 } else { 200.0 };
            let mut sized = |value: f64| value * 10f64.powf(random.random_range(-most..most));
            all.iter_mut().for_each(|value| *value = if value.abs() < 0.7 { 0.0 } else { sized(*value) });
            diagonal(&mut all, &mut |value| if value == 0.0 { sized(1.0) } else { value });
        }
        SMALLEST => {
            let size = T::PRECISION.least_normal() * 8.0;
            all.iter_mut().for_each(|value| *value *= size);
            diagonal(&mut all, &mut |value| value + value.signum() * size);
        }
        _ => {
            all.iter_mut().for_each(|value| *value = (*value * 2.0).round());
            diagonal(&mut all, &mut |value| if value == 0.0 { 1.0 } else { value });
        }
    }
    all.into_iter().map(T::from_f64).collect()
}

/// The solution, rounded to f64.
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

/// The largest entry of |A^-1| (|A| |x| + |b|) relative to the largest of x. Above [`INVERTED`] rows, the inverse of the comparison
/// matrix, an upper bound, takes the place of |A^-1|.
fn condition<T: Real>(triangle: &Triangle<'_, T>, rhs: &[T], x: &[f64]) -> f64 {
    let n = triangle.n();
    let order: Vec<_> = (0..n).map(|step| if triangle.is_lower() { step } else { n - 1 - step }).collect();
    // A unit diagonal is not stored.
    let rows: Vec<(Big, Vec<(usize, Big)>)> = (0..n)
        .map(|i| {
            let mut diagonal = Big::new(1.0);
            let mut others = vec![];
            for (j, entry) in triangle.row(i) {
                let entry = Big::new(entry.to_f64());
                if i == j { diagonal = entry } else { others.push((j, entry)) }
            }
            (diagonal, others)
        })
        .collect();
    let sizes: Vec<_> = (0..n)
        .map(|i| {
            let (diagonal, others) = &rows[i];
            let own = Big::new(rhs[i].to_f64().abs()).plus(&diagonal.clone().abs().times(&Big::new(x[i].abs())));
            others.iter().fold(own, |sum, (j, entry)| sum.plus(&entry.clone().abs().times(&Big::new(x[*j].abs()))))
        })
        .collect();
    let solved = |rhs: &[Big], comparison: bool| {
        let mut y = vec![Big::new(0.0); n];
        for &i in &order {
            let (diagonal, others) = &rows[i];
            let left = others.iter().fold(rhs[i].clone(), |left, (j, entry)| match comparison {
                true => left.plus(&entry.clone().abs().times(&y[*j])),
                false => left.minus(&entry.times(&y[*j])),
            });
            y[i] = left.over(&if comparison { diagonal.clone().abs() } else { diagonal.clone() });
        }
        y
    };
    let amplified = match n <= INVERTED {
        false => solved(&sizes, true),
        true => (0..n).fold(vec![Big::new(0.0); n], |sums, j| {
            let unit: Vec<_> = (0..n).map(|i| if i == j { sizes[j].clone() } else { Big::new(0.0) }).collect();
            sums.iter().zip(solved(&unit, false)).map(|(sum, y)| sum.plus(&y.abs())).collect()
        }),
    };
    let amplified: Vec<_> = amplified.iter().map(Big::value).collect();
    quotient(largest(&amplified), largest(x))
}

/// Draws matrices and right-hand sides, solves and judges them.
pub(super) fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let kind = random.random_range(0..KINDS);
    let batch = (ENTRIES / (n * n)).clamp(1, 400);
    let columns = random.random_range(1..3);
    let shape = Shape::batch(n, batch).with_columns(columns);
    let mut choose = || random.random_range(0..2) == 0;
    let options = Options {
        uplo: if choose() { Uplo::Lower } else { Uplo::Upper },
        trans: if choose() { Trans::No } else { Trans::Transpose },
        diag: if choose() { Diag::NonUnit } else { Diag::Unit },
        order: if choose() { Order::ColumnMajor } else { Order::RowMajor },
        ..Options::on_device()
    };
    let algorithm =
        [Algorithm::Auto, Algorithm::Single, Algorithm::Abreast, Algorithm::LaunchSynced, Algorithm::Chained]
            [random.random_range(0..5)];
    let entries: Vec<T> = (0..batch).flat_map(|_| matrix::<T>(kind, n, &mut random)).collect();
    let sign = random.random_range(0..3) == 0;
    let size = match kind {
        FEW => 10f64.powf(random.random_range(-1.0..1.0) * if T::PRECISION == Precision::F32 { 30.0 } else { 250.0 }),
        SMALLEST => T::PRECISION.least_normal() * 64.0,
        _ => 1.0,
    };
    let rhs: Vec<T> = (0..n * columns * batch)
        .map(|_| T::from_f64(size * random.random_range(if sign { 0.0..1.0 } else { -1.0..1.0 })))
        .collect();
    let truth: Vec<_> = (0..batch * columns)
        .map(|problem| {
            let triangle = shape.triangle(&options, &entries, problem / columns);
            exact(&triangle, &rhs[problem * n..][..n])
        })
        .collect();
    let name = |way: &str, problem: usize| {
        format!("kind {kind}, n = {n}, {options:?}, problem {problem}, {way}, seed {seed}, {}", T::PRECISION)
    };
    let is_right = |problem: usize, error: &Error| {
        let size = largest(&truth[problem]);
        match error {
            Error::Overflow { .. } => size > 0.9 * T::PRECISION.largest(),
            Error::Underflow { .. } => size < 2.0 * T::PRECISION.least_normal(),
            Error::NoDigits { .. } => {
                let triangle = shape.triangle(&options, &entries, problem / columns);
                condition(&triangle, &rhs[problem * n..][..n], &truth[problem]) * T::UNIT_ROUNDOFF >= UNDETERMINED
            }
            // A workgroup has no room for these rows.
            Error::Unsupported { .. } | Error::Limit { .. } => {
                matches!(algorithm, Algorithm::Single | Algorithm::Abreast)
            }
            Error::ZeroDiagonal { .. } => true,
            _ => false,
        }
    };
    let returned = |tally: &mut Tally, way: &str, problem: usize, x: &[T], stated: f64| {
        let exact = &truth[problem];
        tally.returned(|| name(way, problem), quotient(distance(x, exact), largest(exact)), stated);
    };
    let solved = TriangularPlan::<T>::new(gpu, shape, options.algorithm(algorithm))
        .and_then(|plan| plan.solve_reported(&entries, &rhs));
    let way = algorithm.to_string();
    match &solved {
        Ok(solution) => {
            let stated = solution.forward_error.unwrap_or(f64::NAN);
            for problem in 0..batch * columns {
                returned(&mut tally, &way, problem, &solution.x[problem * n..][..n], stated);
            }
        }
        Err(error) => {
            // The error is of at least one of the system's right-hand sides.
            let own = match error {
                Error::NoDigits { system, .. } | Error::Overflow { system, .. } => {
                    system * columns..(system + 1) * columns
                }
                _ => 0..batch * columns,
            };
            let rightly = own.clone().any(|problem| is_right(problem, error));
            tally.refused(|| name(&way, own.start), error, rightly);
        }
    }
    // Some problems on the CPU, one by one.
    let single = Shape::single(n);
    for problem in 0..(batch * columns).min(4) {
        let own = &entries[problem / columns * n * n..][..n * n];
        match &solve_on_cpu(&single, &options, own, &rhs[problem * n..][..n]) {
            Ok(solution) => returned(&mut tally, "cpu", problem, &solution.x, solution.forward_error),
            Err(error) => tally.refused(|| name("cpu", problem), error, is_right(problem, error)),
        }
    }
    tally
}
