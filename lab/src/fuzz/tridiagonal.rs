//! Tridiagonal and periodic systems.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::ring;
use super::tridiagonal_draw::{Drawn, Kind, SIZES};
use super::{Tally, UNDETERMINED, distance, largest};
use crate::exact;
use trisolve::cpu;
use trisolve::gpu::Gpu;
use trisolve::internals::quotient;
use trisolve::tridiagonal::{
    Algorithm, Diagonal, Options, Shape, Structure, System, TridiagonalPlan, solve_batch_on_cpu,
};
use trisolve::{DoubleDouble, Error, Real, Result, Scalar};

/// Rows of a batch in all, and its members at most: compiling kernels dominates the time of a draw.
const ROWS: usize = 4096;
const MOST_MEMBERS: usize = 400;
/// Rows up to which the oracle is exact.
const SMALL: usize = 64;
/// A factored solve may meet a zero pivot at a condition lower than `UNDETERMINED` / u by this factor.
const FACTORED_SOONER: f64 = 4.0;

/// The way in which a draw is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Plan(Algorithm),
    Factored,
    Cpu,
}

/// Draws a batch of systems of one kind, solves it in several ways, and judges the solutions.
pub(super) fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let kind = Kind::ALL[random.random_range(0..Kind::ALL.len())];
    let batch = (ROWS / n).clamp(1, MOST_MEMBERS);
    let drawn: Vec<_> = (0..batch).map(|_| Drawn::<T>::new(kind, n, &mut random)).collect();
    let oracles: Vec<_> = drawn.iter().map(Oracle::new).collect();
    let named = Algorithm::ALL[random.random_range(0..Algorithm::ALL.len())];
    let mut tally = Tally::default();
    for way in [Way::Plan(Algorithm::Auto), Way::Plan(Algorithm::Pivoting), Way::Plan(named), Way::Factored, Way::Cpu] {
        let takes = way != Way::Plan(Algorithm::Pivoting) || kind != Kind::Excess;
        if takes {
            solve_all(gpu, way, &drawn, &oracles, &mut tally, &|at| {
                format!("{kind:?} n = {n}, member {at}, {way:?}, seed {seed}, {}", T::PRECISION)
            });
        }
    }
    tally
}

/// Solves the batch at once; if it returns an error, solves each system on its own.
fn solve_all<T: Real>(
    gpu: &Gpu,
    way: Way,
    drawn: &[Drawn<T>],
    oracles: &[Oracle],
    tally: &mut Tally,
    name: &dyn Fn(usize) -> String,
) {
    if drawn.len() > 1 {
        let found = solve(gpu, way, drawn);
        if let Ok((x, stated)) = found {
            let n = drawn[0].diag.len();
            for (at, (oracle, x)) in oracles.iter().zip(x.chunks(n)).enumerate() {
                oracle.judge(Ok((x, stated)), way, tally, &|| name(at));
            }
            return;
        }
    }
    for (at, (drawn, oracle)) in drawn.iter().zip(oracles).enumerate() {
        let found = solve(gpu, way, std::slice::from_ref(drawn));
        oracle.judge(found.as_ref().map(|(x, stated)| (&x[..], *stated)), way, tally, &|| name(at));
    }
}

fn solve<T: Real>(gpu: &Gpu, way: Way, drawn: &[Drawn<T>]) -> Result<(Vec<T>, f64)> {
    let joined = |of: fn(&Drawn<T>) -> &[T]| drawn.iter().flat_map(of).copied().collect::<Vec<_>>();
    let (lower, diag, upper, rhs) =
        (joined(|d| &d.lower), joined(|d| &d.diag), joined(|d| &d.upper), joined(|d| &d.rhs));
    let first = &drawn[0];
    let system = System {
        kind: if first.is_excess { Diagonal::Excess } else { Diagonal::Value },
        structure: Structure::General,
        periodic: first.periodic,
        ..System::new(&lower, &diag, &upper)
    };
    let shape = Shape::contiguous(first.diag.len(), drawn.len());
    let plan =
        |algorithm| TridiagonalPlan::new(gpu, shape, Options::on_device().algorithm(algorithm).matching(&system));
    let solution = match way {
        Way::Plan(algorithm) => plan(algorithm)?.solve_reported(&system, &rhs)?,
        Way::Factored => plan(Algorithm::Auto)?.factor(&system)?.solve_reported(&rhs)?,
        Way::Cpu => {
            let solution = solve_batch_on_cpu(&shape, &system, &rhs)?;
            return Ok((solution.x, solution.forward_error));
        }
    };
    Ok((solution.x, solution.forward_error.unwrap_or(f64::NAN)))
}

/// The true solution of a system, and its condition number.
struct Oracle {
    /// `None` if the system is singular.
    x: Option<Vec<f64>>,
    /// Skeel's condition number; infinite if the system is singular.
    condition: f64,
    roundoff: f64,
    range: [f64; 2],
}

impl Oracle {
    fn new<T: Real>(drawn: &Drawn<T>) -> Self {
        let n = drawn.diag.len();
        let wide = |values: &[T]| values.iter().map(|value| DoubleDouble::new(value.to_f64())).collect::<Vec<_>>();
        let (mut lower, mut diag, mut upper, mut rhs) =
            (wide(&drawn.lower), wide(&drawn.diag), wide(&drawn.upper), wide(&drawn.rhs));
        if !drawn.periodic {
            (lower[0], upper[n - 1]) = (DoubleDouble::ZERO, DoubleDouble::ZERO);
        }
        if drawn.is_excess {
            for i in 0..n {
                diag[i] = diag[i] + (lower[i].abs() + upper[i].abs());
            }
        }
        // Rows are scaled to one size by powers of two; otherwise row exchanges depend on the rows' units.
        for i in 0..n {
            let most = [lower[i], diag[i], upper[i]].map(|entry| entry.abs().to_f64()).into_iter().fold(0.0, f64::max);
            if most > 0.0 {
                let power = DoubleDouble::new((-most.log2().floor()).clamp(-1000.0, 1000.0).exp2());
                for vector in [&mut lower, &mut diag, &mut upper, &mut rhs] {
                    vector[i] = vector[i] * power;
                }
            }
        }
        let solve = |rhs: &[DoubleDouble]| match drawn.periodic {
            true => cpu::periodic_gtsv(&lower, &diag, &upper, rhs),
            false => cpu::gtsv(&lower, &diag, &upper, rhs),
        };
        let x = match (n <= SMALL, drawn.periodic || drawn.is_excess) {
            (true, false) => exact(&drawn.lower, &drawn.diag, &drawn.upper, &drawn.rhs).ok(),
            (true, true) => ring::solved(drawn),
            (false, _) => solve(&rhs).ok().map(|x| x.into_iter().map(DoubleDouble::to_f64).collect()),
        };
        let condition = x.as_ref().map_or(f64::INFINITY, |x| {
            let size = |entry: DoubleDouble, at: usize| entry.abs().to_f64() * x[at % n].abs();
            let sizes: Vec<_> =
                (0..n).map(|i| size(lower[i], i + n - 1) + size(diag[i], i) + size(upper[i], i + 1)).collect();
            condition(&solve, &sizes, x)
        });
        let largest = T::PRECISION.largest();
        Self { x, condition, roundoff: T::UNIT_ROUNDOFF, range: [T::PRECISION.least_normal(), largest] }
    }

    fn judge<T: Real>(
        &self,
        found: std::result::Result<(&[T], f64), &Error>,
        way: Way,
        tally: &mut Tally,
        name: &dyn Fn() -> String,
    ) {
        let size = self.x.as_ref().map_or(0.0, largest);
        let undetermined = self.condition * self.roundoff >= UNDETERMINED;
        match (found, &self.x) {
            (Ok((found, stated)), Some(x)) => {
                tally.returned(name, quotient(distance(found, x), size), stated);
            }
            (Ok((_, stated)), None) => tally.returned(name, f64::INFINITY, stated),
            (Err(error), _) => {
                let names_algorithm =
                    matches!(way, Way::Plan(algorithm) if !matches!(algorithm, Algorithm::Auto | Algorithm::Pivoting));
                let rightly = match error {
                    Error::Singular { .. } | Error::NearlySingular { .. } => undetermined,
                    Error::Overflow { .. } => size > self.range[1] || undetermined,
                    Error::Underflow { .. } => size < 2.0 * self.range[0],
                    // A factorization stores pivots in T; rounding makes them 0 at a somewhat smaller condition number.
                    Error::Breakdown { .. } if way == Way::Factored => {
                        self.condition * self.roundoff >= UNDETERMINED / FACTORED_SOONER
                    }
                    Error::Inaccurate { .. } | Error::Breakdown { .. } => names_algorithm || undetermined,
                    // A cyclic system of one row.
                    Error::Options(_) => true,
                    _ => false,
                };
                tally.refused(|| format!("{}, condition {:.1e}", name(), self.condition), error, rightly);
            }
        }
    }
}

/// || |A^-1| |A| |x| || / ||x||. Large systems use only some evenly spaced columns of the inverse, and some sums of all columns with random
/// signs, which reach the columns between: a lower bound.
fn condition(solve: &dyn Fn(&[DoubleDouble]) -> Result<Vec<DoubleDouble>>, sizes: &[f64], x: &[f64]) -> f64 {
    const COLUMNS: usize = 200;
    const SUMS: u64 = 8;
    let n = x.len();
    let solved = |rhs: &[DoubleDouble]| {
        let entries = |x: Vec<DoubleDouble>| x.into_iter().map(|entry| entry.abs().to_f64()).collect::<Vec<_>>();
        solve(rhs).map_or_else(|_| vec![f64::INFINITY; n], entries)
    };
    let mut amplified = vec![0.0; n];
    for j in (0..n).step_by(n.div_ceil(COLUMNS)) {
        let mut unit = vec![DoubleDouble::ZERO; n];
        unit[j] = DoubleDouble::ONE;
        amplified.iter_mut().zip(solved(&unit)).for_each(|(sum, entry)| *sum += entry * sizes[j]);
    }
    let mut most = largest(&amplified);
    for seed in 0..if n > COLUMNS { SUMS } else { 0 } {
        let mut random = SmallRng::seed_from_u64(seed);
        let signed = |size: &f64| DoubleDouble::new(if random.random() { *size } else { -size });
        let signed: Vec<_> = sizes.iter().map(signed).collect();
        let amplified = solved(&signed);
        most = most.max(largest(&amplified));
    }
    quotient(most, largest(x))
}
