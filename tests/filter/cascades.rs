//! Cascades of second-order sections.

use super::*;

/// Row after row in f64, section after section.
fn one_after_the_other(filter: &Cascade, x: &[f32]) -> Vec<f64> {
    let mut y: Vec<_> = x.iter().map(|&x| f64::from(x)).collect();
    for section in filter.sections() {
        y = cpu::filter(section.b(), section.a(), &y, &mut [0.0; 2], false).unwrap();
    }
    y
}

fn noise(n: usize) -> Vec<f32> {
    HostFilter::<f32>::new(Shape::single(n), &[1], Poles::None, false, seed("cascades")).unwrap().x
}

/// The largest distance, relative to the largest output.
fn distance(found: &[f32], exact: &[f64]) -> f64 {
    let largest = exact.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    found.iter().zip(exact).fold(0.0, |most: f64, (y, exact)| most.max((f64::from(*y) - exact).abs())) / largest
}

#[test]
fn sections_are_the_direct_form_s_factors() {
    let (direct, cascade) = (butterworth(4, 0.2).unwrap(), butterworth_sections(2, 0.2).unwrap());
    let x = noise(3000);
    let wide: Vec<_> = x.iter().map(|&x| f64::from(x)).collect();
    let exact = cpu::filter(direct.b(), direct.a(), &wide, &mut [0.0; 4], false).unwrap();
    let found = one_after_the_other(&cascade, &x);
    assert!(found.iter().zip(&exact).all(|(y, exact)| (y - exact).abs() < 1e-12));
    let gpu = gpu(true, FeatureSwitches::ALL);
    for place in [Options::on_device(), Options::on_device().deterministic()] {
        let y = filter::solve(&gpu, &cascade, &x, place).unwrap();
        assert!(distance(&y, &exact) < 1e-6, "{:e}", distance(&y, &exact));
    }
    let on_cpu = filter::solve_on_cpu(&cascade, &x, &[], Direction::Forward).unwrap();
    assert!(distance(&on_cpu.y, &exact) < 1e-7 && on_cpu.forward_error < 1e-6, "{:e}", on_cpu.forward_error);
}

/// In direct form these filters are refused in f32 (the first three), or lose all digits.
#[test]
fn narrow_filters_keep_their_digits_as_cascades() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let x = noise(20_000);
    let mut random = SmallRng::seed_from_u64(seed("narrow_filters_keep_their_digits_as_cascades"));
    for (sections, share) in some(&mut random, &[(2, 0.003), (2, 0.01), (3, 0.02), (4, 0.03)], 1) {
        let cascade = butterworth_sections(sections, share).unwrap();
        let exact = one_after_the_other(&cascade, &x);
        let plan = FilterPlan::<f32>::new(&gpu, Shape::single(x.len()), &cascade, Options::on_device()).unwrap();
        let on_device = DeviceVector::from_slice(&gpu, "x", &x).unwrap();
        let bound = plan.bind(&DeviceSignals::in_place(on_device.as_slice())).unwrap();
        bound.submit().unwrap();
        bound.read_status().unwrap().check().unwrap();
        let off = distance(&on_device.read(&gpu).unwrap(), &exact);
        assert!(
            off < 1e-4 && off < plan.rounding_noise(),
            "{sections}, {share}: {off:e}, noise {:e}",
            plan.rounding_noise()
        );
        let checked = plan.solve_reported(&x, None).unwrap();
        let stated = checked.forward_error.unwrap();
        assert!(distance(&checked.y, &exact) <= stated && stated < 1e-3, "{sections}, {share}: {stated:e}");
    }
}

/// What the first sections let pass, the last ones suppress: rounding is as large as the outputs.
#[test]
fn cascades_that_let_nothing_pass_are_refused() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let low = butterworth_sections(2, 0.01).unwrap();
    // The same design with z replaced by -z.
    let high = butterworth_sections(2, 0.5).unwrap();
    let high = high.sections().iter().map(|section| {
        let turned = |values: &[f64]| [values[0], -values[1], values[2]];
        Coefficients::new(&turned(section.b()), &turned(section.a())).unwrap()
    });
    let cascade = Cascade::new(&low.sections().iter().copied().chain(high).collect::<Vec<_>>()).unwrap();
    let [single, double] = [cascade.rounding_noise::<f32>(8000), cascade.rounding_noise::<f64>(8000)];
    // Single precision rounds 2^29 times as much.
    assert!(single > 0.1 && double < single / 2f64.powi(27), "{single:e}, {double:e}");
    let plan = FilterPlan::<f32>::new(&gpu, Shape::single(8000), &cascade, Options::on_device()).unwrap();
    let x = DeviceVector::<f32>::new(&gpu, "x", 8000).unwrap();
    assert!(matches!(plan.bind(&DeviceSignals::in_place(x.as_slice())), Err(Error::Noisy { .. })));
    // Numbers past the range of f64 on the way.
    let growing = Cascade::from_sections(&[[1.0, 0.0, 0.0, 1.0, -2.0, 0.0], [1.0, 0.0, 0.0, 1.0, -0.5, 0.0]]).unwrap();
    assert_eq!(growing.rounding_noise::<f64>(1200), f64::INFINITY);
}

/// Two DC blockers in their steady state answer zeros.
#[test]
fn silent_cascades_are_answered() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let blockers = Cascade::from_sections(&[[1.0, -1.0, 0.0, 1.0, -0.5, 0.0]; 2]).unwrap();
    let state = steady_state(&blockers).unwrap();
    assert_eq!(state, [-1.0, 0.0, 0.0, 0.0]);
    let state: Vec<_> = state.into_iter().map(|z| z as f32).collect();
    let plan = FilterPlan::<f32>::new(&gpu, Shape::single(300), &blockers, Options::on_device()).unwrap();
    let solution = plan.solve_from(&[1.0; 300], Some(&state)).unwrap();
    assert!(solution.y.iter().all(|y| *y == 0.0) && solution.final_states == state);
    let integrator = Coefficients::new(&[1.0], &[1.0, -1.0, 0.0]).unwrap();
    let behind = Cascade::new(&[blockers.sections()[0], integrator]).unwrap();
    assert_eq!(steady_state(&behind).unwrap(), [-1.0, 0.0, 0.0, 0.0]);
    let large = Cascade::from_sections(&[[1e200, 0.0, 0.0, 1.0, -0.5, 0.0]; 3]).unwrap();
    assert!(matches!(steady_state(&large), Err(Error::Options(_))));
}

#[test]
fn bad_sections_are_refused() {
    let second = Coefficients::new(&[1.0, 0.0, 0.5], &[1.0, 0.0, 0.25]).unwrap();
    let third = butterworth(3, 0.3).unwrap();
    assert!(matches!(Cascade::new(&[]), Err(Error::Length { vector: "the sections", found: 0, .. })));
    let error = Cascade::new(&[second; 5]).unwrap_err().to_string();
    assert!(error.contains("1 to 4") && error.contains("by the rest"), "{error}");
    let error = Cascade::new(&[second, third]).unwrap_err().to_string();
    assert!(error.contains("section 1 of 2 has the order 3"), "{error}");
    assert_eq!(Cascade::new(&[third]).unwrap().order(), 3);
    let error = Cascade::from_sections(&[[1.0; 6], [1.0, 0.0, 0.0, 0.0, 0.5, 0.0]]).unwrap_err().to_string();
    assert!(error.contains("section 1") && error.contains("a[0] is 0"), "{error}");
    let large = Cascade::from_sections(&[[1.0; 6], [1e200, 0.0, 0.0, 1.0, 0.0, 0.0]]).unwrap();
    let error = filter::solve_on_cpu(&large, &[1.0f32], &[], Direction::Forward).unwrap_err().to_string();
    assert!(error.contains("section 1: b[0]"), "{error}");
}

/// The input passes a section of zeros: no digits are lost, since there are none.
#[test]
fn a_silent_section_silences_the_rest() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let silent = Cascade::from_sections(&[[0.0, 0.0, 0.0, 1.0, -0.5, 0.0], [1.0, 0.0, 0.0, 1.0, -0.5, 0.0]]).unwrap();
    let y = filter::solve(&gpu, &silent, &[1.0f32; 100], Options::on_device()).unwrap();
    assert!(y.iter().all(|y| *y == 0.0));
    let plan = FilterPlan::<f32>::new(&gpu, Shape::single(100), &silent, Options::on_device()).unwrap();
    let x = DeviceVector::from_slice(&gpu, "x", &[1.0f32; 100]).unwrap();
    plan.bind(&DeviceSignals::in_place(x.as_slice())).unwrap();
    let on_cpu = filter::solve_on_cpu(&silent, &[1.0f64; 100], &[], Direction::Forward).unwrap();
    assert!(on_cpu.y.iter().all(|y| *y == 0.0) && on_cpu.forward_error < 1e-12);
}

/// The gain of a cascade may stand in its first section, as signal libraries write it, or in its last: states then differ by many orders of magnitude.
#[test]
fn gains_may_stand_in_any_section() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let x = noise(20_000);
    let low = butterworth_sections(2, 0.02).unwrap();
    for gains in [[1e-8, 1e8], [1e8, 1e-8], [1.0, 1e-8], [1e-8, 1.0]] {
        let scaled = low.sections().iter().zip(gains).map(|(section, gain)| {
            let b: Vec<_> = section.b().iter().map(|b| b * gain).collect();
            Coefficients::new(&b, section.a()).unwrap()
        });
        let cascade = Cascade::new(&scaled.collect::<Vec<_>>()).unwrap();
        let exact = one_after_the_other(&cascade, &x);
        let plan = FilterPlan::<f32>::new(&gpu, Shape::single(x.len()), &cascade, Options::on_device()).unwrap();
        let checked = plan.solve_from(&x, None).unwrap();
        let stated = checked.forward_error.unwrap();
        assert!(distance(&checked.y, &exact) <= stated && stated < 1e-3, "{gains:?}: {stated:e}");
        let on_device = DeviceVector::from_slice(&gpu, "x", &x).unwrap();
        let bound = plan.bind(&DeviceSignals::in_place(on_device.as_slice())).unwrap();
        bound.submit().unwrap();
        bound.read_status().unwrap().check().unwrap();
        let off = distance(&on_device.read(&gpu).unwrap(), &exact);
        assert!(off < plan.rounding_noise(), "{gains:?}: {off:e}, noise {:e}", plan.rounding_noise());
    }
}
