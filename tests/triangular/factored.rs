//! Factored matrices.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve::triangular::{Algorithm, Diag, Options, Order, Shape, Trans, TriangularPlan, Uplo};
use trisolve::{Check, DeviceVector, Error, FeatureSwitches, Gpu, Place, Real};
use trisolve_lab::{HostTriangular, OnDevice, seed};

use super::common::gpu;
use super::draw::{in_precisions, some};

/// Sizes around the edges of tiles and blocks.
const SIZES: [usize; 11] = [1, 7, 8, 9, 15, 16, 17, 33, 64, 65, 130];

fn all_sizes<T: Real>(gpu: &Gpu, random: &mut SmallRng) {
    for n in some(random, &SIZES, 5) {
        let shape = Shape::batch(n, 2).with_columns(3);
        let options = Options::on_device().uplo(Uplo::Upper).order(Order::RowMajor);
        let host = HostTriangular::<T>::new(shape, options, false, seed("all_sizes")).unwrap();
        let plan = TriangularPlan::<T>::new(gpu, shape, options).unwrap();
        let factored = plan.factor(&host.matrix).unwrap();
        assert_eq!(
            (factored.block(), factored.dispatches()),
            (Some(n.next_multiple_of(if n > 64 { 64 } else { 16 })), 1),
            "{n}"
        );
        factored.poison_scratch();
        let solution = factored.solve_reported(&host.rhs).unwrap();
        assert_eq!((solution.algorithm, solution.replaced), (Algorithm::LaunchSynced, 0), "{n}");
        let (error, allowed) = (host.backward_error(&solution.x), host.allowed());
        assert!(error <= allowed, "{n}: {error:e}");
        assert_eq!(factored.solve(&host.rhs).unwrap(), solution.x, "{n}");
    }
}

#[test]
fn every_size() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("every_size"));
    let mut own = random.clone();
    in_precisions!(&mut random, &gpu, all_sizes(&gpu, &mut own));
}

/// A unit lower bidiagonal matrix whose entries beside the diagonal are all this one.
fn bidiagonal(n: usize, below: f32) -> Vec<f32> {
    let mut matrix = vec![0.0; n * n];
    for row in 0..n {
        matrix[row * n + row] = 1.0;
        if row > 0 {
            matrix[(row - 1) * n + row] = below;
        }
    }
    matrix
}

#[test]
fn conditions_limit_blocks() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let plan = TriangularPlan::<f32>::new(&gpu, Shape::single(200), Options::on_device()).unwrap();
    // || |D^-1| |D| || of the second matrix is 68, of its blocks of 128 rows 66, of 64 rows 58; of the first 3, of blocks of 64 rows of the third 127.
    for (below, block, algorithm) in [
        (0.5, Some(256), Algorithm::LaunchSynced),
        (-0.971, Some(64), Algorithm::LaunchSynced),
        (-1.0, None, plan.algorithm()),
    ] {
        let matrix = bidiagonal(200, below);
        let factored = plan.factor(&matrix).unwrap();
        assert_eq!((factored.block(), factored.algorithm()), (block, algorithm), "{below}");
        // The exact unknowns are 1 and -1 in turn.
        let rhs: Vec<f32> =
            (0..200).map(|row| [1.0, -1.0][row % 2] * if row > 0 { 1.0 - below } else { 1.0 }).collect();
        let x = factored.solve(&rhs).unwrap();
        for (row, x) in x.iter().enumerate() {
            assert!((x - [1.0, -1.0][row % 2]).abs() < 1e-4, "{below}, row {row}: {x}");
        }
    }
}

#[test]
fn the_same_bits_each_time_in_place_too() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let shape = Shape::batch(70, 3).with_increment(-2).with_columns(2);
    let options = Options::on_device().trans(Trans::Transpose).diag(Diag::Unit);
    let host = HostTriangular::<f32>::new(shape, options, false, seed("the_same_bits_each_time_in_place_too")).unwrap();
    let plan = TriangularPlan::new(&gpu, shape, options).unwrap();
    let matrix = DeviceVector::from_slice(&gpu, "matrix", &host.matrix).unwrap();
    let factored = plan.factor_device(matrix.as_slice()).unwrap();
    drop(matrix);
    let rhs = DeviceVector::from_slice(&gpu, "rhs", &host.rhs).unwrap();
    let apart = DeviceVector::from_slice(&gpu, "x", &vec![f32::NAN; host.rhs.len()]).unwrap();
    let bound = factored.bind(rhs.as_slice(), Some(apart.as_slice())).unwrap();
    bound.submit().unwrap();
    let first = apart.read(&gpu).unwrap();
    assert!(host.backward_error(&first) <= host.allowed());
    let over = factored.bind(rhs.as_slice(), None).unwrap();
    for _ in 0..5 {
        rhs.write(&gpu, 0, &host.rhs).unwrap();
        over.submit().unwrap();
        let bits = |values: &[f32]| -> Vec<u32> {
            let rows =
                (0..3).flat_map(|system| (0..2).flat_map(move |column| (0..70).map(move |row| (system, column, row))));
            rows.map(|(system, column, row)| values[shape.vector_index(system, column, row)].to_bits()).collect()
        };
        assert_eq!(bits(&rhs.read(&gpu).unwrap()), bits(&first));
    }
    over.read_status().unwrap().check().unwrap();
}

#[test]
fn bad_matrices_are_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::single(3);
    let plan = TriangularPlan::<f32>::new(&gpu, shape, Options::on_device()).unwrap();
    let matrix = [2.0f32, 1.0, 1.0, f32::NAN, 2.0, 1.0, f32::NAN, f32::NAN, 2.0];
    let on_device = |matrix: &[f32]| {
        let matrix = DeviceVector::from_slice(&gpu, "matrix", matrix).unwrap();
        plan.factor_device(matrix.as_slice()).map(drop)
    };
    assert_eq!(
        plan.factor(&matrix[1..]).map(drop),
        Err(Error::Length { vector: "matrix", expected: "9".into(), found: 8 })
    );
    assert!(matches!(on_device(&matrix[1..]), Err(Error::Length { vector: "matrix", .. })));
    let mut zero = matrix;
    zero[4] = 0.0;
    let refused = Err(Error::ZeroDiagonal { system: 0, row: 1 });
    assert_eq!((plan.factor(&zero).map(drop), on_device(&zero)), (refused.clone(), refused));
    let mut infinite = matrix;
    infinite[8] = f32::INFINITY;
    let host = Err(Error::NonFiniteInput { vector: "the diagonal", system: 0, row: 2 });
    assert_eq!(plan.factor(&infinite).map(drop), host);
    assert!(matches!(on_device(&infinite), Err(Error::NonFiniteInput { system: 0, row: 2, .. })));
    let cpu = TriangularPlan::<f32>::new(&gpu, shape, Options::default().place(Place::Cpu)).unwrap();
    assert!(matches!(cpu.factor(&matrix), Err(Error::Options(_))));
    let trapezoid = TriangularPlan::<f32>::new(&gpu, shape.with_stored(2), Options::on_device()).unwrap();
    assert!(matches!(trapezoid.factor(&matrix[..6]), Err(Error::Unsupported { .. })));

    let factored = plan.factor(&matrix).unwrap();
    assert_eq!(factored.solve(&[1.0; 3]).unwrap(), [0.5, 0.25, 0.125]);
    assert_eq!(factored.solve(&[1.0; 2]), Err(Error::Length { vector: "rhs", expected: "3".into(), found: 2 }));
    let nan = factored.solve(&[1.0, f32::NAN, 1.0]);
    assert_eq!(nan, Err(Error::NonFiniteInput { vector: "rhs", system: 0, row: 1 }));
    let right = DeviceVector::from_slice(&gpu, "rhs", &[1.0f32; 2]).unwrap();
    assert!(matches!(factored.bind(right.as_slice(), None), Err(Error::Length { .. })));
}

#[test]
fn a_copy_is_kept_for_checks_alone() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::single(32);
    let matrix = bidiagonal(32, 0.5);
    let factored = |check| {
        let plan = TriangularPlan::<f32>::new(&gpu, shape, Options::on_device().check(check)).unwrap();
        plan.factor(&matrix).unwrap()
    };
    let (checked, unchecked) = (factored(Check::Every), factored(Check::Off));
    assert_eq!(checked.device_bytes() - unchecked.device_bytes(), 4 * 32 * 32);
    let rhs = [1.0; 32];
    assert_eq!(checked.solve(&rhs).unwrap(), unchecked.solve(&rhs).unwrap());
    assert_eq!(unchecked.solve_reported(&rhs).unwrap().forward_error, None);
    let infinite = [f32::INFINITY; 32];
    assert_eq!(unchecked.solve(&infinite), Err(Error::Breakdown { system: 0, row: 0 }));
}

#[test]
fn nothing_is_factored() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let plan = TriangularPlan::<f32>::new(&gpu, Shape::batch(0, 3).with_columns(2), Options::on_device()).unwrap();
    let factored = plan.factor(&[]).unwrap();
    assert!(factored.solve(&[]).unwrap().is_empty());
    assert_eq!((factored.block(), factored.dispatches()), (None, 0));
}
