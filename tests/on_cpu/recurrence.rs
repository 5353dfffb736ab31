//! Linear recurrences.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::recurrence::{Coefficient, Direction, Recurrence, solve_on_cpu};
use trisolve::{DoubleDouble, Error, Precision, Real, Scalar, cpu};
use trisolve_lab::seed;

/// Sequences that decay, grow past the range, start anew, or lie at the range's ends, against the reference in twice the digits.
fn sequences_in<T: Real>(random: &mut SmallRng) {
    let (mut infinite, mut refused) = (0, 0);
    let least_normal = T::PRECISION.least_normal();
    // Below the normal range; of f64, as small as the reference keeps its digits.
    let least = if T::PRECISION == Precision::F32 { least_normal * 1e-3 } else { 1e-250 };
    for case in 0..60 {
        // The first grows past the range.
        let is_first = case == 0;
        let n = if is_first { 3000 } else { [1, 2, 3, 8, 100, 1000, 3000][random.random_range(0..7)] };
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
