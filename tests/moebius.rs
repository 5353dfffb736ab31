//! Moebius recurrences on a device against one value after the other in f64, and what is known of them otherwise.

#[path = "common/draw.rs"]
mod draw;
#[path = "common/run_all.rs"]
mod run_all;
#[path = "common/sweeps.rs"]
mod sweeps;

mod common;

use common::gpu;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sweeps::sweeps;
use trisolve::recurrence::moebius::{self, DeviceMoebius, Moebius, MoebiusPlan, Options};
use trisolve::recurrence::{Coefficient, DeviceCoefficient, Direction, Shape};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Real, cpu};
use trisolve_lab::seed;
use trisolve_lab::{HostMoebius, OnDevice, moebius_cases};

sweeps!(moebius_cases, per_group: 1);

fn constant(value: f32) -> Coefficient<'static, f32> {
    Coefficient::Constant(value)
}

fn plan(gpu: &Gpu, shape: Shape, direction: Direction) -> MoebiusPlan<f32> {
    MoebiusPlan::new(gpu, shape, Options::on_device().direction(direction)).expect("a plan")
}

/// More slices than the launch between has threads.
#[test]
fn hundreds_of_slices() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let shape = Shape::single(600_001);
    let host = HostMoebius::<f32>::new(shape, Options::on_device(), [false; 5], seed("hundreds_of_slices")).unwrap();
    let [a, b, c, d] = host.coefficients.each_ref().map(|values| Coefficient::Each(values.as_slice()));
    let initial = Coefficient::Each(&host.initial);
    let w = plan(&gpu, shape, Direction::Forward).solve(&Moebius { a, b, c, d, initial }).unwrap();
    for (at, value, allowed) in host.expected(Options::on_device(), [false; 5]).unwrap() {
        let found = f64::from(w[at]);
        assert!(found == value || ((found - value) / value).abs() <= allowed, "{at}: {found} is not {value}");
    }
}

/// 1 + 1/w: quotients of Fibonacci's numbers, which go to the golden ratio, and leave the range themselves.
#[test]
fn golden_ratio() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 10_000;
    let ones = vec![1f32; n];
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    for direction in [Direction::Forward, Direction::Reverse] {
        let moebius = Moebius {
            a: Coefficient::Each(&ones),
            b: constant(1.0),
            c: constant(1.0),
            d: constant(0.0),
            initial: constant(1.0),
        };
        let solution = plan(&gpu, Shape::single(n), direction).solve_reported(&moebius).unwrap();
        let (mut before, mut here) = (1f64, 1f64);
        for step in 0..n {
            (before, here) = (here, before + here);
            let value = if here.is_finite() && step < 70 { here / before } else { phi };
            let at = if direction == Direction::Forward { step } else { n - 1 - step };
            let off = (f64::from(solution.w[at]) - value).abs() / value;
            // Of the value before, not a half of the error is carried on.
            assert!(off <= 8.0 * f32::UNIT_ROUNDOFF, "step {step}: {} is not {value}", solution.w[at]);
        }
        let last = if direction == Direction::Forward { n - 1 } else { 0 };
        assert_eq!(solution.final_state, [solution.w[last]]);
    }
}

/// Lambert's fraction, tan x = x / (1 - x^2 / (3 - x^2 / (5 - ...))), from its end.
#[test]
fn tangents() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let (n, batch) = (300, 40);
    let shape = Shape::interleaved(n, batch);
    let angles: Vec<f32> = (0..batch).map(|at| 0.1 + 0.1 * at as f32).collect();
    let (mut odd, mut square) = (vec![0f32; n * batch], vec![0f32; n * batch]);
    for (system, angle) in angles.iter().enumerate() {
        for row in 0..n {
            odd[shape.matrix_index(system, row)] = 2.0 * row as f32 + 1.0;
            square[shape.matrix_index(system, row)] = -angle * angle;
        }
    }
    let moebius = Moebius {
        a: Coefficient::Each(&odd),
        b: Coefficient::Each(&square),
        c: constant(1.0),
        d: constant(0.0),
        initial: constant(1.0),
    };
    let w = plan(&gpu, shape, Direction::Reverse).solve(&moebius).unwrap();
    for (system, &angle) in angles.iter().enumerate() {
        let found = f64::from(angle / w[shape.matrix_index(system, 0)]).atan();
        let off = (found - f64::from(angle)).rem_euclid(std::f64::consts::PI);
        let off = off.min(std::f64::consts::PI - off);
        // What rounding x^2 and a few steps around the size of x leave of the angle.
        assert!(off <= 64.0 * f32::UNIT_ROUNDOFF * (1.0 + f64::from(angle)), "tan {angle}: off by {off:e}");
    }
}

/// Rotations: products of rows cancel nowhere, so that each leaves no more than a few units of the angle, and every
/// value is the tangent of one. It passes many poles.
#[test]
fn rotations() {
    let seed = seed("rotations");
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed);
    for (shape, direction) in [
        (Shape::single(20_000), Direction::Forward),
        (Shape::padded(5_001, 3, 5_003), Direction::Reverse),
        (Shape::interleaved(3_000, 5), Direction::Forward),
    ] {
        let len = shape.matrix_len().unwrap();
        let sizes: Vec<f32> = (0..len).map(|_| 2f32.powi(random.random_range(-60..60))).collect();
        let (sin, cos): (Vec<f32>, Vec<f32>) = (0..len).map(|_| random.random_range(-3.0..3.0f32).sin_cos()).unzip();
        let scaled = |v: &[f32], sign: f32| v.iter().zip(&sizes).map(|(v, size)| sign * v * size).collect::<Vec<_>>();
        let (a, b, c) = (scaled(&cos, 1.0), scaled(&sin, 1.0), scaled(&sin, -1.0));
        let moebius = Moebius {
            a: Coefficient::Each(&a),
            b: Coefficient::Each(&b),
            c: Coefficient::Each(&c),
            d: Coefficient::Each(&a),
            initial: constant(0.0),
        };
        let w = plan(&gpu, shape, direction).solve(&moebius).unwrap();
        for system in 0..shape.batch {
            let mut angle = 0f64;
            for step in 0..shape.n {
                let row = if direction == Direction::Forward { step } else { shape.n - 1 - step };
                let at = shape.matrix_index(system, row);
                angle += f64::from(sin[at]).atan2(f64::from(cos[at]));
                let off = (f64::from(w[at]).atan() - angle).sin().abs();
                let allowed = 4.0 * f32::UNIT_ROUNDOFF * (step as f64 + 8.0);
                assert!(off <= allowed, "row {row} of {system}: off by {off:e}, more than {allowed:e}");
            }
        }
    }
}

/// (w - 1)/w, three times, is w: from 1 through 0 and infinity, all of it exact.
#[test]
fn poles() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for (n, direction) in [(3, Direction::Forward), (10_000, Direction::Forward), (9_000, Direction::Reverse)] {
        let ones = vec![1f32; n];
        let moebius = Moebius {
            a: constant(1.0),
            b: constant(-1.0),
            c: Coefficient::Each(&ones),
            d: constant(0.0),
            initial: constant(1.0),
        };
        let mut w = plan(&gpu, Shape::single(n), direction).solve(&moebius).unwrap();
        if direction == Direction::Reverse {
            w.reverse();
        }
        for (step, w) in w.iter().enumerate() {
            let right = match step % 3 {
                0 => *w == 0.0,
                1 => w.is_infinite(),
                _ => *w == 1.0,
            };
            assert!(right, "step {step} of {n}: {w}");
        }
    }
    // An infinite value goes on from a/c, with its own sign: of a w + b.
    let moebius = Moebius {
        a: Coefficient::Each(&[1.0, 3.0]),
        b: constant(-5.0),
        c: constant(2.0),
        d: constant(-4.0),
        initial: constant(2.0),
    };
    assert_eq!(moebius::solve(&gpu, &moebius, Options::on_device()).unwrap(), [f32::NEG_INFINITY, 1.5]);
    let wide = |v: f64| [v, v];
    let by_cpu = cpu::moebius(&[1.0, 3.0], &wide(-5.0), &wide(2.0), &wide(-4.0), 2.0, false).unwrap();
    assert_eq!(by_cpu, [f64::NEG_INFINITY, 1.5]);
}

/// Products of rows pass the range in all ways, values do not.
#[test]
fn products_that_leave_the_range() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 10_000;
    let solve = |[a, b, c, d]: [&[f32]; 4], initial: f32| {
        let [a, b, c, d] = [a, b, c, d].map(Coefficient::Each);
        let moebius = Moebius { a, b, c, d, initial: constant(initial) };
        plan(&gpu, Shape::single(n), Direction::Forward).solve(&moebius).unwrap()
    };
    let all = |value: f32| vec![value; n];
    // Rows of large and small numbers: of every other the factor 2^30 or 2^-30 stays.
    let by_turns = |even: f32, odd: f32| (0..n).map(|i| if i % 2 == 0 { even } else { odd }).collect::<Vec<_>>();
    let (large, small) = (2f32.powi(100), 2f32.powi(-100));
    let factor = 2f32.powi(30);
    let (a, d) = (by_turns(large, small), by_turns(large / factor, small * factor));
    let w = solve([&a, &all(0.0), &all(0.0), &d], 3.0);
    assert!(w.iter().enumerate().all(|(i, w)| *w == if i % 2 == 0 { 3.0 * factor } else { 3.0 }));
    // Factors of 1/2 and then of 2, from 2^100 to 2^-100 and back.
    let halved: Vec<_> = (0..n)
        .map(|i| {
            if i < 200 {
                0.5
            } else if i < 400 {
                2.0
            } else {
                1.0
            }
        })
        .collect();
    let w = solve([&halved, &all(0.0), &all(0.0), &all(1.0)], large);
    assert_eq!((w[99], w[199], w[299], w[n - 1]), (1.0, small, 1.0, large));
    // Their inverses, by the denominator.
    let w = solve([&all(1.0), &all(0.0), &all(0.0), &halved], small);
    assert_eq!((w[99], w[199], w[299], w[n - 1]), (1.0, large, 1.0, small));
    // All the time smaller, to nothing; all the time larger, to infinity; and with a summand what it comes to.
    assert_eq!(solve([&all(0.5), &all(0.0), &all(0.0), &all(1.0)], 1.0)[n - 1], 0.0);
    assert_eq!(solve([&all(2.0), &all(0.0), &all(0.0), &all(1.0)], -1.0)[n - 1], f32::NEG_INFINITY);
    assert_eq!(solve([&all(0.5), &all(1.0), &all(0.0), &all(1.0)], large)[n - 1], 2.0);
    // The sum of 1/w grows by 2 in each row.
    let w = solve([&all(1.0), &all(0.0), &all(2.0), &all(1.0)], 1.0);
    assert!(w.iter().enumerate().all(|(i, w)| *w == 1.0 / (2.0 * i as f32 + 3.0)));
}

#[test]
fn nothing_by_nothing_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for (n, row, direction) in [
        (1, 0, Direction::Forward),
        (40, 7, Direction::Forward),
        (5_000, 2_048, Direction::Forward),
        (5_000, 4_999, Direction::Reverse),
        (5_000, 1_234, Direction::Reverse),
    ] {
        let shape = Shape::contiguous(n, 3);
        let plan = plan(&gpu, shape, direction);
        let mut values = [1f32, 2.0, 3.0, 4.0].map(|v| vec![v; 3 * n]);
        let solve = |[a, b, c, d]: &[Vec<f32>; 4]| {
            let [a, b, c, d] = [a, b, c, d].map(|v| Coefficient::Each(v.as_slice()));
            plan.solve(&Moebius { a, b, c, d, initial: constant(1.0) })
        };
        // A row of zeros.
        values.iter_mut().for_each(|values| values[n + row] = 0.0);
        assert_eq!(solve(&values), Err(Error::Indeterminate { system: 1, row }), "{n} rows, {direction:?}");
        // (w + 1)/(w + 1) begins anew, but not at -1.
        values.iter_mut().for_each(|values| values[n + row] = 1.0);
        let w = solve(&values).unwrap();
        assert_eq!(w[n + row], 1.0);
        let before = match direction {
            Direction::Forward => row.checked_sub(1),
            Direction::Reverse => Some(row + 1).filter(|&row| row < n),
        };
        let Some(before) = before else { continue };
        for (values, value) in values.iter_mut().zip([0.0, -1.0, 0.0, 1.0]) {
            values[n + before] = value;
        }
        assert_eq!(solve(&values), Err(Error::Indeterminate { system: 1, row }), "{n} rows, {direction:?}");
        let wide = |v: &[f32]| v[n..2 * n].iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
        let [a, b, c, d] = values.each_ref().map(|values| wide(values));
        let by_cpu = cpu::moebius(&a, &b, &c, &d, 1.0, direction == Direction::Reverse);
        assert_eq!(by_cpu, Err(Error::Indeterminate { system: 0, row }));
    }
}

/// In place, and with threads that stand in for a system that is not there: what was a number is NaN when rows are looked at
/// again.
#[test]
fn recorded_solves_say_where_nothing_came_by_nothing() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for n in [20, 3_000] {
        let shape = Shape::interleaved(n, 3);
        let row = n / 2;
        let vectors = [1f32, 2.0, 3.0, 4.0].map(|value| {
            let mut values = vec![value; 3 * n];
            values[shape.matrix_index(2, row)] = 0.0;
            DeviceVector::from_slice(&gpu, "values", &values).unwrap()
        });
        let [a, b, c, d] = vectors.each_ref().map(|vector| DeviceCoefficient::Each(vector.as_slice()));
        let initial = DeviceCoefficient::Constant(1.0);
        let plan = plan(&gpu, shape, Direction::Forward);
        let bound = plan.bind(&DeviceMoebius { a, b, c, d, initial, w: None }).unwrap();
        bound.submit().unwrap();
        let status = bound.read_status().unwrap();
        assert_eq!((status.non_finite_input, status.non_finite_result), (None, Some((2, row))), "{n} rows");
        let w = vectors[1].read(&gpu).unwrap();
        assert!((0..n).all(|at| w[shape.matrix_index(1, at)].is_finite()));
        assert!((0..n).all(|at| w[shape.matrix_index(2, at)].is_nan() == (at >= row)));
    }
}

#[test]
fn the_same_bits_run_after_run() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let shape = Shape::single(50_000);
    let seed = seed("the_same_bits_run_after_run");
    let host = HostMoebius::<f32>::new(shape, Options::on_device(), [false; 5], seed).unwrap();
    let [a, b, c, d] = host.coefficients.each_ref().map(|values| Coefficient::Each(values.as_slice()));
    let moebius = Moebius { a, b, c, d, initial: Coefficient::Each(&host.initial) };
    let plan = plan(&gpu, shape, Direction::Forward);
    let first = plan.solve(&moebius).unwrap();
    for _ in 0..10 {
        let again = plan.solve(&moebius).unwrap();
        assert!(first.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn bad_input_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let five = [1f32; 5];
    let each = Coefficient::Each(&five);
    let good = Moebius { a: each, b: each, c: each, d: each, initial: constant(1.0) };
    assert!(moebius::solve(&gpu, &good, Options::on_device()).is_ok());
    let short = Moebius { c: Coefficient::Each(&five[..4]), ..good };
    assert!(matches!(moebius::solve(&gpu, &short, Options::on_device()), Err(Error::Length { vector: "c", .. })));
    let empty = Coefficient::Each(&five[..0]);
    let none = Moebius { a: empty, b: empty, c: empty, d: empty, ..good };
    assert!(matches!(moebius::solve(&gpu, &none, Options::on_device()), Err(Error::Shape(_))));
    let one = constant(1.0);
    let constants = Moebius { a: one, b: one, c: one, d: one, ..good };
    assert!(matches!(moebius::solve(&gpu, &constants, Options::on_device()), Err(Error::Options(_))));
    let computed = Moebius { b: Coefficient::Computed(&[]), ..good };
    assert!(matches!(moebius::solve(&gpu, &computed, Options::on_device()), Err(Error::Options(_))));
    for bad in [f32::NAN, f32::INFINITY] {
        let spoilt = [1.0, 1.0, bad, 1.0, 1.0];
        let error =
            moebius::solve(&gpu, &Moebius { d: Coefficient::Each(&spoilt), ..good }, Options::on_device()).unwrap_err();
        assert_eq!(error, Error::NonFiniteInput { vector: "d", system: 0, row: 2 });
        let error =
            moebius::solve(&gpu, &Moebius { initial: constant(bad), ..good }, Options::on_device()).unwrap_err();
        assert_eq!(error, Error::NonFiniteInput { vector: "initial", system: 0, row: 0 });
    }
    // On the device one sequence's NaN is reported, and touches no other.
    let mut spoilt = [0.5f32; 15];
    spoilt[7] = f32::NAN;
    let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).unwrap();
    let (a, b) = (vector(&spoilt), vector(&[1.0; 15]));
    let plan = plan(&gpu, Shape::contiguous(5, 3), Direction::Forward);
    let one = DeviceCoefficient::Constant(1.0);
    let moebius = DeviceMoebius {
        a: DeviceCoefficient::Each(a.as_slice()),
        b: DeviceCoefficient::Each(b.as_slice()),
        c: one,
        d: one,
        initial: one,
        w: None,
    };
    let bound = plan.bind(&moebius).unwrap();
    bound.submit().unwrap();
    assert_eq!(bound.read_status().unwrap().non_finite_input, Some((1, 2)));
    let w = b.read(&gpu).unwrap();
    assert!(w[..5].iter().chain(&w[10..]).all(|w| w.is_finite()), "{w:?}");
    let nowhere = DeviceMoebius { a: one, b: one, ..moebius };
    assert!(matches!(plan.bind(&nowhere), Err(Error::Options(_))));
    let over = DeviceMoebius { w: Some(a.as_slice()), ..moebius };
    assert!(matches!(plan.bind(&over), Err(Error::Overlap { first: "a", .. })));
    let columns = MoebiusPlan::<f32>::new(&gpu, Shape::single(5).with_columns(2), Options::on_device());
    assert!(matches!(columns, Err(Error::Shape(_))));
}
