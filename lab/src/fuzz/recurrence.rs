//! Linear recurrences that grow, shrink, cancel and leave the range.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Tally, UNDETERMINED, largest};
use crate::big::Big;
use trisolve::gpu::Gpu;
use trisolve::internals::cpu::worst;
use trisolve::internals::quotient;
use trisolve::recurrence::{
    Algorithm, Coefficient, Direction, Options, Recurrence, RecurrencePlan, Shape, solve_on_cpu,
};
use trisolve::{Error, Precision, Real};

/// Rows; few sizes, so that kernels are compiled once.
const SIZES: [usize; 8] = [1, 2, 7, 100, 1000, 4097, 20_000, 100_000];

/// Rows of a batch in all: compiling kernels dominates the time of a draw.
const ROWS: usize = 20_000;

/// s and t of a row.
fn coefficients<T: Real>(kind: usize, n: usize, random: &mut SmallRng) -> [Vec<T>; 2] {
    let mut uniform = |low: f64, high: f64| (0..n).map(|_| random.random_range(low..high)).collect::<Vec<f64>>();
    let (mut s, mut t) = (uniform(-1.0, 1.0), uniform(-1.0, 1.0));
    let power = uniform(-8.0, -1.0)[0];
    match kind {
        0 => {}
        // Sums, nearly sums, and sums with random signs.
        1 => s.fill(1.0),
        2 => s.fill(1.0 - 10f64.powf(power)),
        3 => s.iter_mut().for_each(|s| *s = s.signum()),
        // Growth that magnifies roundings, although w = -t / (s - 1) is a fixed point.
        4 => {
            let growth = 1.0 + 10f64.powf(power);
            s.fill(growth);
            t.fill(-(growth - 1.0));
        }
        5 => s.iter_mut().for_each(|s| *s = 1.0 + 0.5 * *s),
        // Cancellation: t subtracts the growth by s.
        6 => {
            s.fill(2.0);
            t.fill(-1.0);
        }
        // Coefficients of any size.
        7 | 8 => {
            let most = if T::PRECISION == Precision::F32 { 30.0 } else { 280.0 };
            let powers = uniform(-most, most);
            s.iter_mut().zip(&powers).for_each(|(s, power)| *s = s.signum() * 10f64.powf(*power));
            if kind == 8 {
                let powers = uniform(-most, most);
                t.iter_mut().zip(&powers).for_each(|(t, power)| *t *= 10f64.powf(*power));
            }
        }
        // Some factors are 0, where the recurrence restarts.
        9 => s.iter_mut().for_each(|s| *s = if s.abs() < 0.1 { 0.0 } else { 1.5 * *s }),
        _ => {
            s.iter_mut().for_each(|s| *s = f64::from((*s * 3.0) as i32));
            t.iter_mut().for_each(|t| *t = f64::from((*t * 3.0) as i32));
        }
    }
    [s, t].map(|values| values.into_iter().map(T::from_f64).collect())
}

/// Draws coefficients of a batch of sequences, solves and judges them.
pub(super) fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let kind = random.random_range(0..11);
    let batch = (ROWS / n).clamp(1, 400);
    let (mut s, mut t) = (vec![], vec![]);
    for _ in 0..batch {
        let [more_s, more_t] = coefficients::<T>(kind, n, &mut random);
        s.extend(more_s);
        t.extend(more_t);
    }
    let initial: Vec<T> = (0..batch)
        .map(|_| {
            T::from_f64(match random.random_range(0..4) {
                0 => 0.0,
                1 => 1.0,
                _ => random.random_range(-2.0..2.0),
            })
        })
        .collect();
    let direction = if random.random_range(0..4) == 0 { Direction::Reverse } else { Direction::Forward };
    let algorithm =
        [Algorithm::Auto, Algorithm::OnePass, Algorithm::ThreeLaunch, Algorithm::PScheme][random.random_range(0..4)];
    let constant = random.random_range(0..4) == 0 && [1, 2, 4, 6].contains(&kind);
    let row_of = |step: usize| if direction == Direction::Forward { step } else { n - 1 - step };
    let coefficients_of = |at: usize, step: usize| {
        let s = if constant { s[0] } else { s[at * n + row_of(step)] };
        [s, t[at * n + row_of(step)]].map(|value| Big::new(value.to_f64()))
    };
    let exact = |at: usize| {
        let mut state = Big::new(initial[at].to_f64());
        let mut w = vec![0.0; n];
        for step in 0..n {
            let [s, t] = coefficients_of(at, step);
            state = s.times(&state).plus(&t);
            w[row_of(step)] = state.value();
        }
        w
    };
    // cond(A, w) over the values in range, beside the largest of them: c[i] = |s[i]| c[i-1] + |s[i] w[i-1]| + |t[i]| + |w[i]|.
    let condition = |at: usize, size: f64| {
        let (mut state, mut bound) = (Big::new(initial[at].to_f64()), Big::new(0.0));
        let mut most: f64 = 0.0;
        for step in 0..n {
            let [s, t] = coefficients_of(at, step);
            let product = s.times(&state);
            state = product.plus(&t);
            bound = s.abs().times(&bound).plus(&product.abs()).plus(&t.abs()).plus(&state.clone().abs());
            if T::from_f64(state.value()).is_finite() {
                most = most.max(bound.value());
            }
        }
        quotient(most, size)
    };
    let exact: Vec<_> = (0..batch).map(exact).collect();
    let name = |way: &str, at: usize| {
        format!("kind {kind}, n = {n}, {direction:?}, sequence {at}, {way}, seed {seed}, {}", T::PRECISION)
    };
    let judge = |tally: &mut Tally, way: &str, at: usize, found: Result<(&[T], f64), &Error>| {
        let in_range = |w: f64| T::from_f64(w).is_finite();
        let size = largest(exact[at].iter().filter(|w| in_range(**w)));
        match found {
            Ok((w, stated)) => {
                let off = w.iter().zip(&exact[at]).map(|(w, &exact)| {
                    let near = in_range(exact) || exact.abs() < 1.01 * T::PRECISION.largest() && w.is_finite();
                    match near {
                        true => (w.to_f64() - exact).abs(),
                        false if w.to_f64() == f64::INFINITY.copysign(exact) => 0.0,
                        false => f64::INFINITY,
                    }
                });
                tally.returned(|| name(way, at), quotient(worst(off), size), stated);
            }
            Err(error) => {
                let rightly = match error {
                    Error::Underflow { .. } => size < 2.0 * T::PRECISION.least_normal(),
                    Error::NoDigits { .. } => condition(at, size) * T::UNIT_ROUNDOFF >= UNDETERMINED,
                    Error::Unsupported { .. } => algorithm == Algorithm::OnePass || algorithm == Algorithm::PScheme,
                    _ => false,
                };
                tally.refused(|| name(way, at), error, rightly);
            }
        }
    };
    let recurrence = Recurrence {
        s: if constant { Coefficient::Constant(s[0]) } else { Coefficient::Each(&s) },
        t: Coefficient::Each(&t),
        initial: Coefficient::Each(&initial),
    };
    let options = Options { algorithm, direction, ..Options::on_device() };
    let solved = RecurrencePlan::<T>::new(gpu, Shape::contiguous(n, batch), options)
        .and_then(|plan| plan.solve_reported(&recurrence));
    let way = algorithm.to_string();
    for at in 0..batch {
        match &solved {
            Ok(solution) => judge(
                &mut tally,
                &way,
                at,
                Ok((&solution.w[at * n..][..n], solution.forward_error.unwrap_or(f64::NAN))),
            ),
            // The error is another sequence's.
            Err(Error::NoDigits { system, .. }) if *system != at => {}
            Err(error @ Error::Underflow { .. }) if batch > 1 => {
                tally.refused(|| name(&way, at), error, true);
            }
            Err(error) => judge(&mut tally, &way, at, Err(error)),
        }
    }
    let alone = Recurrence {
        s: if constant { Coefficient::Constant(s[0]) } else { Coefficient::Each(&s[..n]) },
        t: Coefficient::Each(&t[..n]),
        initial: Coefficient::Constant(initial[0]),
    };
    let found = solve_on_cpu(n, &alone, direction);
    judge(&mut tally, "cpu", 0, found.as_ref().map(|solution| (&solution.w[..], solution.forward_error)));
    tally
}
