//! Filters with poles close together, near, on and outside the unit circle.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Tally, distance, largest};
use crate::butterworth;
use crate::filter_designs::product;
use trisolve::cpu;
use trisolve::filter::{Coefficients, Direction, FilterPlan, Options, Shape, solve_on_cpu};
use trisolve::gpu::Gpu;
use trisolve::internals::quotient;
use trisolve::{DoubleDouble, Error, Real};

/// Rows; few sizes, so that kernels are compiled once.
const SIZES: [usize; 8] = [1, 5, 100, 1000, 3000, 10_000, 50_000, 200_000];

/// Rows of a batch in all: compiling kernels dominates the time of a draw.
const ROWS: usize = 24_000;

/// The polynomial with these roots, by falling powers. Each pair of complex roots has a (size, angle).
fn from_poles(poles: &[(f64, f64)], order: usize) -> Vec<f64> {
    let mut all = vec![1.0];
    for &(size, angle) in poles {
        let left = order + 1 - all.len();
        match left {
            0 => break,
            1 => all = product(&all, &[1.0, -size * angle.cos().signum()]),
            _ => all = product(&all, &[1.0, -2.0 * size * angle.cos(), size * size]),
        }
    }
    all
}

/// Numerator, denominator, and the kind's name.
fn coefficients(random: &mut SmallRng) -> (Vec<f64>, Vec<f64>, &'static str) {
    let order = random.random_range(1..=4usize);
    let numerator = |random: &mut SmallRng| (0..=order).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>();
    match random.random_range(0..7) {
        0 | 1 => {
            let share = 10f64.powf(random.random_range(-4.0..-0.1));
            match butterworth([2, 4][random.random_range(0..2)], share) {
                Ok(design) => (design.b().to_vec(), design.a().to_vec(), "butterworth"),
                Err(_) => (vec![1.0], vec![1.0, -0.5], "butterworth"),
            }
        }
        2 => {
            // 1 / (1 - z^-1)^k.
            let poles = [(1.0, 0.0); 4];
            let mut all = vec![1.0];
            for _ in &poles[..order] {
                let shifted: Vec<_> = std::iter::once(0.0).chain(all.iter().copied()).collect();
                all.push(0.0);
                all.iter_mut().zip(shifted).for_each(|(a, s)| *a -= s);
            }
            (vec![1.0], all, "integrator")
        }
        3 => {
            let size = 1.0 - 10f64.powf(random.random_range(-8.0..-0.5));
            let angle = random.random_range(0.0..3.2);
            let poles = [(size, angle), (size, angle * random.random_range(0.99..1.01))];
            (numerator(random), from_poles(&poles, order), "resonator")
        }
        4 => {
            let size = 1.0 + 10f64.powf(random.random_range(-7.0..-2.0));
            let poles = [(size, random.random_range(0.0..3.2)), (0.5, 1.0)];
            (numerator(random), from_poles(&poles, order), "growing")
        }
        5 => {
            // A numerator that nearly cancels a constant input; a[0] is not 1.
            let poles = [(random.random_range(0.5..0.999), 0.1), (random.random_range(0.5..0.999), 0.2)];
            let mut a = from_poles(&poles, order);
            let scale = random.random_range(0.1..10.0);
            a.iter_mut().for_each(|a| *a *= scale);
            let mut b = numerator(random);
            let sum: f64 = b.iter().sum();
            b[0] -= sum * (1.0 - 1e-7);
            (b, a, "cancelling")
        }
        _ => {
            let poles = [0, 1].map(|_| (random.random_range(0.0..1.0), random.random_range(0.0..3.2)));
            (numerator(random), from_poles(&poles, order), "stable")
        }
    }
}

/// Draws a filter and a batch of signals, solves and judges them.
pub(super) fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let (b, a, kind) = coefficients(&mut random);
    let Ok(filter) = Coefficients::new(&b, &a) else { return tally };
    let batch = (ROWS / n).clamp(1, 200);
    let signal = random.random_range(0..5);
    let x: Vec<T> = (0..n * batch)
        .map(|at| {
            let (row, noise) = (at % n, random.random_range(-1.0..1.0));
            T::from_f64(match signal {
                0 => 1.0,
                1 if row == 0 => 1.0,
                1 => 0.0,
                2 => (row as f64 * 0.1).sin(),
                3 => 1.0 + 1e-3 * noise,
                _ => noise,
            })
        })
        .collect();
    let order = filter.order();
    let with_states = random.random_range(0..3) == 0;
    let initial: Vec<T> = (0..order * batch)
        .map(|_| T::from_f64(if with_states { random.random_range(-1.0..1.0) } else { 0.0 }))
        .collect();
    let direction = if random.random_range(0..4) == 0 { Direction::Reverse } else { Direction::Forward };
    let name = |way: &str, at: usize| {
        format!(
            "{kind} {b:?} {a:?} n = {n}, signal {signal}, {direction:?}, sequence {at}, {way}, seed {seed}, {}",
            T::PRECISION
        )
    };
    let exact: Vec<Vec<f64>> = (0..batch)
        .map(|at| {
            let double = |values: &mut dyn Iterator<Item = f64>| values.map(DoubleDouble::new).collect::<Vec<_>>();
            let order = b.len().max(a.len()) - 1;
            let mut state = double(&mut initial[at * order..(at + 1) * order].iter().map(|z| z.to_f64()));
            let signal = double(&mut x[at * n..(at + 1) * n].iter().map(|x| x.to_f64()));
            let (b, a) = (double(&mut b.iter().copied()), double(&mut a.iter().copied()));
            let y = cpu::filter(&b, &a, &signal, &mut state, direction == Direction::Reverse);
            y.unwrap_or_default().into_iter().map(DoubleDouble::to_f64).collect()
        })
        .collect();
    let judge = |tally: &mut Tally, way: &str, at: usize, found: Result<(&[T], f64), &Error>| {
        let size = largest(&exact[at]);
        match found {
            Ok((y, stated)) => {
                tally.returned(|| name(way, at), quotient(distance(y, &exact[at]), size), stated);
            }
            Err(error) => {
                let rightly = match error {
                    Error::Overflow { .. } => size.is_nan() || size > 0.99 * T::PRECISION.largest(),
                    // The powers leave the range.
                    Error::Unstable { possible, .. } => kind == "growing" || kind == "integrator" || *possible > 0,
                    Error::Options(_) => true,
                    _ => false,
                };
                tally.refused(|| name(way, at), error, rightly);
            }
        }
    };
    let solved =
        FilterPlan::<T>::new(gpu, Shape::contiguous(n, batch), &filter, Options::on_device().direction(direction))
            .and_then(|plan| plan.solve_from(&x, Some(&initial)));
    for at in 0..batch {
        let of = |values: &[T]| values[at * n..(at + 1) * n].to_vec();
        match &solved {
            Ok(solution) => {
                judge(&mut tally, "device", at, Ok((&of(&solution.y), solution.forward_error.unwrap_or(f64::NAN))))
            }
            Err(error) if batch == 1 || matches!(error, Error::Unstable { .. } | Error::Options(_)) => {
                judge(&mut tally, "device", at, Err(error));
            }
            // The error is another sequence's.
            Err(Error::Overflow { system, .. }) if *system != at => {}
            Err(error) => judge(&mut tally, "device", at, Err(error)),
        }
    }
    // One sequence on the CPU.
    if n <= 10_000 {
        let found = solve_on_cpu(&filter, &x[..n], &initial[..order], direction);
        judge(&mut tally, "cpu", 0, found.as_ref().map(|solution| (&solution.y[..], solution.forward_error)));
    }
    tally
}
