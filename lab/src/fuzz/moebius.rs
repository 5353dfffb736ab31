//! Moebius recurrences that cancel, pass infinity, or forget their initial values fast or never.

use crate::on_device::OnDevice;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Tally, UNDETERMINED};
use crate::big::Big;
use trisolve::gpu::Gpu;
use trisolve::internals::cpu::worst;
use trisolve::recurrence::moebius::{Moebius, MoebiusPlan, Options, solve_on_cpu};
use trisolve::recurrence::{Coefficient, Direction, Shape};
use trisolve::{Error, Precision, Real};

/// Rows; few sizes, so that kernels are compiled once.
const SIZES: [usize; 7] = [1, 2, 9, 100, 1000, 4097, 10_000];

/// Rows of a batch in all: compiling kernels dominates the time of a draw.
const ROWS: usize = 8000;

/// a, b, c and d of a row.
fn coefficients<T: Real>(kind: usize, n: usize, random: &mut SmallRng) -> [Vec<T>; 4] {
    let mut all = [(); 4].map(|()| (0..n).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>());
    let power = 10f64.powf(random.random_range(-7.0..-1.0));
    let [a, b, c, d] = &mut all;
    match kind {
        0 => {}
        // Continued fractions.
        1 => {
            c.fill(1.0);
            d.fill(0.0);
        }
        // The pivots of a tridiagonal matrix: dominant, or nearly dominant.
        2 | 3 => {
            a.fill(if kind == 2 { 4.0 } else { 2.0 + power });
            b.fill(-1.0);
            c.fill(1.0);
            d.fill(0.0);
        }
        // Rotations: nothing is forgotten.
        4 => {
            for i in 0..n {
                let angle = 3.0 * a[i];
                (a[i], b[i], c[i], d[i]) = (angle.cos(), -angle.sin(), angle.sin(), angle.cos());
            }
        }
        // Linear, with growth.
        5 => {
            a.iter_mut().for_each(|a| *a = 1.0 + 0.5 * *a);
            c.fill(0.0);
            d.fill(1.0);
        }
        // Nearly singular.
        6 => {
            for i in 0..n {
                d[i] = b[i] * c[i] / a[i] * (1.0 + power);
            }
        }
        // Away from a fixed point: the influence of the initial value grows.
        7 => {
            a.fill(1.0 + power);
            b.fill(-power);
            c.fill(0.0);
            d.fill(1.0);
        }
        8 => all.iter_mut().flatten().for_each(|entry| *entry = (*entry * 3.0).round()),
        _ => {
            let most = if T::PRECISION == Precision::F32 { 15.0 } else { 140.0 };
            all.iter_mut().flatten().for_each(|entry| *entry *= 10f64.powf(random.random_range(-most..most)));
        }
    }
    all.map(|values| values.into_iter().map(T::from_f64).collect())
}

/// An exact value as a direction (numerator, denominator), and the sizes of their terms.
struct Exact {
    direction: [Big; 2],
    sizes: [Big; 2],
}

impl Exact {
    /// The error of a value, as the library defines it. Its square is computed in exact arithmetic.
    fn error<T: Real>(&self, w: T) -> f64 {
        let ([p, q], [above, below]) = (&self.direction, &self.sizes);
        let w = w.to_f64();
        if w.is_nan() {
            return f64::INFINITY;
        }
        let exact = if q.is_zero() { f64::INFINITY } else { p.ratio(q) };
        // Both are past the range, or both below it.
        if !T::from_f64(exact).is_finite() && !w.is_finite()
            || exact.abs() < T::PRECISION.least_normal() && w.abs() < 1.01 * T::PRECISION.least_normal()
        {
            return 0.0;
        }
        let [x, y] = if w.is_finite() { [w, 1.0] } else { [1.0, 0.0] }.map(Big::new);
        let area = p.times(&y).minus(&q.times(&x));
        let square = |one: &Big, other: &Big| {
            let (one, other) = (one.times(below), other.times(above));
            one.times(&one).plus(&other.times(&other))
        };
        let (own, found) = (square(p, q), square(&x, &y));
        let weighted = area.times(above).times(below);
        if weighted.is_zero() {
            // With a size of 0 there is only one direction.
            return if area.is_zero() { 0.0 } else { f64::INFINITY };
        }
        weighted.times(&weighted).ratio(&own.times(&found)).sqrt()
    }
}

/// The exact values; `None` if a 0/0 occurs.
fn exact<T: Real>(rows: impl Iterator<Item = [T; 4]>, initial: T) -> Option<Vec<Exact>> {
    let mut before = [Big::new(initial.to_f64()), Big::new(1.0)];
    let mut all = vec![];
    for row in rows {
        let [a, b, c, d] = row.map(|entry| Big::new(entry.to_f64()));
        let [x, y] = &before;
        let terms = [a.times(x), b.times(y), c.times(x), d.times(y)];
        let direction = [terms[0].plus(&terms[1]), terms[2].plus(&terms[3])];
        if direction.iter().all(Big::is_zero) {
            return None;
        }
        let [one, two, three, four] = terms.map(Big::abs);
        all.push(Exact { direction: direction.clone(), sizes: [one.plus(&two), three.plus(&four)] });
        before = direction;
    }
    Some(all)
}

/// The largest factor from roundings of the entries to the error of a value: e\[i\] = |det| e\[i-1\] + the area that the
/// roundings of row i span.
fn condition<T: Real>(rows: impl Iterator<Item = [T; 4]>, all: &[Exact]) -> f64 {
    let mut bound = Big::new(0.0);
    let mut most: f64 = 0.0;
    for (row, Exact { direction: [p, q], sizes: [above, below] }) in rows.zip(all) {
        let [a, b, c, d] = row.map(|entry| Big::new(entry.to_f64()));
        let determinant = a.times(&d).minus(&b.times(&c)).abs();
        let own = above.times(&q.clone().abs()).plus(&below.times(&p.clone().abs()));
        bound = determinant.times(&bound).plus(&own);
        let [one, other] = [p.times(below), q.times(above)];
        let norm = one.times(&one).plus(&other.times(&other));
        if !norm.is_zero() {
            most = most.max(bound.times(above).times(below).ratio(&norm));
        }
    }
    most
}

/// Draws coefficients of a batch of sequences, solves and judges them.
pub(super) fn attack<T: Real>(gpu: &Gpu, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = SmallRng::seed_from_u64(seed);
    let n = SIZES[random.random_range(0..SIZES.len())];
    let kind = random.random_range(0..10);
    let batch = (ROWS / n).clamp(1, 400);
    let mut all = [vec![], vec![], vec![], vec![]];
    for _ in 0..batch {
        let more = coefficients::<T>(kind, n, &mut random);
        all.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
    }
    let initial: Vec<T> = (0..batch)
        .map(|_| T::from_f64(if random.random_range(0..3) == 0 { 1.0 } else { random.random_range(-2.0..2.0) }))
        .collect();
    let direction = if random.random_range(0..4) == 0 { Direction::Reverse } else { Direction::Forward };
    let row = |step: usize| if direction == Direction::Forward { step } else { n - 1 - step };
    let rows_of = |at: usize| {
        let all = &all;
        (0..n).map(move |step| [0, 1, 2, 3].map(|part: usize| all[part][at * n + row(step)]))
    };
    let truth: Vec<_> = (0..batch).map(|at| exact(rows_of(at), initial[at])).collect();
    let name = |way: &str, at: usize| {
        format!("kind {kind}, n = {n}, {direction:?}, sequence {at}, {way}, seed {seed}, {}", T::PRECISION)
    };
    let judge = |tally: &mut Tally, way: &str, at: usize, found: Result<(&[T], f64), &Error>| match (found, &truth[at])
    {
        (Ok((w, stated)), Some(exact)) => {
            let errors = exact.iter().enumerate().map(|(step, exact)| exact.error(w[row(step)]));
            tally.returned(|| name(way, at), worst(errors), stated);
        }
        (Ok((_, stated)), None) => tally.returned(|| name(way, at), f64::INFINITY, stated),
        (Err(error), exact) => {
            let rightly = match error {
                Error::Indeterminate { .. } => exact.is_none(),
                Error::NoDigits { .. } => {
                    exact.as_ref().is_none_or(|exact| condition(rows_of(at), exact) * T::UNIT_ROUNDOFF >= UNDETERMINED)
                }
                _ => false,
            };
            tally.refused(|| name(way, at), error, rightly);
        }
    };
    let system = |at: std::ops::Range<usize>, initial| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|part: usize| Coefficient::Each(&all[part][at.start * n..at.end * n]));
        Moebius { a, b, c, d, initial }
    };
    let solved = MoebiusPlan::<T>::new(gpu, Shape::contiguous(n, batch), Options::on_device().direction(direction))
        .and_then(|plan| plan.solve_reported(&system(0..batch, Coefficient::Each(&initial))));
    for at in 0..batch {
        match &solved {
            Ok(solution) => judge(
                &mut tally,
                "device",
                at,
                Ok((&solution.w[at * n..][..n], solution.forward_error.unwrap_or(f64::NAN))),
            ),
            // The error is another sequence's.
            Err(Error::NoDigits { system, .. } | Error::Indeterminate { system, .. }) if *system != at => {}
            Err(error) => judge(&mut tally, "device", at, Err(error)),
        }
    }
    let found = solve_on_cpu(n, &system(0..1, Coefficient::Constant(initial[0])), direction);
    judge(&mut tally, "cpu", 0, found.as_ref().map(|solution| (&solution.w[..], solution.forward_error)));
    tally
}
