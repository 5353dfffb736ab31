//! Filters, input and buffers that are refused.

use super::*;
use trisolve_lab::OnDevice;

#[test]
fn what_rounding_drowns_is_refused_where_nobody_would_see_it() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let narrow = butterworth(4, 0.003).unwrap();
    let plan = FilterPlan::<f32>::new(&gpu, Shape::single(100_000), &narrow, Options::on_device()).unwrap();
    let x = DeviceVector::<f32>::new(&gpu, "x", 100_000).unwrap();
    let error = plan.bind(&DeviceSignals::in_place(x.as_slice())).unwrap_err();
    assert!(matches!(error, Error::Noisy { rows: 100_000, precision: Precision::F32, .. }), "{error}");
    let solution = plan.solve_from(&vec![1.0; 100_000], None).unwrap();
    assert!((solution.y[99_999] - 1.0).abs() < 1e-6 && solution.replaced == 1, "{}", solution.y[99_999]);
    if gpu.capabilities().features.f64 {
        let plan = FilterPlan::<f64>::new(&gpu, Shape::single(100_000), &narrow, Options::on_device()).unwrap();
        assert!(plan.rounding_noise() < 1e-4, "{}", plan.rounding_noise());
        // From 0 to the input that never changes.
        let y = plan.solve(&vec![1.0; 100_000]).unwrap();
        assert!((y[99_999] - 1.0).abs() < 1e-6, "{}", y[99_999]);
    }
    // Sums of sums of few rows are as good as ever.
    let sums = Coefficients::new(&[1.0], &[1.0, -2.0, 1.0]).unwrap();
    let y = filter::solve(&gpu, &sums, &[1.0f32; 1000], filter::Options::on_device()).unwrap();
    assert!(y.iter().enumerate().all(|(row, y)| (y / ((row + 1) * (row + 2) / 2) as f32 - 1.0).abs() < 1e-3), "{y:?}");
}

/// What overflows behind the last row is nobody's; an output that does so alone is reported.
#[test]
fn overflow_is_reported_where_it_is() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let doubling = Coefficients::new(&[1.0], &[1.0, -2.0]).unwrap();
    let ringing = Coefficients::new(&[1.0], &[1.0, -1.8, 0.9]).unwrap();
    for algorithm in [Algorithm::OnePass, Algorithm::ThreeLaunch] {
        let status = |coefficients: &Coefficients, n: usize, at: usize, value: f32| {
            let options = Options::on_device().algorithm(algorithm);
            let plan = FilterPlan::<f32>::new(&gpu, Shape::contiguous(n, 2), coefficients, options).unwrap();
            let mut x = vec![0.0; 2 * n];
            x[at] = value;
            let x = DeviceVector::from_slice(&gpu, "x", &x).unwrap();
            let bound = plan.bind(&DeviceSignals::in_place(x.as_slice())).unwrap();
            bound.submit().unwrap();
            bound.read_status().unwrap().non_finite_result
        };
        assert_eq!(status(&doubling, 100, 0, 2f32.powi(27)), None, "{algorithm}");
        for at in [15, 31] {
            assert_eq!(status(&ringing, 200, at, 1.5e38), Some((0, at + 1)), "{algorithm}, {at}");
        }
    }
}

#[test]
fn bad_coefficients_are_refused() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let new = |b: &[f64], a: &[f64]| Coefficients::new(b, a).unwrap_err();
    for (b, a) in [(&[][..], &[1.0][..]), (&[1.0], &[]), (&[1.0; 6], &[1.0]), (&[1.0], &[1.0; 6])] {
        assert!(matches!(new(b, a), Error::Length { .. }), "{b:?} {a:?}");
    }
    for (b, a) in [
        (&[1.0][..], &[1.0][..]),
        (&[1.0], &[0.0, 1.0]),
        (&[f64::NAN], &[1.0, 1.0]),
        (&[1.0], &[1.0, f64::INFINITY]),
        (&[1e300], &[1e-300, 0.0]),
    ] {
        assert!(matches!(new(b, a), Error::Options(_)), "{b:?} {a:?}");
    }
    assert!(new(&[1.0; 6], &[1.0]).to_string().contains("second-order sections"));
    let planned = |b: f64, a: f64| {
        let coefficients = Coefficients::new(&[b], &[1.0, a]).unwrap();
        FilterPlan::<f32>::new(&gpu, Shape::single(5), &coefficients, Options::on_device()).map(drop)
    };
    for (b, a) in [(1e50, 0.5), (1e-50, 0.5), (1.0, 1e50)] {
        assert!(matches!(planned(b, a), Err(Error::Options(_))), "{b:e} {a:e}");
    }
    assert!(planned(0.0, 0.5).is_ok());
}

#[test]
fn bad_input_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let coefficients = butterworth(3, 0.3).unwrap();
    let new = |shape| FilterPlan::<f32>::new(&gpu, shape, &coefficients, Options::on_device());
    assert!(matches!(new(Shape::single(5).with_columns(2)), Err(Error::Shape(_))));
    assert!(matches!(new(Shape::contiguous(5, 0)), Err(Error::Shape(_))));
    assert!(matches!(new(Shape::strided(5, 2, 1, 2)), Err(Error::Shape(_))));
    assert!(matches!(
        filter::solve::<f32>(&gpu, &coefficients, &[], filter::Options::on_device()),
        Err(Error::Shape(_))
    ));
    let plan = new(Shape::contiguous(5, 3)).unwrap();
    let (x, zi) = (vec![1.0; 15], vec![0.5; 9]);
    assert!(matches!(plan.solve(&x[1..]), Err(Error::Length { vector: "x", .. })));
    assert!(matches!(plan.solve_from(&x, Some(&zi[1..])), Err(Error::Length { found: 8, .. })));
    for bad in [f32::NAN, f32::INFINITY] {
        let mut spoilt = x.clone();
        spoilt[7] = bad;
        assert_eq!(plan.solve(&spoilt).unwrap_err(), Error::NonFiniteInput { vector: "x", system: 1, row: 2 });
        let mut states = zi.clone();
        states[8] = bad;
        let error = plan.solve_from(&x, Some(&states)).unwrap_err();
        assert_eq!(error, Error::NonFiniteInput { vector: "the initial states", system: 2, row: 0 });
    }
}

#[test]
fn what_is_not_finite_is_reported_by_the_device() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let coefficients = butterworth(2, 0.3).unwrap();
    for n in [5, 9000] {
        for direction in [Direction::Forward, Direction::Reverse] {
            let options = Options::on_device().direction(direction);
            let plan = FilterPlan::<f32>::new(&gpu, Shape::contiguous(n, 3), &coefficients, options).unwrap();
            for spoil_state in [false, true] {
                let (mut x, mut zi) = (vec![1.0; 3 * n], vec![0.0; 6]);
                let first = if direction == Direction::Forward { 0 } else { n - 1 };
                let row = if spoil_state { first } else { 2 };
                match spoil_state {
                    true => zi[3] = f32::INFINITY,
                    false => x[n + 2] = f32::NAN,
                }
                let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).unwrap();
                let (x, zi) = (vector(&x), vector(&zi));
                let bound = plan
                    .bind(&DeviceSignals { initial: Some(zi.as_slice()), ..DeviceSignals::in_place(x.as_slice()) })
                    .unwrap();
                bound.submit().unwrap();
                assert_eq!(bound.read_status().unwrap().non_finite_input, Some((1, row)));
                // One sequence's NaN touches no other, nor the rows before it.
                let y = x.read(&gpu).unwrap();
                let before = if direction == Direction::Forward { n..n + row } else { n + row + 1..2 * n };
                let sound = y[..n].iter().chain(&y[2 * n..]).chain(if spoil_state { &[] } else { &y[before] });
                assert!(sound.into_iter().all(|y| y.is_finite()), "{y:?}");
            }
        }
    }
}

#[test]
fn bad_ranges_are_refused() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let coefficients = butterworth(2, 0.3).unwrap();
    let plan = FilterPlan::<f32>::new(&gpu, Shape::contiguous(64, 2), &coefficients, Options::on_device()).unwrap();
    let arena = DeviceVector::<f32>::new(&gpu, "arena", 1024).unwrap();
    let good = DeviceSignals {
        x: arena.slice(0, 128),
        y: Some(arena.slice(256, 128)),
        initial: Some(arena.slice(512, 4)),
        last: Some(arena.slice(512, 4)),
    };
    let bind = |signals: DeviceSignals<'_, f32>| plan.bind(&signals).map(drop);
    assert_eq!(bind(good), Ok(()));
    let over_x = Some(arena.slice(64, 4));
    let near = Some(arena.slice(256 + 64, 4));
    for signals in [
        DeviceSignals { y: Some(arena.slice(64, 128)), ..good },
        DeviceSignals { initial: near, last: None, ..good },
        DeviceSignals { last: over_x, ..good },
        DeviceSignals { last: near, ..good },
    ] {
        assert!(matches!(bind(signals), Err(Error::Overlap { .. })), "{signals:?}");
    }
    let x = arena.slice(0, 127);
    assert!(matches!(bind(DeviceSignals { x, ..good }), Err(Error::Length { vector: "x", .. })));
    let last = Some(arena.slice(768, 3));
    assert!(matches!(bind(DeviceSignals { last, ..good }), Err(Error::Length { vector: "the final states", .. })));
    let x = DeviceSlice::new(arena.buffer(), 4, 128);
    if gpu.capabilities().limits.min_storage_buffer_offset_alignment > 4 {
        assert!(matches!(bind(DeviceSignals { x, ..good }), Err(Error::Misaligned { vector: "x", .. })));
    }
    let past = Some(DeviceSlice::new(arena.buffer(), 4096, 4));
    assert!(matches!(bind(DeviceSignals { initial: past, ..good }), Err(Error::BufferTooSmall { .. })));
    let usage = trisolve::wgpu::BufferUsages::COPY_DST;
    let descriptor = trisolve::wgpu::BufferDescriptor { label: None, size: 512, usage, mapped_at_creation: false };
    let other = gpu.device().create_buffer(&descriptor);
    let x = DeviceSlice::whole(&other);
    assert!(matches!(bind(DeviceSignals { x, ..good }), Err(Error::BufferUsage { vector: "x", .. })));
}
