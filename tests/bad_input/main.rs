//! Every kind of bad input has an error of its own, on the host and on the device.

#[path = "../common/mod.rs"]
mod common;
mod device;
#[path = "../common/draw.rs"]
mod draw;
mod judged;

use std::sync::LazyLock;

use common::gpu;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve::tridiagonal::{
    self, Algorithm, CyclicPolicy, DeviceSystem, Diagonal, Layout, Options, Policy, Shape, Stability, System,
    TprPolicy, TridiagonalPlan,
};
use trisolve::{DeviceSlice, DeviceVector, Error, FeatureSwitches, Gpu, LazyGpu, cpu};
use trisolve_lab::{OnDevice, dominant, seed};

fn shared() -> Gpu {
    gpu(true, FeatureSwitches::ALL)
}

/// The given sizes; for a drawn third of the algorithms also 5000, which takes several launches.
fn sizes(algorithm: Algorithm, given: &[usize]) -> Vec<usize> {
    static DRAWN: LazyLock<Vec<Algorithm>> = LazyLock::new(|| {
        let mut random = SmallRng::seed_from_u64(seed("bad_input, the algorithms with large systems"));
        draw::some(&mut random, &Algorithm::ALL, Algorithm::ALL.len() / 3)
    });
    given.iter().copied().chain(DRAWN.contains(&algorithm).then_some(5000)).collect()
}

fn plan(gpu: &Gpu, shape: Shape) -> Result<TridiagonalPlan<f32>, Error> {
    TridiagonalPlan::new(gpu, shape, Options::on_device())
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
    assert!(tridiagonal::solve_with(&gpu, &System::new(&four, &diag, &four), &five, Options::on_device()).is_ok());
    for (lower, diag, upper, rhs, named) in [
        (&three[..], &diag[..], &four[..], &five[..], "lower"),
        (&four[..], &diag[..], &three[..], &five[..], "upper"),
        (&four[..], &diag[..4], &four[..], &five[..], "rhs"),
        (&[][..], &diag[..], &four[..], &five[..], "lower"),
    ] {
        match tridiagonal::solve_with(&gpu, &System::new(lower, diag, upper), rhs, Options::on_device()) {
            Err(Error::Length { vector, .. }) => assert_eq!(vector, named),
            other => panic!("{named}: {other:?}"),
        }
    }
    assert!(matches!(
        tridiagonal::solve_with::<f32>(&gpu, &System::new(&[], &[], &[]), &[], Options::on_device()),
        Err(Error::Shape(_))
    ));
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
        for n in sizes(algorithm, &[1, 40]) {
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
                    let options = Options::on_device().algorithm(algorithm).diagonal(kind);
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
fn the_cpu_stands_in() {
    let gpu = shared();
    let made = dominant::<f32>(100, 8);
    let system = System::new(&made.lower, &made.diag, &made.upper);
    let there = tridiagonal::solve_or_cpu(&LazyGpu::from(gpu.clone()), &system, &made.rhs).unwrap();
    let here = tridiagonal::solve_or_cpu(&LazyGpu::default(), &system, &made.rhs).unwrap();
    for (there, here) in there.iter().zip(&here) {
        approx::assert_relative_eq!(there, here, max_relative = 1e-4, epsilon = 1e-5);
    }
    // What needs exchanges.
    let swap = System::new(&[1.0f32], &[0.0, 0.0], &[1.0]);
    assert_eq!(tridiagonal::solve_with(&gpu, &swap, &[2.0, 3.0], Options::on_device()), Ok(vec![3.0, 2.0]));
    // Exchanges are not for a diagonal that is given as its excess: here the CPU's answer takes the device's place.
    let negative = System::with_excess(&[1.0f32], &[-1.0, -1.0], &[1.0]);
    assert_eq!(tridiagonal::solve_with(&gpu, &negative, &[2.0, 3.0], Options::on_device()), Ok(vec![3.0, 2.0]));
    assert_eq!(tridiagonal::solve_on_cpu(&negative, &[2.0, 3.0]), Ok(vec![3.0, 2.0]));
    // Bad input stays bad.
    let short = System::new(&[][..], &[1.0f32, 1.0], &[1.0]);
    assert!(matches!(
        tridiagonal::solve_or_cpu(&LazyGpu::default(), &short, &[1.0, 1.0]),
        Err(Error::Length { vector: "lower", .. })
    ));
    assert!(matches!(
        tridiagonal::solve_or_cpu::<f32>(&LazyGpu::default(), &System::new(&[], &[], &[]), &[]),
        Err(Error::Shape(_))
    ));
}

#[test]
fn policies_that_cannot_run() {
    let gpu = shared();
    let plan = |algorithm, policy: Policy| {
        let options = Options::on_device().algorithm(algorithm).policy(policy);
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
    let held =
        CyclicPolicy { threads: 1, systems: 1024, parallel: 16, held: 4096, lane_rows: 1, subgroups: 1, spread: false };
    for (algorithm, policy) in [(Algorithm::Tpr, Policy::from(crowded)), (Algorithm::Cr, held.into())] {
        let refused = plan(algorithm, policy);
        assert!(matches!(refused, Err(Error::Limit { .. })), "{refused:?}");
    }
    // Of another algorithm, or contradicting the stability asked for.
    let refused = plan(Algorithm::WangMou, tpr.into());
    assert!(matches!(refused, Err(Error::Options(_))), "{refused:?}");
    let options = Options::on_device().algorithm(Algorithm::Tpr).policy(tpr).stability(Stability::Stable);
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
