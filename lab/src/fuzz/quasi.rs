//! Quasi-tridiagonal systems, small enough for dense elimination in double-double arithmetic, or with such a block hidden among many
//! rows that divide by their diagonal.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Tally, UNDETERMINED};
use trisolve::gpu::Gpu;
use trisolve::internals::quotient;
use trisolve::quasi_tridiagonal::{
    self, Algorithm, Csr, Options, QuasiTridiagonalPlan, default_tolerance, solve_on_cpu,
};
use trisolve::{DoubleDouble, Error, Precision, Real, Scalar, Wide};

/// Rows.
const SIZES: [usize; 9] = [1, 2, 3, 5, 8, 17, 40, 64, 90];

/// Right-hand sides per matrix: compiling kernels dominates the time of a draw.
const RIGHT_HAND_SIDES: usize = 12;

/// The same of many rows, where iterating takes longer.
const RIGHT_HAND_SIDES_OF_MANY: usize = 2;

/// Draws a matrix and right-hand sides.
pub(super) fn draw(gpu: &Gpu, precision: Precision, seed: u64) -> Tally {
    match precision {
        Precision::F32 => attack::<f32>(gpu, seed),
        Precision::F64 => attack::<f64>(gpu, seed),
    }
}

/// A pivot up to this size, relative to its column's largest entry, is 0 but for the oracle's roundings; rounding the entries to f64
/// leaves 1e-16.
const SINGULAR: f64 = 1e-26;

/// Rows from which a matrix is no longer eliminated as a dense one.
const MANY_ROWS: usize = 513;

type Triplets = Vec<(usize, usize, f64)>;

fn matrix(n: usize, random: &mut SmallRng) -> (Triplets, &'static str) {
    let kind = random.random_range(0..9);
    let integers = kind == 6;
    let entry = |random: &mut SmallRng| match integers {
        true => f64::from(random.random_range(-2i32..3)),
        false => random.random_range(-1.0..1.0),
    };
    let mut all: Triplets = vec![];
    for i in 0..n {
        for j in [i.wrapping_sub(1), i, i + 1] {
            if j < n {
                all.push((i, j, entry(random)));
            }
        }
        for _ in 0..random.random_range(0..3) {
            all.push((i, random.random_range(0..n), entry(random)));
        }
    }
    all.sort_by_key(|entry| (entry.0, entry.1));
    all.dedup_by_key(|entry| (entry.0, entry.1));
    let dominate = |all: &mut Triplets, share: f64| {
        let mut sums = vec![0.0; n];
        all.iter().filter(|entry| entry.0 != entry.1).for_each(|entry| sums[entry.0] += entry.2.abs());
        for entry in all.iter_mut().filter(|entry| entry.0 == entry.1) {
            entry.2 = entry.2.signum() * (sums[entry.0] * share + 0.01);
        }
    };
    let scale = |all: &mut Triplets, by_rows: bool, powers: &[f64]| {
        all.iter_mut().for_each(|entry| entry.2 *= 10f64.powf(powers[if by_rows { entry.0 } else { entry.1 }]));
    };
    let name = match kind {
        0 => {
            dominate(&mut all, 1.3);
            "dominant"
        }
        1 => "random",
        2 | 3 => {
            if kind == 2 {
                dominate(&mut all, 1.3);
            }
            let powers: Vec<_> = (0..n)
                .map(|_| if random.random_range(0..4) == 0 { random.random_range(4.0..8.0) } else { 0.0 })
                .collect();
            scale(&mut all, true, &powers);
            "scaled rows"
        }
        4 => {
            let powers: Vec<_> = (0..n).map(|_| random.random_range(-4.0..4.0)).collect();
            scale(&mut all, false, &powers);
            "scaled columns"
        }
        5 => {
            let powers: Vec<_> = (0..n).map(|_| random.random_range(-30.0..30.0)).collect();
            scale(&mut all, true, &powers);
            "rows of any size"
        }
        6 => "integers",
        _ => {
            // Two rows that are equal, or nearly.
            let from: Triplets = all.iter().copied().filter(|entry| entry.0 == 0).collect();
            let to = n - 1;
            all.retain(|entry| entry.0 != to);
            let off = if kind == 7 { 0.0 } else { 10f64.powf(random.random_range(-18.0..-2.0)) };
            all.extend(
                from.iter()
                    .enumerate()
                    .map(|(at, &(_, column, value))| (to, column, if at == 0 { value * (1.0 + off) } else { value })),
            );
            if kind == 7 { "singular" } else { "nearly singular" }
        }
    };
    (all, name)
}

/// Dense elimination with partial pivoting of rows scaled by powers of two: x and |A^-1| |A| |x| per right-hand side; `None` if the
/// matrix is singular.
fn oracle(n: usize, entries: &Triplets, right: &[Vec<f64>]) -> Option<Vec<[Vec<f64>; 2]>> {
    // The matrix, its right-hand sides, and the columns of the identity matrix.
    let many = right.len();
    let mut rows = vec![vec![DoubleDouble::ZERO; n + many + n]; n];
    for &(i, j, value) in entries {
        rows[i][j] = rows[i][j] + DoubleDouble::new(value);
    }
    let mut sizes: Vec<Vec<f64>> = vec![];
    for (i, row) in rows.iter_mut().enumerate() {
        right.iter().enumerate().for_each(|(at, rhs)| row[n + at] = DoubleDouble::new(rhs[i]));
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
        // What roundings leave of a pivot that is 0.
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
        let amplified = (0..n).map(amplified).collect();
        [x, amplified]
    };
    Some((0..many).map(found).collect())
}

/// Where a block's rows stand among others that have a diagonal entry and, some, an entry in one of the block's columns.
struct Hidden {
    n: usize,
    /// Of the block's rows and columns.
    places: Vec<usize>,
    /// Row, diagonal entry, and a row of the block with the entry in its column; 0 for none.
    others: Vec<(usize, f64, usize, f64)>,
}

impl Hidden {
    fn new(block: usize, random: &mut SmallRng, narrow: impl Fn(f64) -> f64) -> Self {
        let n = MANY_ROWS + random.random_range(0..100);
        let mut rows: Vec<_> = (0..n).collect();
        for at in 0..block {
            rows.swap(at, random.random_range(at..n));
        }
        let others = rows.split_off(block).into_iter().map(|row| {
            let sign = if random.random_range(0..2) == 0 { 1.0 } else { -1.0 };
            let entry = if random.random_range(0..4) == 0 { random.random_range(-1.0..1.0) } else { 0.0 };
            (row, narrow(sign * random.random_range(0.5..2.0)), random.random_range(0..block), narrow(entry))
        });
        Self { n, others: others.collect(), places: rows }
    }

    fn entries(&self, block: &Triplets) -> Triplets {
        let own = block.iter().map(|&(i, j, value)| (self.places[i], self.places[j], value));
        let others = self.others.iter().flat_map(|&(row, diagonal, at, entry)| {
            let beside = (entry != 0.0).then_some((row, self.places[at], entry));
            [(row, row, diagonal)].into_iter().chain(beside)
        });
        own.chain(others).collect()
    }

    /// The block's solution and its |A^-1| |A| |x|, row by row, with the other rows'.
    fn with_others(&self, rhs: &[f64], [x, amplified]: [&[f64]; 2]) -> [Vec<f64>; 2] {
        let (mut all_x, mut all) = (vec![0.0; self.n], vec![0.0; self.n]);
        for (at, &place) in self.places.iter().enumerate() {
            (all_x[place], all[place]) = (x[at], amplified[at]);
        }
        for &(row, diagonal, at, entry) in &self.others {
            all_x[row] = (rhs[row] - entry * x[at]) / diagonal;
            let size = diagonal.abs() * all_x[row].abs() + entry.abs() * x[at].abs();
            all[row] = (size + entry.abs() * amplified[at]) / diagonal.abs();
        }
        [all_x, all]
    }
}

fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let (block, kind) = matrix(n, &mut random);
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
    let most = |values: &[f64]| values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let truth = oracle(n, &block, &wide.iter().map(own).collect::<Vec<_>>()).map(|found| {
        let all = found.into_iter().zip(&wide).map(|([x, amplified], rhs)| {
            let [x, amplified] = match &hidden {
                Some(hidden) => hidden.with_others(rhs, [&x, &amplified]),
                None => [x, amplified],
            };
            let condition = quotient(most(&amplified), most(&x));
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

/// One answer beside x and the condition that the oracle has.
fn judge<T: Real>(
    tally: &mut Tally,
    name: impl FnOnce() -> String,
    truth: Option<&(Vec<f64>, f64)>,
    is_auto: bool,
    found: Result<(Vec<T>, f64), Error>,
) {
    let undetermined = truth.is_none_or(|(_, condition)| condition * T::UNIT_ROUNDOFF >= UNDETERMINED);
    let size = truth.map_or(0.0, |(x, _)| x.iter().fold(0.0, |most: f64, x| most.max(x.abs())));
    match (found, truth) {
        (Ok((found, stated)), Some((x, condition))) => {
            let off = found.iter().zip(x).fold(0.0, |most: f64, (found, x)| {
                let off = (found.to_f64() - x).abs();
                if off > most || off.is_nan() { off } else { most }
            });
            // What the oracle itself may be off.
            let own = x.len() as f64 * DoubleDouble::UNIT_ROUNDOFF * condition;
            let error = quotient(off, size) - own;
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
                // A method that was named may fail.
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
