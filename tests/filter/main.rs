//! IIR filters on a device against one row after the other in f64.

#[path = "../common/draw.rs"]
mod draw;
#[path = "../common/run_all.rs"]
mod run_all;
#[path = "../common/sweeps.rs"]
mod sweeps;

mod banks;
mod cascades;
#[path = "../common/mod.rs"]
mod common;
mod refusals;

use common::gpu;
use draw::some;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sweeps::sweeps;
use trisolve::filter::{
    self, Algorithm, Bank, Cascade, Coefficients, DeviceSignals, Direction, FilterPlan, Options, Shape, steady_state,
};
use trisolve::{DeviceSlice, DeviceVector, DoubleDouble, Error, FeatureSwitches, Gpu, Precision, Real, cpu};
use trisolve_lab::seed;
use trisolve_lab::{Expected, Filters, HostFilter, OnDevice, Poles, butterworth, butterworth_sections, filter_cases};

sweeps!(filter_cases, per_group: 1);

/// That values are what they should be.
#[track_caller]
fn check<T: Real>(found: &[T], expected: &[Expected], what: &str) {
    for &Expected { at, value, allowed } in expected {
        let off = (found[at].to_f64() - value).abs();
        assert!(off <= allowed, "{what}, at {at}: {} is off by {off:e}, more than {allowed:e}", found[at]);
    }
}

#[test]
fn blocks_go_on_where_the_last_ended() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("blocks_go_on_where_the_last_ended");
    let all = [
        (&[2][..], Direction::Forward, false),
        (&[4], Direction::Reverse, true),
        (&[3], Direction::Reverse, false),
        (&[1, 2], Direction::Forward, false),
        (&[2, 2], Direction::Reverse, true),
    ];
    for (orders, direction, interleaved) in some(&mut SmallRng::seed_from_u64(seed), &all, 2) {
        let shaped = |n| if interleaved { Shape::interleaved(n, 3) } else { Shape::contiguous(n, 3) };
        let whole = HostFilter::<f32>::new(shaped(6100), orders, Poles::Inside, true, seed).unwrap();
        let expected = whole.expected(direction).unwrap();
        let options = Options::on_device().direction(direction);
        let mut y = vec![f32::NAN; whole.x.len()];
        let mut states = whole.initial.clone();
        // A slice and a bit, one row, and the rest: in reverse from the end on.
        let mut blocks = [(0, 5000), (5000, 1), (5001, 1099)];
        if direction == Direction::Reverse {
            blocks = blocks.map(|(start, n)| (6100 - start - n, n));
        }
        for (start, n) in blocks {
            let block = shaped(n);
            let mut x = vec![0.0; 3 * n];
            let each = (0..3).flat_map(|system| (0..n).map(move |row| (system, row)));
            for (system, row) in each.clone() {
                x[block.matrix_index(system, row)] = whole.x[whole.shape.matrix_index(system, start + row)];
            }
            let plan = FilterPlan::<f32>::new(&gpu, block, &whole.bank, options).unwrap();
            let solution = plan.solve_from(&x, Some(&states)).unwrap();
            states = solution.final_states;
            for (system, row) in each {
                y[whole.shape.matrix_index(system, start + row)] = solution.y[block.matrix_index(system, row)];
            }
        }
        check(&y, &expected.y, "outputs");
        check(&states, &expected.last, "final states");
    }
}

#[test]
fn integrators_and_responses_that_end_are_exact() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 70_001;
    let ones = vec![1.0f32; n];
    let integrator = Coefficients::new(&[2.0], &[2.0, -2.0]).unwrap();
    let y = filter::solve(&gpu, &integrator, &ones, Options::on_device()).unwrap();
    assert!(y.iter().enumerate().all(|(row, y)| *y == (row + 1) as f32));
    // Differences of the sums of three rows.
    let taps = Coefficients::new(&[1.0, 0.0, 0.0, -1.0], &[1.0]).unwrap();
    let solution = FilterPlan::new(&gpu, Shape::single(n), &taps, Options::on_device()).unwrap().solve_from(&y, None);
    let solution = solution.unwrap();
    assert!(solution.y.iter().enumerate().all(|(row, y)| *y == (row + 1).min(3) as f32));
    assert_eq!(solution.final_states, [-(n as f32 - 2.0), -(n as f32 - 1.0), -(n as f32)]);
    // A resonator whose response goes round in four steps.
    let resonator = Coefficients::new(&[1.0], &[1.0, 0.0, 1.0]).unwrap();
    let mut impulse = vec![0.0f32; n];
    impulse[0] = 1.0;
    let y = filter::solve(&gpu, &resonator, &impulse, Options::on_device()).unwrap();
    assert!(y.iter().enumerate().all(|(row, y)| *y == [1.0, 0.0, -1.0, 0.0][row % 4]));
}

#[test]
fn the_steady_state_spares_the_step() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let direct = (1..=4).map(|order| Cascade::from(&butterworth(order, 0.25).unwrap()));
    for low_pass in direct.chain([butterworth_sections(2, 0.25).unwrap()]) {
        let state = steady_state(&low_pass).unwrap();
        let state: Vec<_> = state.into_iter().map(|z| 3.0 * z as f32).collect();
        let plan = FilterPlan::new(&gpu, Shape::single(9000), &low_pass, Options::on_device()).unwrap();
        let solution = plan.solve_from(&vec![3.0f32; 9000], Some(&state)).unwrap();
        assert!(solution.y.iter().all(|y| (y - 3.0).abs() < 1e-4), "{low_pass:?}");
        assert_eq!(plan.algorithm(), Algorithm::OnePass);
        assert_eq!(plan.dispatches(), 1);
        let plan = FilterPlan::<f32>::new(&gpu, Shape::single(9000), &low_pass, Options::on_device().deterministic());
        let plan = plan.unwrap();
        assert_eq!(plan.algorithm(), Algorithm::ThreeLaunch);
        assert_eq!(plan.dispatches(), 3);
    }
    // As SciPy has it: butter(2, 0.25).
    let low_pass = butterworth(2, 0.25).unwrap();
    let known = [0.09763107, 0.19526215, 0.09763107, 1.0, -0.94280904, 0.33333333];
    for (found, known) in low_pass.b().iter().chain(low_pass.a()).zip(known) {
        assert!((found - known).abs() < 1e-8, "{low_pass:?}");
    }
    let integrator = Coefficients::new(&[1.0], &[1.0, -1.0]).unwrap();
    assert!(matches!(steady_state(&integrator), Err(Error::Options(_))));
}

/// Slices of filters that forget in some slices, in none and in one; the first slice of a segment filters some again.
#[test]
fn one_pass_does_without_a_slice_that_tells_nothing() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("one_pass_does_without_a_slice_that_tells_nothing");
    let mut random = SmallRng::seed_from_u64(seed);
    let shape = Shape::padded(20_011, 2, 20_014);
    // The last one stands for all slices.
    const ALL: usize = u32::MAX as usize - 1;
    let all = [(Poles::Inside, 5), (Poles::Close, 1), (Poles::Circle, 2), (Poles::Circle, 0), (Poles::Circle, ALL)];
    for (poles, slice) in some(&mut random, &all, 3) {
        // More poles close together or on the circle may be too noisy for f32.
        let order = random.random_range(1..=if poles == Poles::Inside { 4 } else { 2 });
        let orders = if slice == 5 { vec![2, 2] } else { vec![order] };
        let host = HostFilter::<f32>::new(shape, &orders, poles, true, random.random()).unwrap();
        for direction in some(&mut random, &[Direction::Forward, Direction::Reverse], 1) {
            let expected = host.expected(direction).unwrap();
            let options = Options::on_device().algorithm(Algorithm::OnePass).direction(direction);
            let mut plan = FilterPlan::<f32>::new(&gpu, shape, &host.bank, options).unwrap();
            plan.withhold(slice);
            for in_place in [false, true] {
                // In place also over the initial states.
                let [initial, last] =
                    ["initial", "last"].map(|name| DeviceVector::from_slice(&gpu, name, &host.initial).unwrap());
                let last = if in_place { &initial } else { &last };
                let x = DeviceVector::from_slice(&gpu, "x", &host.x).unwrap();
                let y = DeviceVector::from_slice(&gpu, "y", &vec![f32::NAN; host.x.len()]).unwrap();
                let signals = DeviceSignals {
                    x: x.as_slice(),
                    y: (!in_place).then(|| y.as_slice()),
                    initial: Some(initial.as_slice()),
                    last: Some(last.as_slice()),
                };
                let bound = plan.bind(&signals).unwrap();
                bound.submit().unwrap();
                bound.read_status().unwrap().check().unwrap();
                let found = if in_place { &x } else { &y }.read(&gpu).unwrap();
                let what = format!("{poles:?}, {direction:?}, without slice {slice}, {in_place}");
                check(&found, &expected.y, &what);
                check(&last.read(&gpu).unwrap(), &expected.last, &what);
            }
        }
    }
}

#[test]
fn one_pass_is_refused_where_it_cannot_be() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let low_pass = butterworth(2, 0.25).unwrap();
    let one_pass = Options::on_device().algorithm(Algorithm::OnePass);
    let planned = |shape, options| FilterPlan::<f32>::new(&gpu, shape, &low_pass, options).map(|plan| plan.algorithm());
    assert!(matches!(planned(Shape::interleaved(5000, 3), one_pass), Err(Error::Unsupported { .. })));
    assert!(matches!(planned(Shape::single(5000), one_pass.deterministic()), Err(Error::Options(_))));
    assert_eq!(planned(Shape::interleaved(5000, 3), Options::on_device()).unwrap(), Algorithm::ThreeLaunch);
}

/// From 65 rows per sequence and slices for 2^14 threads on (here two per sequence), and for filters that forget within 512 rows.
#[test]
fn auto_overlaps_slices_of_large_interleaved_batches() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let chosen =
        |shape, bank: Bank, options| FilterPlan::<f32>::new(&gpu, shape, bank, options).expect("a plan").algorithm();
    let (auto, low_pass) = (Options::on_device(), butterworth(2, 0.25).unwrap());
    let large = Shape::interleaved(65, 1 << 14);
    assert_eq!(chosen(large, (&low_pass).into(), auto), Algorithm::Overlapped);
    assert_eq!(chosen(large, (&low_pass).into(), auto.deterministic()), Algorithm::Overlapped);
    let [short, few] = [Shape::interleaved(64, 1 << 14), Shape::interleaved(65, (1 << 13) - 64)];
    let small = Shape::axis(&[1 << 13, 65, 2], 1).unwrap();
    let [slow, never] = [-0.97, -1.0].map(|a| Coefficients::new(&[1.0], &[1.0, a]).unwrap());
    for (shape, filter) in [(short, &low_pass), (few, &low_pass), (small, &low_pass), (large, &slow), (large, &never)] {
        assert_eq!(chosen(shape, filter.into(), auto), Algorithm::ThreeLaunch, "{shape:?}, {filter:?}");
    }
}

/// Several slices of each sequence, with a state before the first row and one behind the last that takes its place.
#[test]
fn overlapped_slices_begin_where_nothing_is_left() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("overlapped_slices_begin_where_nothing_is_left");
    let shape = Shape::interleaved(6007, 3);
    let overlapped = Options::on_device().algorithm(Algorithm::Overlapped);
    let host = HostFilter::<f32>::new(shape, &[2], Poles::Inside, true, seed).unwrap();
    for direction in [Direction::Forward, Direction::Reverse] {
        let expected = host.expected(direction).unwrap();
        let plan = FilterPlan::<f32>::new(&gpu, shape, &host.bank, overlapped.direction(direction)).unwrap();
        assert_eq!((plan.algorithm(), plan.dispatches()), (Algorithm::Overlapped, 1));
        let bytes = plan.bytes_per_row();
        // Slices as long as their overlap, which has at most 400 rows for poles within 0.9: all rows but the first slice's are read twice.
        assert!(bytes > 11.7 && bytes < 12.0, "{bytes}");
        let states = DeviceVector::from_slice(&gpu, "states", &host.initial).unwrap();
        let x = DeviceVector::from_slice(&gpu, "x", &host.x).unwrap();
        let y = DeviceVector::from_slice(&gpu, "y", &vec![f32::NAN; host.x.len()]).unwrap();
        let signals = DeviceSignals {
            x: x.as_slice(),
            y: Some(y.as_slice()),
            initial: Some(states.as_slice()),
            last: Some(states.as_slice()),
        };
        let bound = plan.bind(&signals).unwrap();
        bound.submit().unwrap();
        bound.read_status().unwrap().check().unwrap();
        check(&y.read(&gpu).unwrap(), &expected.y, &format!("{direction:?}"));
        check(&states.read(&gpu).unwrap(), &expected.last, &format!("{direction:?}, states"));
    }
    // A start from state 0 leaves the range, unlike the signal in its steady state: that is said, not stored in silence.
    let resonant = Coefficients::new(&[1.0], &[1.0, -0.5, 0.5]).unwrap();
    let plan = FilterPlan::<f32>::new(&gpu, shape, &resonant, overlapped).unwrap();
    let x = DeviceVector::from_slice(&gpu, "x", &[3e38f32; 3 * 6007]).unwrap();
    let y = DeviceVector::<f32>::new(&gpu, "y", 3 * 6007).unwrap();
    let initial = DeviceVector::from_slice(&gpu, "initial", &[0.0f32, -1.5e38].repeat(3)).unwrap();
    let (x, y, initial) = (x.as_slice(), Some(y.as_slice()), Some(initial.as_slice()));
    let bound = plan.bind(&DeviceSignals { x, y, initial, last: None }).unwrap();
    bound.submit().unwrap();
    assert!(bound.read_status().unwrap().non_finite_result.is_some());
    // What an input that is not finite spoils is found by the thread that owns its row, also where others read it.
    let low_pass = butterworth(2, 0.25).unwrap();
    let plan = FilterPlan::<f32>::new(&gpu, shape, &low_pass, overlapped).unwrap();
    for row in [0, 399, 400, 6006] {
        let mut x = vec![1.0f32; 3 * 6007];
        x[shape.matrix_index(1, row)] = f32::NAN;
        let x = DeviceVector::from_slice(&gpu, "x", &x).unwrap();
        let y = DeviceVector::<f32>::new(&gpu, "y", 3 * 6007).unwrap();
        let signals = DeviceSignals { x: x.as_slice(), y: Some(y.as_slice()), initial: None, last: None };
        let bound = plan.bind(&signals).unwrap();
        bound.submit().unwrap();
        let status = bound.read_status().unwrap();
        assert_eq!((status.non_finite_input, status.non_finite_result), (Some((1, row)), Some((1, row))));
    }
}

#[test]
fn overlapped_is_refused_where_it_cannot_be() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let overlapped = Options::on_device().algorithm(Algorithm::Overlapped);
    let planned = |shape, filter: &Coefficients| FilterPlan::<f32>::new(&gpu, shape, filter, overlapped).map(drop);
    let low_pass = butterworth(2, 0.25).unwrap();
    let contiguous = planned(Shape::contiguous(5000, 3), &low_pass).unwrap_err();
    assert!(matches!(&contiguous, Error::Unsupported { what, .. } if what.contains("layout")), "{contiguous}");
    let integrator = Coefficients::new(&[1.0], &[1.0, -1.0]).unwrap();
    let narrow = butterworth(2, 0.001).unwrap();
    for filter in [integrator, narrow] {
        let long = planned(Shape::interleaved(5000, 3), &filter).unwrap_err();
        assert!(matches!(&long, Error::Unsupported { what, .. } if what.contains("4096 rows")), "{long}");
    }
}

/// Composed as they are, states lose all digits here, and chunk by chunk the noise would grow.
#[test]
fn poles_close_together_cost_no_more_than_one_row_after_the_other() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("poles_close_together");
    for share in [0.06, 0.03, 0.015] {
        let low_pass = butterworth(4, share).unwrap();
        let shape = Shape::single(20_000);
        let x = HostFilter::<f32>::new(shape, &[1], Poles::None, false, seed).unwrap().x;
        let wide: Vec<_> = x.iter().map(|&x| f64::from(x)).collect();
        let exact = cpu::filter(low_pass.b(), low_pass.a(), &wide, &mut [0.0; 4], false).unwrap();
        let (b, a) = low_pass.numbers::<f32>().unwrap();
        let one_by_one = cpu::filter(&b, &a, &x, &mut [0.0; 4], false).unwrap();
        for direction in [Direction::Forward, Direction::Reverse] {
            let options = Options::on_device().direction(direction);
            let reverse = direction == Direction::Reverse;
            let turned: Vec<_> = if reverse { x.iter().rev().copied().collect() } else { x.clone() };
            let mut y = FilterPlan::new(&gpu, shape, &low_pass, options).unwrap().solve(&turned).unwrap();
            if reverse {
                y.reverse();
            }
            let off = |y: &[f32]| {
                let squares = y.iter().zip(&exact).map(|(y, exact)| (f64::from(*y) - exact).powi(2));
                (squares.sum::<f64>() / exact.iter().map(|exact| exact * exact).sum::<f64>()).sqrt()
            };
            let (found, usual) = (off(&y), off(&one_by_one));
            let noise = low_pass.rounding_noise::<f32>(20_000);
            assert!((0.5..30.0).contains(&(noise / usual)), "{share}: {usual:e} one by one, not {noise:e}");
            // Where that is too much, the judge's outputs take the device's place.
            assert!(found < 1e-5, "{share}, {direction:?}: {found:e}, one by one {usual:e}");
        }
    }
}

#[test]
fn the_reference_knows_any_order() {
    let (b, a) = ([0.5, 0.25, 0.0, 0.0, 0.0, 0.125], [2.0]);
    let mut state = [0.0; 5];
    let y = cpu::filter(&b, &a, &[4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0], &mut state, false).unwrap();
    assert_eq!(y, [1.0, 0.5, 0.0, 0.0, 0.0, 0.25, 2.0]);
    assert_eq!(state, [1.0, 0.0, 0.0, 0.0, 0.5]);
    let (b, a) = ([1.0], [1.0, -0.5]);
    assert_eq!(cpu::filter(&b, &a, &[1.0, 2.0, 4.0], &mut [8.0], true).unwrap(), [5.0, 8.0, 12.0]);
    assert!(matches!(cpu::filter(&b, &[0.0, 1.0], &[1.0], &mut [0.0], false), Err(Error::Options(_))));
    assert!(matches!(cpu::filter(&b, &a, &[1.0], &mut [], false), Err(Error::Length { .. })));
    assert!(matches!(cpu::filter::<f64>(&[], &a, &[1.0], &mut [0.0], false), Err(Error::Length { .. })));
    assert!(matches!(cpu::filter(&b, &a, &[], &mut [0.0], false), Err(Error::Shape(_))));
}

#[test]
fn growth_is_followed_as_far_as_numbers_reach() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let doubling = Coefficients::new(&[1.0], &[1.0, -2.0]).unwrap();
    let planned = |n| FilterPlan::<f32>::new(&gpu, Shape::single(n), &doubling, Options::on_device());
    for direction in [Direction::Forward, Direction::Reverse] {
        let options = Options::on_device().direction(direction);
        let plan = FilterPlan::<f32>::new(&gpu, Shape::single(127), &doubling, options).unwrap();
        let mut x = vec![0.0; 127];
        let at = |row: usize| if direction == Direction::Forward { row } else { 126 - row };
        x[at(0)] = 1.0;
        let y = plan.solve(&x).unwrap();
        assert!((0..127).all(|row| y[at(row)] == 2f32.powi(row as i32)), "{y:?}");
        // Twice as much at the end is past the range.
        x[at(0)] = 4.0;
        let error = plan.solve(&x).unwrap_err();
        assert_eq!(error, Error::Overflow { system: 0, row: at(126), precision: Precision::F32 });
    }
    let error = planned(5000).map(drop).unwrap_err();
    assert_eq!(error, Error::Unstable { rows: 5000, possible: 127, precision: Precision::F32 });
    assert!(error.to_string().contains("127"), "{error}");
    assert!(planned(127).is_ok() && planned(128).is_err());
    if gpu.capabilities().features.f64 {
        let plan = FilterPlan::<f64>::new(&gpu, Shape::single(1023), &doubling, Options::on_device()).unwrap();
        let mut x = vec![0.0; 1023];
        x[0] = 1.0;
        assert_eq!(plan.solve(&x).unwrap()[1022], 2f64.powi(1022));
        let longer = FilterPlan::<f64>::new(&gpu, Shape::single(1 << 20), &doubling, Options::on_device());
        assert!(matches!(longer, Err(Error::Unstable { possible: 1023, .. })));
    }
}

/// Outputs that tend to 1, and sums of sums of sums of sums: by device and CPU, whatever the precision.
#[test]
fn clustered_poles_are_right_however_many_rows() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    fn last<T: Real>(gpu: &Gpu, filter: &Coefficients, x: &[f64]) -> Vec<f64> {
        let x: Vec<_> = x.iter().map(|&x| T::from_f64(x)).collect();
        let plan = FilterPlan::<T>::new(gpu, Shape::single(x.len()), filter, Options::on_device());
        let on_device = plan
            .and_then(|plan| plan.solve_from(&x, None))
            .map(|solution| (solution.y, solution.forward_error.unwrap()));
        let on_cpu = filter::solve_on_cpu(filter, &x, &[], Direction::Forward).map(|s| (s.y, s.forward_error));
        let last = |(y, stated): (Vec<T>, f64)| {
            assert!(stated < 1e-6, "{stated:e}");
            y[y.len() - 1].to_f64()
        };
        [on_device, on_cpu].map(|found| last(found.unwrap())).to_vec()
    }
    for share in [1e-4, 1e-3] {
        let low_pass = butterworth(4, share).unwrap();
        let exact = {
            let double = |values: &[f64]| values.iter().map(|&v| DoubleDouble::new(v)).collect::<Vec<_>>();
            let y = cpu::filter(
                &double(low_pass.b()),
                &double(low_pass.a()),
                &double(&[1.0; 50_000]),
                &mut double(&[0.0; 4]),
                false,
            );
            y.unwrap()[49_999].to_f64()
        };
        let ones = vec![1.0; 50_000];
        let found = [last::<f32>(&gpu, &low_pass, &ones), last::<f64>(&gpu, &low_pass, &ones)].concat();
        assert!(found.iter().all(|y| (y - exact).abs() < 2e-7 * exact.abs()), "{share}: {found:?}, not {exact}");
    }
    let sums = Coefficients::new(&[1.0], &[1.0, -4.0, 6.0, -4.0, 1.0]).unwrap();
    let mut impulse = vec![0.0; 60_000];
    impulse[0] = 1.0;
    let exact = 60_000.0 * 60_001.0 * 60_002.0 / 6.0;
    for found in [last::<f32>(&gpu, &sums, &impulse), last::<f64>(&gpu, &sums, &impulse)].concat() {
        assert!((found / exact - 1.0).abs() < 1e-7, "{found:e}, not {exact:e}");
    }
}
