//! Quasi-tridiagonal systems. The oracle eliminates them as dense matrices in double-double arithmetic: the systems are small, or
//! hide a small block among many rows that only divide by their diagonal.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::quasi_draw::{Hidden, Triplets, matrix};
use super::{Tally, UNDETERMINED, distance, largest};
use trisolve::gpu::Gpu;
use trisolve::internals::quotient;
use trisolve::quasi_tridiagonal::{
    self, Algorithm, Csr, Options, QuasiTridiagonalPlan, default_tolerance, solve_on_cpu,
};
use trisolve::{DoubleDouble, Error, Real, Scalar, Wide};

/// Rows.
const SIZES: [usize; 9] = [1, 2, 3, 5, 8, 17, 40, 64, 90];

/// Right-hand sides per matrix: compiling kernels dominates the time of a draw.
const RIGHT_HAND_SIDES: usize = 12;

/// Right-hand sides per matrix with many rows, whose iterations take longer.
const RIGHT_HAND_SIDES_OF_MANY: usize = 2;

/// A pivot up to this size, relative to its column's largest entry, is 0 up to the oracle's roundings. Rounding the entries to f64
/// leaves pivots of 1e-16.
const SINGULAR: f64 = 1e-26;

/// Divides the units out, scales rows by powers of two, and eliminates with partial pivoting in a dense matrix. Returns x and
/// |A^-1| |A| |x| per right-hand side; `None` if the matrix is singular.
fn oracle(units: &[f64], entries: &Triplets, right: &[Vec<f64>]) -> Option<Vec<[Vec<f64>; 2]>> {
    let n = units.len();
    // The matrix, its right-hand sides, and the columns of the identity matrix.
    let many = right.len();
    let mut rows = vec![vec![DoubleDouble::ZERO; n + many + n]; n];
    for &(i, j, value) in entries {
        rows[i][j] = rows[i][j] + DoubleDouble::new(value * (units[j] / units[i]));
    }
    let mut sizes: Vec<Vec<f64>> = vec![];
    for (i, row) in rows.iter_mut().enumerate() {
        right.iter().enumerate().for_each(|(at, rhs)| row[n + at] = DoubleDouble::new(rhs[i] / units[i]));
        let most = row[..n].iter().fold(0.0, |most: f64, value| most.max(value.abs().to_f64()));
        if most == 0.0 {
            return None;
        }
        let power = DoubleDouble::new((-most.log2().floor()).exp2());
        row.iter_mut().for_each(|value| *value = *value * power);
        sizes.push(row[..n].iter().map(|value| value.abs().to_f64()).collect());
        row[n + many + i] = DoubleDouble::ONE;
    }
    let columns: Vec<f64> = (0..n).map(|j| sizes.iter().fold(0.0, |most: f64, row| most.max(row[j]))).collect();
    for step in 0..n {
        let best = (step..n).max_by(|&a, &b| rows[a][step].abs().to_f64().total_cmp(&rows[b][step].abs().to_f64()))?;
        rows.swap(step, best);
        // A pivot of 0, up to roundings.
        if rows[step][step].abs().to_f64() <= SINGULAR * columns[step] {
            return None;
        }
        let pivot = rows[step].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i != step && row[step] != DoubleDouble::ZERO {
                let factor = row[step] / pivot[step];
                row.iter_mut().zip(&pivot).skip(step).for_each(|(own, above)| *own = *own - factor * *above);
            }
        }
    }
    let inverse = |i: usize, j: usize| (rows[i][n + many + j] / rows[i][i]).abs().to_f64();
    let found = |at: usize| {
        let x: Vec<_> = (0..n).map(|i| (rows[i][n + at] / rows[i][i]).to_f64()).collect();
        let row_sizes: Vec<f64> = sizes.iter().map(|row| row.iter().zip(&x).map(|(a, x)| a * x.abs()).sum()).collect();
        let amplified = |i: usize| -> f64 { (0..n).map(|j| inverse(i, j) * row_sizes[j]).sum() };
        let amplified: Vec<_> = (0..n).map(amplified).collect();
        [x, amplified].map(|values| values.iter().zip(units).map(|(value, unit)| value * unit).collect())
    };
    Some((0..many).map(found).collect())
}

/// Draws a matrix and right-hand sides, solves and judges them.
pub(super) fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let (block, kind, units) = matrix(n, &mut random);
    let narrow = |value: f64| T::from_f64(value);
    let block: Triplets = block.into_iter().map(|(i, j, v)| (i, j, narrow(v).to_f64())).collect();
    let hidden = seed.is_multiple_of(4).then(|| Hidden::new(n, &mut random, |value| narrow(value).to_f64()));
    let (rows, entries) = match &hidden {
        Some(hidden) => (hidden.n, hidden.entries(&block)),
        None => (n, block.clone()),
    };
    let Ok(matrix) = Csr::<T>::from_triplets(rows, entries.iter().map(|&(i, j, v)| (i, j, narrow(v)))) else {
        return tally;
    };
    let mut right: Vec<Vec<T>> = vec![];
    for _ in 0..if hidden.is_some() { RIGHT_HAND_SIDES_OF_MANY } else { RIGHT_HAND_SIDES } {
        let x: Vec<T> = (0..rows).map(|_| narrow(random.random_range(-1.0..1.0))).collect();
        right.push(if random.random_range(0..3) == 0 { x } else { matrix.times(&x).unwrap_or_default() });
    }
    right.retain(|rhs| rhs.iter().all(|b| b.is_finite()));
    let wide: Vec<Vec<f64>> = right.iter().map(|rhs| rhs.iter().map(|b| b.to_f64()).collect()).collect();
    let own = |rhs: &Vec<f64>| match &hidden {
        Some(hidden) => hidden.places.iter().map(|&place| rhs[place]).collect(),
        None => rhs.clone(),
    };
    let truth = oracle(&units, &block, &wide.iter().map(own).collect::<Vec<_>>()).map(|found| {
        let all = found.into_iter().zip(&wide).map(|([x, amplified], rhs)| {
            let [x, amplified] = match &hidden {
                Some(hidden) => hidden.with_others(rhs, [&x, &amplified]),
                None => [x, amplified],
            };
            let condition = quotient(largest(&amplified), largest(&x));
            (x, condition)
        });
        all.collect::<Vec<_>>()
    });
    let named = Algorithm::ALL[random.random_range(1..Algorithm::ALL.len())];
    let plan = QuasiTridiagonalPlan::new(gpu, &matrix, Options::default().algorithm(named));
    for (at, rhs) in right.iter().enumerate() {
        let truth = truth.as_ref().map(|all| &all[at]);
        let by_plan = || -> Result<_, Error> {
            let solution = plan.as_ref().map_err(Clone::clone)?.solve_reported(rhs)?;
            Ok((solution.x, solution.forward_error))
        };
        let by_any = || -> Result<_, Error> {
            let solution = quasi_tridiagonal::solve_by_any(gpu, &matrix, rhs, Options::default())?;
            Ok((solution.x, solution.forward_error))
        };
        let by_cpu = || -> Result<_, Error> {
            let solution = solve_on_cpu(&matrix, rhs, default_tolerance::<T>(), 1000)?;
            Ok((solution.x, solution.forward_error))
        };
        let ways =
            [("auto".into(), true, by_any()), (named.to_string(), false, by_plan()), ("cpu".into(), false, by_cpu())];
        for (way, is_auto, found) in ways {
            let condition = truth.map_or(f64::INFINITY, |(_, condition)| *condition);
            let name = || {
                let precision = T::PRECISION;
                format!(
                    "{kind} n = {n} of {rows}, right-hand side {at}, {way}, seed {seed}, {precision}, condition {condition:.1e}"
                )
            };
            judge(&mut tally, name, truth, is_auto, found);
        }
    }
    tally
}

/// Judges one answer by the oracle's x and condition number.
fn judge<T: Real>(
    tally: &mut Tally,
    name: impl FnOnce() -> String,
    truth: Option<&(Vec<f64>, f64)>,
    is_auto: bool,
    found: Result<(Vec<T>, f64), Error>,
) {
    let undetermined = truth.is_none_or(|(_, condition)| condition * T::UNIT_ROUNDOFF >= UNDETERMINED);
    let size = truth.map_or(0.0, |(x, _)| largest(x));
    match (found, truth) {
        (Ok((found, stated)), Some((x, condition))) => {
            // The oracle's own error.
            let own = x.len() as f64 * DoubleDouble::UNIT_ROUNDOFF * condition;
            let error = quotient(distance(&found, x), size) - own;
            tally.returned(name, if error < 0.0 { 0.0 } else { error }, stated);
        }
        (Ok((_, stated)), None) => tally.returned(name, f64::INFINITY, stated),
        (Err(error), _) => {
            let rightly = match &error {
                Error::Singular { .. } | Error::NearlySingular { .. } => undetermined,
                Error::EmptyRow { .. } | Error::Narrowed { .. } => true,
                Error::Overflow { .. } | Error::Underflow { .. } => {
                    undetermined || size > 0.9 * T::PRECISION.largest() || size < 1e8 * T::PRECISION.least_normal()
                }
                // A method that is chosen by name may fail.
                Error::NotConverged { .. }
                | Error::ZeroOnDiagonal { .. }
                | Error::NoDigits { .. }
                | Error::Unverified { .. } => !is_auto || undetermined,
                Error::Unsupported { .. } => !is_auto,
                _ => false,
            };
            tally.refused(name, &error, rightly);
        }
    }
}
