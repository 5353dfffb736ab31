//! What auto decides on the device: slices solved alone, by the partition, or by pivoting, in one submit.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draw.rs"]
mod draw;
mod packed;
mod recorded;

use common::gpu;
use draw::{in_precisions, some};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use recorded::{Recorded, System};
use std::collections::BTreeSet;
use trisolve::tridiagonal::{Algorithm, AutoPolicy, DeviceSystem, Options, Policy, Shape, Status, TridiagonalPlan};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Place, Real, cpu, tridiagonal};
use trisolve_lab::{OnDevice, seed};

/// Slices of 32 x 4 rows with 8 of halo on either side, or none.
fn small_slices(halo: u32) -> Option<AutoPolicy> {
    Some(AutoPolicy { workgroup: 64, rows: 4, halo, shuffles: true, fill: 1 << 14 })
}

/// A promise of dominance: as good where it is true, and an error that names the system where it is false.
#[test]
fn promises_are_kept_or_errors() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("promises_are_kept_or_errors");
    let mut random = SmallRng::seed_from_u64(seed);
    let promise = Options::on_device().dominant();
    let other = TridiagonalPlan::<f32>::new(&gpu, Shape::single(9), promise.algorithm(Algorithm::Pivoting));
    assert!(matches!(other, Err(Error::Options(_))));
    for (n, batch) in [(1, 3), (33, 5), (700, 3), (20_011, 2)] {
        let all = [
            (Shape::contiguous(n, batch), false),
            (Shape::contiguous(n, batch), true),
            (Shape::interleaved(n, batch), false),
        ];
        for (shape, in_place) in some(&mut random, &all, 2) {
            let plan = TridiagonalPlan::<f32>::new(&gpu, shape, promise).unwrap();
            let recorded = Recorded::around(&gpu, plan, in_place);
            let dominant = |at: usize| System::<f32>::dominant(n, seed + at as u64);
            let what = format!("{shape:?}, in place: {in_place}");
            let good: Vec<_> = (0..batch).map(dominant).collect();
            let (found, status) = recorded.solve(&good);
            assert_eq!((status.check(), status.pivoted), (Ok(()), None), "{what}");
            for (system, x) in good.iter().zip(&found) {
                let [error, gtsv] = system.forward_errors(x);
                assert!(error <= 10.0 * gtsv + 1e-6, "{what}: {error:e}, gtsv {gtsv:e}");
            }
            // The last system: one row, with coupled slices before it or without, or all rows of it.
            let bad = n - 1 - (n - 1) / 3;
            let mut systems = vec![];
            if n > 1 {
                systems.push(System::one_bad_row(n, bad, seed));
                let mut coupled = System::<f64>::toeplitz(n, 2.0);
                coupled.diag[bad] = 0.5;
                systems.push(System::of(&coupled.lower, coupled.diag, &coupled.upper, vec![1.0; n]));
                systems.push(System::random(n, seed));
            }
            for system in systems {
                let batch = (1..batch).map(dominant).chain([system]).collect::<Vec<_>>();
                let (_, status) = recorded.solve(&batch);
                assert_eq!(status.check(), Err(Error::NotDominant { system: batch.len() - 1 }), "{what}");
            }
        }
    }
    let n = 9001;
    let System { lower, diag, upper, rhs, .. } = System::<f32>::one_bad_row(n, n - 1, seed);
    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), promise).unwrap();
    let system = tridiagonal::System::new(&lower, &diag, &upper);
    assert_eq!(plan.solve(&system, &rhs), Err(Error::NotDominant { system: 0 }));
    // The CPU says the same of rings: the promise is about the tridiagonal matrix of the correction.
    for (n, bad) in [(9, 4), (9, 0), (9, 8), (2, 0)] {
        let off = vec![-1f32; n];
        let mut diag = vec![2.0; n];
        diag[bad] = 0.5;
        let ring = tridiagonal::System::new(&off, &diag, &off).periodic();
        let [device, cpu] = [Place::Device, Place::Cpu]
            .map(|place| tridiagonal::solve_with(&gpu, &ring, &vec![1.0; n], promise.place(place)));
        let is_false = |found: trisolve::Result<_>| found == Err(Error::NotDominant { system: 0 });
        assert_eq!(is_false(device), is_false(cpu), "{n} rows, row {bad}");
    }
    assert!(matches!(plan.factor(&system), Err(Error::NotDominant { system: 0 })));
}

/// Residuals in f64 give back what roundings of the solve took, in one submit.
#[test]
fn refinements_gain_digits() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("refinements_gain_digits");
    let units = |refinements: u32, at: u64| {
        let options = Options::on_device().refinements(refinements);
        let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(3000), options).unwrap();
        let recorded = Recorded::around(&gpu, plan, false);
        let system = System::<f32>::random(3000, seed + at);
        let (x, status) = recorded.solve(std::slice::from_ref(&system));
        let solved = status.check();
        // Random rows make a partition singular now and then.
        if solved == Err(Error::SingularPartition { system: 0 }) {
            return None;
        }
        assert_eq!(solved, Ok(()));
        Some(system.forward_errors(&x[0])[0] / f32::UNIT_ROUNDOFF)
    };
    let wide = gpu.capabilities().features.f64;
    let mut solved = 0;
    for at in 0..4 {
        let [Some(plain), Some(once), Some(twice)] = [0, 1, 2].map(|refinements| units(refinements, at)) else {
            continue;
        };
        println!("{plain:.1} units of roundoff, refined {once:.1}, twice {twice:.1}");
        solved += 1;
        // Of a condition that leaves half of the digits or so.
        if wide && plain < 1e4 {
            assert!(once <= plain.max(2.0) && twice <= 2.0, "{plain} units, refined {once}, twice {twice}");
        }
    }
    assert!(solved > 0, "all four systems have a singular partition");
    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(9), Options::on_device().refinements(1)).unwrap();
    let vector = DeviceVector::<f32>::new(&gpu, "a vector", 9).unwrap();
    let [lower, diag, upper, rhs] = [(); 4].map(|()| vector.as_slice());
    let in_place = plan.bind(&DeviceSystem { lower, diag, upper, rhs, x: None });
    assert!(matches!(in_place, Err(Error::Options(text)) if text.contains("in place")));
    let many = TridiagonalPlan::<f32>::new(&gpu, Shape::single(9), Options::on_device().refinements(17));
    assert!(matches!(many, Err(Error::Options(_))));
}

/// Slices hang together from the first on, so that those alone stop before they come to the rows of another kind.
fn exchanges_behind_coupled_slices<T: Real>(gpu: &Gpu) {
    for (n, batch) in [(9001, 1), (100_003, 1), (9001, 2)] {
        let recorded = Recorded::<T>::new(gpu, Shape::interleaved(n, batch), None, false);
        let mut diag = vec![2.0; n];
        let bad = n - 500;
        diag[bad..bad + 2].fill(0.0);
        let minus = vec![-1.0; n];
        let coupled = || (1..batch).map(|_| System::<T>::toeplitz(n, 2.0));
        let systems: Vec<_> = coupled().chain([System::<T>::of(&minus, diag, &minus, vec![1.0; n])]).collect();
        let (x, status) = recorded.solve(&systems);
        assert_eq!((status.check(), status.pivoted), (Ok(()), Some(batch - 1)), "{} n = {n}", T::PRECISION);
        let System { lower, diag, upper, rhs, .. } = &systems[batch - 1];
        let error = cpu::backward_error(lower, diag, upper, &x[batch - 1], rhs, false);
        assert!(error <= 100.0 * T::UNIT_ROUNDOFF, "{} n = {n}: {error:e}", T::PRECISION);
        // Without those rows it is the partition's again.
        let systems: Vec<_> = coupled().chain([System::toeplitz(n, 2.0)]).collect();
        let (found, status) = recorded.solve(&systems);
        assert_eq!((status.check(), status.pivoted), (Ok(()), None));
        for (system, x) in systems.iter().zip(&found) {
            let [error, _] = system.forward_errors(x);
            assert!(error <= 16.0 * T::UNIT_ROUNDOFF, "{} n = {n}: {error:e}", T::PRECISION);
        }
    }
}

#[test]
fn bad_rows_behind_coupled_slices_are_found() {
    let gpu = &gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("bad_rows_behind_coupled_slices_are_found"));
    in_precisions!(&mut random, gpu, exchanges_behind_coupled_slices(gpu));
}

fn one_row_in_the_last_slice<T: Real>(gpu: &Gpu, seed: u64) {
    for n in [9001, 20_011, 100_003] {
        let recorded = Recorded::<T>::new(gpu, Shape::single(n), None, false);
        for (turn, bad) in [n - 1, n - 3, n - 40].into_iter().enumerate() {
            let system = System::<T>::one_bad_row(n, bad, seed + turn as u64);
            let (x, status) = recorded.solve(std::slice::from_ref(&system));
            assert_eq!(status.check(), Ok(()), "{} n = {n}", T::PRECISION);
            assert_eq!(status.pivoted, Some(0), "{} n = {n}, row {bad}", T::PRECISION);
            let [error, gtsv] = system.forward_errors(&x[0]);
            assert!(error <= 10.0 * gtsv, "{} n = {n}, row {bad}: {error:e}, gtsv {gtsv:e}", T::PRECISION);
        }
        // And none of it stays for the next.
        let (x, status) = recorded.solve(&[System::dominant(n, seed)]);
        assert_eq!((status.check(), status.pivoted), (Ok(()), None));
        let [error, gtsv] = System::<T>::dominant(n, seed).forward_errors(&x[0]);
        assert!(error <= 2.0 * gtsv, "{} n = {n}: {error:e}, gtsv {gtsv:e}", T::PRECISION);
    }
}

#[test]
fn a_bad_row_in_the_last_slice_is_found() {
    let seed = seed("a_bad_row_in_the_last_slice_is_found");
    let gpu = &gpu(false, FeatureSwitches::ALL);
    in_precisions!(&mut SmallRng::seed_from_u64(seed), gpu, one_row_in_the_last_slice(gpu, seed));
}

/// Every kind in one batch, each solved by what it needs.
fn mixed<T: Real>(gpu: &Gpu, shape: Shape, policy: Option<AutoPolicy>, seed: u64) {
    let n = shape.n;
    // Random systems of which the partition lost more than most.
    let mut poor = BTreeSet::new();
    for in_place in some(&mut SmallRng::seed_from_u64(seed), &[false, true], 1) {
        let recorded = Recorded::<T>::new(gpu, shape, policy, in_place);
        for turn in 0..2 {
            let of = |at: usize| match (at + turn) % 4 {
                0 => System::dominant(n, seed + at as u64),
                1 => System::random(n, seed + at as u64),
                2 => System::toeplitz(n, 2.0),
                _ => System::one_bad_row(n, n - 1, seed + at as u64),
            };
            let systems: Vec<_> = (0..shape.batch).map(of).collect();
            let (found, status) = recorded.solve(&systems);
            let what = format!("{} {shape:?} {policy:?}, in place: {in_place}", T::PRECISION);
            // Of entries of ten digits some partitions are singular on their own.
            assert!(matches!(status.check(), Ok(()) | Err(Error::SingularPartition { .. })), "{what}: {status:?}");
            let first = (0..shape.batch).find(|at| (at + turn) % 4 % 2 == 1);
            assert_eq!(status.pivoted, first, "{what}");
            for (at, (system, x)) in systems.iter().zip(&found).enumerate() {
                let System { lower, diag, upper, rhs, .. } = system;
                // The carried complements make the third kind as good as it can be.
                let (error, bound) = match (at + turn) % 4 {
                    1 => (cpu::backward_error(lower, diag, upper, x, rhs, false), 1e6),
                    2 => (system.forward_errors(x)[0], 16.0),
                    _ => {
                        let [error, gtsv] = system.forward_errors(x);
                        (error, 10.0 * (gtsv / T::UNIT_ROUNDOFF + 10.0))
                    }
                };
                let error = error / T::UNIT_ROUNDOFF;
                assert!(error <= bound, "{what}, system {at}: {error:e} of {bound:e}");
                if error > 1e4 {
                    poor.insert(at);
                }
            }
        }
    }
    // A partition is nearly singular by chance: of some hundred random systems about one has such an error.
    assert!(poor.len() <= 1, "{} {shape:?} {policy:?}: poor are {poor:?}", T::PRECISION);
}

fn all_mixed<T: Real>(gpu: &Gpu, seed: u64) {
    let grouped = trisolve::tridiagonal::Layout { element_stride: 3, system_stride: 1, group: 3, group_stride: 4000 };
    let all = [
        (Shape::contiguous(100, 9), None),
        (Shape::interleaved(100, 37), None),
        (Shape::contiguous(9001, 6), small_slices(8)),
        (Shape::padded(9001, 5, 9004), small_slices(16)),
        (Shape::padded(8999, 4, 9003), small_slices(6)),
        (Shape::contiguous(9001, 4), small_slices(0)),
        (Shape::interleaved(3000, 6), None),
        (Shape::with_layout(1200, 7, grouped), None),
    ];
    // Each compiles many kernels.
    let mut random = SmallRng::seed_from_u64(seed);
    for (shape, policy) in some(&mut random, &all, 2) {
        mixed::<T>(gpu, shape, policy, random.random_range(0..1 << 40));
    }
}

#[test]
fn each_of_a_batch_is_solved_as_it_needs() {
    let seed = seed("each_of_a_batch_is_solved_as_it_needs");
    let gpu = &gpu(false, FeatureSwitches::ALL);
    in_precisions!(&mut SmallRng::seed_from_u64(seed), gpu, all_mixed(gpu, seed));
}

fn decaying<T: Real>(gpu: &Gpu) {
    let n = 9001;
    let window = |halo| Some(AutoPolicy { workgroup: 64, rows: 8, halo, shuffles: true, fill: 1 << 14 });
    let (single, interleaved) = (Shape::single(n), Shape::interleaved(n, 3));
    let from_both_ends = [(interleaved, None), (interleaved, window(2)), (interleaved, window(4))];
    let sliced = [(single, None), (single, small_slices(2)), (single, small_slices(16))];
    for (shape, policy) in sliced.into_iter().chain(from_both_ends) {
        let recorded = Recorded::<T>::new(gpu, shape, policy, false);
        for b in [0.0, 1.0, 10.0, 100.0, 200.0, 300.0, 512.0, 1024.0, 2048.0].map(|excess| 2.0 + excess / 1024.0) {
            let systems: Vec<_> = (0..shape.batch).map(|_| System::<T>::toeplitz(n, b)).collect();
            let (found, status) = recorded.solve(&systems);
            assert_eq!((status.check(), status.pivoted), (Ok(()), None), "b = {b}");
            for (system, x) in systems.iter().zip(&found) {
                let [error, _] = system.forward_errors(x);
                assert!(error <= 16.0 * T::UNIT_ROUNDOFF, "{} b = {b}, {shape:?}, {policy:?}: {error:e}", T::PRECISION);
            }
        }
    }
}

/// Nothing is cut off that rounding would not.
#[test]
fn slices_are_solved_alone_only_where_the_rest_does_not_reach_them() {
    let gpu = &gpu(false, FeatureSwitches::ALL);
    let seed = seed("slices_are_solved_alone_only_where_the_rest_does_not_reach_them");
    in_precisions!(&mut SmallRng::seed_from_u64(seed), gpu, decaying(gpu));
}

fn extremes<T: Real>(gpu: &Gpu, seed: u64) {
    let size: f64 = if T::PRECISION == trisolve::Precision::F64 { 1e300 } else { 1e36 };
    for n in [300, 9001] {
        // Small entries of f32 shall not become denormals, which devices may take for 0.
        let small = if T::PRECISION == trisolve::Precision::F64 { 1e-300 } else { 1e-30 };
        for factor in [size, small] {
            let scaled = |values: &[T]| values.iter().map(|value| T::from_f64(value.to_f64() * factor)).collect();
            // Random ones may lose some by chance; what over- or underflows loses all.
            let both = [(System::<T>::dominant(n, seed), 10.0), (System::random(n, seed), 1e4)];
            for (System { lower, diag, upper, rhs, x }, most) in both {
                let [a, b, c, d] = [&lower, &diag, &upper, &rhs].map(|values| scaled(values));
                let system = System { lower: a, diag: b, upper: c, rhs: d, x };
                let recorded = Recorded::<T>::new(gpu, Shape::single(n), None, false);
                let (found, status) = recorded.solve(std::slice::from_ref(&system));
                // A partition of a random system may be nearly singular.
                if most > 10.0 && status.check() == Err(Error::SingularPartition { system: 0 }) {
                    continue;
                }
                assert_eq!(status.check(), Ok(()), "{} n = {n}, times {factor:e}", T::PRECISION);
                let error = cpu::backward_error(&lower, &diag, &upper, &found[0], &rhs, false) / T::UNIT_ROUNDOFF;
                assert!(error < most, "{} n = {n}, times {factor:e}: {error}", T::PRECISION);
            }
        }
    }
}

#[test]
fn entries_as_large_and_as_small_as_there_are() {
    let seed = seed("entries_as_large_and_as_small_as_there_are");
    let gpu = &gpu(false, FeatureSwitches::ALL);
    in_precisions!(&mut SmallRng::seed_from_u64(seed), gpu, extremes(gpu, seed));
}

/// Short systems that lie without gaps, whatever their number of rows.
#[test]
fn short_systems_without_gaps() {
    let seed = seed("short_systems_without_gaps");
    packed::short_systems_begin_anywhere(&gpu(false, FeatureSwitches::ALL), seed);
}

/// Where there are no subgroups, and with all checks.
#[test]
fn without_subgroups_and_checked() {
    let seed = seed("without_subgroups_and_checked");
    let mut random = SmallRng::seed_from_u64(seed);
    let without = FeatureSwitches { subgroups: false, ..FeatureSwitches::ALL };
    for gpu in [gpu(false, without), gpu(true, FeatureSwitches::ALL)] {
        let all = [(Shape::contiguous(9001, 4), small_slices(8)), (Shape::contiguous(200, 5), None)];
        for (shape, policy) in some(&mut random, &all, 1) {
            mixed::<f32>(&gpu, shape, policy, seed);
        }
    }
}
