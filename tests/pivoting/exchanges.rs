//! Rows that have to be exchanged.

use super::*;
use trisolve_lab::OnDevice;

/// What no method without exchanges survives, for partitions of so many rows.
fn without_pivots(n: usize, rows: usize, seed: u64) -> Vec<(System, &'static str)> {
    let random = || {
        let mut system = System::random(n, seed);
        let sizes = system.lower.iter_mut().chain(&mut system.upper);
        sizes.for_each(|value| *value = value.signum() * (1.0 + value.abs()));
        system
    };
    let mut zeros = random();
    zeros.diag.fill(0.0);
    let mut blocks = random();
    for (i, value) in blocks.diag.iter_mut().enumerate() {
        *value = if i % 2 == 0 { 0.0 } else { 1e-3 * *value };
    }
    // (0 1; 1 0), which a partition's ends leave weak pivots from both sides.
    let mut coupled = System::random(n, seed);
    for i in 0..n {
        (coupled.diag[i], coupled.lower[i]) = (0.0, if i % 2 == 0 { coupled.lower[i] / 4.0 } else { 1.0 });
        coupled.upper[i] = if i % 2 == 0 { 1.0 } else { coupled.upper[i] / 4.0 };
    }
    // The second unknown of each partition stands in its first row alone.
    let mut apart = System::random(n, seed);
    for start in (0..n).step_by(rows).filter(|start| start + 2 < n) {
        apart.diag[start + 1] = 0.0;
        apart.lower[start + 2] = 0.0;
        (apart.upper[start], apart.lower[start + 1]) = (2.0, 2.0);
    }
    // And the last but one in its last.
    let mut both =
        System { lower: apart.lower.clone(), diag: apart.diag.clone(), upper: apart.upper.clone(), x: apart.x.clone() };
    for end in (rows - 1..n).step_by(rows) {
        both.diag[end - 1] = 0.0;
        both.upper[end - 2] = 0.0;
        (both.lower[end], both.upper[end - 1]) = (2.0, 2.0);
    }
    let all = vec![
        (zeros, "a diagonal of zeros"),
        (blocks, "blocks of two rows"),
        (coupled, "coupled exchanges"),
        (apart, "a column apart"),
        (both, "two columns apart"),
    ];
    // Now and then one is singular.
    let solvable = |system: &System| cpu::gtsv(&system.lower, &system.diag, &system.upper, &system.rhs()).is_ok();
    all.into_iter().filter(|(system, _)| solvable(system)).collect()
}

#[test]
fn zeros_where_pivots_should_be() {
    let seed = seed("zeros_where_pivots_should_be");
    for rows in [4, 8, 16] {
        // Nonsingular for an even n alone.
        for n in [2, 4, 6, 8, 10, 14, 16, 18, 30, 32, 34, 64, 126, 510, 512] {
            without_pivots(n, rows, seed + n as u64).into_iter().for_each(|(system, what)| system.check(rows, what));
        }
    }
}

#[test]
fn zeros_where_pivots_should_be_on_a_device() {
    let seed = seed("zeros_where_pivots_should_be_on_a_device");
    let mut random = SmallRng::seed_from_u64(seed);
    for n in some(&mut random, &[2, 8, 18, 130, 2050, 20_010], 3) {
        for rows in some(&mut random, &[8, 16], 1) {
            for (system, what) in without_pivots(n, rows as usize, seed + n as u64) {
                // Of these one in seven has a partition whose ends depend on each other by its inner rows alone; then
                // both rows that are left of it say the same, and refinement has to make up for it.
                if what == "blocks of two rows" && n > 1000 {
                    let found = system.solve_from_host::<f64>(small_slices(rows));
                    assert!(
                        matches!(found, Ok(_) | Err(Error::NearlySingular { .. })),
                        "n = {n}, {rows} rows: {found:?}"
                    );
                } else {
                    // The worst of 30 seeds had 64.
                    check_on_device(&mut random, &system, small_slices(rows), (what, 1e4));
                }
            }
        }
    }
}

/// Rows of very different sizes; f64 alone has room for the last.
#[test]
fn sizes_far_apart() {
    let seed = seed("sizes_far_apart");
    let mut random = SmallRng::seed_from_u64(seed);
    let gpu = gpu(false, FeatureSwitches::ALL);
    for n in [100, 5000] {
        let scaled = |size: &dyn Fn(usize) -> i32| {
            let mut system = System::random(n, seed);
            for diagonal in [&mut system.lower, &mut system.diag, &mut system.upper] {
                diagonal.iter_mut().enumerate().for_each(|(i, value)| *value *= 10f64.powi(size(i)));
            }
            system
        };
        let system = scaled(&|i| (i * 7 % 25) as i32 - 12);
        check_on_device(&mut random, &system, small_slices(8), ("rows of 1e-12 to 1e12", 1e5));
        if gpu.capabilities().features.f64 {
            let error = scaled(&|i| (i * 37 % 577) as i32 - 288).error_on::<f64>(&gpu, small_slices(8));
            assert!(error < 1e5, "rows of 1e-288 to 1e288: {error:e}");
        }
    }
}

/// Partitions that are singular on their own spoil a recorded solve, which says so, or leave it half of its digits, and all of
/// one from the host.
fn integers<T: Real>(gpu: &Gpu, seed: u64, row_counts: &[u32]) {
    let half = T::UNIT_ROUNDOFF.sqrt();
    let mut doubtful = 0;
    for (n, times) in [(8, 10), (24, 10), (100, 60), (1000, 5), (5000, 1)] {
        for (at, rows) in (0..times).flat_map(|at| row_counts.iter().map(move |rows| (at, *rows))) {
            let system = System::small_integers(n, seed + at);
            let x = &system.x;
            let what = format!("{} n = {n}, {rows} rows, seed {}", T::PRECISION, seed + at);
            let condition = system.condition();
            if condition * half > 0.1 {
                continue;
            }
            for stability in [Stability::Fastest, Stability::Stable] {
                let (error, status) = system.recorded_on::<T>(gpu, small_slices(rows), stability);
                match (status.check(), stability) {
                    // 3e5 has been seen, which in f32 is 2%: coarse rows that are nearly singular.
                    (Ok(()), _) => assert!(error < 2e6, "{what}: {error:e} units"),
                    (Err(Error::SingularPartition { system: 0 }), Stability::Stable) => {
                        doubtful += 1;
                        // 6e3 has been seen: partitions of what singular partitions leave.
                        assert!(error * half < 1e5, "{what}: {error:e} units");
                    }
                    (Err(Error::SingularPartition { system: 0 } | Error::Breakdown { system: 0, .. }), _) => {}
                    (Err(error), _) => panic!("{what}: {error}"),
                }
            }
            let found =
                system.solve_from_host::<T>(small_slices(rows)).unwrap_or_else(|error| panic!("{what}: {error}"));
            let worst = found.iter().zip(x).map(|(found, x)| (found.to_f64() - x).abs()).fold(0.0, f64::max);
            assert!(worst < 1e3 * condition * T::UNIT_ROUNDOFF, "{what}: {worst:e}, condition {condition:.1e}");
        }
    }
    // Partitions of 16 rows alone may have none.
    assert!(doubtful > 0 || !row_counts.contains(&8), "{}: no partition is singular", T::PRECISION);
}

#[test]
fn small_integers() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("small_integers");
    let mut random = SmallRng::seed_from_u64(seed);
    let row_counts = some(&mut random, &[8, 16], 1);
    in_precisions!(&mut random, &gpu, integers(&gpu, seed, &row_counts));
    let mut worse = 0;
    for at in 0..200 {
        let system = System::small_integers(100, seed + at);
        let condition = system.condition();
        if condition > 1e5 {
            continue;
        }
        let (System { lower, diag, upper, x }, rhs) = (&system, system.rhs());
        for rows in [4, 8, 16] {
            let own = cpu::pivoting_partition(lower, diag, upper, &rhs, rows).unwrap();
            let worst = own.iter().zip(x).map(|(own, x)| (own - x).abs()).fold(0.0, f64::max);
            // Of 18 000, three were above 1e-6, and one of them above 1e-4: partitions of what singular partitions leave.
            assert!(worst < 1e-2 * condition, "{rows} rows, seed {}: {worst:e}, {condition:.1e}", seed + at);
            worse += usize::from(worst > 1e-6 * condition);
        }
    }
    assert!(worse <= 3, "{worse} of 600 have less than half of their digits");
}

/// Singular blocks in a nonsingular whole are solved, and a singular whole is an error that says so.
#[test]
fn singular_systems() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("singular_systems");
    for n in [8usize, 100, 3000] {
        let options = Options::on_device().algorithm(Algorithm::Pivoting).policy(small_slices(8));
        let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), options).unwrap();
        let narrow = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<_>>();
        let solve = |system: &System| {
            let [lower, diag, upper, rhs] =
                [&system.lower, &system.diag, &system.upper, &system.rhs()].map(|v| narrow(v));
            plan.solve(&tridiagonal::System::new(&lower, &diag, &upper), &rhs)
        };
        // Dominant but for its first and last block of two rows, (1 1; 1 1) with a neighbour.
        let mut system = System::random(n, seed);
        system.diag.iter_mut().for_each(|value| *value = 3.0);
        // Neighbours that the blocks can do without would leave them singular.
        for (at, before) in [(1, false), (n - 2, true)] {
            let (own, back) = match before {
                true => (&mut system.lower[at], &mut system.upper[at - 1]),
                false => (&mut system.upper[at], &mut system.lower[at + 1]),
            };
            (*own, *back) = (0.5, 0.75);
        }
        for start in [0, n - 2] {
            (system.diag[start], system.upper[start], system.lower[start + 1], system.diag[start + 1]) =
                (1.0, 1.0, 1.0, 1.0);
        }
        let x = solve(&system).unwrap();
        let worst = x.iter().zip(&system.x).map(|(found, x)| (f64::from(*found) - x).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-4, "n = {n}: {worst}");
        // A row of zeros, a column of zeros, two equal rows.
        let singular = [
            |system: &mut System, at: usize| (system.lower[at], system.diag[at], system.upper[at]) = (0.0, 0.0, 0.0),
            |system: &mut System, at: usize| {
                (system.upper[at - 1], system.diag[at], system.lower[at + 1]) = (0.0, 0.0, 0.0)
            },
            |system: &mut System, at: usize| {
                let equal = (system.diag[at], system.upper[at], 0.0);
                system.lower[at] = 0.0;
                (system.lower[at + 1], system.diag[at + 1], system.upper[at + 1]) = equal;
            },
        ];
        for (kind, spoil) in singular.iter().enumerate() {
            for at in [1, n / 2, n - 2] {
                let mut system = System::random(n, seed);
                system.diag.iter_mut().for_each(|value| *value = 3.0);
                spoil(&mut system, at);
                let found = solve(&system);
                let refused = matches!(found, Err(Error::Singular { system: 0, .. } | Error::NearlySingular { .. }));
                assert!(refused, "n = {n}, kind {kind}, row {at}: {found:?}");
                // Recorded, too, though the right-hand side is consistent.
                for stability in [Stability::Fastest, Stability::Stable] {
                    let (error, status) = system.recorded_on::<f32>(&gpu, small_slices(8), stability);
                    let said = status.check().is_err();
                    assert!(said, "n = {n}, kind {kind}, row {at}, {stability:?}: {error:e} units, said nothing");
                }
            }
        }
        let mut nan = System::random(n, seed);
        nan.upper[n / 2] = f64::INFINITY;
        assert!(matches!(solve(&nan), Err(Error::NonFiniteInput { system: 0, .. })), "{:?}", solve(&nan));
    }
}
