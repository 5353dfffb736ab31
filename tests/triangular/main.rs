//! Triangular systems on a device, by their backward error.

#[path = "../common/draw.rs"]
mod draw;
#[path = "../common/run_all.rs"]
mod run_all;
#[path = "../common/sweeps.rs"]
mod sweeps;

#[path = "../common/mod.rs"]
mod common;
mod factored;

use common::gpu;
use draw::{all_cases, in_precisions, some};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use sweeps::sweeps;
use trisolve::triangular::{
    self, AbreastPolicy, Algorithm, ChainedPolicy, DeviceSystem, Diag, LaunchSyncedPolicy, Options, Order, Shape,
    Trans, TriangularModel, TriangularPlan, Uplo,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Precision, Real};
use trisolve_lab::seed;
use trisolve_lab::{
    HostTriangular, OnDevice, Placement, factored_triangular_cases, traced_solve, triangular_cases,
    triangular_policy_cases,
};

sweeps!(
    |seed| [triangular_cases(seed), factored_triangular_cases(seed), triangular_policy_cases(seed)].concat(),
    per_group: 1
);

/// Solves again and again, each time over a poisoned x, or over the right-hand sides; the number of answers that differ from
/// the first.
fn again<T: Real>(
    plan: &TriangularPlan<T>,
    gpu: &Gpu,
    host: &HostTriangular<T>,
    placement: Placement,
    times: usize,
) -> usize {
    let matrix = DeviceVector::from_slice(gpu, "matrix", &host.matrix).unwrap();
    let rhs = DeviceVector::from_slice(gpu, "rhs", &host.rhs).unwrap();
    let nan = vec![T::from_f64(f64::NAN); host.rhs.len()];
    let in_place = placement == Placement::InPlace;
    let before = if in_place { &host.rhs } else { &nan };
    let x = DeviceVector::from_slice(gpu, "x", before).unwrap();
    let system = match in_place {
        true => DeviceSystem { matrix: matrix.as_slice(), rhs: x.as_slice(), x: None },
        false => DeviceSystem { matrix: matrix.as_slice(), rhs: rhs.as_slice(), x: Some(x.as_slice()) },
    };
    let bound = plan.bind(&system).unwrap();
    let mut first: Option<Vec<T>> = None;
    let mut others = 0;
    for _ in 0..times {
        x.write(gpu, 0, before).unwrap();
        bound.submit().unwrap();
        let found = x.read(gpu).unwrap();
        let first = first.get_or_insert_with(|| {
            let (error, allowed) = (host.backward_error(&found), host.allowed());
            assert!(error <= allowed, "{error:e}");
            found.clone()
        });
        others += usize::from(bytemuck::cast_slice::<T, u8>(first) != bytemuck::cast_slice::<T, u8>(&found));
    }
    bound.read_status().unwrap().check().unwrap();
    others
}

#[test]
fn chained_gives_the_same_bits_each_time() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let shape = Shape::single(333);
    let options = Options::on_device().algorithm(Algorithm::Chained);
    let host =
        HostTriangular::<f32>::new(shape, options, false, seed("chained_gives_the_same_bits_each_time")).unwrap();
    let plan = TriangularPlan::new(&gpu, shape, options).unwrap();
    assert_eq!(again(&plan, &gpu, &host, Placement::Apart, if all_cases() { 1000 } else { 200 }), 0);
}

#[test]
fn chained_does_without_a_block_row_that_nobody_solves() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::single(300);
    let options = Options::on_device().algorithm(Algorithm::Chained);
    let host = HostTriangular::<f32>::new(shape, options, false, seed("nobody_solves")).unwrap();
    for withheld in [0, 2, 3] {
        let mut plan = TriangularPlan::new(&gpu, shape, options).unwrap();
        plan.withhold(withheld);
        assert_eq!(again(&plan, &gpu, &host, Placement::Apart, 3), 0);
    }
}

/// Workgroups that solve the same block row at once, over its right-hand sides: none may tell what it computed from rows that
/// another has overwritten.
fn many_solve_one_block_row_in_place<T: Real>(gpu: &Gpu, random: &mut SmallRng) {
    let shape = Shape::single(300).with_columns(9);
    let policy = ChainedPolicy { block: 32, threads: 128, columns: 4, precache: 2, invert_from: 0 };
    let options = Options::on_device().algorithm(Algorithm::Chained).policy(policy);
    let host = HostTriangular::<T>::new(shape, options, false, seed("solve_one_block_row")).unwrap();
    for withheld in some(random, &[0, 2], 1) {
        let mut plan = TriangularPlan::<T>::new(gpu, shape, options).unwrap();
        plan.withhold(withheld);
        assert_eq!(again(&plan, gpu, &host, Placement::InPlace, 20), 0);
    }
}

#[test]
fn chained_in_place_does_without_a_block_row_that_nobody_solves() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("chained_in_place_does_without_a_block_row_that_nobody_solves"));
    let mut own = random.clone();
    in_precisions!(&mut random, &gpu, many_solve_one_block_row_in_place(&gpu, &mut own));
}

#[test]
fn a_supernode_is_solved_and_multiplied() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    // Columns (2, 1, 3, 0) and (-, 4, 1, 5).
    let matrix = [2.0f32, 1.0, 3.0, 0.0, f32::NAN, 4.0, 1.0, 5.0];
    let shape = Shape::single(4).with_stored(2);
    for algorithm in [Algorithm::Auto, Algorithm::Chained, Algorithm::LaunchSynced] {
        let solve = |trans, rhs: [f32; 4]| {
            let options = Options::on_device().algorithm(algorithm).trans(trans);
            let on_cpu = triangular::solve_on_cpu(&shape, &options, &matrix, &rhs).unwrap();
            let x = TriangularPlan::new(&gpu, shape, options).unwrap().solve(&matrix, &rhs).unwrap();
            assert_eq!(x, on_cpu.x, "{algorithm} {trans:?}");
            x
        };
        // x1 = (2, 1); what is left of (7, 6) without 3 * 2 + 1 and 5 * 1.
        assert_eq!(solve(Trans::No, [4.0, 6.0, 7.0, 6.0]), [2.0, 1.0, 0.0, 1.0]);
        // x2 is given; 4 x = 9 - 1 * 4 - 5 * 1 and 2 y = 12 - 1 * 0 - 3 * 4.
        assert_eq!(solve(Trans::Transpose, [12.0, 9.0, 4.0, 1.0]), [0.0, 0.0, 4.0, 1.0]);
    }
}

/// Many right-hand sides, with one and two tiles per thread.
fn many_right_hand_sides<T: Real>(gpu: &Gpu, random: &mut SmallRng) {
    let policies = [(8, 1, 31), (8, 16, 250), (32, 4, 100), (16, 2, 33), (64, 2, 50), (64, 4, 125)];
    for (columns, spans, n) in some(random, &policies, 1) {
        for order in some(random, &[Order::ColumnMajor, Order::RowMajor], 1) {
            let shape = Shape { matrix_stride: n * (n + 2), ..Shape::batch(n, 2) };
            let shape = Shape { leading: n + 2, ..shape.with_columns(columns as usize + 3) };
            let uplo = *some(random, &[Uplo::Lower, Uplo::Upper], 1).first().unwrap();
            let policy = AbreastPolicy { columns, spans };
            let options = Options::on_device().algorithm(Algorithm::Abreast).policy(policy).order(order).uplo(uplo);
            let host = HostTriangular::<T>::new(shape, options, false, seed("many_right_hand_sides")).unwrap();
            let plan = TriangularPlan::<T>::new(gpu, shape, options).unwrap();
            assert_eq!(again(&plan, gpu, &host, Placement::Apart, 2), 0, "{columns} {spans} {n} {order:?} {uplo:?}");
            assert_eq!(again(&plan, gpu, &host, Placement::InPlace, 2), 0, "{columns} {spans} {n} {order:?} {uplo:?}");
        }
    }
}

#[test]
fn right_hand_sides_are_solved_abreast() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("right_hand_sides_are_solved_abreast"));
    let mut own = random.clone();
    in_precisions!(&mut random, &gpu, many_right_hand_sides(&gpu, &mut own));
    let plan = |n| TriangularPlan::<f32>::new(&gpu, Shape::batch(n, 16).with_columns(8), Options::on_device()).unwrap();
    assert_eq!((plan(64).algorithm(), plan(512).algorithm()), (Algorithm::Abreast, Algorithm::Abreast));
    assert_ne!(plan(513).algorithm(), Algorithm::Abreast);
    let policy = AbreastPolicy { columns: 8, spans: 1 };
    let refused = TriangularPlan::<f32>::new(&gpu, Shape::single(33), Options::on_device().policy(policy));
    assert!(matches!(refused, Err(Error::Limit { needed: 33, available: 32, .. })));
}

fn trapezoids<T: Real>(gpu: &Gpu, random: &mut SmallRng) {
    let forms = [
        (Uplo::Lower, Order::ColumnMajor, Trans::No),
        (Uplo::Lower, Order::ColumnMajor, Trans::Transpose),
        (Uplo::Upper, Order::RowMajor, Trans::No),
        (Uplo::Upper, Order::RowMajor, Trans::Transpose),
    ];
    let blocks = ChainedPolicy { block: 32, threads: 128, columns: 1, precache: 2, invert_from: 1 };
    let steps = LaunchSyncedPolicy { block: 32, threads: 128, columns: 1, rows: 2 };
    // Stored columns on both sides of the edges of blocks and of steps, and far fewer than rows.
    for (n, stored) in some(random, &[(33, 32), (65, 1), (100, 31), (129, 64), (300, 65), (700, 33), (650, 649)], 3) {
        for (uplo, order, trans) in forms {
            let options = Options { uplo, order, trans, ..Options::on_device() };
            let plain = Shape::single(n);
            let shapes = [
                plain.with_stored(stored),
                plain.with_stored(stored).with_leading(n + 3).with_columns(3),
                Shape::batch(n, 2).with_stored(stored).with_increment(-2),
            ];
            for shape in some(random, &shapes, 1) {
                for options in [options.policy(blocks), options.policy(steps)] {
                    let host = HostTriangular::<T>::new(shape, options, false, seed("trapezoids")).unwrap();
                    let plan = TriangularPlan::<T>::new(gpu, shape, options).unwrap();
                    let placement = some(random, &[Placement::Apart, Placement::InPlace], 1)[0];
                    assert_eq!(again(&plan, gpu, &host, placement, 2), 0, "{n} x {stored}: {options:?}");
                }
            }
        }
    }
}

#[test]
fn trapezoids_of_all_forms() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("trapezoids_of_all_forms"));
    let mut own = random.clone();
    in_precisions!(&mut random, &gpu, trapezoids(&gpu, &mut own));
}

/// Events of a block row come in their order, every event has a number of its own, and rows start in the order of the solve.
#[test]
fn a_trace_has_all_events_in_order() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for trans in [Trans::No, Trans::Transpose] {
        let policy = ChainedPolicy { block: 32, threads: 128, columns: 1, precache: 2, invert_from: 1 };
        let options = Options::on_device().algorithm(Algorithm::Chained).policy(policy).diag(Diag::Unit).trans(trans);
        let plan = TriangularPlan::<f32>::new(&gpu, Shape::single(350), options).unwrap();
        let trace = traced_solve(&gpu, plan, &options).unwrap();
        assert!(trace.error <= trace.allowed, "{:e}", trace.error);
        assert_eq!(trace.events.len(), 11);
        let mut numbers: Vec<_> = trace
            .events
            .iter()
            .flat_map(|row| {
                assert!(0 < row.start && row.start < row.products && row.products < row.end, "{row:?}");
                assert_eq!(row.first_wait_over > 0, row.waits > 0, "{row:?}");
                assert!(row.begun > 0, "{row:?}");
                [row.start, row.first_wait_over, row.products, row.end]
            })
            .filter(|number| *number > 0)
            .collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
    let single = Options::on_device().algorithm(Algorithm::Single);
    let plan = TriangularPlan::<f32>::new(&gpu, Shape::single(20), single).unwrap();
    assert!(matches!(traced_solve(&gpu, plan, &single), Err(Error::Options(_))));
}

#[test]
fn bad_input_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let plan = |shape, options| TriangularPlan::<f32>::new(&gpu, shape, options).map(drop);
    let single = Shape::single(3);
    for shape in [
        Shape { leading: 2, ..single },
        Shape { batch: 0, ..single },
        single.with_columns(0),
        single.with_increment(0),
        Shape { column_stride: 2, ..single.with_columns(2) },
        Shape { vector_stride: 2, ..Shape::batch(3, 2) },
        Shape { matrix_stride: 8, ..Shape::batch(3, 2) },
        single.with_stored(0),
        single.with_stored(4),
        Shape { matrix_stride: 5, ..Shape::batch(3, 2).with_stored(2) },
    ] {
        assert!(matches!(plan(shape, Options::on_device()), Err(Error::Shape(_))), "{shape:?}");
    }
    let upper = Options::on_device().uplo(Uplo::Upper);
    assert!(matches!(plan(single.with_stored(2), upper), Err(Error::Shape(_))));
    assert!(plan(single.with_stored(2), upper.order(Order::RowMajor)).is_ok());
    let alone = Options::on_device().algorithm(Algorithm::Single);
    assert!(matches!(plan(single.with_stored(2), alone), Err(Error::Unsupported { .. })));
    let huge = Shape::single(1 << 20);
    assert!(matches!(plan(huge, Options::on_device()), Err(Error::Limit { .. })));
    let policy = ChainedPolicy { block: 32, threads: 512, columns: 1, precache: 2, invert_from: 0 };
    assert!(matches!(plan(single, Options::on_device().policy(policy)), Err(Error::Options(_))));
    let policy = ChainedPolicy { threads: 64, ..policy };
    let options = Options::on_device().algorithm(Algorithm::LaunchSynced).policy(policy);
    assert!(matches!(plan(single, options), Err(Error::Options(_))));

    let rhs = [1.0f32; 3];
    let matrix = [2.0, 1.0, 1.0, f32::NAN, 2.0, 1.0, f32::NAN, f32::NAN, 2.0];
    let solve = |matrix: &[f32], rhs: &[f32]| triangular::solve(&gpu, matrix, rhs, Options::on_device());
    assert_eq!(solve(&matrix, &rhs).unwrap(), [0.5, 0.25, 0.125]);
    assert!(solve(&[], &[]).unwrap().is_empty());
    assert!(matches!(solve(&matrix[1..], &rhs), Err(Error::Length { vector: "matrix", .. })));
    let with = |at: usize, value| {
        let mut other = matrix;
        other[at] = value;
        solve(&other, &rhs).unwrap_err()
    };
    assert_eq!(with(4, 0.0), Error::ZeroDiagonal { system: 0, row: 1 });
    assert_eq!(with(8, f32::INFINITY), Error::NonFiniteInput { vector: "the diagonal", system: 0, row: 2 });
    assert_eq!(with(5, f32::NAN), Error::NonFiniteInput { vector: "the matrix", system: 0, row: 2 });
    assert_eq!(with(4, 1e-39), Error::Overflow { system: 0, row: 1, precision: Precision::F32 });
    let infinite = solve(&matrix, &[1.0, f32::NAN, 1.0]).unwrap_err();
    assert_eq!(infinite, Error::NonFiniteInput { vector: "rhs", system: 0, row: 1 });

    // On the device, what a status says.
    let plan = TriangularPlan::<f32>::new(&gpu, single, Options::on_device()).unwrap();
    let mut zero = matrix;
    zero[4] = 0.0;
    let (zero, right) = (
        DeviceVector::from_slice(&gpu, "matrix", &zero).unwrap(),
        DeviceVector::from_slice(&gpu, "rhs", &rhs).unwrap(),
    );
    let bound = plan.bind(&DeviceSystem { matrix: zero.as_slice(), rhs: right.as_slice(), x: None }).unwrap();
    bound.submit().unwrap();
    assert_eq!(bound.read_status().unwrap().check(), Err(Error::ZeroDiagonal { system: 0, row: 1 }));
    let short = DeviceSystem { matrix: zero.slice(0, 8), rhs: right.as_slice(), x: None };
    assert!(matches!(plan.bind(&short), Err(Error::Length { vector: "matrix", .. })));
    let over = DeviceSystem { matrix: zero.as_slice(), rhs: right.as_slice(), x: Some(zero.slice(0, 3)) };
    assert!(matches!(plan.bind(&over), Err(Error::Overlap { .. })));
}

#[test]
fn nothing_is_solved_by_every_algorithm() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let nothing = DeviceVector::<f32>::new(&gpu, "nothing", 0).unwrap();
    for algorithm in Algorithm::ALL {
        for shape in [Shape::single(0), Shape::batch(0, 3).with_columns(2)] {
            let plan = TriangularPlan::<f32>::new(&gpu, shape, Options::on_device().algorithm(algorithm)).unwrap();
            assert!(plan.solve(&[], &[]).unwrap().is_empty());
            let system = DeviceSystem { matrix: nothing.as_slice(), rhs: nothing.as_slice(), x: None };
            let bound = plan.bind(&system).unwrap();
            bound.submit().unwrap();
            bound.read_status().unwrap().check().unwrap();
        }
    }
}

#[test]
fn diagonals_at_the_ends_of_the_range() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for algorithm in [Algorithm::Single, Algorithm::Abreast, Algorithm::LaunchSynced, Algorithm::Chained] {
        let policy = ChainedPolicy { block: 32, threads: 64, columns: 1, precache: 2, invert_from: 0 };
        let options = Options::on_device().algorithm(algorithm);
        let options = if algorithm == Algorithm::Chained { options.policy(policy) } else { options };
        // Reciprocals would be subnormal, and flushed to 0, or of fewer digits; all that is given is normal.
        for size in [3e38f32, 2.5e-38] {
            let matrix = [size, 0.5 * size, 0.0, size];
            let x = triangular::solve(&gpu, &matrix, &[0.5 * size, size], options).unwrap();
            let off = (x[0] - 0.5).abs().max((x[1] - 0.75).abs());
            assert!(off < 3e-7, "{algorithm} {size:e}: {x:?}");
        }
        // Ordinary rows beside such a one.
        for (diagonal, rhs) in [(2.0f32, 1e-24f32), (2.0, 1e-35), (1.0, 1e20), (1.0, 3e38)] {
            for beside in [1.3e-38f32, 2e38] {
                let x = triangular::solve(&gpu, &[diagonal, 0.0, 0.0, beside], &[rhs, 0.0], options).unwrap();
                assert!((x[0] * diagonal / rhs - 1.0).abs() < 3e-7, "{algorithm} {diagonal} {rhs} {beside:e}: {x:?}");
                let x = triangular::solve(&gpu, &[beside, 0.0, 0.0, diagonal], &[0.0, rhs], options).unwrap();
                assert!((x[1] * diagonal / rhs - 1.0).abs() < 3e-7, "{algorithm} {diagonal} {rhs} {beside:e}: {x:?}");
            }
        }
    }
}

/// Hogg's section 5: the blocks of table 5.1, and of sizes around the last block row that is bound by latency.
#[test]
fn the_models_blocks() {
    let costs = TriangularModel {
        block: 32,
        slots: 56,
        latency_bound: 78,
        setup: 0.0,
        init: 0.0,
        latency: 0.0,
        bandwidth: 0.0,
    };
    // Block rows; block rows after those bound by latency, blocks that wait, blocks at a share of the bandwidth.
    for (blocks, expected) in [
        (256, [4.0, 32.0, 688.0]),
        (32, [0.0, 32.0, 0.0]),
        (72, [0.0, 72.0, 0.0]),
        (78, [0.0, 78.0, 0.0]),
        (79, [1.0, 23.0, 79.0]),
        (130, [1.0, 74.0, 130.0]),
    ] {
        let work = costs.work(32 * blocks);
        assert_eq!([work.rows, work.waiting, work.streaming], expected, "{blocks} block rows");
    }
}
