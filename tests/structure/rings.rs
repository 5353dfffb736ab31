//! Periodic systems.

use super::*;

/// NaN in a corner counts where the corner does; a singular ring is an error, and near it.
#[test]
fn rings_that_are_not_solvable() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    for n in some(&mut SmallRng::seed_from_u64(seed("rings_that_are_not_solvable")), &[2, 9, 20_011], 1) {
        let (mut lower, mut upper) = (vec![-1.0f32; n], vec![-1.0; n]);
        let (diag, rhs) = (vec![4.0; n], vec![1.0; n]);
        (lower[0], upper[n - 1]) = (f32::NAN, -1.0);
        let solve = |lower: &[f32], diag: &[f32], upper: &[f32], periodic| {
            let system = System { periodic, ..System::new(lower, diag, upper) };
            tridiagonal::solve_with(&gpu, &system, &rhs, Options::on_device())
        };
        solve(&lower, &diag, &upper, false).unwrap();
        match solve(&lower, &diag, &upper, true).unwrap_err() {
            Error::NonFiniteInput { vector: "lower", system: 0, row: 0 } => {}
            other => panic!("n = {n}: {other}"),
        }
        (lower[0], upper[n - 1]) = (-1.0, f32::INFINITY);
        match solve(&lower, &diag, &upper, true).unwrap_err() {
            Error::NonFiniteInput { vector: "upper", system: 0, row } if row == n - 1 => {}
            other => panic!("n = {n}: {other}"),
        }
        // Each row sums to 0, so x of ones also solves a right-hand side of zeros.
        upper[n - 1] = -1.0;
        let (diag, system) = (vec![2.0; n], System::new(&lower, &[], &upper).periodic());
        let zeros =
            tridiagonal::solve_with(&gpu, &System { diag: &diag, ..system }, &vec![0.0; n], Options::on_device());
        assert!(matches!(zeros, Err(Error::Singular { .. } | Error::NearlySingular { .. })), "n = {n}: {zeros:?}");
        let found = solve(&lower, &diag, &upper, true);
        let said = matches!(
            found,
            Err(Error::Singular { .. }
                | Error::NearlySingular { .. }
                | Error::Breakdown { .. }
                | Error::Inaccurate { .. })
        );
        assert!(said, "n = {n}: {:?}", found.map(|x| x[0]));
    }
}

/// Rings that no algorithm solves that opens them: shifts, upwind differences, zero diagonals; around every edge of partitions
/// and slices, recorded, in place, of several right-hand sides.
fn rings<T: Real>(gpu: &Gpu, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    for n in some(&mut random, &[2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 31, 129, 256, 2047, 2050, 5000, 20_011], 3) {
        let (batch, columns) = (random.random_range(1..4), random.random_range(1..3));
        let interleaved = random.random();
        let shape = if interleaved { Shape::interleaved(n, batch) } else { Shape::contiguous(n, batch) };
        let shape = shape.with_columns(columns);
        let algorithm = [Algorithm::Auto, Algorithm::Pivoting][random.random_range(0..2)];
        let plan = TridiagonalPlan::<T>::new(gpu, shape, Options::on_device().algorithm(algorithm).periodic()).unwrap();
        let kinds: [[f64; 3]; 6] = [
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 1.25, 0.0],
            [0.0, 1.25, -1.0],
            [-1.0, -0.5, 1.0],
            [1.0, 0.5, -0.25],
        ];
        let of: Vec<[f64; 3]> = (0..batch).map(|_| kinds[random.random_range(0..kinds.len())]).collect();
        let mut matrix = [vec![T::ZERO; n * batch], vec![T::ZERO; n * batch], vec![T::ZERO; n * batch]];
        let x: Vec<f64> = (0..n * batch * columns).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut rhs = vec![T::from_f64(f64::NAN); n * batch * columns];
        for (system, row) in (0..batch).flat_map(|system| (0..n).map(move |row| (system, row))) {
            // A row's own size, which a pivot is measured by.
            let size = 2f64.powi(random.random_range(-3..4));
            let entries = of[system].map(|entry| size * entry);
            matrix
                .iter_mut()
                .zip(entries)
                .for_each(|(to, entry)| to[shape.matrix_index(system, row)] = T::from_f64(entry));
            for column in 0..columns {
                let of = |row: usize| x[shape.rhs_index(system, column, row)];
                let sum = entries[0] * of((row + n - 1) % n) + entries[1] * of(row) + entries[2] * of((row + 1) % n);
                rhs[shape.rhs_index(system, column, row)] = T::from_f64(sum);
            }
        }
        let name = format!("{n} rows, {algorithm}, {of:?}, interleaved {interleaved}, {columns} columns");
        let [lower, diag, upper] = &matrix;
        let system = System::new(lower, diag, upper).periodic();
        // Circulants but for powers of two: their eigenvalues are no more than 9 times apart.
        let bound = 200.0 * T::UNIT_ROUNDOFF;
        let found = plan.solve_reported(&system, &rhs).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(found.algorithm, Algorithm::Pivoting, "{name}");
        let off = error(&found.x, &x);
        assert!(off < bound, "{name}: {off:e}");
        let vector = |values: &[T]| DeviceVector::from_slice(gpu, "a vector", values).unwrap();
        let [lower, diag, upper] = [vector(lower), vector(diag), vector(upper)];
        let (right, target) = (vector(&rhs), vector(&vec![T::from_f64(f64::NAN); rhs.len()]));
        for in_place in some(&mut random, &[false, true], 1) {
            let system = DeviceSystem {
                lower: lower.as_slice(),
                diag: diag.as_slice(),
                upper: upper.as_slice(),
                rhs: right.as_slice(),
                x: (!in_place).then(|| target.as_slice()),
            };
            let bound_once = plan.bind(&system).unwrap();
            bound_once.submit().unwrap();
            let status = bound_once.read_status().unwrap();
            // A shift has inner rows without an unknown of their own: said, and solved.
            assert!(status.non_finite_result.is_none() && status.non_finite_input.is_none(), "{name}: {status:?}");
            let found = if in_place { &right } else { &target }.read(gpu).unwrap();
            let off = error(&found, &x);
            assert!(off < bound, "{name}, in place {in_place}: {off:e}");
        }
    }
}

#[test]
fn rings_that_are_not_dominant() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("rings_that_are_not_dominant");
    in_precisions!(&mut SmallRng::seed_from_u64(seed), &gpu, rings(&gpu, seed));
}

/// A ring that is regular, though it is not once it has been opened: an error of the algorithms that open it.
#[test]
fn a_ring_that_opens_singular() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    // T = (2 2; 1 1).
    let system = System::new(&[1.0f32, 1.0], &[1.0, 0.0], &[2.0, 1.0]).periodic();
    let rhs = [5.0, 3.0];
    let by = |algorithm, system: &System<'_, f32>, rhs: &[f32]| {
        let options = Options::on_device().algorithm(algorithm).matching(system);
        TridiagonalPlan::new(&gpu, Shape::single(rhs.len()), options).unwrap().solve(system, rhs)
    };
    let found = by(Algorithm::Partition, &system, &rhs);
    assert!(matches!(found, Err(Error::Breakdown { .. } | Error::Inaccurate { .. })), "{found:?}");
    for x in [
        tridiagonal::solve_with(&gpu, &system, &rhs, Options::on_device()).unwrap(),
        solve_or_cpu(&LazyGpu::from(gpu.clone()), &system, &rhs).unwrap(),
    ] {
        assert!(error(&x, &[1.5, 3.5 / 3.0]) < 1e-6, "{x:?}");
    }
    // The diagonal that it opens to is past the range: an error that does not blame the input.
    let (large, diag) = ([-1e38f32; 3], [2.5e38f32; 3]);
    let found = by(Algorithm::Partition, &System::new(&large, &diag, &large).periodic(), &[1.0; 3]);
    assert!(matches!(found, Err(Error::Breakdown { .. })), "{found:?}");
    // Both ways the CPU has.
    let dominant = System::with_excess(&[-1.0f64; 5], &[0.5; 5], &[-1.0; 5]).periodic();
    let by_excess = solve_on_cpu(&dominant, &[1.0; 5]).unwrap();
    let by_value = cpu::periodic_gtsv(&[-1.0; 5], &[2.5; 5], &[-1.0; 5], &[1.0; 5]).unwrap();
    assert!(error(&by_excess, &by_value) < 1e-14 && error(&by_value, &[2.0; 5]) < 1e-14);
}
