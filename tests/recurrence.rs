//! Recurrences on a device against one value after the other in f64.

#[path = "common/draw.rs"]
mod draw;
#[path = "common/leaving_range.rs"]
mod leaving_range;
#[path = "common/run_all.rs"]
mod run_all;
#[path = "common/sweeps.rs"]
mod sweeps;

mod common;

use common::gpu;
use draw::{all_cases, some};
use leaving_range::{sequences_leave_the_range, values_leave_the_range};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use sweeps::sweeps;
use trisolve::recurrence::{
    self, Algorithm, Coefficient, DeviceCoefficient, DeviceRecurrence, Direction, Formulas, Options, Recurrence,
    RecurrencePlan, Shape,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, cpu};
use trisolve_lab::seed;
use trisolve_lab::{Expected, HostRecurrence, OnDevice, recurrence_cases};

sweeps!(recurrence_cases, per_group: 1);

/// That values are what they should be.
#[track_caller]
fn check(w: &[f32], expected: &[Expected], what: &str) {
    for &Expected { at, value, allowed } in expected {
        let off = (f64::from(w[at]) - value).abs();
        assert!(off <= allowed, "{what}, at {at}: {} is off by {off:e}, more than {allowed:e}", w[at]);
    }
}

#[test]
fn one_pass_does_without_a_slice_that_tells_nothing() {
    let seed = seed("one_pass_does_without_a_slice_that_tells_nothing");
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::padded(20_011, 2, 20_012);
    let sample = HostRecurrence::<f32>::new(shape, seed).expect("a sample");
    let expected = sample.expected([None; 3], Direction::Forward).expect("values");
    let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).expect("a vector");
    let (s, initial) = (vector(&sample.s), vector(&sample.initial));
    let mut random = SmallRng::seed_from_u64(seed);
    const ALL: usize = u32::MAX as usize - 1;
    for slice in some(&mut random, &[0, 1, 5, ALL], 2) {
        let options = Options::on_device().algorithm(Algorithm::OnePass);
        let mut plan = RecurrencePlan::<f32>::new(&gpu, shape, options).expect("a plan");
        plan.withhold(slice);
        for in_place in some(&mut random, &[false, true], 1) {
            let (t, w) = (vector(&sample.t), vector(&vec![f32::NAN; s.len()]));
            let recurrence = DeviceRecurrence {
                s: DeviceCoefficient::Each(s.as_slice()),
                t: DeviceCoefficient::Each(t.as_slice()),
                initial: DeviceCoefficient::Each(initial.as_slice()),
                w: (!in_place).then(|| w.as_slice()),
            };
            plan.bind(&recurrence).expect("bound").submit().expect("a solve");
            let found = if in_place { &t } else { &w }.read(&gpu).expect("values");
            check(&found, &expected, &format!("without slice {slice}, {in_place}"));
        }
    }
}

#[test]
fn one_pass_keeps_its_bound_run_after_run() {
    let seed = seed("one_pass_keeps_its_bound_run_after_run");
    let gpu = gpu(false, FeatureSwitches::ALL);
    // Nothing is forgotten: every value depends on the first, and the look-back reaches far.
    let mut sample = HostRecurrence::<f32>::new(Shape::single(40_000), seed).expect("a sample");
    sample.s.iter_mut().for_each(|s| *s = if *s < 0.0 { -1.0 } else { 1.0 });
    let expected = sample.expected([None, None, Some(1.0)], Direction::Forward).expect("values");
    let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).expect("a vector");
    let poison = vec![f32::NAN; 40_000];
    let (s, t, w) = (vector(&sample.s), vector(&sample.t), vector(&poison));
    let options = Options::on_device().algorithm(Algorithm::OnePass);
    let plan = RecurrencePlan::<f32>::new(&gpu, sample.shape, options).expect("a plan");
    let recurrence = DeviceRecurrence {
        s: DeviceCoefficient::Each(s.as_slice()),
        t: DeviceCoefficient::Each(t.as_slice()),
        initial: DeviceCoefficient::Constant(1.0),
        w: Some(w.as_slice()),
    };
    let bound = plan.bind(&recurrence).expect("bound");
    for run in 0..if all_cases() { 1000 } else { 200 } {
        w.write(&gpu, 0, &poison).expect("poison");
        bound.submit().expect("a solve");
        check(&w.read(&gpu).expect("values"), &expected, &format!("run {run}"));
    }
}

/// Slices whose rows forget; those that do not, and values above 2^40, for which the three launches follow. Twice each: a solve leaves nothing to
/// the next one.
#[test]
fn overlapped_slices_are_settled_or_solved_again() {
    let seed = seed("overlapped_slices_are_settled_or_solved_again");
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::interleaved(3001, 6);
    let mut sample = HostRecurrence::<f32>::new(shape, seed).expect("a sample");
    let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).expect("a vector");
    let options = Options::on_device().algorithm(Algorithm::Overlapped);
    for direction in [Direction::Forward, Direction::Reverse] {
        let plan = RecurrencePlan::<f32>::new(&gpu, shape, options.direction(direction)).expect("a plan");
        assert_eq!((plan.algorithm(), plan.dispatches()), (Algorithm::Overlapped, 4));
        let given = sample.clone();
        let cases = ["forgets", "remembers", "large", "large before the first row", "large only before it", "in place"];
        for case in cases {
            // Some 50 rows before the slice that begins with row 768 decide its first value, if no value before them is large.
            let large = if direction == Direction::Forward { 698 } else { 3000 - 698 };
            match case {
                "remembers" => (600..1000).for_each(|row| sample.s[shape.matrix_index(2, row)] = -1.0),
                "large" => (0..6).for_each(|system| sample.t[shape.matrix_index(system, large)] = 2f32.powi(90)),
                "large before the first row" => sample.initial[3] = 2f32.powi(90),
                // No value is large but the initial one, which makes up 0.4% of row 256: its factor is 2^-145.
                "large only before it" => {
                    sample.initial[3] = 2f32.powi(119);
                    for step in 0..260 {
                        let row = if direction == Direction::Forward { step } else { 3000 - step };
                        let at = shape.matrix_index(3, row);
                        sample.s[at] = [2f32.powi(-80), 0.87, 0.75][usize::from(step > 0) + usize::from(step >= 192)];
                        sample.t[at] = 2f32.powi(-20);
                    }
                }
                _ => {}
            }
            let expected = sample.expected([None; 3], direction).expect("values");
            let [s, t, initial] = [&sample.s, &sample.t, &sample.initial].map(|values| vector(values));
            let poison = vec![f32::NAN; t.len()];
            let w = vector(&poison);
            let recurrence = DeviceRecurrence {
                s: DeviceCoefficient::Each(s.as_slice()),
                t: DeviceCoefficient::Each(t.as_slice()),
                initial: DeviceCoefficient::Each(initial.as_slice()),
                w: (case != "in place").then(|| w.as_slice()),
            };
            let bound = plan.bind(&recurrence).expect("bound");
            for _ in 0..2 {
                w.write(&gpu, 0, &poison).expect("poison");
                t.write(&gpu, 0, &sample.t).expect("t");
                bound.submit().expect("a solve");
                bound.read_status().expect("status").check().expect("finite inputs");
                let found = if case == "in place" { &t } else { &w }.read(&gpu).expect("values");
                check(&found, &expected, &format!("{case}, {direction:?}"));
            }
            sample.clone_from(&given);
        }
        // What is not finite is reported by the launches that follow.
        let mut t = sample.t.clone();
        t[shape.matrix_index(5, 2000)] = f32::NAN;
        let recurrence = Recurrence::new(&sample.s, &t);
        let error = plan.solve(&recurrence).expect_err("a NaN");
        assert!(matches!(error, Error::NonFiniteInput { .. }), "{error}");
        let recurrence = Recurrence::new(&sample.s, &sample.t);
        let w = plan.solve(&recurrence).expect("values");
        let expected = sample.expected([None, None, Some(0.0)], direction).expect("values");
        check(&w, &expected, "from the host");
    }
}

/// A constant factor says beforehand whether rows forget: for cumulative sums the three launches alone are recorded.
#[test]
fn constants_that_remember_are_not_overlapped() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::interleaved(3001, 6);
    let sample =
        HostRecurrence::<f32>::new(shape, seed("constants_that_remember_are_not_overlapped")).expect("a sample");
    let options = Options::on_device().algorithm(Algorithm::Overlapped);
    let plan = RecurrencePlan::<f32>::new(&gpu, shape, options).expect("a plan");
    let t = DeviceVector::from_slice(&gpu, "t", &sample.t).expect("t");
    let w = DeviceVector::from_slice(&gpu, "w", &vec![f32::NAN; t.len()]).expect("w");
    for (factor, dispatches) in [(0.0, 4), (0.75, 4), (0.9, 3), (1.0, 3), (-1.0, 3), (1.001, 3)] {
        let recurrence = DeviceRecurrence {
            s: DeviceCoefficient::Constant(factor),
            t: DeviceCoefficient::Each(t.as_slice()),
            initial: DeviceCoefficient::Constant(0.5),
            w: Some(w.as_slice()),
        };
        let bound = plan.bind(&recurrence).expect("bound");
        assert_eq!(format!("{bound:?}"), format!("Bound {{ dispatches: {dispatches} }}"), "{factor}");
        bound.submit().expect("a solve");
        let expected = sample.expected([Some(factor), None, Some(0.5)], Direction::Forward).expect("values");
        check(&w.read(&gpu).expect("values"), &expected, &format!("factor {factor}"));
    }
}

#[test]
fn overlapped_is_refused_where_it_cannot_be() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let options = Options::on_device().algorithm(Algorithm::Overlapped);
    let refused = |shape, formulas: &Formulas| {
        let error =
            RecurrencePlan::<f32>::with_formulas(&gpu, shape, options, formulas).map(drop).expect_err("a refusal");
        let Error::Unsupported { what, .. } = &error else { panic!("{error}") };
        what.clone()
    };
    assert!(refused(Shape::contiguous(500, 6), &Formulas::default()).contains("layout"));
    assert!(refused(Shape::interleaved(500, 6), &Formulas::new().s("0.5")).contains("formulas"));
}

/// From 65 rows per sequence, and from slices for 2^15 threads on.
#[test]
fn auto_overlaps_slices_of_large_interleaved_batches() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let chosen = |shape, options, formulas: &Formulas| {
        RecurrencePlan::<f32>::with_formulas(&gpu, shape, options, formulas).expect("a plan").algorithm()
    };
    let (auto, none) = (Options::on_device(), Formulas::default());
    let large = Shape::interleaved(65, 1 << 15);
    assert_eq!(chosen(large, auto, &none), Algorithm::Overlapped);
    assert_eq!(chosen(large, auto.deterministic(), &none), Algorithm::Overlapped);
    assert_eq!(chosen(Shape::interleaved(1 << 15, 256), auto, &none), Algorithm::Overlapped);
    assert_eq!(chosen(Shape::axis(&[16, 4096, 128], 1).expect("a shape"), auto, &none), Algorithm::Overlapped);
    for shape in [
        Shape::interleaved(64, 1 << 15),
        Shape::interleaved(65, (1 << 15) - 64),
        Shape::axis(&[1 << 14, 65, 2], 1).expect("a shape"),
    ] {
        assert_eq!(chosen(shape, auto, &none), Algorithm::ThreeLaunch, "{shape:?}");
    }
    assert_eq!(chosen(large, auto, &Formulas::new().s("0.5")), Algorithm::ThreeLaunch);
}

#[test]
fn the_same_bits_run_after_run() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let sample =
        HostRecurrence::<f32>::new(Shape::single(100_000), seed("the_same_bits_run_after_run")).expect("a sample");
    let plan = RecurrencePlan::<f32>::new(&gpu, sample.shape, Options::on_device().deterministic()).expect("a plan");
    assert_eq!(plan.algorithm(), Algorithm::ThreeLaunch);
    let recurrence = Recurrence::new(&sample.s, &sample.t);
    let first = plan.solve(&recurrence).expect("values");
    for _ in 0..10 {
        let again = plan.solve(&recurrence).expect("values");
        assert!(first.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn blocks_go_on_where_the_last_ended() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("blocks_go_on_where_the_last_ended");
    let all = [(Direction::Forward, Shape::contiguous(1500, 3)), (Direction::Reverse, Shape::interleaved(700, 3))];
    for (direction, shape) in some(&mut SmallRng::seed_from_u64(seed), &all, 1) {
        let plan = RecurrencePlan::<f32>::new(&gpu, shape, Options::on_device().direction(direction)).unwrap();
        let block = HostRecurrence::<f32>::new(shape, seed).unwrap();
        let from = |initial| Recurrence { initial: Coefficient::Each(initial), ..Recurrence::new(&block.s, &block.t) };
        let first = plan.solve_reported(&from(&block.initial)).unwrap();
        let second = plan.solve_reported(&from(&first.final_state)).unwrap();
        for system in 0..3 {
            let rows = |values: &[f32]| {
                (0..shape.n).map(|row| f64::from(values[shape.matrix_index(system, row)])).collect::<Vec<_>>()
            };
            let (s, t) = (rows(&block.s), rows(&block.t));
            // Both blocks as one: in reverse the second lies before the first.
            let w = cpu::recurrence(
                &[&s[..], &s].concat(),
                &[&t[..], &t].concat(),
                block.initial[system].into(),
                direction == Direction::Reverse,
            )
            .unwrap();
            let half = if direction == Direction::Forward { &w[shape.n..] } else { &w[..shape.n] };
            for (found, exact) in rows(&second.w).iter().zip(half) {
                approx::assert_abs_diff_eq!(found, exact, epsilon = 1e-4 * (1.0 + exact.abs()));
            }
        }
    }
}

#[test]
fn values_that_leave_the_range() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("values_that_leave_the_range"));
    for algorithm in some(&mut random, &[Algorithm::ThreeLaunch, Algorithm::OnePass], 1) {
        values_leave_the_range(&gpu, Options::on_device().algorithm(algorithm));
    }
    // Sequences that begin anywhere are taken as one.
    sequences_leave_the_range(&gpu, Options::on_device().algorithm(Algorithm::OnePass));
}

#[test]
fn bad_input_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let five = [1f32; 5];
    fn solve_on(gpu: &Gpu, recurrence: Recurrence<'_, f32>) -> Result<Vec<f32>, Error> {
        recurrence::solve(gpu, &recurrence, Options::on_device())
    }
    assert!(matches!(solve_on(&gpu, Recurrence::new(&five, &five[..4])), Err(Error::Length { vector: "t", .. })));
    assert!(matches!(solve_on(&gpu, Recurrence::new(&[], &[])), Err(Error::Shape(_))));
    let constants =
        Recurrence { s: Coefficient::Constant(1.0), t: Coefficient::Constant(1.0), ..Recurrence::new(&five, &five) };
    assert!(matches!(solve_on(&gpu, constants), Err(Error::Options(_))));
    for bad in [f32::NAN, f32::INFINITY] {
        let spoilt = [1.0, 1.0, bad, 1.0, 1.0];
        let error = solve_on(&gpu, Recurrence::new(&five, &spoilt)).unwrap_err();
        assert_eq!(error, Error::NonFiniteInput { vector: "t", system: 0, row: 2 });
        let initial = Recurrence { initial: Coefficient::Constant(bad), ..Recurrence::new(&five, &five) };
        assert!(matches!(solve_on(&gpu, initial), Err(Error::NonFiniteInput { vector: "initial", row: 0, .. })));
        let reverse = recurrence::solve_on_cpu(5, &initial, Direction::Reverse);
        assert_eq!(reverse.unwrap_err(), Error::NonFiniteInput { vector: "initial", system: 0, row: 4 });
    }
    // Numbers alone may ask for any number of rows.
    for n in [usize::MAX, usize::MAX / 32] {
        assert!(matches!(recurrence::solve_on_cpu(n, &constants, Direction::Forward), Err(Error::Shape(_))));
    }
    // On the device one sequence's NaN is reported, and touches no other.
    let mut s = [0.5f32; 15];
    s[7] = f32::NAN;
    let (s, t) =
        (DeviceVector::from_slice(&gpu, "s", &s).unwrap(), DeviceVector::from_slice(&gpu, "t", &[1f32; 15]).unwrap());
    let plan = RecurrencePlan::<f32>::new(&gpu, Shape::contiguous(5, 3), Options::on_device()).unwrap();
    let recurrence = DeviceRecurrence {
        s: DeviceCoefficient::Each(s.as_slice()),
        t: DeviceCoefficient::Each(t.as_slice()),
        initial: DeviceCoefficient::Constant(0.0),
        w: None,
    };
    let bound = plan.bind(&recurrence).unwrap();
    bound.submit().unwrap();
    assert_eq!(bound.read_status().unwrap().non_finite_input, Some((1, 2)));
    let w = t.read(&gpu).unwrap();
    assert!(w[..5].iter().chain(&w[10..]).all(|w| w.is_finite()), "{w:?}");
    let new = |shape, options| RecurrencePlan::<f32>::new(&gpu, shape, options).map(drop);
    assert!(matches!(new(Shape::single(5).with_columns(2), Options::on_device()), Err(Error::Shape(_))));
    let one_pass = Options::on_device().algorithm(Algorithm::OnePass);
    assert!(matches!(new(Shape::single(5), one_pass.deterministic()), Err(Error::Options(_))));
    assert!(matches!(new(Shape::interleaved(5, 4), one_pass), Err(Error::Unsupported { .. })));
}
