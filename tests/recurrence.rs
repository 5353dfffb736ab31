//! Recurrences on a device against one value after the other in f64.
#![cfg(feature = "testing")]

mod common;

use common::gpu;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::recurrence::{
    self, Algorithm, Coefficient, DeviceCoefficient, DeviceRecurrence, Direction, Options, Recurrence, RecurrencePlan,
    Shape,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Real, cpu};

#[path = "common/seed.rs"]
mod seed;

/// Sizes around every edge: of a thread's rows, a workgroup's, two and many slices.
const SIZES: [usize; 10] = [1, 3, 16, 33, 1000, 1023, 1025, 4096, 4100, 20_011];

/// The coefficients of a batch, laid out as a shape says, NaN in between.
struct Sample<T> {
    shape: Shape,
    s: Vec<T>,
    t: Vec<T>,
    initial: Vec<T>,
}

impl<T: Real> Sample<T> {
    fn new(shape: Shape, random: &mut SmallRng) -> Self {
        let len = shape.matrix_len().expect("a length");
        let mut sample = Self {
            shape,
            s: vec![T::from_f64(f64::NAN); len],
            t: vec![T::from_f64(f64::NAN); len],
            initial: (0..shape.batch).map(|_| T::from_f64(random.random_range(-1.0..1.0))).collect(),
        };
        for system in 0..shape.batch {
            for row in 0..shape.n {
                let at = shape.matrix_index(system, row);
                // Now and then a start anew.
                let anew = random.random_bool(0.01);
                sample.s[at] = T::from_f64(if anew { 0.0 } else { random.random_range(-1.1..1.1) });
                sample.t[at] = T::from_f64(random.random_range(-1.0..1.0));
            }
        }
        sample
    }

    /// The values are right by their bounds.
    #[track_caller]
    fn check(&self, w: &[T], constants: [Option<T>; 3], direction: Direction, what: &str) {
        for (at, exact, allowed) in self.bounds(constants, direction) {
            let found = w[at].to_f64();
            assert!((found - exact).abs() <= allowed, "{what}, at {at}: {found:e}, not {exact:e} within {allowed:e}");
        }
    }

    /// Where a value lies, what it is in f64, and a bound on the rounding errors: a few units of what the
    /// terms' sizes come to, once for each row since the last that mattered.
    fn bounds(&self, constants: [Option<T>; 3], direction: Direction) -> Vec<(usize, f64, f64)> {
        let Shape { n, batch, .. } = self.shape;
        let reverse = direction == Direction::Reverse;
        let mut bounds = Vec::new();
        let wide = |values: &[T], constant: Option<T>, system: usize| -> Vec<f64> {
            let at = |row| constant.unwrap_or_else(|| values[self.shape.matrix_index(system, row)]).to_f64();
            (0..n).map(at).collect()
        };
        for system in 0..batch {
            let (s, t) = (wide(&self.s, constants[0], system), wide(&self.t, constants[1], system));
            let initial = constants[2].unwrap_or(self.initial[system]).to_f64();
            let exact = cpu::recurrence(&s, &t, initial, reverse).expect("values");
            let sizes = |v: &[f64]| v.iter().map(|v| v.abs()).collect::<Vec<_>>();
            let size = cpu::recurrence(&sizes(&s), &sizes(&t), initial.abs(), reverse).expect("sizes");
            // Each row's size goes on into the errors of the rows behind.
            let errors = cpu::recurrence(&sizes(&s), &size, 0.0, reverse).expect("errors");
            bounds.extend((0..n).map(|row| {
                let allowed = 16.0 * T::UNIT_ROUNDOFF * (errors[row] + 8.0 * size[row]) + f64::from(f32::MIN_POSITIVE);
                (self.shape.matrix_index(system, row), exact[row], allowed)
            }));
        }
        bounds
    }
}

/// Some kind of coefficients through device memory, with the output poisoned before.
#[track_caller]
fn check<T: Real>(gpu: &Gpu, shape: Shape, options: Options, random: &mut SmallRng) {
    let plan = RecurrencePlan::<T>::new(gpu, shape, options).expect("a plan");
    let sample = Sample::<T>::new(shape, random);
    let vector = |values: &[T]| DeviceVector::from_slice(gpu, "values", values).expect("a vector");
    let (s, t, initial) = (vector(&sample.s), vector(&sample.t), vector(&sample.initial));
    let half = T::from_f64(0.5);
    let constants = match random.random_range(0..4) {
        0 => [Some(half), None, Some(half)],
        1 => [None, Some(half), None],
        _ => [None; 3],
    };
    let or =
        |constant: Option<T>, vector| constant.map_or(DeviceCoefficient::Each(vector), DeviceCoefficient::Constant);
    let w = vector(&vec![T::from_f64(f64::NAN); s.len()]);
    let recurrence = DeviceRecurrence {
        s: or(constants[0], s.as_slice()),
        t: or(constants[1], t.as_slice()),
        initial: or(constants[2], initial.as_slice()),
        w: Some(w.as_slice()),
    };
    let bound = plan.bind(&recurrence).expect("bound");
    let what = format!("{} {} {shape:?} {options:?} {constants:?}", T::PRECISION, plan.algorithm());
    // Again and again: what one solve leaves behind is the next one's.
    for _ in 0..3 {
        w.write(gpu, 0, &vec![T::from_f64(f64::NAN); s.len()]).expect("poison");
        bound.submit().expect("a solve");
        let found = w.read(gpu).expect("values");
        sample.check(&found, constants, options.direction, &what);
        bound.read_status().expect("status").check().expect("finite input");
    }
    // Over t, or s.
    let over = vector(if constants[1].is_none() { &sample.t } else { &sample.s });
    let in_place = match constants[1] {
        None => DeviceRecurrence { t: DeviceCoefficient::Each(over.as_slice()), w: None, ..recurrence },
        Some(_) => DeviceRecurrence { s: DeviceCoefficient::Each(over.as_slice()), w: None, ..recurrence },
    };
    plan.bind(&in_place).expect("bound").submit().expect("a solve");
    sample.check(&over.read(gpu).expect("values"), constants, options.direction, &format!("{what} in place"));
}

fn sweep<T: Real>(name: &str, checked: bool, allowed: FeatureSwitches) {
    let gpu = gpu(checked, allowed);
    let mut random = SmallRng::seed_from_u64(seed::seed(name));
    for (at, n) in SIZES.into_iter().enumerate() {
        for algorithm in [Algorithm::ThreeLaunch, Algorithm::OnePass] {
            let direction = if at % 2 == 0 { Direction::Forward } else { Direction::Reverse };
            let options = Options::default().algorithm(algorithm).direction(direction);
            check::<T>(&gpu, Shape::single(n), options, &mut random);
            let reversed = options.direction(if at % 2 == 0 { Direction::Reverse } else { Direction::Forward });
            for (shape, options) in [
                (Shape::contiguous(n, 3), reversed),
                (Shape::padded(n, 2, n + 3), options),
                (Shape::padded(n, 2, n.next_multiple_of(4)), reversed),
            ] {
                check::<T>(&gpu, shape, options, &mut random);
            }
            if algorithm == Algorithm::ThreeLaunch && n <= 4100 {
                check::<T>(&gpu, Shape::interleaved(n, 7), options, &mut random);
                check::<T>(&gpu, Shape::axis(&[2, n, 5], 1).expect("a shape"), reversed, &mut random);
            }
        }
    }
}

#[test]
fn f32_checked() {
    sweep::<f32>("f32_checked", true, FeatureSwitches::ALL);
}

#[test]
fn f32_unchecked() {
    sweep::<f32>("f32_unchecked", false, FeatureSwitches::NONE);
}

#[test]
fn f64_checked() {
    let allowed = FeatureSwitches::ALL;
    if gpu(true, allowed).capabilities().features.f64 {
        sweep::<f64>("f64_checked", true, allowed);
    }
}

#[test]
fn one_pass_does_without_a_slice_that_tells_nothing() {
    let mut random = SmallRng::seed_from_u64(seed::seed("one_pass_does_without_a_slice_that_tells_nothing"));
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::padded(20_011, 2, 20_012);
    let sample = Sample::<f32>::new(shape, &mut random);
    let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).expect("a vector");
    let (s, initial) = (vector(&sample.s), vector(&sample.initial));
    for slice in [0, 1, 5] {
        let options = Options::default().algorithm(Algorithm::OnePass);
        let mut plan = RecurrencePlan::<f32>::new(&gpu, shape, options).expect("a plan");
        plan.withhold(slice);
        for in_place in [false, true] {
            let (t, w) = (vector(&sample.t), vector(&vec![f32::NAN; s.len()]));
            let recurrence = DeviceRecurrence {
                s: DeviceCoefficient::Each(s.as_slice()),
                t: DeviceCoefficient::Each(t.as_slice()),
                initial: DeviceCoefficient::Each(initial.as_slice()),
                w: (!in_place).then(|| w.as_slice()),
            };
            plan.bind(&recurrence).expect("bound").submit().expect("a solve");
            let found = if in_place { &t } else { &w }.read(&gpu).expect("values");
            sample.check(&found, [None; 3], Direction::Forward, &format!("without slice {slice}, {in_place}"));
        }
    }
}

#[test]
fn one_pass_keeps_its_bound_a_thousand_times() {
    let mut random = SmallRng::seed_from_u64(seed::seed("one_pass_keeps_its_bound_a_thousand_times"));
    let gpu = gpu(false, FeatureSwitches::ALL);
    // Nothing is forgotten: every value depends on the first, and the look-back reaches far.
    let mut sample = Sample::<f32>::new(Shape::single(40_000), &mut random);
    sample.s.iter_mut().for_each(|s| *s = if random.random_bool(0.5) { 1.0 } else { -1.0 });
    let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).expect("a vector");
    let poison = vec![f32::NAN; 40_000];
    let (s, t, w) = (vector(&sample.s), vector(&sample.t), vector(&poison));
    let options = Options::default().algorithm(Algorithm::OnePass);
    let plan = RecurrencePlan::<f32>::new(&gpu, sample.shape, options).expect("a plan");
    let recurrence = DeviceRecurrence {
        s: DeviceCoefficient::Each(s.as_slice()),
        t: DeviceCoefficient::Each(t.as_slice()),
        initial: DeviceCoefficient::Constant(1.0),
        w: Some(w.as_slice()),
    };
    let bound = plan.bind(&recurrence).expect("bound");
    let bounds = sample.bounds([None, None, Some(1.0)], Direction::Forward);
    for run in 0..1000 {
        w.write(&gpu, 0, &poison).expect("poison");
        bound.submit().expect("a solve");
        let found = w.read(&gpu).expect("values");
        for &(at, exact, allowed) in &bounds {
            let off = (f64::from(found[at]) - exact).abs();
            assert!(off <= allowed, "run {run}, at {at}: {} is off by {off:e}, more than {allowed:e}", found[at]);
        }
    }
}

#[test]
fn the_same_bits_run_after_run() {
    let mut random = SmallRng::seed_from_u64(seed::seed("the_same_bits_run_after_run"));
    let gpu = gpu(false, FeatureSwitches::ALL);
    let sample = Sample::<f32>::new(Shape::single(100_000), &mut random);
    let plan = RecurrencePlan::<f32>::new(&gpu, sample.shape, Options::default().deterministic()).expect("a plan");
    assert_eq!(plan.algorithm(), Algorithm::ThreeLaunch);
    let recurrence = Recurrence::new(&sample.s, &sample.t);
    let first = plan.solve(&recurrence).expect("values");
    for _ in 0..10 {
        let again = plan.solve(&recurrence).expect("values");
        assert!(first.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn values_that_leave_the_range() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 10_000;
    let mut anew = vec![2.0f32; n];
    (anew[n / 2], anew[n / 2 + 1]) = (0.0, 1.0);
    for algorithm in [Algorithm::ThreeLaunch, Algorithm::OnePass] {
        let plan = RecurrencePlan::<f32>::new(&gpu, Shape::single(n), Options::default().algorithm(algorithm)).unwrap();
        let solve = |s: &[f32], t: f32, initial: f32| {
            let (t, initial) = (Coefficient::Constant(t), Coefficient::Constant(initial));
            plan.solve(&Recurrence { s: Coefficient::Each(s), t, initial }).unwrap()
        };
        let doubled = vec![2.0f32; n];
        // Growth to infinity, either way; -4 * 2^k + ... although the parts alone are of both signs.
        assert_eq!(solve(&doubled, 1.0, 0.0)[n - 1], f32::INFINITY, "{algorithm}");
        assert_eq!(solve(&doubled, 1.0, -5.0)[n - 1], f32::NEG_INFINITY, "{algorithm}");
        // Nothing grows from nothing, whatever the factors' product.
        assert!(solve(&doubled, 0.0, 0.0).iter().all(|w| *w == 0.0), "{algorithm}");
        // Products of factors leave the range, values do not: 2^-100 to 2^100.
        let mut up = vec![1.0f32; n];
        up[..200].fill(2.0);
        let w = solve(&up, 0.0, 2f32.powi(-100));
        assert_eq!((w[99], w[199], w[n - 1]), (1.0, 2f32.powi(100), 2f32.powi(100)), "{algorithm}");
        // Halved away, and what is added stays.
        let w = solve(&vec![0.5f32; n], 1.0, 2f32.powi(100));
        assert_eq!(w[n - 1], 2.0, "{algorithm}");
        assert_eq!(w[199], 2.0, "{algorithm}");
        // After infinity a factor of 0 starts anew.
        let w = solve(&anew, 1.0, 1.0);
        assert_eq!((w[n / 2 - 1], w[n / 2], w[n / 2 + 1], w[n - 1]), (f32::INFINITY, 1.0, 2.0, f32::INFINITY));
    }
}

#[test]
fn bad_input_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let five = [1f32; 5];
    fn solve_on(gpu: &Gpu, recurrence: Recurrence<'_, f32>) -> Result<Vec<f32>, Error> {
        recurrence::solve(gpu, &recurrence)
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
        assert!(matches!(solve_on(&gpu, initial), Err(Error::NonFiniteInput { vector: "initial", .. })));
    }
    // On the device one sequence's NaN is reported, and touches no other.
    let mut s = [0.5f32; 15];
    s[7] = f32::NAN;
    let (s, t) =
        (DeviceVector::from_slice(&gpu, "s", &s).unwrap(), DeviceVector::from_slice(&gpu, "t", &[1f32; 15]).unwrap());
    let plan = RecurrencePlan::<f32>::new(&gpu, Shape::contiguous(5, 3), Options::default()).unwrap();
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
    assert!(matches!(new(Shape::single(5).with_columns(2), Options::default()), Err(Error::Shape(_))));
    let one_pass = Options::default().algorithm(Algorithm::OnePass);
    assert!(matches!(new(Shape::single(5), one_pass.deterministic()), Err(Error::Options(_))));
    assert!(matches!(new(Shape::interleaved(5, 4), one_pass), Err(Error::Unsupported { .. })));
}
