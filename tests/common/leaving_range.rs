//! The test that values of a linear recurrence may leave the range of f32, and come back.

use trisolve::Gpu;
use trisolve::recurrence::{Coefficient, Direction, Options, Recurrence, RecurrencePlan, Shape};

/// Each sequence of a batch does so by itself, from a value of its own.
pub fn sequences_leave_the_range(gpu: &Gpu, options: Options) {
    let (n, batch) = (301usize, 70);
    let len = n * batch;
    // Even sequences grow to infinity; of the odd ones the products of factors leave the range, but no value.
    let s: Vec<_> = (0..len).map(|at| if (at / n).is_multiple_of(2) { 2.0f32 } else { -1e-30 }).collect();
    let t: Vec<_> = (0..len).map(|at| (at % 7) as f32).collect();
    let initial: Vec<_> = (0..batch).map(|sequence| 3e38 / (1 << (sequence % 30)) as f32).collect();
    for direction in [Direction::Forward, Direction::Reverse] {
        let plan = RecurrencePlan::<f32>::new(gpu, Shape::contiguous(n, batch), options.direction(direction)).unwrap();
        let given = Recurrence { initial: Coefficient::Each(&initial), ..Recurrence::new(&s, &t) };
        let w = plan.solve(&given).unwrap();
        for (sequence, &first) in initial.iter().enumerate() {
            let mut value = first;
            for i in 0..n {
                let at = sequence * n + if direction == Direction::Forward { i } else { n - 1 - i };
                value = s[at].mul_add(value, t[at]);
                // The maps of slices round too: 16 roundoffs.
                let near = value.is_finite() && (w[at] - value).abs() <= 8.0 * f32::EPSILON * value.abs();
                let same = w[at] == value || near;
                assert!(same, "{options:?}, {direction:?}, sequence {sequence}, row {i}: {} for {value}", w[at]);
            }
        }
    }
}

pub fn values_leave_the_range(gpu: &Gpu, options: Options) {
    let n = 10_000;
    let plan = RecurrencePlan::<f32>::new(gpu, Shape::single(n), options).unwrap();
    let solve = |s: &[f32], t: f32, initial: f32| {
        let (t, initial) = (Coefficient::Constant(t), Coefficient::Constant(initial));
        plan.solve(&Recurrence { s: Coefficient::Each(s), t, initial }).unwrap()
    };
    let doubled = vec![2.0f32; n];
    // Growth to infinity, either way; -4 * 2^k + ... although the parts alone are of both signs.
    for (initial, infinity) in [(0.0, f32::INFINITY), (-5.0, f32::NEG_INFINITY)] {
        let w = solve(&doubled, 1.0, initial);
        assert!(w.iter().all(|w| !w.is_nan()), "{options:?}");
        assert!(w[130..].iter().all(|w| *w == infinity), "{options:?}");
    }
    // Nothing grows from nothing, whatever the factors' product.
    assert!(solve(&doubled, 0.0, 0.0).iter().all(|w| *w == 0.0), "{options:?}");
    // Products of factors leave the range, values do not: 2^-100 to 2^100.
    let mut up = vec![1.0f32; n];
    up[..200].fill(2.0);
    let w = solve(&up, 0.0, 2f32.powi(-100));
    assert_eq!((w[99], w[199], w[n - 1]), (1.0, 2f32.powi(100), 2f32.powi(100)), "{options:?}");
    // Halved away, although from far above what is added; and what is added stays.
    let w = solve(&vec![0.5f32; n], 2f32.powi(-80), 2f32.powi(100));
    let exact = [(0, 2f32.powi(99)), (99, 1.0), (169, 2f32.powi(-70) + 2f32.powi(-79)), (n - 1, 2f32.powi(-79))];
    for (row, exact) in exact {
        approx::assert_relative_eq!(w[row], exact, max_relative = 4.0 * f32::EPSILON);
    }
    // After infinity a factor of 0 starts anew.
    let mut anew = doubled;
    (anew[n / 2], anew[n / 2 + 1]) = (0.0, 1.0);
    let w = solve(&anew, 1.0, 1.0);
    assert_eq!((w[n / 2 - 1], w[n / 2], w[n / 2 + 1]), (f32::INFINITY, 1.0, 2.0), "{options:?}");
    assert_eq!((w[n / 2 + 20], w[n - 1]), (3.0 * 2f32.powi(19) - 1.0, f32::INFINITY), "{options:?}");
}
