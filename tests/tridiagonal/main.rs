//! Every algorithm in every layout and precision against the oracle, and the promises of accuracy, on this machine's adapter.

mod accuracy;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draw.rs"]
mod draw;
mod layouts;
#[path = "../common/run_all.rs"]
mod run_all;

use std::sync::Mutex;

use common::gpu;
use draw::{fewer_cases, in_precisions};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use run_all::run_all;
use trisolve::tridiagonal::{Algorithm, DeviceSystem, Options, PartitionPolicy, Shape, System, TridiagonalPlan};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Precision, Real, cpu};
use trisolve_lab::{CheckCase, OnDevice, Placement, cases, dominant, policy_cases, seed};

/// Whether a case comes to other kernels where subgroups are of another size, or none: Thomas uses
/// none, nor do most where systems lie closer than rows, and pivoting has only the partition's store of them.
fn uses_subgroups(case: &CheckCase) -> bool {
    match case.algorithm {
        Algorithm::Thomas | Algorithm::Pivoting => false,
        Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr => true,
        _ => !["interleaved", "interleaved columns", "middle axis"].contains(&case.layout),
    }
}

/// All cases in f32 and one in so many in f64, which takes software Vulkan far longer to compile;
/// others with another seed. `trisolve check` runs all.
fn sweep(gpu: &Gpu, name: &str, f64_of: usize, cases: impl Fn(u64) -> Vec<CheckCase>) {
    let seed = seed(name);
    let all = cases(seed);
    if gpu.capabilities().features.f64 {
        run_all::<f64>(gpu, draw::every(&all, f64_of, seed));
    }
    run_all::<f32>(gpu, all);
}

/// A part of them, as the seed has it: software Vulkan takes long to compile the kernels. Fewer where there are tests of
/// their own, of scan none; `trisolve check` runs all.
fn every_algorithm(seed: u64) -> Vec<CheckCase> {
    let some = |(at, case): &(usize, CheckCase)| {
        let of = match case.algorithm {
            Algorithm::Scan => return false,
            // Each of many kernels.
            Algorithm::Auto => 331,
            Algorithm::Pivoting => 251,
            _ => 211,
        };
        (*at as u64 + seed).is_multiple_of(of)
    };
    cases(false, seed).into_iter().enumerate().filter(some).map(|(_, case)| case).collect()
}

/// What `trisolve check` runs.
#[test]
fn the_cases_have_every_algorithm_in_every_layout() {
    for algorithm in Algorithm::ALL {
        for layout in ["contiguous", "interleaved"] {
            let is_there = |case: &CheckCase| case.algorithm == algorithm && case.layout == layout;
            assert!(cases(false, 1).iter().any(is_there), "{algorithm} {layout}");
        }
    }
}

/// Nine kernels a case, which software Vulkan takes long to compile: some cases per run, as the seed has it.
#[test]
fn three_scans() {
    let seed = seed("three_scans");
    let all: Vec<_> = [cases(false, seed), policy_cases(seed)].concat();
    let all: Vec<_> = all.into_iter().filter(|case| case.algorithm == Algorithm::Scan).collect();
    let without = FeatureSwitches { subgroups: false, ..FeatureSwitches::ALL };
    // Other widths than this adapter's own are for the shuffles.
    let fewer = if fewer_cases() { 3 } else { 1 };
    let mut random = SmallRng::seed_from_u64(seed);
    for (gpu, of) in [(gpu(false, FeatureSwitches::ALL), 240 * fewer), (gpu(true, without), 480 * fewer)] {
        in_precisions!(&mut random, &gpu, run_all(&gpu, draw::every(&all, of, seed)));
    }
}

/// At this adapter's own subgroup size all of them; at another, those that it changes.
#[test]
fn all_algorithms_unchecked() {
    sweep(&gpu(false, FeatureSwitches::ALL), "all_algorithms_unchecked", 5, |seed| {
        every_algorithm(seed).into_iter().filter(|case| !fewer_cases() || uses_subgroups(case)).collect()
    });
}

#[test]
fn all_algorithms_checked() {
    sweep(&gpu(true, FeatureSwitches::ALL), "all_algorithms_checked", 10, every_algorithm);
}

#[test]
fn all_algorithms_without_subgroups() {
    let gpu = gpu(false, FeatureSwitches { subgroups: false, ..FeatureSwitches::ALL });
    sweep(&gpu, "all_algorithms_without_subgroups", 10, |seed| {
        every_algorithm(seed).into_iter().filter(uses_subgroups).collect()
    });
}

#[test]
fn every_policy() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    // A part of them a run, as the seed has it; `trisolve check` runs all.
    sweep(&gpu, "every_policy", 5, |seed| {
        let all: Vec<_> = policy_cases(seed).into_iter().filter(|case| case.algorithm != Algorithm::Scan).collect();
        draw::every(&all, 211, seed)
    });
    for bad in [(48, 8, 8), (256, 5, 8), (256, 8, 3), (2048, 8, 8)] {
        let policy = PartitionPolicy {
            workgroup: bad.0,
            rows: bad.1,
            lanes: bad.2,
            shuffles: false,
            gather: false,
            together: 0,
        };
        let plan = TridiagonalPlan::<f32>::new(
            &gpu,
            Shape::single(9),
            Options::on_device().algorithm(Algorithm::Partition).policy(policy),
        );
        assert!(matches!(plan, Err(Error::Options(_))), "{policy:?}: {plan:?}");
    }
}

/// CR, PCR and CR-PCR by each way to hold rows and to pass them on: the policies of the course project's versions.
#[test]
fn versions_of_cyclic_reduction() {
    let seed = seed("versions_of_cyclic_reduction");
    let mut random = SmallRng::seed_from_u64(seed);
    let is_cyclic = |case: &CheckCase| matches!(case.algorithm, Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr);
    let all: Vec<_> = policy_cases(seed).into_iter().filter(is_cyclic).collect();
    let of = match fewer_cases() {
        _ if draw::all_cases() => 1,
        true => 53,
        false => 17,
    };
    let gpu = gpu(false, FeatureSwitches::ALL);
    in_precisions!(&mut random, &gpu, run_all(&gpu, draw::every(&all, of, seed)));
}

#[test]
fn together_again_and_again() {
    // What the workgroups of one solve leave behind for the next: one solve or three,
    // then more, each with a right-hand side of its own.
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("together_again_and_again");
    let n = 5000;
    let policy = PartitionPolicy { workgroup: 32, rows: 4, lanes: 1, shuffles: true, gather: true, together: 1024 };
    let plan = TridiagonalPlan::<f32>::new(
        &gpu,
        Shape::single(n),
        Options::on_device().algorithm(Algorithm::Partition).policy(policy),
    )
    .unwrap();
    // Two rounds of shuffles merge 32 chunks where 8 lanes shuffle.
    if gpu.capabilities().subgroup_lanes >= 8 {
        assert_eq!(plan.dispatches(), 1);
    }
    let matrix = dominant::<f32>(n, seed);
    let upload = |label, values: &[f32]| DeviceVector::from_slice(&gpu, label, values).unwrap();
    let (lower, diag, upper) =
        (upload("lower", &matrix.lower), upload("diag", &matrix.diag), upload("upper", &matrix.upper));
    let (rhs, x) = (upload("rhs", &matrix.rhs), upload("x", &vec![f32::NAN; n]));
    let bound = plan
        .bind(&DeviceSystem {
            lower: lower.as_slice(),
            diag: diag.as_slice(),
            upper: upper.as_slice(),
            rhs: rhs.as_slice(),
            x: Some(x.as_slice()),
        })
        .unwrap();
    for round in 0..6 {
        let values = dominant::<f32>(n, seed + round).rhs;
        rhs.write(&gpu, 0, &values).unwrap();
        (0..=2 * (round % 2)).for_each(|_| bound.submit().unwrap());
        bound.read_status().unwrap().check().unwrap();
        let found = x.read(&gpu).unwrap();
        let residual = cpu::relative_residual(&matrix.lower, &matrix.diag, &matrix.upper, &found, &values, false);
        assert!(residual < 1e-6, "round {round}: {residual}");
    }
}

#[test]
fn two_and_three_levels() {
    // 2^21 + 3 rows: slices of 1536 rows make 1366 blocks. With small slices a third level.
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("two_and_three_levels");
    for (n, policy) in [
        ((1 << 21) + 3, None),
        (
            300_001,
            Some(
                PartitionPolicy { workgroup: 32, rows: 4, lanes: 1, shuffles: true, gather: false, together: 0 }.into(),
            ),
        ),
    ] {
        let system = dominant::<f32>(n, seed);
        let algorithm = if policy.is_some() { Algorithm::Partition } else { Algorithm::Auto };
        let options = Options { policy, algorithm, ..Options::on_device() };
        let plan = TridiagonalPlan::new(&gpu, Shape::single(n), options).unwrap();
        if policy.is_some() {
            assert!(plan.dispatches() >= 5, "{} dispatches", plan.dispatches());
        }
        let x = plan.solve(&System::new(&system.lower, &system.diag, &system.upper), &system.rhs).unwrap();
        let residual = cpu::relative_residual(&system.lower, &system.diag, &system.upper, &x, &system.rhs, false);
        assert!(residual < 1e-6, "{n}: {residual}");
    }
}

#[test]
fn scratch_stays_small() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    for algorithm in [Algorithm::Auto, Algorithm::Partition, Algorithm::Thomas] {
        for shape in [Shape::single(1 << 16), Shape::contiguous(1 << 16, 16), Shape::interleaved(1 << 16, 3)] {
            let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device().algorithm(algorithm)).unwrap();
            let input = 16 * (shape.n * shape.batch) as u64;
            let share = plan.scratch_bytes() as f64 / input as f64;
            assert!(share < 0.05, "{algorithm} {shape:?}: {share}");
        }
    }
}

/// max |x - want| / max |want|
fn largest_error<T: Real>(x: &[T], want: &[f64]) -> f64 {
    let scale = want.iter().fold(0f64, |m, w| m.max(w.abs()));
    x.iter().zip(want).map(|(x, w)| (x.to_f64() - w).abs()).fold(0f64, f64::max) / scale
}

#[test]
fn any_axis_of_an_array() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let dims = [5usize, 7, 6];
    let total: usize = dims.iter().product();
    let seed = seed("any_axis_of_an_array");
    for axis in 0..3 {
        let shape = Shape::axis(&dims, axis).unwrap();
        assert_eq!((shape.n, shape.batch), (dims[axis], total / dims[axis]));
        let made = dominant::<f32>(total, seed);
        // Dominant whatever row is whose neighbour.
        let diag: Vec<f32> = made.diag.iter().map(|d| d.signum() * 2.5).collect();
        let (mut lower, mut upper) = (made.lower.clone(), made.upper.clone());
        (lower[0], upper[total - 1]) = (0.5, 0.5);
        let plan = TridiagonalPlan::new(&gpu, shape, Options::on_device()).unwrap();
        let x = plan.solve(&System::new(&lower, &diag, &upper), &made.rhs).unwrap();
        let strides = [dims[1] * dims[2], dims[2], 1];
        for start in 0..total {
            if !(start / strides[axis]).is_multiple_of(dims[axis]) {
                continue;
            }
            let line =
                |v: &[f32]| -> Vec<f64> { (0..dims[axis]).map(|i| f64::from(v[start + i * strides[axis]])).collect() };
            let want = cpu::gtsv(&line(&lower), &line(&diag), &line(&upper), &line(&made.rhs)).unwrap();
            assert!(largest_error(&line(&x), &want) < 1e-6, "axis {axis}, line at {start}");
        }
    }
    assert!(matches!(Shape::axis(&dims, 3), Err(Error::Shape(_))));
}

#[test]
fn concurrent_solves_on_one_plan() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(1000), Options::on_device()).unwrap();
    let wrong = Mutex::new(0);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (plan, wrong) = (&plan, &wrong);
            scope.spawn(move || {
                for round in 0..5 {
                    let system = dominant::<f32>(1000, 100 * worker + round);
                    let x = plan.solve(&System::new(&system.lower, &system.diag, &system.upper), &system.rhs).unwrap();
                    let r = cpu::relative_residual(&system.lower, &system.diag, &system.upper, &x, &system.rhs, false);
                    *wrong.lock().unwrap() += usize::from(r.is_nan() || r > 1e-6);
                }
            });
        }
    });
    assert_eq!(*wrong.lock().unwrap(), 0);
}

#[test]
fn solve_async_under_another_executor() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let system = dominant::<f32>(777, 5);
    let plan = TridiagonalPlan::new(&gpu, Shape::single(777), Options::on_device()).unwrap();
    let matrix = System::new(&system.lower, &system.diag, &system.upper);
    let x = futures::executor::block_on(plan.solve_async(&matrix, &system.rhs)).unwrap();
    assert_eq!(x, plan.solve(&matrix, &system.rhs).unwrap());
}

#[test]
fn f64_is_refused_where_it_is_off() {
    let gpu = gpu(false, FeatureSwitches::NONE);
    let plan = TridiagonalPlan::<f64>::new(&gpu, Shape::single(3), Options::on_device());
    assert!(matches!(plan, Err(Error::Unsupported { .. })), "{plan:?}");
    assert_eq!(f64::PRECISION, Precision::F64);
}

#[test]
fn placements_are_all_drawn() {
    let drawn = cases(false, 1);
    for placement in [Placement::Apart, Placement::InPlace, Placement::OneBuffer] {
        for algorithm in Algorithm::ALL {
            assert!(drawn.iter().any(|case| case.placement == placement && case.algorithm == algorithm));
        }
    }
}
