//! Systems whose products, or values on the way, leave the range of numbers.
#![allow(clippy::excessive_precision)] // Numbers as files had them.

use super::*;
use trisolve::filter::{self, Coefficients};
use trisolve::recurrence::moebius::{self, Moebius, MoebiusPlan};
use trisolve_lab::OnDevice;

/// Rows of the tridiagonal systems, whose kernels the tests share.
const ROWS: usize = 64;

/// Algorithms with arithmetic of their own.
const ALGORITHMS: &[Algorithm] =
    &[Algorithm::Auto, Algorithm::Thomas, Algorithm::Pcr, Algorithm::Partition, Algorithm::Pivoting];

/// Solves a system by these algorithms: each answer is finite, and as near to the exact one as stated. Returns the algorithms that answered.
fn right_or_refused<T: Real>(
    gpu: &Gpu,
    algorithms: &[Algorithm],
    sample: &Sample<T>,
    exact: &[f64],
    what: &str,
) -> Vec<Algorithm> {
    let [lower, diag, upper, rhs] = &sample.vectors;
    let system = System { periodic: sample.periodic, ..System::new(lower, diag, upper) };
    let size = exact.iter().fold(0f64, |most, x| most.max(x.abs()));
    let mut answered = vec![];
    for &algorithm in algorithms {
        let options = Options { periodic: sample.periodic, ..Options::on_device().algorithm(algorithm) };
        let plan = match TridiagonalPlan::<T>::new(gpu, Shape::single(diag.len()), options) {
            Err(Error::Options(_) | Error::Unsupported { .. }) => continue,
            plan => plan.unwrap(),
        };
        let Ok(solution) = plan.solve_reported(&system, rhs) else { continue };
        let off = solution.x.iter().zip(exact).map(|(x, exact)| (x.to_f64() - exact).abs() / size);
        let off = off.fold(0f64, |most, off| if off.is_nan() || off > most { off } else { most });
        let stated = solution.forward_error.unwrap();
        assert!(off <= 10.0 * stated, "{what}, {algorithm}: {off:e}, stated {stated:e}");
        assert!(solution.residuals.unwrap().relative.is_finite(), "{what}, {algorithm}");
        answered.push(algorithm);
    }
    answered
}

/// Unknowns of up to twice the largest number: each is right, or refused.
#[test]
fn unknowns_next_to_overflow() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("unknowns_next_to_overflow");
    let mut random = SmallRng::seed_from_u64(seed);
    let n = ROWS;
    for at in 0..40 {
        let mut draw = |from: f64, to: f64| (0..n).map(|_| f64::from(random.random_range(from..to) as f32)).collect();
        let [lower, upper, margin, x]: [Vec<f64>; 4] =
            [draw(-1.0, 1.0), draw(-1.0, 1.0), draw(0.1, 1.0), draw(-1.0, 1.0)];
        let diag: Vec<_> = (0..n).map(|i| f64::from((lower[i].abs() + upper[i].abs() + margin[i]) as f32)).collect();
        let scale = f64::from(f32::MAX) * (0.1 + 0.05 * f64::from(at));
        let of = |i: usize| x.get(i).copied().unwrap_or(0.0);
        let row = |i: usize| diag[i] * x[i] + lower[i] * of(i.wrapping_sub(1)) + upper[i] * of(i + 1);
        let rhs: Vec<_> = (0..n).map(|i| (scale * row(i)).clamp(-3e38, 3e38)).collect();
        let sample = Sample::<f32>::new([lower.clone(), diag, upper.clone(), rhs], false);
        let exact = sample.exact();
        let answered = right_or_refused(&gpu, ALGORITHMS, &sample, &exact, &format!("seed {seed}, system {at}"));
        // `auto` returns what the range holds.
        let fits = exact.iter().all(|x| x.abs() < 0.9 * f64::from(f32::MAX));
        assert!(!fits || answered.contains(&Algorithm::Auto), "seed {seed}, system {at}");
    }
    let constant = [vec![-0.0625f32; ROWS], vec![0.25; ROWS], vec![-0.0625; ROWS]];
    let [lower, diag, upper] = constant.each_ref().map(|values| &values[..]);
    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(ROWS), Options::on_device()).unwrap();
    let past = plan.solve(&System::new(lower, diag, upper), &[1e38; ROWS]);
    assert!(matches!(past, Err(Error::Overflow { system: 0, .. })), "{past:?}");
}

/// Products of entries and unknowns overflow with opposite signs: no residual bounds the error.
#[test]
fn products_past_the_range() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("products_past_the_range"));
    for periodic in [false, true] {
        let n = ROWS;
        let off = vec![-(2f64.powi(29) - 32.0); n];
        let mut diag = vec![2f64.powi(30); n];
        if !periodic {
            (diag[0], diag[n - 1]) = (2f64.powi(29), 2f64.powi(29));
        }
        let rhs = (0..n).map(|_| 1e33 * random.random_range(0.5..1.0)).collect();
        let sample = Sample::<f32>::new([off.clone(), diag, off, rhs], periodic);
        let answered = right_or_refused(&gpu, ALGORITHMS, &sample, &sample.exact(), &format!("periodic {periodic}"));
        // The ring is singular to working precision.
        assert!(periodic || answered.contains(&Algorithm::Auto));
    }
    if gpu.capabilities().features.f64 {
        let (n, end) = (ROWS, 2f64.powi(299));
        let off = vec![-end * (1.0 - 2f64.powi(-50)); n];
        let mut diag = vec![2.0 * end; n];
        (diag[0], diag[n - 1]) = (end, end);
        let rhs: Vec<f64> = (0..n).map(|_| 1e300 * random.random_range(0.5..1.0)).collect();
        let sample = Sample::<f64>::new([off.clone(), diag, off, rhs], false);
        // In units in which elimination does not overflow.
        let [lower, diag, upper, rhs] = sample.vectors.each_ref();
        let scaled = |values: &[f64], power: i32| values.iter().map(|value| value * 2f64.powi(power)).collect();
        let [lower, diag, upper] = [lower, diag, upper].map(|values| scaled(values, -299));
        let exact = Sample::<f64>::new([lower, diag, upper, scaled(rhs, -990)], false).exact();
        right_or_refused(&gpu, &[Algorithm::Pivoting], &sample, &scaled(&exact, 990 - 299), "f64");
    }
}

/// Determinants that underflow are not 0, and values past the range of f64 come back.
#[test]
fn moebius_recurrences_of_any_size() {
    type Row = [f64; 4];
    let cases: [(&str, f64, &[Row], &[f64]); 10] = [
        ("a determinant below the range", 1.0, &[[2e-165, 1e-165, 1e-165, 1e-165]; 3], &[1.5, 1.6, 21.0 / 13.0]),
        (
            "a d = 0, b c below the range",
            1.0,
            &[[-6.34e200, -1.67e230, 4.42e81, -4.07e-106], [0.0, -3.11e-170, 1.595e-181, -0.0]],
            &[-1.67e230 / 4.42e81, -3.11e-170 / (1.595e-181 * (-1.67e230 / 4.42e81))],
        ),
        ("infinite, and back", 1.0, &[[1e200, 0.0, 0.0, 1e-150], [1e-200, 0.0, 0.0, 1.0]], &[f64::INFINITY, 1e150]),
        ("zero, and back", 1.0, &[[1e-200, 0.0, 0.0, 1e150], [1e200, 0.0, 0.0, 1.0]], &[0.0, 1e-150]),
        ("a row without the value", 1.0, &[[1e200, 0.0, 0.0, 1e-150], [0.0, 1.0, 0.0, 1.0]], &[f64::INFINITY, 1.0]),
        (
            "a column whose parts differ by more than the range",
            1.0,
            &[[1e250, 0.0, 1e-240, 0.0], [0.0, 1.0, 0.0, 1e100]],
            &[f64::INFINITY, 1e-100],
        ),
        ("the sign of such a column", 1.0, &[[0.0, 1e200, 0.0, -1e-150]], &[f64::NEG_INFINITY]),
        ("a row of determinant 0 below the range", 1e-130, &[[0.0, 0.0, 1e-200, 0.0]], &[0.0]),
        (
            "exact zeros of tiny entries",
            1.0,
            &[[1e-280, -1e-280, 1e-280, 0.0], [1.0, -1.0, 1.0, 0.0]],
            &[0.0, f64::NEG_INFINITY],
        ),
        ("decay for good", 1.0, &[[1e-60, 0.0, 0.0, 1.0]; 7], &[1e-60, 1e-120, 1e-180, 1e-240, 1e-300, 0.0, 0.0]),
    ];
    let gpu = gpu(false, FeatureSwitches::ALL);
    for (what, initial, rows, expected) in cases {
        let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
        let [a, b, c, d] = [0, 1, 2, 3].map(column);
        let [a, b, c, d] = [&a, &b, &c, &d].map(|values| Coefficient::Each(&values[..]));
        let system = Moebius { a, b, c, d, initial: Coefficient::Constant(initial) };
        let on_cpu = moebius::solve_on_cpu(rows.len(), &system, Direction::Forward);
        let mut found = vec![on_cpu.map(|solution| solution.w)];
        if gpu.capabilities().features.f64 {
            let plan = MoebiusPlan::<f64>::new(&gpu, Shape::single(rows.len()), moebius::Options::on_device()).unwrap();
            found.push(plan.solve(&system));
        }
        for w in found {
            let w = w.unwrap_or_else(|error| panic!("{what}: {error}"));
            for (w, expected) in w.iter().zip(expected) {
                let is_near =
                    w == expected || (w / expected - 1.0).abs() < 1e-14 || *expected == 0.0 && w.abs() < 1e-307;
                assert!(is_near, "{what}: {w:e}, not {expected:e}");
            }
        }
    }
}

/// Values of a few bits beside infinite ones.
#[test]
fn subnormal_values_beside_infinite_ones() {
    let least = f32::from_bits(1);
    let (s, t) = ([3e38f32, 0.0, 0.5], [0.0, 3.0 * least, 0.0]);
    let system = Recurrence { initial: Coefficient::Constant(3e38), ..Recurrence::new(&s, &t) };
    let found = recurrence::solve_on_cpu(3, &system, Direction::Forward);
    assert!(matches!(found, Err(Error::Underflow { .. })), "{found:?}");
}

/// Over 2^22 rows a pole this near the unit circle looks like one on it.
#[test]
fn a_pole_outside_the_unit_circle_over_many_rows() {
    let (p, r) = (1.0 + 3141.0 / 2f64.powi(30), 734003.0 / 2f64.powi(20));
    let filter = Coefficients::new(&[1.0, -p], &[1.0, -(p + r), p * r]).unwrap();
    assert!(filter.rounding_noise::<f32>(26_000_000) > 1.0);
    // An integrator is as good as it was.
    let integrator = Coefficients::new(&[1.0], &[1.0, -1.0]).unwrap();
    assert!(integrator.rounding_noise::<f64>(26_000_000) < 1e-7);
}

/// As given, one pole lies outside the unit circle. Divided by a\[0\] and rounded, it lies on the circle.
#[test]
fn poles_that_the_division_by_the_first_coefficient_moves() {
    let a = [1.99, -7.959498373922155, 11.938495169183938, -7.958495216599419, 1.9894984213376359];
    let b = [0.1, 0.7, -0.3, 0.45, 0.9];
    let filter = Coefficients::new(&b, &a).unwrap();
    // The output for these inputs is b, and zeros.
    let mut x = vec![0.0; 1 << 17];
    x[..5].copy_from_slice(&a);
    let on_device = filter::solve(&gpu(false, FeatureSwitches::ALL), &filter, &x, filter::Options::on_device());
    let on_cpu = filter::solve_on_cpu(&filter, &x, &[], filter::Direction::Forward).map(|found| found.y);
    for found in [on_device, on_cpu] {
        match found {
            Ok(y) => {
                let off = y.iter().enumerate().map(|(row, y)| (y - b.get(row).unwrap_or(&0.0)).abs());
                assert!(off.fold(0.0, f64::max) < 1e-6, "{:?}", &y[..8]);
            }
            Err(error) => assert!(matches!(error, Error::NoDigits { .. }), "{error}"),
        }
    }
}

/// The first products lose their digits below the range, and then grow.
#[test]
fn filtered_signals_that_grow_from_below_the_range() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let (b, a) = (-6.264260309359329e-21, 2.5133091543491775);
    let filter = Coefficients::new(&[b], &[1.0, -a]).unwrap();
    let mut x = [0.0; 200];
    x[0] = 8.916106271109472e-299;
    let found = filter::solve(&gpu, &filter, &x, filter::Options::on_device()).unwrap();
    let last = (x[0] * a.powi(100)) * (b * a.powi(99));
    assert!((found[199] / last - 1.0).abs() < 1e-12, "{:e}, not {last:e}", found[199]);
}

/// Over a\[0\], numerators lose digits below the normal range, or all of them.
#[test]
fn numerators_that_the_division_by_the_first_coefficient_takes_below_the_range() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    for (b, a) in
        [([5e-324, 1.5e-323], [4.0, -0.5]), ([1e-308, 2e-308], [1e10, 3e9]), ([1e-10, 2e-10], [1e300, -1e299])]
    {
        let filter = Coefficients::new(&b, &a).unwrap();
        let x = [1e300, -3e300, 2e300, 1e299, 7e299, 3e300];
        let mut right = vec![];
        for (row, value) in x.iter().enumerate() {
            let of = |b: f64, x: f64| (b * 1e10) * (x * 1e-10);
            let before = if row > 0 { of(b[1], x[row - 1]) - a[1] * right[row - 1] } else { 0.0 };
            right.push((of(b[0], *value) + before) / a[0]);
        }
        let size = right.iter().fold(0f64, |most, y| most.max(y.abs()));
        let on_device = filter::solve(&gpu, &filter, &x, filter::Options::on_device());
        let on_cpu = filter::solve_on_cpu(&filter, &x, &[], filter::Direction::Forward).map(|found| found.y);
        for found in [on_device, on_cpu] {
            let y = found.unwrap();
            let off = y.iter().zip(&right).map(|(y, right)| (y - right).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-13 * size, "{y:?}, not {right:?}");
        }
    }
}

/// A numerator cancels a pole outside the unit circle, and each row's products fall below the range, damped or not: the digits of late or tiny
/// signals are as uncertain as those of others.
#[test]
fn filtered_signals_whose_bounds_fall_below_the_range() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    // (1 - 2.5 z) (1 - 0.25 z) / (3 (1 - 2.5 z) (1 - 0.5 z)).
    let cancelling = Coefficients::new(&[1.0, -2.75, 0.625], &[3.0, -9.0, 3.75]).unwrap();
    let growing = Coefficients::new(&[1.0], &[1.0, -2.9, 2.1]).unwrap();
    for (filter, zeros, rows, size) in
        [(&cancelling, 0, 100, 1e-300), (&cancelling, 690, 60, 1e-60), (&growing, 1600, 100, 1e-100)]
    {
        let mut random = SmallRng::seed_from_u64(seed("filtered_signals_whose_bounds_fall_below_the_range"));
        let x: Vec<f64> = (0..zeros + rows)
            .map(|row| if row < zeros { 0.0 } else { size * random.random_range(-1.0..1.0) })
            .collect();
        // Without the zeros, with size 1, in double-double arithmetic; the pole is cancelled.
        let (b, a): (&[f64], &[f64]) =
            if zeros == 1600 { (&[1.0, 0.0, 0.0], &[1.0, -2.9, 2.1]) } else { (&[1.0, -0.25], &[3.0, -1.5]) };
        let wide = |values: &[f64]| values.iter().map(|value| DoubleDouble::new(*value)).collect::<Vec<_>>();
        let signal: Vec<_> = x[zeros..].iter().map(|x| x / size).collect();
        let mut state = wide(&vec![0.0; b.len() - 1]);
        let right = cpu::filter(&wide(b), &wide(a), &wide(&signal), &mut state, false).unwrap();
        let largest = right.iter().fold(0.0, |most: f64, y| most.max(y.to_f64().abs()));
        let on_device = filter::solve(&gpu, filter, &x, filter::Options::on_device());
        let on_cpu = filter::solve_on_cpu(filter, &x, &[], filter::Direction::Forward).map(|found| found.y);
        for found in [on_device, on_cpu] {
            match found {
                Ok(y) => {
                    let off = y[zeros..].iter().zip(&right).map(|(y, right)| (y / size - right.to_f64()).abs());
                    assert!(off.fold(0.0, f64::max) < 1e-5 * largest, "{zeros} zeros, {size:e}: {:?}", y.last());
                }
                Err(error) => assert!(matches!(error, Error::NoDigits { .. }), "{zeros} zeros, {size:e}: {error}"),
            }
        }
    }
    // The first coefficient alone is past the range of its powers.
    let steep = Coefficients::new(&[0.0, 0.0, 0.0, 0.0, 49.0], &[49.0, -1.793172551768909e102]).unwrap();
    let found = filter::solve_on_cpu::<f64>(
        &steep,
        &[41748.0, -1.5277830141071104e105, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[],
        filter::Direction::Forward,
    );
    if let Ok(found) = found {
        assert!((found.y[4] / 41748.0 - 1.0).abs() < 1e-9 && found.y[5].abs() < 1e-3, "{found:?}");
    }
}

/// The state behind the last row cancels: its digits are judged as the outputs' are.
#[test]
fn final_states_of_filters_keep_their_digits() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let filter = Coefficients::new(&[1.0, 1_000_001.0], &[1.0, 1e6]).unwrap();
    let plan = filter::FilterPlan::<f32>::new(&gpu, Shape::single(1), &filter, filter::Options::on_device()).unwrap();
    let found = plan.solve_from(&[1.0 / 3.0], None).unwrap();
    assert!((found.final_states[0] - 1.0 / 3.0).abs() < 1e-6, "{found:?}");
}

/// The outputs are finite, the state behind the last one is not as the device adds it up.
#[test]
fn final_states_of_filters_are_finite() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let filter = Coefficients::new(&[1.0, 4.0], &[1.0, 3.9]).unwrap();
    let plan = filter::FilterPlan::<f32>::new(&gpu, Shape::single(4), &filter, filter::Options::on_device()).unwrap();
    let found = plan.solve_from(&[1.0, 1.0, 1.0, 3e38], None).unwrap();
    assert!((found.final_states[0] / 3.000_000_1e37 - 1.0).abs() < 1e-5, "{found:?}");
    let filter = Coefficients::new(&[1.0, 4.0], &[1.0, 0.0]).unwrap();
    let plan = filter::FilterPlan::<f32>::new(&gpu, Shape::single(4), &filter, filter::Options::on_device()).unwrap();
    let found = plan.solve_from(&[1.0, 1.0, 1.0, 3e38], None);
    assert!(matches!(found, Err(Error::Overflow { .. })), "{found:?}");
}

/// One entry in the right-hand side: far from it, unknowns fall below the range, which is no breakdown.
#[test]
fn unknowns_that_decay_below_the_range() {
    let first = seed("unknowns_that_decay_below_the_range");
    for seed in first..first + 100 {
        let mut random = SmallRng::seed_from_u64(seed);
        let n = 2000;
        let mut entries = || -> Vec<f64> {
            (0..n).map(|_| random.random_range(-1.0..1.0) * 2f64.powi(-random.random_range(0..20))).collect()
        };
        let [lower, diag, upper] = [entries(), entries(), entries()];
        let mut rhs = vec![0.0; n];
        rhs[n / 3] = 1.0;
        let found = tridiagonal::solve_on_cpu(&System::new(&lower, &diag, &upper), &rhs);
        assert!(matches!(found, Ok(_) | Err(Error::NearlySingular { .. })), "seed {seed}: {found:?}");
    }
}

/// A numerator cancels, and the next rows read nothing but its rounding: no digit, or the right one in wider arithmetic.
#[test]
fn moebius_rows_that_read_what_cancelled() {
    let scale = [9549657.0f32, 14217579.0, 13459775.0];
    let shift = [2656644.0f32, 215827643105280.0, -1.9449557485812852e28, -2.321948725906101e21];
    let a = [&scale[..], &[1.0; 5]].concat();
    let b = [&[0.0; 3], &shift[..], &[2.0]].concat();
    let (c, d) = ([&[0.0f32; 7][..], &[1.0]].concat(), [&[1.0f32; 7][..], &[4.0]].concat());
    let [a, b, c, d] = [&a, &b, &c, &d].map(|values| Coefficient::Each(&values[..]));
    let system = Moebius { a, b, c, d, initial: Coefficient::Constant(10642865.0f32) };
    let plan =
        MoebiusPlan::<f32>::new(&gpu(false, FeatureSwitches::ALL), Shape::single(8), moebius::Options::on_device())
            .unwrap();
    let on_cpu = moebius::solve_on_cpu(8, &system, Direction::Forward).map(|solution| solution.w);
    for found in [on_cpu, plan.solve(&system)] {
        match found {
            Ok(w) => assert!((w[6] - 1.0).abs() < 1e-6 && (w[7] - 0.6).abs() < 1e-6, "{w:?}"),
            Err(error) => assert!(matches!(error, Error::NoDigits { .. }), "{error}"),
        }
    }
    // Rounding makes 0 / 0 of these in f64, not in double-double arithmetic.
    let coefficients = [[1.0f32, 1.0], [1.0, -1.0], [0.0, 2.0], [1.0, -2.0]];
    let [a, b, c, d] = coefficients.each_ref().map(|values| Coefficient::Each(&values[..]));
    let system = Moebius { a, b, c, d, initial: Coefficient::Constant(1e-20f32) };
    let w = moebius::solve_on_cpu(2, &system, Direction::Forward).unwrap().w;
    assert_eq!(w, [1.0, 0.5]);
}

/// No digit is certain of a largest unknown below the normal range, whichever algorithm finds it.
#[test]
fn unknowns_below_the_normal_range() {
    fn check<T: Real>(gpu: &Gpu, below: f64) {
        let [off, diag, rhs] = [-0.25, 1.0, below].map(|value| vec![T::from_f64(value); ROWS]);
        for algorithm in [Algorithm::Auto, Algorithm::Thomas] {
            let options = Options::on_device().algorithm(algorithm);
            let plan = TridiagonalPlan::<T>::new(gpu, Shape::single(ROWS), options).unwrap();
            let found = plan.solve(&System::new(&off, &diag, &off), &rhs);
            assert!(matches!(found, Err(Error::Underflow { .. })), "{algorithm}: {found:?}");
        }
    }
    let gpu = gpu(false, FeatureSwitches::ALL);
    check::<f32>(&gpu, 1e-40);
    if gpu.capabilities().features.f64 {
        check::<f64>(&gpu, 1e-312);
    }
}
