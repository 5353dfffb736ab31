//! Triangular systems on a device, by their backward error.
#![cfg(feature = "testing")]

#[path = "common/run_all.rs"]
mod run_all;

mod common;
#[path = "common/seed.rs"]
mod seed;

use common::gpu;
use run_all::run_all;
use seed::seed;
use trisolve::testing::{HostTriangular, triangular_cases, triangular_policy_cases};
use trisolve::triangular::{Algorithm, DeviceSystem, Options, Shape, TriangularPlan};
use trisolve::{DeviceVector, FeatureSwitches, Gpu, Real};

/// One in so many cases, others with another seed; `trisolve check` runs all.
fn sweep<T: Real>(name: &str, gpu: &Gpu, one_of: usize) {
    let seed = seed(name);
    let all = [triangular_cases(seed), triangular_policy_cases(seed)].concat();
    run_all::<T>(gpu, all.into_iter().skip(seed as usize % one_of).step_by(one_of));
}

#[test]
fn f32_checked() {
    sweep::<f32>("f32_checked", &gpu(true, FeatureSwitches::ALL), 8);
}

#[test]
fn f32_unchecked() {
    sweep::<f32>("f32_unchecked", &gpu(false, FeatureSwitches::NONE), 8);
}

#[test]
fn f64_both() {
    for checked in [true, false] {
        let gpu = gpu(checked, FeatureSwitches::ALL);
        if gpu.capabilities().features.f64 {
            sweep::<f64>("f64_both", &gpu, 20);
        }
    }
}

/// Solves again and again, each time over a poisoned x; the number of answers that differ from the first.
fn again<T: Real>(plan: &TriangularPlan<T>, gpu: &Gpu, host: &HostTriangular<T>, times: usize) -> usize {
    let matrix = DeviceVector::from_slice(gpu, "matrix", &host.matrix).unwrap();
    let rhs = DeviceVector::from_slice(gpu, "rhs", &host.rhs).unwrap();
    let nan = vec![T::from_f64(f64::NAN); host.rhs.len()];
    let x = DeviceVector::from_slice(gpu, "x", &nan).unwrap();
    let system = DeviceSystem { matrix: matrix.as_slice(), rhs: rhs.as_slice(), x: Some(x.as_slice()) };
    let bound = plan.bind(&system).unwrap();
    let mut first: Option<Vec<T>> = None;
    let mut others = 0;
    for _ in 0..times {
        x.write(gpu, 0, &nan).unwrap();
        bound.submit().unwrap();
        let found = x.read(gpu).unwrap();
        let first = first.get_or_insert_with(|| found.clone());
        let (error, allowed) = (host.backward_error(first), host.allowed());
        assert!(error <= allowed, "{error:e}");
        others += usize::from(bytemuck::cast_slice::<T, u8>(first) != bytemuck::cast_slice::<T, u8>(&found));
    }
    bound.read_status().unwrap().check().unwrap();
    others
}

#[test]
fn chained_gives_the_same_bits_a_thousand_times() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let shape = Shape::single(333);
    let options = Options::default().algorithm(Algorithm::Chained);
    let host = HostTriangular::<f32>::new(shape, options, false, seed("a_thousand_times")).unwrap();
    let plan = TriangularPlan::new(&gpu, shape, options).unwrap();
    assert_eq!(again(&plan, &gpu, &host, 1000), 0);
}

#[test]
fn chained_does_without_a_block_row_that_nobody_solves() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::single(300);
    let options = Options::default().algorithm(Algorithm::Chained);
    let host = HostTriangular::<f32>::new(shape, options, false, seed("nobody_solves")).unwrap();
    for withheld in [0, 2, 3] {
        let mut plan = TriangularPlan::new(&gpu, shape, options).unwrap();
        plan.withhold(withheld);
        assert_eq!(again(&plan, &gpu, &host, 3), 0);
    }
}
