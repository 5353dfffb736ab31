//! Kernels compiled ahead of the plans that need them, and plans that move between threads.

use trisolve::filter::{self, Coefficients, FilterPlan};
use trisolve::quasi_tridiagonal::QuasiTridiagonalPlan;
use trisolve::recurrence::moebius::{self, Moebius, MoebiusPlan};
use trisolve::recurrence::{self, Coefficient, Recurrence, RecurrencePlan};
use trisolve::triangular::{self, TriangularPlan};
use trisolve::tridiagonal::{Bound, DeviceSystem, Factored, Formulas, Options, Shape, System, TridiagonalPlan};
use trisolve::{DeviceVector, Error, Gpu, Precision, Upcoming, WarmUp};
use trisolve_lab::{OnDevice, kernels_living, pipelines_made};

const N: usize = 3000;

/// Plans and solves of every family make no pipeline after their kernels were compiled ahead.
#[test]
fn plans_find_their_kernels() {
    let gpu = Gpu::new().unwrap();
    let shape = Shape::single(N);
    let smoother = Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    let small = triangular::Shape::single(300);
    let upcoming = [
        Upcoming::Tridiagonal(Precision::F32, shape, Options::on_device()),
        Upcoming::Triangular(Precision::F32, small, triangular::Options::on_device()),
        Upcoming::Recurrence(Precision::F32, shape, recurrence::Options::on_device()),
        Upcoming::Moebius(Precision::F32, shape, moebius::Options::on_device()),
        Upcoming::Filter(Precision::F32, shape, (&smoother).into(), filter::Options::on_device()),
    ];
    let warm_up = gpu.warm_up(&upcoming).unwrap();
    warm_up.wait().unwrap();
    let compiled = pipelines_made(&gpu);
    assert!(compiled > 10, "{compiled}");
    // Again, and from several threads.
    let again = [(); 3].map(|()| gpu.warm_up(&upcoming).unwrap());
    again.into_iter().for_each(|warm_up| warm_up.wait().unwrap());
    assert_eq!(pipelines_made(&gpu), compiled);

    let (off, diag, rhs) = (vec![-1f32; N], vec![2.5; N], vec![0.5; N]);
    let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device()).unwrap();
    plan.solve(&System::new(&off, &diag, &off), &rhs).unwrap();
    assert_eq!(pipelines_made(&gpu), compiled, "tridiagonal");
    let matrix: Vec<_> = (0..300 * 300).map(|at| if at % 301 == 0 { 2.0 } else { 0.001 }).collect();
    let plan = TriangularPlan::<f32>::new(&gpu, small, triangular::Options::on_device()).unwrap();
    plan.solve(&matrix, &rhs[..300]).unwrap();
    assert_eq!(pipelines_made(&gpu), compiled, "triangular");
    let plan = RecurrencePlan::<f32>::new(&gpu, shape, recurrence::Options::on_device()).unwrap();
    let own = [0.25f32];
    for initial in [Coefficient::Constant(0.25), Coefficient::Each(&own)] {
        plan.solve(&Recurrence { initial, ..Recurrence::new(&rhs, &diag) }).unwrap();
        assert_eq!(pipelines_made(&gpu), compiled, "recurrence");
    }
    let plan = MoebiusPlan::<f32>::new(&gpu, shape, moebius::Options::on_device()).unwrap();
    let each = Coefficient::Each(&diag[..]);
    for initial in [Coefficient::Constant(0.25), Coefficient::Each(&own)] {
        plan.solve(&Moebius { a: each, b: each, c: each, d: each, initial }).unwrap();
        assert_eq!(pipelines_made(&gpu), compiled, "moebius");
    }
    let plan = FilterPlan::<f32>::new(&gpu, shape, &smoother, filter::Options::on_device()).unwrap();
    plan.solve(&rhs).unwrap();
    assert_eq!(pipelines_made(&gpu), compiled, "filter");
}

/// Of several plans, one that cannot be made does not keep the others from being compiled.
#[test]
fn errors_come_at_the_end() {
    let gpu = Gpu::new().unwrap();
    let possible = Upcoming::Tridiagonal(Precision::F32, Shape::single(100), Options::on_device());
    let impossible = Upcoming::Tridiagonal(Precision::F32, Shape::single(0), Options::on_device());
    let found = gpu.warm_up(&[impossible, possible]).and_then(WarmUp::wait);
    assert!(matches!(found, Err(Error::Shape(..))), "{found:?}");
    let compiled = pipelines_made(&gpu);
    TridiagonalPlan::<f32>::new(&gpu, Shape::single(100), Options::on_device()).unwrap();
    assert_eq!(pipelines_made(&gpu), compiled);
    assert!(kernels_living(&gpu) > 0);
    gpu.warm_up(&[]).and_then(WarmUp::wait).unwrap();
}

/// The thread keeps the device until it ends.
#[test]
fn a_device_may_be_dropped_meanwhile() {
    let gpu = Gpu::new().unwrap();
    let upcoming = Upcoming::Tridiagonal(Precision::F32, Shape::single(100), Options::on_device());
    let warm_up = gpu.warm_up(std::slice::from_ref(&upcoming)).unwrap();
    drop(gpu);
    warm_up.wait().unwrap();
    // A warm-up that nothing waits for.
    drop(Gpu::new().unwrap().warm_up(&[upcoming]).unwrap());
}

/// An engine makes plans in a thread of its own. A compile-time test.
#[test]
fn plans_move_between_threads() {
    fn movable<T: Send + Sync + 'static>() {}
    movable::<Gpu>();
    movable::<TridiagonalPlan<f32>>();
    movable::<TridiagonalPlan<f64>>();
    movable::<Factored<f32>>();
    movable::<TriangularPlan<f32>>();
    movable::<RecurrencePlan<f32>>();
    movable::<MoebiusPlan<f32>>();
    movable::<FilterPlan<f32>>();
    movable::<QuasiTridiagonalPlan<f32>>();
    movable::<Bound>();
    movable::<WarmUp>();
    movable::<Upcoming>();
}

/// After `warm_up`, a bind and its first solve compile nothing: in place or not, with formulas of vectors and textures.
#[test]
fn a_plan_that_is_warmed_up_binds_without_a_compiler() {
    let gpu = Gpu::new().unwrap();
    let shape = Shape::contiguous(100, 3);
    let vector = |value: f32| DeviceVector::from_slice(&gpu, "a vector", &[value; 300]).unwrap();
    let (off, diag, rhs, x) = (vector(-1.0), vector(4.0), vector(2.0), vector(f32::NAN));
    for in_place in [false, true] {
        let options = Options { in_place, ..Options::on_device() };
        let plan = TridiagonalPlan::<f32>::new(&gpu, shape, options).unwrap();
        plan.warm_up().unwrap();
        let before = pipelines_made(&gpu);
        let [lower, diag, upper, rhs] = [&off, &diag, &off, &rhs].map(DeviceVector::as_slice);
        let system = DeviceSystem { lower, diag, upper, rhs, x: (!in_place).then(|| x.as_slice()) };
        let bound = plan.bind(&system).unwrap();
        bound.submit().unwrap();
        bound.read_status().unwrap().check().unwrap();
        assert_eq!(pipelines_made(&gpu), before, "in place: {in_place}");
    }
    let found = x.read(&gpu).unwrap();
    assert!((4.0 * found[0] - found[1] - 2.0).abs() < 1e-6, "{:?}", &found[..3]);
    let formulas = Formulas::new().diag("4.0 + gain(i) + image(i, 0u, 1u)").rhs("1.0").vector("gain").texture("image");
    let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, Options::on_device(), &formulas);
    plan.unwrap().warm_up().unwrap();
    let in_place = Options::on_device().in_place();
    for (refused, said) in [
        (TridiagonalPlan::<f32>::new(&gpu, shape, in_place.refinements(1)), "refinements"),
        (
            TridiagonalPlan::<f32>::with_formulas(&gpu, shape, in_place, &Formulas::new().rhs("1.0")),
            "cannot be in place",
        ),
    ] {
        let error = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(said), "{error}");
    }
}
