//! Every kind of bad input has an error of its own, on the host and on the device.

mod common;

use common::gpu;
use trisolve::tridiagonal::{
    self, Algorithm, CyclicPolicy, DeviceSystem, Diagonal, Layout, Options, Policy, Shape, Stability, System,
    TprPolicy, TridiagonalPlan,
};
use trisolve::{DeviceSlice, DeviceVector, Error, FeatureSwitches, Gpu, cpu};
use trisolve_lab::dominant;

fn shared() -> Gpu {
    gpu(true, FeatureSwitches::ALL)
}

fn plan(gpu: &Gpu, shape: Shape) -> Result<TridiagonalPlan<f32>, Error> {
    TridiagonalPlan::new(gpu, shape, Options::default())
}

#[test]
fn shapes() {
    let gpu = shared();
    for shape in [
        Shape::single(0),
        Shape::contiguous(5, 0),
        Shape::single(5).with_columns(0),
        Shape::padded(5, 3, 4),
        Shape::strided(5, 3, 0, 1),
        Shape::strided(5, 3, 2, 1),
        Shape { column_stride: 1, ..Shape::single(5).with_columns(2) },
        Shape::with_layout(5, 4, Layout { element_stride: 1, system_stride: 5, group: 0, group_stride: 0 }),
        Shape::with_layout(5, 4, Layout { element_stride: 1, system_stride: 5, group: 2, group_stride: 5 }),
        Shape::padded(5, 3, usize::MAX),
        Shape::contiguous(usize::MAX, 2),
        Shape::axis(&[3, 0, 2], 1).unwrap(),
    ] {
        let error = plan(&gpu, shape).unwrap_err();
        assert!(matches!(error, Error::Shape(_)), "{shape:?}: {error}");
    }
}

#[test]
fn sizes_past_the_limits() {
    let gpu = shared();
    let limit = gpu.capabilities().limits.max_storage_buffer_binding_size;
    let error = plan(&gpu, Shape::single(limit as usize / 4 + 1)).unwrap_err();
    assert!(matches!(error, Error::Limit { limit: "max_storage_buffer_binding_size", .. }), "{error}");
    let error = plan(&gpu, Shape::single(1 << 40)).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
    let error = plan(&gpu, Shape::contiguous(1, usize::MAX)).unwrap_err();
    assert!(matches!(error, Error::Limit { .. } | Error::Shape(_)), "{error}");
}

#[test]
fn host_lengths() {
    let gpu = shared();
    let (five, four, three) = ([1f32; 5], [0.25f32; 4], [0.1f32; 3]);
    let diag = [2f32; 5];
    assert!(tridiagonal::solve(&gpu, &System::new(&four, &diag, &four), &five).is_ok());
    for (lower, diag, upper, rhs, named) in [
        (&three[..], &diag[..], &four[..], &five[..], "lower"),
        (&four[..], &diag[..], &three[..], &five[..], "upper"),
        (&four[..], &diag[..4], &four[..], &five[..], "rhs"),
        (&[][..], &diag[..], &four[..], &five[..], "lower"),
    ] {
        match tridiagonal::solve(&gpu, &System::new(lower, diag, upper), rhs) {
            Err(Error::Length { vector, .. }) => assert_eq!(vector, named),
            other => panic!("{named}: {other:?}"),
        }
    }
    assert!(matches!(tridiagonal::solve::<f32>(&gpu, &System::new(&[], &[], &[]), &[]), Err(Error::Shape(_))));
    // Only a single system may leave its corners out.
    let two = plan(&gpu, Shape::contiguous(3, 2)).unwrap();
    let six = [2f32; 6];
    assert!(matches!(two.solve(&System::new(&five, &six, &six), &six), Err(Error::Length { vector: "lower", .. })));
    assert!(matches!(two.solve(&System::new(&six, &six, &six), &five), Err(Error::Length { vector: "rhs", .. })));
}

#[test]
fn kinds_of_diagonal_do_not_mix() {
    let gpu = shared();
    let plan = plan(&gpu, Shape::single(2)).unwrap();
    let two = [1f32; 2];
    assert!(matches!(plan.solve(&System::with_excess(&two, &two, &two), &two), Err(Error::Options(_))));
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let gpu = shared();
    for algorithm in Algorithm::ALL {
        for n in [1usize, 3, 40, 5000] {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                for (named, kind) in [
                    ("lower", Diagonal::Value),
                    ("diag", Diagonal::Value),
                    ("upper", Diagonal::Value),
                    ("rhs", Diagonal::Value),
                    ("diag", Diagonal::Excess),
                ] {
                    if algorithm == Algorithm::Pivoting && kind == Diagonal::Excess {
                        continue;
                    }
                    // The unused corners may hold anything; odd rows and even ones go different ways.
                    let odd = usize::from(n > 1 && bad != f32::INFINITY);
                    let row = match (named, n) {
                        ("lower" | "upper", 1) => continue,
                        ("upper", _) => n / 2 - 1 + odd,
                        _ => n / 2 + odd,
                    };
                    let mut made = dominant::<f32>(n, 3);
                    match named {
                        "lower" => made.lower[row] = bad,
                        "upper" => made.upper[row] = bad,
                        "rhs" => made.rhs[row] = bad,
                        _ => {
                            made.diag[row] = bad;
                            made.excess[row] = bad;
                        }
                    }
                    let options = Options::default().algorithm(algorithm).diagonal(kind);
                    let plan = TridiagonalPlan::new(&gpu, Shape::single(n), options).unwrap();
                    let system = match kind {
                        Diagonal::Value => System::new(&made.lower, &made.diag, &made.upper),
                        Diagonal::Excess => System::with_excess(&made.lower, &made.excess, &made.upper),
                    };
                    assert_eq!(
                        plan.solve(&system, &made.rhs),
                        Err(Error::NonFiniteInput { vector: named, system: 0, row }),
                        "{algorithm}, n = {n}, {bad}, {kind:?}"
                    );
                    // The plan serves on.
                    let good = dominant::<f32>(n, 4);
                    let system = match kind {
                        Diagonal::Value => System::new(&good.lower, &good.diag, &good.upper),
                        Diagonal::Excess => System::with_excess(&good.lower, &good.excess, &good.upper),
                    };
                    assert!(plan.solve(&system, &good.rhs).is_ok());
                }
            }
        }
    }
}

#[test]
fn singular_and_breaking_systems_are_named() {
    let gpu = shared();
    for algorithm in Algorithm::ALL {
        for n in [2usize, 50, 3000] {
            let plan =
                TridiagonalPlan::new(&gpu, Shape::contiguous(n, 3), Options::default().algorithm(algorithm)).unwrap();
            let mut lower = vec![-1f32; 3 * n];
            let mut upper = lower.clone();
            let mut diag = vec![3f32; 3 * n];
            let rhs = vec![1f32; 3 * n];
            // System 1 has a row of zeros.
            let row = n / 2;
            (lower[n + row], diag[n + row], upper[n + row]) = (0.0, 0.0, 0.0);
            let error = plan.solve(&System::new(&lower, &diag, &upper), &rhs).unwrap_err();
            assert!(matches!(error, Error::Singular { system: 1, .. }), "{algorithm} {n}: {error}");
            // System 2 needs exchanges but is not singular: [[0, 1], [1, 0]] blocks.
            let mut lower = vec![0f32; 3 * n];
            let mut upper = lower.clone();
            let mut diag = vec![1f32; 3 * n];
            (diag[2 * n], upper[2 * n], lower[2 * n + 1], diag[2 * n + 1]) = (0.0, 1.0, 1.0, 0.0);
            let answer = plan.solve(&System::new(&lower, &diag, &upper), &rhs);
            if matches!(algorithm, Algorithm::Auto | Algorithm::Pivoting) {
                assert!(answer.unwrap().iter().all(|x| *x == 1.0));
                continue;
            }
            let error = answer.unwrap_err();
            assert!(matches!(error, Error::Breakdown { system: 2, .. }), "{algorithm} {n}: {error}");
            let slice = |v: &[f32]| v[2 * n..].to_vec();
            assert!(cpu::gtsv(&slice(&lower), &slice(&diag), &slice(&upper), &slice(&rhs)).is_ok());
        }
    }
}

/// The diagonals of [[1, 2, 0], [2, 5, 3], [0, 1, 3 + gap]] / 10: without the gap the second row is
/// twice the first and the third.
fn nearly_singular(gap: f32) -> [Vec<f32>; 3] {
    [vec![0.0, 0.2, 0.1], vec![0.1, 0.5, 0.3 + gap], vec![0.2, 0.3, 0.0]]
}

#[test]
fn matrices_that_are_singular_but_for_roundings() {
    let gpu = shared();
    let rhs = [1f32, 1.0, 1.0];
    let on_gpu = |[lower, diag, upper]: &[Vec<f32>; 3]| {
        Algorithm::ALL.map(|algorithm| {
            let options = Options::default().algorithm(algorithm);
            let plan = TridiagonalPlan::new(&gpu, Shape::single(3), options).unwrap();
            plan.solve(&System::new(lower, diag, upper), &rhs)
        })
    };
    let singular = nearly_singular(0.0);
    for answer in on_gpu(&singular) {
        assert!(
            matches!(
                answer,
                Err(Error::NearlySingular { system: 0, .. } | Error::Singular { .. } | Error::Inaccurate { .. })
            ),
            "{answer:?}"
        );
    }
    let [lower, diag, upper] = &singular;
    let answer = tridiagonal::solve_on_cpu(&System::new(lower, diag, upper), &rhs);
    assert!(matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })), "{answer:?}");
    // With a gap it is a matrix like others, which may still need row exchanges.
    let apart = nearly_singular(1e-3);
    for answer in on_gpu(&apart) {
        assert!(!matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })), "{answer:?}");
    }
    let [lower, diag, upper] = &apart;
    tridiagonal::solve_or_cpu(Some(&gpu), &System::new(lower, diag, upper), &rhs).unwrap();
    // Dominant, and of a condition past f32's, but the digits are carried.
    let n = 1 << 15;
    let (off, diag) = (vec![-1f32; n], vec![2f32; n]);
    let x = tridiagonal::solve(&gpu, &System::new(&off, &diag, &off), &vec![1.0; n]).unwrap();
    let middle = ((n / 2) * (n / 2 + 1)) as f32 / 2.0;
    approx::assert_relative_eq!(x[n / 2], middle, max_relative = 1e-4);
}

/// What a row weighs beside others says nothing of the others' accuracy.
#[test]
fn rows_and_columns_of_any_size_are_judged_alike() {
    let gpu = shared();
    let solve = |algorithm, [lower, diag, upper]: [&[f64]; 3], rhs: &[f64]| {
        let narrow = |v: &[f64]| v.iter().map(|v| *v as f32).collect::<Vec<_>>();
        let (lower, diag, upper, rhs) = (narrow(lower), narrow(diag), narrow(upper), narrow(rhs));
        let system = System::new(&lower, &diag, &upper);
        match algorithm {
            None => tridiagonal::solve_on_cpu(&system, &rhs),
            Some(algorithm) => {
                let options = Options::default().algorithm(algorithm);
                TridiagonalPlan::new(&gpu, Shape::single(diag.len()), options).unwrap().solve(&system, &rhs)
            }
        }
    };
    let near = |x: &[f32], exact: &[f64]| x.iter().zip(exact).all(|(x, e)| (f64::from(*x) - e).abs() <= 1e-4 * e.abs());
    for algorithm in Algorithm::ALL.map(Some).into_iter().chain([None]) {
        // A penalty row beside two that need an exchange of rows.
        for penalty in [1.0, 1e5, 1e20] {
            let answer =
                solve(algorithm, [&[0.0, 1.0, 0.0], &[1e-9, 1.0, penalty], &[1.0, 0.0, 0.0]], &[1.0, 2.0, penalty]);
            assert!(
                answer.as_ref().map_or(algorithm.is_some(), |x| near(x, &[1.0; 3])),
                "{algorithm:?} {penalty}: {answer:?}"
            );
        }
        // Dominant rows of very different units.
        for unit in [1e10, 1e20, 1e30] {
            let matrix: [&[f64]; 3] = [&[0.0, -unit], &[2.5 / unit, 2.5 * unit], &[-1.0 / unit, 0.0]];
            let answer = solve(algorithm, matrix, &[1.0 / unit, unit]);
            assert!(answer.as_ref().is_ok_and(|x| near(x, &[2.0 / 3.0; 2])), "{algorithm:?} {unit}: {answer:?}");
        }
        // A singular block beside a penalty row.
        for penalty in [1.0, 1e6, 1e12] {
            let matrix: [&[f64]; 3] =
                [&[0.0, 0.33333334, 0.0, 0.0], &[1.0, 1.0000001, penalty, penalty], &[3.0, 0.1, 0.0, 0.0]];
            let answer = solve(algorithm, matrix, &[1.0, 2.0, penalty, penalty]);
            assert!(
                matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })),
                "{algorithm:?} {penalty}: {answer:?}"
            );
        }
    }
    // Units of columns.
    let matrix: [&[f64]; 3] = [&[0.0, -1.0, -1e9], &[2.5, 2.5e9, 2.5], &[-1e9, -1.0, 0.0]];
    let answer = solve(None, matrix, &[1.0, 2.0, 3.0]);
    assert!(answer.is_ok(), "{answer:?}");
    for algorithm in Algorithm::ALL {
        let answer = solve(Some(algorithm), matrix, &[1.0, 2.0, 3.0]);
        assert!(
            !matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })),
            "{algorithm}: {answer:?}"
        );
    }
}

#[test]
fn accuracy_lost_to_small_pivots_is_an_error() {
    let gpu = shared();
    for tiny in [1e-4f32, 1e-6, 1e-10, 1e-20] {
        for n in [8usize, 50, 3000] {
            let (ones, diag) = (vec![1f32; n], vec![tiny; n]);
            let rhs: Vec<f32> = (0..n).map(|i| i as f32 + 1.0).collect();
            let system = System::new(&ones, &diag, &ones);
            for algorithm in Algorithm::ALL {
                let plan =
                    TridiagonalPlan::new(&gpu, Shape::single(n), Options::default().algorithm(algorithm)).unwrap();
                // Some algorithms get through; none may say it did where it did not.
                match plan.solve(&system, &rhs) {
                    Ok(x) => {
                        let size: f64 = x.iter().map(|x| f64::from(x.abs())).fold(1.0, f64::max) * (n as f64).sqrt();
                        let residual = cpu::relative_residual(&ones, &diag, &ones, &x, &rhs, false);
                        let norm: f64 = rhs.iter().map(|d| f64::from(d * d)).sum::<f64>().sqrt();
                        assert!(residual * norm < 1e-2 * size.max(norm), "{algorithm}, {tiny}, {n}: {residual}");
                    }
                    Err(Error::Inaccurate { system: 0, .. } | Error::Breakdown { system: 0, .. }) => {}
                    other => panic!("{algorithm}, {tiny}, {n}: {other:?}"),
                }
            }
            let by_cpu = tridiagonal::solve_or_cpu(Some(&gpu), &system, &rhs).unwrap();
            let residual = cpu::relative_residual(&ones, &diag, &ones, &by_cpu, &rhs, false);
            assert!(residual < 1e-2, "{tiny}, {n}: {residual}");
        }
    }
}

struct Buffers {
    lower: DeviceVector<f32>,
    diag: DeviceVector<f32>,
    upper: DeviceVector<f32>,
    rhs: DeviceVector<f32>,
    x: DeviceVector<f32>,
}

impl Buffers {
    fn new(gpu: &Gpu, n: usize) -> Self {
        let vector = |value: f32| DeviceVector::from_slice(gpu, "v", &vec![value; n]).unwrap();
        Self { lower: vector(-1.0), diag: vector(3.0), upper: vector(-1.0), rhs: vector(1.0), x: vector(0.0) }
    }

    fn system(&self) -> DeviceSystem<'_, f32> {
        DeviceSystem {
            lower: self.lower.as_slice(),
            diag: self.diag.as_slice(),
            upper: self.upper.as_slice(),
            rhs: self.rhs.as_slice(),
            x: Some(self.x.as_slice()),
        }
    }
}

#[test]
fn device_ranges() {
    let gpu = shared();
    let n = 100;
    let plan = plan(&gpu, Shape::single(n)).unwrap();
    let buffers = Buffers::new(&gpu, 1000);
    let good = buffers.system();
    assert!(plan.bind(&good).is_ok());
    let range = |buffer, offset, len| DeviceSlice::<f32>::new(buffer, offset, len);

    let short = DeviceSystem { upper: buffers.upper.slice(0, n - 1), ..good };
    assert!(matches!(plan.bind(&short), Err(Error::Length { vector: "upper", .. })));
    let past = DeviceSystem { diag: range(buffers.diag.buffer(), 3968, n), ..good };
    assert!(matches!(plan.bind(&past), Err(Error::BufferTooSmall { vector: "diag", .. })));
    let absurd = DeviceSystem { diag: range(buffers.diag.buffer(), 0, usize::MAX), ..good };
    assert!(matches!(plan.bind(&absurd), Err(Error::BufferTooSmall { vector: "diag", .. })));
    let askew = DeviceSystem { lower: range(buffers.lower.buffer(), 4, n), ..good };
    assert!(matches!(plan.bind(&askew), Err(Error::Misaligned { vector: "lower", offset: 4, .. })));

    let over_rhs = DeviceSystem { x: Some(buffers.rhs.slice(0, n)), ..good };
    assert!(matches!(plan.bind(&over_rhs), Err(Error::Overlap { first: "rhs", second: "x" })));
    let over_diag = DeviceSystem { x: Some(buffers.diag.slice(64, n)), ..good };
    assert!(matches!(plan.bind(&over_diag), Err(Error::Overlap { first: "diag", .. })));
    let in_place_over_upper = DeviceSystem { rhs: buffers.upper.as_slice(), x: None, ..good };
    assert!(matches!(plan.bind(&in_place_over_upper), Err(Error::Overlap { first: "upper", .. })));
    // Inputs may share bytes with each other: a symmetric matrix's off-diagonals, say.
    assert!(plan.bind(&DeviceSystem { upper: buffers.lower.as_slice(), ..good }).is_ok());
    assert!(plan.bind(&DeviceSystem { x: None, ..good }).is_ok());

    let usage = wgpu::BufferUsages::COPY_DST;
    let plain = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 400,
        usage,
        mapped_at_creation: false,
    });
    let unusable = DeviceSystem { rhs: DeviceSlice::whole(&plain), ..good };
    assert!(matches!(plan.bind(&unusable), Err(Error::BufferUsage { vector: "rhs", .. })));
    assert!(matches!(DeviceSlice::<f32>::whole(&plain).read(&gpu), Err(Error::BufferUsage { .. })));

    assert!(matches!(plan.residuals(&DeviceSystem { x: None, ..good }), Err(Error::Options(_))));
    assert!(matches!(buffers.x.write(&gpu, 999, &[0.0; 2]), Err(Error::Length { .. })));
}

#[test]
fn buffers_of_another_device() {
    let gpu = shared();
    let other = Gpu::new().unwrap();
    let plan = plan(&gpu, Shape::single(10)).unwrap();
    let foreign = Buffers::new(&other, 10);
    let error = plan.bind(&foreign.system()).unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error}");
}

#[test]
fn a_lost_device() {
    let gpu = Gpu::new().unwrap();
    let plan = plan(&gpu, Shape::single(10)).unwrap();
    let buffers = Buffers::new(&gpu, 10);
    let bound = plan.bind(&buffers.system()).unwrap();
    gpu.device().destroy();
    let (ten, two) = ([1f32; 10], [3f32; 10]);
    let lost = |result: Result<(), Error>, what| {
        assert!(matches!(result, Err(Error::DeviceLost { .. })), "{what}: {result:?}");
    };
    lost(plan.solve(&System::new(&ten, &two, &ten), &ten).map(|_| ()), "solve");
    lost(plan.bind(&buffers.system()).map(|_| ()), "bind");
    lost(bound.submit(), "submit");
    lost(bound.read_status().map(|_| ()), "status");
    lost(DeviceVector::<f32>::new(&gpu, "v", 10).map(|_| ()), "allocate");
    lost(TridiagonalPlan::<f32>::new(&gpu, Shape::single(11), Options::default()).map(|_| ()), "plan");
}

#[test]
fn status_words_say_what_record_saw() {
    let gpu = shared();
    let shape = Shape::contiguous(100, 5);
    let plan = plan(&gpu, shape).unwrap();
    let buffers = Buffers::new(&gpu, 500);
    let bound = plan.bind(&buffers.system()).unwrap();
    bound.submit().unwrap();
    assert_eq!(bound.read_status().unwrap().check(), Ok(()));
    buffers.rhs.write(&gpu, 342, &[f32::NAN]).unwrap();
    bound.submit().unwrap();
    let status = bound.read_status().unwrap();
    assert_eq!(status.non_finite_input, Some((3, 42)));
    assert!(status.check().is_err());
    // It stays until it is reset.
    buffers.rhs.write(&gpu, 342, &[1.0]).unwrap();
    bound.submit().unwrap();
    assert!(bound.read_status().unwrap().check().is_err());
    bound.reset_status();
    bound.submit().unwrap();
    assert_eq!(bound.read_status().unwrap().check(), Ok(()));
}

#[test]
fn unknown_adapters() {
    let options = trisolve::GpuOptions { adapter_name: Some("no such card".into()), ..Default::default() };
    assert!(matches!(Gpu::with_options(options), Err(Error::UnknownAdapter { .. })));
    assert!("fastest".parse::<Algorithm>().is_err());
}

/// The partial norms of many small systems are larger than the systems.
#[test]
fn residuals_of_as_many_systems_as_a_plan_takes() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let most = gpu.capabilities().limits.max_storage_buffer_binding_size as usize / 4;
    let batch = most.min(6 << 20);
    let shape = Shape::contiguous(1, batch);
    let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::default()).unwrap();
    let diag = vec![2f32; batch];
    let x = plan.solve(&System::new(&diag, &diag, &diag), &vec![1f32; batch]).unwrap();
    assert!(x.iter().all(|x| *x == 0.5));
}

#[test]
fn the_cpu_stands_in() {
    let gpu = shared();
    let made = dominant::<f32>(100, 8);
    let system = System::new(&made.lower, &made.diag, &made.upper);
    let there = tridiagonal::solve_or_cpu(Some(&gpu), &system, &made.rhs).unwrap();
    let here = tridiagonal::solve_or_cpu(None, &system, &made.rhs).unwrap();
    for (there, here) in there.iter().zip(&here) {
        approx::assert_relative_eq!(there, here, max_relative = 1e-4, epsilon = 1e-5);
    }
    // What needs exchanges.
    let swap = System::new(&[1.0f32], &[0.0, 0.0], &[1.0]);
    assert_eq!(tridiagonal::solve(&gpu, &swap, &[2.0, 3.0]), Ok(vec![3.0, 2.0]));
    // Exchanges are not for a diagonal that is given as its excess: here the CPU's answer takes the device's place.
    let negative = System::with_excess(&[1.0f32], &[-1.0, -1.0], &[1.0]);
    assert_eq!(tridiagonal::solve(&gpu, &negative, &[2.0, 3.0]), Ok(vec![3.0, 2.0]));
    assert_eq!(tridiagonal::solve_on_cpu(&negative, &[2.0, 3.0]), Ok(vec![3.0, 2.0]));
    // Bad input stays bad.
    let short = System::new(&[][..], &[1.0f32, 1.0], &[1.0]);
    assert!(matches!(tridiagonal::solve_or_cpu(None, &short, &[1.0, 1.0]), Err(Error::Length { vector: "lower", .. })));
    assert!(matches!(tridiagonal::solve_or_cpu::<f32>(None, &System::new(&[], &[], &[]), &[]), Err(Error::Shape(_))));
}

#[test]
fn policies_that_cannot_run() {
    let gpu = shared();
    let plan = |algorithm, policy: Policy| {
        let options = Options::default().algorithm(algorithm).policy(policy);
        TridiagonalPlan::<f32>::new(&gpu, Shape::single(1000), options).map(|plan| plan.policy())
    };
    let tpr = TprPolicy { slice: 128, threads: 64, overall_threads: 4, overall_systems: 4, shuffles: true };
    assert_eq!(plan(Algorithm::Tpr, tpr.into()).unwrap(), Policy::Tpr(tpr));
    // Rows that threads cannot share out, sizes that are not legal.
    for (policy, says) in [
        (TprPolicy { slice: 1024, ..tpr }, "slice / threads"),
        (TprPolicy { threads: 128, ..tpr }, "slice / threads"),
        (TprPolicy { slice: 100, ..tpr }, "slice=100"),
        (TprPolicy { threads: 63, ..tpr }, "threads=63"),
        (TprPolicy { overall_systems: 0, ..tpr }, "overall_systems=0"),
    ] {
        let refused = plan(Algorithm::Tpr, policy.into());
        assert!(matches!(&refused, Err(Error::Options(message)) if message.contains(says)), "{refused:?}");
    }
    // More threads or memory than the device has.
    let crowded = TprPolicy { overall_threads: 1024, overall_systems: 1024, ..tpr };
    let held = CyclicPolicy { threads: 1, systems: 1024, parallel: 16 };
    for (algorithm, policy) in [(Algorithm::Tpr, Policy::from(crowded)), (Algorithm::Cr, held.into())] {
        let refused = plan(algorithm, policy);
        assert!(matches!(refused, Err(Error::Limit { .. })), "{refused:?}");
    }
    // Of another algorithm, or contradicting the stability asked for.
    let refused = plan(Algorithm::WangMou, tpr.into());
    assert!(matches!(refused, Err(Error::Options(_))), "{refused:?}");
    let options = Options::default().algorithm(Algorithm::Tpr).policy(tpr).stability(Stability::Stable);
    let refused = TridiagonalPlan::<f32>::new(&gpu, Shape::single(1000), options);
    assert!(matches!(refused, Err(Error::Options(_))));
    // As text.
    let policy = Policy::from(tpr);
    assert_eq!(policy.with(&policy.to_string()).unwrap(), policy);
    assert_eq!(policy.with("slice=256,threads=128").unwrap().values()[..2], [256, 128]);
    for text in ["slice", "slices=8", "slice=-1", "slice=7", "shuffles=2", "slice=4294967296", "slice=8,slice=8"] {
        assert!(matches!(policy.with(text), Err(Error::Options(_))), "{text}");
    }
}

#[test]
fn what_underflows_is_not_accepted_as_0() {
    let gpu = shared();
    let solve = |diag: &[f32], off: f32, rhs: &[f32]| {
        let off = vec![off; diag.len()];
        tridiagonal::solve(&gpu, &System::new(&off, diag, &off), rhs)
    };
    for answer in
        [solve(&[1e25], 0.0, &[1e-25]), solve(&[1e12], 0.0, &[3.1e-33]), solve(&[1e20; 2], -1.0, &[1e-30, 3e-30])]
    {
        assert!(matches!(answer, Err(Error::Underflow { .. })), "{answer:?}");
    }
    assert_eq!(solve(&[1e25], 0.0, &[0.0]).unwrap(), [0.0]);
}

#[test]
fn an_excess_that_makes_the_diagonal_negative() {
    let gpu = shared();
    let off = [-1f32; 2];
    let system = System::with_excess(&off, &[-3.0; 2], &off);
    let options = Options::default().diagonal(Diagonal::Excess);
    let plan = TridiagonalPlan::new(&gpu, Shape::single(2), options).unwrap();
    assert_eq!(plan.solve(&system, &[-3.0; 2]), Ok(vec![1.0; 2]));
}
