//! The promises of accuracy.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve::tridiagonal::{Algorithm, DeviceSystem, Diagonal, Options, Shape, System, TridiagonalPlan};
use trisolve::{DeviceVector, FeatureSwitches, Real, cpu};
use trisolve_lab::{OnDevice, diffusion, dominant, exact, matrix, poisson, seed};

use crate::common::gpu;
use crate::draw;

#[test]
fn poisson_in_f32_keeps_its_digits() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("poisson_in_f32_keeps_its_digits");
    for n in draw::some(&mut SmallRng::seed_from_u64(seed), &[1 << 19, 1 << 20, 1 << 22], 1) {
        let system = poisson::<f32>(n);
        let plan = TridiagonalPlan::new(&gpu, Shape::single(n), Options::on_device()).unwrap();
        let x = plan.solve(&System::new(&system.lower, &system.diag, &system.upper), &system.rhs).unwrap();
        let (difference, norm) = x.iter().fold((0f64, 0f64), |(d, s), x| (d + (f64::from(*x) - 1.0).powi(2), s + 1.0));
        let error = (difference / norm).sqrt();
        println!("poisson {n}: {error:e}");
        assert!(error <= 1e-6, "{n}: {error:e}");
    }
}

#[test]
fn diffusion_by_excess_is_right_in_every_component() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("diffusion_by_excess_is_right_in_every_component");
    let n = 1 << 18;
    let system = diffusion::<f32>(n, seed);
    let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
    let mut lower = wide(&system.lower);
    let mut upper = wide(&system.upper);
    (lower[0], upper[n - 1]) = (0.0, 0.0);
    let want = cpu::thomas_excess(&lower, &wide(&system.excess), &upper, &wide(&system.rhs)).unwrap();
    for algorithm in [Algorithm::Auto, Algorithm::Thomas, Algorithm::CrPcr] {
        let options = Options::on_device().diagonal(Diagonal::Excess).algorithm(algorithm);
        let plan = TridiagonalPlan::new(&gpu, Shape::single(n), options).unwrap();
        let x = plan.solve(&System::with_excess(&system.lower, &system.excess, &system.upper), &system.rhs).unwrap();
        let error = x.iter().zip(&want).map(|(x, w)| ((f64::from(*x) - w) / w).abs()).fold(0f64, f64::max);
        println!("diffusion, {algorithm}: worst component {error:e}");
        // A thread's sums over 2^18 rows of one sign round one after the other.
        let bound = if algorithm == Algorithm::Thomas { 2.5e-3 } else { 1e-4 };
        assert!(error <= bound, "{algorithm}: {error:e}");
    }
}

/// What the docs of `TOLERATED_BACKWARD_ERROR` say of dominant systems.
#[test]
fn dominant_systems_have_backward_errors_of_a_few_units() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("dominant_systems_have_backward_errors_of_a_few_units");
    let mut random = SmallRng::seed_from_u64(seed);
    for algorithm in Algorithm::ALL {
        for n in draw::some(&mut random, &[1, 3, 64, 1025, 20011], 1) {
            let system = dominant::<f32>(n, seed);
            let plan = TridiagonalPlan::new(&gpu, Shape::single(n), Options::on_device().algorithm(algorithm)).unwrap();
            let system = (System::new(&system.lower, &system.diag, &system.upper), &system.rhs);
            let residuals = plan.solve_reported(&system.0, system.1).unwrap().residuals.unwrap();
            let units = residuals.backward_error / f32::UNIT_ROUNDOFF;
            assert!(units < 10.0, "{algorithm}, {n} rows: {units} units");
        }
    }
}

/// A matrix whose rows are dominant to the last digit or just not, where a difference taken in another order
/// (some drivers do, in f64) is an answer of 1e136. By pivoting, which carries no excess, no digit is left.
#[test]
fn f64_excess_is_exact() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    if !gpu.capabilities().features.f64 {
        return;
    }
    let made = matrix::<f64>(13, 512, 1);
    let exact = exact(&made.lower, &made.diag, &made.upper, &made.rhs).expect("a solution");
    let carrying: Vec<_> = Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Pivoting).collect();
    let seed = seed("f64_excess_is_exact");
    for algorithm in draw::some(&mut SmallRng::seed_from_u64(seed), &carrying, 2) {
        let plan =
            TridiagonalPlan::<f64>::new(&gpu, Shape::single(512), Options::on_device().algorithm(algorithm)).unwrap();
        // Without the host's doubts about the condition.
        let [lower, diag, upper, rhs] = [&made.lower, &made.diag, &made.upper, &made.rhs]
            .map(|vector| DeviceVector::from_slice(&gpu, "input", vector).expect("a vector"));
        let system = DeviceSystem {
            lower: lower.as_slice(),
            diag: diag.as_slice(),
            upper: upper.as_slice(),
            rhs: rhs.as_slice(),
            x: None,
        };
        plan.bind(&system).expect("bound").submit().expect("a solve");
        let x = rhs.read(&gpu).expect("a solution");
        let norm = |v: &mut dyn Iterator<Item = f64>| v.fold(0f64, |norm, v| norm.hypot(v));
        let off = norm(&mut x.iter().zip(&exact).map(|(x, exact)| x - exact)) / norm(&mut exact.iter().copied());
        assert!(off < 1e-12, "{algorithm}: {off:e}");
    }
}
