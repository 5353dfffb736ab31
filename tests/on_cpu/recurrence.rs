//! Linear recurrences.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::recurrence::{Coefficient, Direction, Layout, Recurrence, Shape, solve_batch_on_cpu, solve_on_cpu};
use trisolve::{DoubleDouble, Error, Precision, Real, Scalar, cpu};
use trisolve_lab::seed;

/// A batch in any layout.
pub fn layout(n: usize, batch: usize, random: &mut SmallRng) -> Shape {
    match random.random_range(0..4) {
        0 => Shape::contiguous(n, batch),
        1 => Shape::interleaved(n, batch),
        2 => Shape::padded(n, batch, n + 3),
        _ => {
            // The middle axis of an array.
            let inner = 1 + batch / 3;
            let layout = Layout { element_stride: inner, system_stride: 1, group: inner, group_stride: n * inner + 2 };
            Shape::with_layout(n, batch, layout)
        }
    }
}

/// Sequences that decay, grow past the range, start anew, or lie at the range's ends, against the reference in twice the digits.
fn sequences_in<T: Real>(random: &mut SmallRng) {
    let (mut infinite, mut refused) = (0, 0);
    let least_normal = T::PRECISION.least_normal();
    // Below the normal range; of f64, as small as the reference keeps its digits.
    let least = if T::PRECISION == Precision::F32 { least_normal * 1e-3 } else { 1e-250 };
    for case in 0..60 {
        // The first grows past the range.
        let is_first = case == 0;
        let n = if is_first { 3000 } else { [1, 2, 3, 8, 100, 1000, 1025, 3000, 20_000][random.random_range(0..9)] };
        let most = if is_first { 4.0 } else { [0.5, 1.0, 1.5, 4.0][random.random_range(0..4)] };
        let scale =
            if is_first { 1.0 } else { [1.0, 1.0, 1.0, 1.0 / least_normal * 0.1, least][random.random_range(0..5)] };
        let zeros = if is_first { 0.0 } else { [0.0, 0.01, 0.5][random.random_range(0..3)] };
        let mut draw = |most: f64| match random.random_bool(zeros) {
            true => T::ZERO,
            false => T::from_f64(random.random_range(-1.0..1.0) * most),
        };
        let s: Vec<_> = (0..n).map(|_| draw(most)).collect();
        let t: Vec<_> = (0..n).map(|_| draw(scale)).collect();
        let initial = draw(scale);
        let direction = if random.random() { Direction::Forward } else { Direction::Reverse };
        let recurrence = Recurrence { initial: Coefficient::Constant(initial), ..Recurrence::new(&s, &t) };
        let wide = |values: &[T]| values.iter().map(|value| DoubleDouble::new(value.to_f64())).collect::<Vec<_>>();
        let is_reverse = direction == Direction::Reverse;
        let exact = cpu::recurrence(&wide(&s), &wide(&t), DoubleDouble::new(initial.to_f64()), is_reverse).unwrap();
        let solution = match solve_on_cpu(n, &recurrence, direction) {
            Ok(solution) => solution,
            Err(Error::NoDigits { .. } | Error::Underflow { .. }) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let is_in_range = |value: &DoubleDouble| T::from_f64(value.to_f64()).is_finite();
        let size =
            exact.iter().filter(|value| is_in_range(value)).map(|value| value.to_f64().abs()).fold(0.0, f64::max);
        for (row, (w, exact)) in solution.w.iter().zip(&exact).enumerate() {
            if !w.is_finite() {
                assert!(!is_in_range(exact), "row {row} of {n}: {w} in place of {:e}", exact.to_f64());
                infinite += 1;
                continue;
            }
            if !exact.is_finite() {
                // Past the reference's range on the way.
                continue;
            }
            let off = (DoubleDouble::new(w.to_f64()) - *exact).to_f64().abs();
            let allowed = solution.forward_error * size;
            assert!(off <= allowed, "row {row} of {n}: {off:e} of {size:e}, {:e}", solution.forward_error);
        }
    }
    assert!(infinite > 0 && refused < 40, "{infinite} infinite values, {refused} sequences refused");
}

#[test]
fn sequences_of_any_size() {
    let mut random = SmallRng::seed_from_u64(seed("recurrence::sequences_of_any_size"));
    sequences_in::<f32>(&mut random);
    sequences_in::<f64>(&mut random);
}

/// Batches in lanes and in slices, beside each sequence alone; decaying, growing past the range, and with factors of 0.
fn batches_in<T: Real>(random: &mut SmallRng) {
    for _ in 0..40 {
        let n = [1, 5, 63, 64, 65, 700, 1024, 3001, 17_000][random.random_range(0..9)];
        let batch = if n > 1000 { random.random_range(1..4) } else { random.random_range(1..30) };
        let shape = layout(n, batch, random);
        let most = [0.9, 0.9, 1.2, 3.0][random.random_range(0..4)];
        let len = shape.matrix_len().unwrap();
        let mut draw =
            |most: f64| T::from_f64(if random.random_bool(0.01) { 0.0 } else { random.random_range(-most..most) });
        let s: Vec<T> = (0..len).map(|_| draw(most)).collect();
        let t: Vec<T> = (0..len).map(|_| draw(1.0)).collect();
        let initial: Vec<T> = (0..batch).map(|_| draw(1.0)).collect();
        let direction = if random.random() { Direction::Forward } else { Direction::Reverse };
        let given = Recurrence { initial: Coefficient::Each(&initial), ..Recurrence::new(&s, &t) };
        let found = solve_batch_on_cpu(&shape, &given, direction);
        let of = |values: &[T], system: usize| -> Vec<T> {
            (0..n).map(|row| values[shape.matrix_index(system, row)]).collect()
        };
        for (system, &first) in initial.iter().enumerate() {
            let (s, t) = (of(&s, system), of(&t, system));
            let alone = Recurrence { initial: Coefficient::Constant(first), ..Recurrence::new(&s, &t) };
            let wide = |values: &[T]| values.iter().map(|value| DoubleDouble::new(value.to_f64())).collect::<Vec<_>>();
            let start = DoubleDouble::new(first.to_f64());
            let exact = cpu::recurrence(&wide(&s), &wide(&t), start, direction == Direction::Reverse).unwrap();
            let Ok(found) = &found else {
                assert!(matches!(solve_on_cpu(n, &alone, direction), Ok(_) | Err(Error::NoDigits { .. })));
                continue;
            };
            let w = of(&found.w, system);
            let size = w.iter().filter(|w| w.is_finite()).map(|w| w.to_f64().abs()).fold(0.0, f64::max);
            for (w, exact) in w.iter().zip(&exact).filter(|(_, exact)| exact.is_finite()) {
                let off = (DoubleDouble::new(w.to_f64()) - *exact).to_f64().abs();
                let is_right = if w.is_finite() {
                    off <= found.forward_error * size
                } else {
                    !T::from_f64(exact.to_f64()).is_finite()
                };
                assert!(is_right, "{shape:?}, {direction:?}, {system}: {w} in place of {:e}", exact.to_f64());
            }
        }
    }
}

#[test]
fn batches_of_any_layout() {
    let mut random = SmallRng::seed_from_u64(seed("recurrence::batches_of_any_layout"));
    batches_in::<f32>(&mut random);
    batches_in::<f64>(&mut random);
}
