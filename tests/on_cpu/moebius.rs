//! Moebius recurrences.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::recurrence::moebius::{Moebius, solve_batch_on_cpu, solve_on_cpu};
use trisolve::recurrence::{Coefficient, Direction};
use trisolve::{DoubleDouble, Error, Real, Scalar};
use trisolve_lab::seed;

use crate::recurrence::layout;

/// Rows: on both sides of a tile, of the first slices, and of those on several cores.
const SIZES: [usize; 12] = [1, 2, 7, 64, 65, 1000, 1023, 1024, 1337, 5000, 16_385, 40_001];

/// a, b, c and d of the rows of one sequence.
fn coefficients(kind: usize, n: usize, random: &mut SmallRng) -> [Vec<f64>; 4] {
    let mut all = [(); 4].map(|()| (0..n).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>());
    let [a, b, c, d] = &mut all;
    match kind {
        // Any, with poles.
        0 => {}
        // Positive: each row forgets.
        1 => all.iter_mut().flatten().for_each(|entry| *entry = entry.abs() + 0.1),
        // The pivots of a dominant matrix.
        2 => {
            a.iter_mut().for_each(|a| *a = 2.5 + a.abs());
            b.fill(-1.0);
            c.fill(1.0);
            d.fill(0.0);
        }
        // Rotations: nothing is forgotten.
        3 => {
            for i in 0..n {
                let angle = 3.0 * a[i];
                (a[i], b[i], c[i], d[i]) = (angle.cos(), -angle.sin(), angle.sin(), angle.cos());
            }
        }
        // Linear, decaying.
        4 => {
            c.fill(0.0);
            d.fill(1.0);
        }
        // Nearly singular.
        5 => (0..n).for_each(|i| d[i] = b[i] * c[i] / a[i] * (1.0 + 1e-4)),
        // Small integers: exact zeros, singular rows, and 0 / 0.
        6 => all.iter_mut().flatten().for_each(|entry| *entry = (*entry * 2.0).round()),
        // Of very different sizes.
        _ => all.iter_mut().flatten().for_each(|entry| *entry *= 10f64.powf(random.random_range(-12.0..12.0))),
    }
    all
}

/// The error of each value, as the library defines it, against directions in twice the digits of f64.
fn errors<T: Real>(rows: &[[T; 4]], initial: T, w: &[T]) -> f64 {
    let double = |value: T| DoubleDouble::new(value.to_f64());
    let mut before = [double(initial), DoubleDouble::ONE];
    let mut most = 0f64;
    for (row, w) in rows.iter().zip(w) {
        let [a, b, c, d] = row.map(double);
        let [x, y] = before;
        let terms = [a * x, b * y, c * x, d * y].map(|term| term.to_f64().abs());
        let direction = [a * x + b * y, c * x + d * y];
        let sizes = [terms[0] + terms[1], terms[2] + terms[3]];
        let scale = 1.0 / sizes[0].max(sizes[1]);
        let [p, q] = direction.map(|part| part * DoubleDouble::new(scale));
        let [above, below] = sizes.map(|size| size * scale);
        before = [p, q];
        let exact = (p / q).to_f64();
        let w = w.to_f64();
        if !T::from_f64(exact).is_finite() && !w.is_finite() || exact.abs() < T::PRECISION.least_normal() {
            continue;
        }
        let own = if w.is_finite() { [w, 1.0] } else { [1.0, 0.0] };
        let area = (p * DoubleDouble::new(own[1]) - q * DoubleDouble::new(own[0])).to_f64().abs();
        let norm = |[p, q]: [f64; 2]| (p * below).hypot(q * above);
        if area != 0.0 {
            most = most.max(area * above * below / norm([p, q].map(DoubleDouble::to_f64)) / norm(own));
        }
    }
    most
}

fn sequences_in<T: Real>(random: &mut SmallRng) {
    let (mut solved, mut refused) = (0, 0);
    for case in 0..64 {
        let (kind, n) = (case % 8, SIZES[random.random_range(0..SIZES.len())]);
        // Enough for a lane per sequence, fewer than lanes, and one.
        let batch = [1, 3, 8, 19][random.random_range(0..4)];
        let batch = if n > 2000 { batch.min(3) } else { batch };
        let shape = layout(n, batch, random);
        let len = shape.matrix_len().unwrap();
        // Between sequences, vectors may hold anything.
        let mut all = [(); 4].map(|()| vec![T::from_f64(f64::NAN); len]);
        for system in 0..batch {
            for (all, own) in all.iter_mut().zip(coefficients(kind, n, random)) {
                own.iter().enumerate().for_each(|(row, own)| all[shape.matrix_index(system, row)] = T::from_f64(*own));
            }
        }
        let initial: Vec<T> = (0..batch).map(|_| T::from_f64(random.random_range(-2.0..2.0))).collect();
        let direction = if random.random() { Direction::Forward } else { Direction::Reverse };
        let [a, b, c, d] = all.each_ref().map(|values| Coefficient::Each(&values[..]));
        let moebius = Moebius { a, b, c, d, initial: Coefficient::Each(&initial) };
        let found = solve_batch_on_cpu(&shape, &moebius, direction);
        let mut alone = vec![];
        for system in 0..batch {
            let row = |step: usize| if direction == Direction::Forward { step } else { n - 1 - step };
            let rows: Vec<[T; 4]> = (0..n)
                .map(|step| [0, 1, 2, 3].map(|at: usize| all[at][shape.matrix_index(system, row(step))]))
                .collect();
            if let Ok(found) = &found {
                let w: Vec<T> = (0..n).map(|step| found.w[shape.matrix_index(system, row(step))]).collect();
                let (off, allowed) = (errors(&rows, initial[system], &w), found.forward_error);
                assert!(
                    off <= 1.001 * allowed,
                    "kind {kind}, {shape:?}, {direction:?}, {system}: {off:e}, {allowed:e}"
                );
                solved += 1;
            }
            let own: Vec<Vec<T>> = (0..4).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
            let [a, b, c, d] = [0, 1, 2, 3].map(|at: usize| Coefficient::Each(&own[at][..]));
            let single = Moebius { a, b, c, d, initial: Coefficient::Constant(initial[system]) };
            alone.push(solve_on_cpu(n, &single, Direction::Forward).map_err(|error| error.of_system(system)));
        }
        // The batch fails as its first sequence that fails does.
        match (found, alone.into_iter().find_map(Result::err)) {
            (Ok(_), None) => {}
            (Err(error), Some(alone)) => {
                assert_eq!(std::mem::discriminant(&error), std::mem::discriminant(&alone), "{error}, {alone}");
                if let (Error::Indeterminate { system, row }, Error::Indeterminate { system: own, row: step }) =
                    (&error, &alone)
                {
                    let step = if direction == Direction::Forward { *step } else { n - 1 - step };
                    assert_eq!([*system, *row], [*own, step]);
                }
                refused += 1;
            }
            (found, alone) => {
                panic!("kind {kind}, {shape:?}: {:?} beside {alone:?}", found.map(|found| found.forward_error))
            }
        }
    }
    assert!(solved > 40 && refused < 40, "{solved} sequences solved, {refused} batches refused");
}

#[test]
fn batches_of_any_layout() {
    let mut random = SmallRng::seed_from_u64(seed("moebius::batches_of_any_layout"));
    sequences_in::<f32>(&mut random);
    sequences_in::<f64>(&mut random);
}
