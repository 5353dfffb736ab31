//! Filters.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::filter::{Coefficients, Direction, solve_batch_on_cpu, solve_on_cpu};
use trisolve::{DoubleDouble, Error, Real, cpu};
use trisolve_lab::seed;

use crate::recurrence::layout;

/// A product of sections with poles of this size; the numerator of any sign.
fn coefficients(order: usize, radius: f64, random: &mut SmallRng) -> [Vec<f64>; 2] {
    let mut a = vec![1.0];
    while a.len() <= order {
        let section = match order + 1 - a.len() {
            1 => vec![1.0, -radius * random.random_range(-1.0..1.0)],
            _ => vec![1.0, -2.0 * radius * random.random_range(-1.0f64..1.0), radius * radius],
        };
        let mut product = vec![0.0; a.len() + section.len() - 1];
        for (i, a) in a.iter().enumerate() {
            section.iter().enumerate().for_each(|(j, part)| product[i + j] += a * part);
        }
        a = product;
    }
    let b: Vec<f64> = (0..=order).map(|_| random.random_range(-1.0..1.0)).collect();
    // Over a[0], which is not always 1.
    let scale = [1.0, 1.0, 3.0, -0.7][random.random_range(0..4)];
    let a: Vec<f64> = a.iter().map(|a| a * scale).collect();
    [b, a]
}

/// Batches in lanes and in slices against twice the digits of f64, beside each sequence alone.
fn batches_in<T: Real>(random: &mut SmallRng) {
    let mut solved = 0;
    for case in 0..40 {
        let order = 1 + case % 4;
        let radius = [0.3, 0.9, 0.99, 1.0, 1.001][random.random_range(0..5)];
        let [b, a] = coefficients(order, radius, random);
        let filter = Coefficients::new(&b, &a).unwrap();
        let n = [1, 2, 5, 63, 64, 65, 700, 1024, 1027, 3001, 17_000][random.random_range(0..11)];
        let batch = if n > 1000 { random.random_range(1..4) } else { random.random_range(1..30) };
        let shape = layout(n, batch, random);
        // Between sequences, vectors may hold anything.
        let mut x = vec![T::from_f64(f64::NAN); shape.matrix_len().unwrap()];
        let silent = if random.random_bool(0.2) { n / 2 } else { 0 };
        for system in 0..batch {
            (0..n).for_each(|row| {
                let value = if row < silent { 0.0 } else { random.random_range(-1.0..1.0) };
                x[shape.matrix_index(system, row)] = T::from_f64(value);
            });
        }
        let has_states = silent == 0 && random.random();
        let count = if has_states { batch * order } else { 0 };
        let initial: Vec<T> = (0..count).map(|_| T::from_f64(random.random_range(-1.0..1.0))).collect();
        let direction = if random.random() { Direction::Forward } else { Direction::Reverse };
        let found = solve_batch_on_cpu(&shape, &filter, &x, &initial, direction);
        let double = |values: &[f64]| values.iter().map(|value| DoubleDouble::new(*value)).collect::<Vec<_>>();
        let wide = |values: &[T]| values.iter().map(|value| value.to_f64()).collect::<Vec<_>>();
        let (mut off, mut allowed) = (0f64, 0f64);
        for system in 0..batch {
            let own: Vec<T> = (0..n).map(|row| x[shape.matrix_index(system, row)]).collect();
            let start = if has_states { &initial[system * order..][..order] } else { &[] };
            let Ok(found) = &found else {
                let alone = solve_on_cpu(&filter, &own, start, direction);
                assert!(matches!(alone, Ok(_) | Err(Error::NoDigits { .. } | Error::Overflow { .. })), "{alone:?}");
                continue;
            };
            let mut state = if has_states { double(&wide(start)) } else { double(&vec![0.0; order]) };
            let is_reverse = direction == Direction::Reverse;
            let exact = cpu::filter(&double(&b), &double(&a), &double(&wide(&own)), &mut state, is_reverse).unwrap();
            let y = (0..n).map(|row| found.y[shape.matrix_index(system, row)]);
            let size = exact.iter().map(|y| y.to_f64().abs()).fold(0.0, f64::max);
            let most = y
                .zip(&exact)
                .map(|(y, exact)| (DoubleDouble::new(y.to_f64()) - *exact).to_f64().abs())
                .fold(0.0, f64::max);
            off = off.max(if most == 0.0 { 0.0 } else { most / size });
            allowed = found.forward_error;
            for (found, exact) in found.final_state[system * order..][..order].iter().zip(&state) {
                let size = size.max(exact.to_f64().abs());
                off = off.max((DoubleDouble::new(found.to_f64()) - *exact).to_f64().abs() / size);
            }
            solved += 1;
        }
        assert!(off <= allowed, "order {order}, radius {radius}, {shape:?}: {off:e} of {allowed:e}");
    }
    assert!(solved > 40, "{solved} sequences");
}

#[test]
fn batches_of_any_layout() {
    let mut random = SmallRng::seed_from_u64(seed("filter::batches_of_any_layout"));
    batches_in::<f32>(&mut random);
    batches_in::<f64>(&mut random);
}
