//! A filter per sequence.

use super::*;

/// Filters of an equaliser: peaks at several frequencies, as second-order sections.
fn peaks(count: usize) -> Vec<Coefficients> {
    let peak = |k: usize| {
        let angle = std::f64::consts::PI * (k + 1) as f64 / (count + 1) as f64;
        let (width, gain) = (0.1 * angle.sin(), 2.0);
        let (b, a) = (
            [1.0 + width * gain, -2.0 * angle.cos(), 1.0 - width * gain],
            [1.0 + width / gain, -2.0 * angle.cos(), 1.0 - width / gain],
        );
        Coefficients::new(&b, &a).unwrap()
    };
    (0..count).map(peak).collect()
}

#[test]
fn each_sequence_has_its_filter() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("each_sequence_has_its_filter");
    for (shape, filters) in [
        (Shape::contiguous(9001, 5), Filters::PerSequence),
        (Shape::interleaved(700, 5), Filters::PerSequence),
        (Shape::contiguous(9001, 5), Filters::OfOneSignal),
        (Shape::interleaved(700, 5), Filters::OfOneSignal),
    ] {
        for direction in [Direction::Forward, Direction::Reverse] {
            let host = HostFilter::<f32>::with_filters(shape, &[2], Poles::Inside, filters, true, seed).unwrap();
            let expected = host.expected(direction).unwrap();
            let options = Options::on_device().direction(direction);
            let plan = FilterPlan::<f32>::new(&gpu, shape, &host.bank, options).unwrap();
            let solution = plan.solve_from(&host.x, Some(&host.initial)).unwrap();
            let what = format!("{filters:?}, {direction:?}");
            check(&solution.y, &expected.y, &what);
            check(&solution.final_states, &expected.last, &what);
            assert!(solution.forward_error.unwrap() < 1e-3, "{what}");
            let on_cpu = filter::solve_batch_on_cpu(&shape, &host.bank, &host.x, &host.initial, direction).unwrap();
            check(&on_cpu.y, &expected.y, &what);
            check(&on_cpu.final_state, &expected.last, &what);
        }
    }
}

/// On the device by name, and where it is fastest.
#[test]
fn one_signal_passes_all_filters() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let filters = peaks(3);
    let x: Vec<f32> = (0..5000).map(|row| (row as f32 * 0.7).sin()).collect();
    let bank = Bank::of_one_signal(&filters).unwrap();
    for options in [Options::on_device(), Options::default()] {
        let plan = FilterPlan::<f32>::new(&gpu, Shape::contiguous(5000, 3), &bank, options).unwrap();
        let y = plan.solve(&x).unwrap();
        for (own, filter) in y.chunks(5000).zip(&filters) {
            let alone = filter::solve_on_cpu(filter, &x, &[], Direction::Forward).unwrap().y;
            assert!(own.iter().zip(&alone).all(|(y, alone)| (y - alone).abs() < 1e-5));
        }
    }
}

#[test]
fn bad_banks_are_refused() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let filters = peaks(3);
    assert!(matches!(Bank::per_sequence::<&Coefficients>([]), Err(Error::Length { vector: "the filters", .. })));
    let cascade = butterworth_sections(2, 0.2).unwrap();
    let error = Bank::per_sequence([Cascade::from(&filters[0]), cascade]).unwrap_err().to_string();
    assert!(error.contains("filter 0") && error.contains("filter 1 has 2"), "{error}");
    let bank = Bank::per_sequence(&filters).unwrap();
    let planned = |shape, bank: &Bank| FilterPlan::<f32>::new(&gpu, shape, bank, Options::on_device());
    let error = planned(Shape::contiguous(10, 4), &bank).unwrap_err();
    assert!(matches!(error, Error::Length { vector: "the filters", found: 3, .. }), "{error}");
    assert!(
        filter::solve_batch_on_cpu(&Shape::contiguous(10, 4), &bank, &[0f32; 40], &[], Direction::Forward).is_err()
    );
    let shared = Bank::of_one_signal(&filters).unwrap();
    let plan = planned(Shape::contiguous(10, 3), &shared).unwrap();
    assert!(matches!(plan.solve(&[0.0; 30]), Err(Error::Length { vector: "x", found: 30, .. })));
    let x = DeviceVector::<f32>::new(&gpu, "x", 30).unwrap();
    let error = plan.bind(&DeviceSignals::in_place(x.slice(0, 10))).unwrap_err().to_string();
    assert!(error.contains("vector y"), "{error}");
    // Outputs over the signal that other filters still read.
    let signals = DeviceSignals { y: Some(x.as_slice()), ..DeviceSignals::in_place(x.slice(0, 10)) };
    assert!(matches!(plan.bind(&signals), Err(Error::Overlap { .. })));
    // Final states over it.
    let y = DeviceVector::<f32>::new(&gpu, "y", 30).unwrap();
    let signals =
        DeviceSignals { y: Some(y.as_slice()), last: Some(x.slice(0, 6)), ..DeviceSignals::in_place(x.slice(0, 10)) };
    assert!(matches!(plan.bind(&signals), Err(Error::Overlap { .. })));
    let alone = Bank::per_sequence(&filters[..1]).unwrap();
    assert!(matches!(planned(Shape::contiguous(10, 3), &alone), Err(Error::Length { found: 1, .. })));
    let error = plan.solve(&[f32::NAN; 10]).unwrap_err();
    assert_eq!(error, Error::NonFiniteInput { vector: "x", system: 0, row: 0 });
}

/// Filters of orders 1 to 3 have states of 3 numbers.
#[test]
fn lower_orders_are_filled_up() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let filters: Vec<_> = (1..=3).map(|order| butterworth(order, 0.3).unwrap()).collect();
    let bank = Bank::per_sequence(&filters).unwrap();
    assert_eq!(bank.order(), 3);
    let plan = FilterPlan::<f32>::new(&gpu, Shape::contiguous(50, 3), &bank, Options::on_device()).unwrap();
    let solution = plan.solve_from(&[1.0; 150], None).unwrap();
    for (at, filter) in filters.iter().enumerate() {
        let alone = filter::solve_on_cpu(filter, &[1.0f32; 50], &[], Direction::Forward).unwrap();
        let own = &solution.y[50 * at..50 * (at + 1)];
        assert!(own.iter().zip(&alone.y).all(|(y, alone)| (y - alone).abs() < 1e-6), "{at}");
        assert!(solution.final_states[3 * at + at + 1..3 * (at + 1)].iter().all(|z| *z == 0.0), "{at}");
    }
}
