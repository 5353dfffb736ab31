//! Where host solves run, and that both places agree.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::filter::{Coefficients, FilterPlan};
use trisolve::recurrence::moebius::{Moebius, MoebiusPlan};
use trisolve::recurrence::{Coefficient, Recurrence, RecurrencePlan};
use trisolve::triangular::TriangularPlan;
use trisolve::tridiagonal::{Options, Shape, Structure, System, TridiagonalPlan, solve_or_cpu, solve_with};
use trisolve::tuning::UNTUNED_CROSSOVER;
use trisolve::{Error, FeatureSwitches, Gpu, LazyGpu, Place, Real, filter, recurrence, triangular, tridiagonal};
use trisolve_lab::{dominant_vectors, forms, kernels_compiled, seed};

use crate::common::gpu;
use crate::draw::{in_precisions, some};
use crate::tridiagonal::{Dominance, Drawn, STRUCTURES, layout};

/// One-call forms compile nothing; plans compile nothing more.
#[test]
fn fastest_never_touches_a_software_adapter() {
    let gpu = Gpu::new().unwrap();
    if !gpu.capabilities().software {
        println!("{} is no software adapter", gpu.info().name);
        return;
    }
    // The crossover of other adapters.
    let n = UNTUNED_CROSSOVER as usize;
    let [lower, diag, upper, rhs] = dominant_vectors::<f32>(n, 7);
    let system = System::new(&lower, &diag, &upper);
    tridiagonal::solve(&gpu, &system, &rhs).unwrap();
    triangular::solve(&gpu, &[2.0f32, 1.0, 0.0, 4.0], &[2.0, 9.0], triangular::Options::default()).unwrap();
    let half = [0.5f32; 9];
    let linear = Recurrence::new(&half, &half);
    recurrence::solve(&gpu, &linear, recurrence::Options::default()).unwrap();
    let one = Coefficient::Constant(1.0f32);
    let moebius = Moebius { a: Coefficient::Each(&half), b: one, c: one, d: one, initial: one };
    recurrence::moebius::solve(&gpu, &moebius, recurrence::moebius::Options::default()).unwrap();
    let smoother = Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    filter::solve(&gpu, &smoother, &half, filter::Options::default()).unwrap();
    assert_eq!(kernels_compiled(&gpu), 0);
    assert_eq!(Options::default().place_of::<f32>(&LazyGpu::from(gpu.clone()), &Shape::single(n)), Ok(Place::Cpu));

    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), Options::default()).unwrap();
    let recurrences = RecurrencePlan::<f32>::new(&gpu, Shape::single(9), recurrence::Options::default()).unwrap();
    let moebius_plan =
        MoebiusPlan::<f32>::new(&gpu, Shape::single(9), recurrence::moebius::Options::default()).unwrap();
    let filters = FilterPlan::<f32>::new(&gpu, Shape::single(9), &smoother, filter::Options::default()).unwrap();
    let single = triangular::Shape::single(2);
    let triangles = TriangularPlan::<f32>::new(&gpu, single, triangular::Options::default()).unwrap();
    let compiled = kernels_compiled(&gpu);
    let mut x = vec![f32::NAN; n];
    plan.solve_into(&system, &rhs, &mut x).unwrap();
    assert_eq!(x, plan.solve(&system, &rhs).unwrap());
    assert_eq!(x, pollster(plan.solve_async(&system, &rhs)).unwrap());
    let solution = plan.solve_reported(&system, &rhs).unwrap();
    assert_eq!((solution.place, &solution.x), (Place::Cpu, &x));
    assert!(solution.residuals.unwrap().backward_error < 1e-6, "{:?}", solution.residuals);
    assert!(solution.forward_error.unwrap() < 1e-5, "{:?}", solution.forward_error);
    assert_eq!(recurrences.solve_reported(&linear).unwrap().place, Place::Cpu);
    assert_eq!(moebius_plan.solve_reported(&moebius).unwrap().place, Place::Cpu);
    assert_eq!(filters.solve_from(&half, None).unwrap().place, Place::Cpu);
    assert_eq!(triangles.solve_reported(&[2.0, 1.0, 0.0, 4.0], &[2.0, 9.0]).unwrap().place, Place::Cpu);
    assert_eq!(kernels_compiled(&gpu), compiled);
}

/// Waits for a future that needs no other thread.
fn pollster<F: Future>(future: F) -> F::Output {
    futures::executor::block_on(future)
}

fn opens_no_device<T: Real>() {
    let gpu = LazyGpu::default();
    let [lower, diag, upper, rhs] = dominant_vectors::<T>(1000, 7);
    let system = System::new(&lower, &diag, &upper);
    assert_eq!(solve_or_cpu(&gpu, &system, &rhs), tridiagonal::solve_on_cpu(&system, &rhs));
    assert_eq!(Options::default().place_of::<T>(&gpu, &Shape::single(1000)), Ok(Place::Cpu));
    // Options of the device alone decide without it.
    let named = Options::default().algorithm(tridiagonal::Algorithm::Partition);
    assert_eq!(named.place_of::<T>(&gpu, &Shape::single(1000)), Ok(Place::Device));
    assert!(gpu.opened().is_none());
}

#[test]
fn small_systems_open_no_device() {
    opens_no_device::<f32>();
    opens_no_device::<f64>();
    let gpu = LazyGpu::default();
    assert_eq!(gpu.get().unwrap().info().name, gpu.clone().opened().unwrap().info().name);
}

fn refused<R>(found: trisolve::Result<R>, option: &str) {
    match found.err() {
        Some(Error::Options(text)) => assert!(text.contains("Place::Cpu") && text.contains(option), "{text}"),
        other => panic!("{option}: {other:?}"),
    }
}

#[test]
fn the_cpu_refuses_options_of_the_device() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let of_tridiagonal = Options::default().place(Place::Cpu);
    let plan = |options| TridiagonalPlan::<f32>::new(&gpu, Shape::single(9), options);
    let policy = trisolve::tridiagonal::AutoPolicy { workgroup: 64, rows: 4, halo: 8, shuffles: true, fill: 1 << 14 };
    refused(plan(of_tridiagonal.algorithm(tridiagonal::Algorithm::Pivoting)), "pivoting");
    refused(plan(of_tridiagonal.policy(policy)), "policy");
    refused(plan(of_tridiagonal.refinements(1)), "refinements");
    let (off, diag) = ([-1.0f32; 9], [2.5; 9]);
    let system = System::new(&off, &diag, &off);
    refused(solve_with(&gpu, &system, &off, of_tridiagonal.refinements(1)), "refinements");
    refused(plan(of_tridiagonal).unwrap().factor(&system), "factored");
    let of_recurrences = recurrence::Options::default().place(Place::Cpu);
    let named = of_recurrences.algorithm(recurrence::Algorithm::ThreeLaunch);
    refused(RecurrencePlan::<f32>::new(&gpu, Shape::single(9), named), "three-launch");
    let formulas = recurrence::Formulas::new().s("0.5");
    let by_formula = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(9), of_recurrences, &formulas);
    refused(by_formula, "formula");
    let smoother = Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    let named = filter::Options::default().place(Place::Cpu).algorithm(filter::Algorithm::ThreeLaunch);
    refused(FilterPlan::<f32>::new(&gpu, Shape::single(9), &smoother, named), "three-launch");
    let named = triangular::Options::default().place(Place::Cpu).algorithm(triangular::Algorithm::Single);
    refused(triangular::solve(&gpu, &[2.0f32], &[2.0], named), "single");
}

/// A false promise is an error that names the first such system; rows that lack four roundings are no false promise.
#[test]
fn promises_count_on_the_cpu() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let promise = Options::default().dominant().place(Place::Cpu);
    let (n, batch) = (100, 5);
    for bad in [0, 41, n - 1] {
        for periodic in [false, true] {
            let off = vec![-1.0f32; n * batch];
            let mut diag = vec![2.5; n * batch];
            let rhs = vec![1.0; n * batch];
            let options = Options { periodic, ..promise };
            let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::contiguous(n, batch), options).unwrap();
            let solve = |diag: &[f32]| plan.solve(&System { periodic, ..System::new(&off, diag, &off) }, &rhs);
            assert!(solve(&diag).is_ok());
            diag[3 * n + bad] = 0.5;
            diag[4 * n] = 0.5;
            // The first and the last row of the correction's matrix gain what the corners have.
            let is_end = bad == 0 || bad == n - 1;
            let first = if periodic && is_end { None } else { Some(3) };
            match (solve(&diag), first) {
                (found, Some(system)) => assert_eq!(found, Err(Error::NotDominant { system })),
                (found, None) => assert!(!matches!(found, Err(Error::NotDominant { .. })), "{bad}: {found:?}"),
            }
        }
    }
    let off = vec![-1.0f32; 9];
    let nearly = vec![2.0 - f32::EPSILON; 9];
    let rhs = vec![1.0; 9];
    assert!(solve_with(&gpu, &System::new(&off, &nearly, &off), &rhs, promise).is_ok());
    let less = vec![2.0 - 8.0 * f32::EPSILON; 9];
    let found = solve_with(&gpu, &System::new(&off, &less, &off), &rhs, promise);
    assert_eq!(found, Err(Error::NotDominant { system: 0 }));
}

/// Filters whose coefficients over a[0] leave the range of f32: the same error at both places.
#[test]
fn coefficients_past_the_range() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let x = [1.0f32; 9];
    for [b, a] in [[[1.0, 0.0], [1e-50, 0.0]], [[1.0, 0.0], [1e50, 0.0]], [[1.0, 0.0], [1.0, 1e50]]] {
        let coefficients = Coefficients::new(&b, &a).unwrap();
        let solved = |place| filter::solve(&gpu, &coefficients, &x, filter::Options::default().place(place));
        let by_device = solved(Place::Device);
        assert!(matches!(by_device, Err(Error::Options(_))), "{b:?} {a:?}: {by_device:?}");
        assert_eq!(solved(Place::Cpu), by_device, "{b:?} {a:?}");
    }
}

fn agrees<T: Real>(gpu: &Gpu, structure: Structure, random: &mut SmallRng) {
    // Few rows: one workgroup, and few kernels, solve a system.
    let n = random.random_range(1..200);
    let periodic = n > 1 && random.random();
    let batch = random.random_range(1..5);
    let kinds = [Dominance::Strict, Dominance::Weak, Dominance::None];
    for kind in kinds {
        let shape = layout(n, batch, random);
        let drawn = Drawn::<T>::new(shape, (structure, forms(random)), periodic, kind, random);
        let name = format!("{} {kind:?} {structure:?} {periodic} {shape:?}", T::PRECISION);
        let solved = |place| {
            let options = Options::default().matching(&drawn.system()).place(place);
            let plan = TridiagonalPlan::<T>::new(gpu, shape, options).unwrap();
            let mut x = vec![T::from_f64(f64::NAN); drawn.rhs.len()];
            let reported = plan.solve_reported(&drawn.system(), &drawn.rhs);
            plan.solve_into(&drawn.system(), &drawn.rhs, &mut x)?;
            let reported = reported?;
            assert_eq!((reported.place, &reported.x), (place, &x), "{name}");
            Ok((x, reported.forward_error.unwrap()))
        };
        let both: [trisolve::Result<_>; 2] = [Place::Device, Place::Cpu].map(solved);
        let [(device, device_error), (cpu, cpu_error)] = match both {
            [Ok(device), Ok(cpu)] => [device, cpu],
            // Random entries may come to any condition, so that a place finds no digit of x.
            [device, cpu] => {
                let is_refusal = |found: trisolve::Result<_>| {
                    let error = found.err();
                    matches!(
                        error,
                        None | Some(Error::NearlySingular { .. } | Error::Singular { .. } | Error::Overflow { .. })
                    )
                };
                assert!(kind != Dominance::Strict, "{name}");
                assert!(is_refusal(device) && is_refusal(cpu), "{name}");
                continue;
            }
        };
        let mut is_gap = vec![true; cpu.len()];
        for (system, column) in (0..shape.batch).flat_map(|s| (0..shape.columns).map(move |c| (s, c))) {
            let places = (0..n).map(|row| shape.rhs_index(system, column, row));
            let size = places.clone().fold(0.0, |most: f64, at| most.max(cpu[at].to_f64().abs()));
            for at in places {
                is_gap[at] = false;
                let apart = (cpu[at].to_f64() - device[at].to_f64()).abs();
                let allowed = 2.0 * (device_error + cpu_error) * size;
                assert!(apart <= allowed, "{name}: {system}, {column}: {apart:e} of {size:e}, allowed {allowed:e}");
            }
        }
        for at in (0..cpu.len()).filter(|at| is_gap[*at]) {
            assert_eq!([cpu[at], device[at]], [T::ZERO; 2], "{name}: place {at}");
        }
    }
}

/// Every structure, layout and precision; the places between systems are left alike.
#[test]
fn both_places_agree() {
    let gpu = &gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("both_places_agree"));
    for structure in some(&mut random, &STRUCTURES, 2) {
        in_precisions!(&mut random, gpu, agrees(gpu, structure, &mut random));
    }
}
