//! Answers that the judge refuses.

use super::*;

#[test]
fn singular_and_breaking_systems_are_named() {
    let gpu = shared();
    for algorithm in Algorithm::ALL {
        for n in sizes(algorithm, &[2]) {
            let plan =
                TridiagonalPlan::new(&gpu, Shape::contiguous(n, 3), Options::on_device().algorithm(algorithm)).unwrap();
            let mut lower = vec![-1f32; 3 * n];
            let mut upper = lower.clone();
            let mut diag = vec![3f32; 3 * n];
            let rhs = vec![1f32; 3 * n];
            // System 1 has a row of zeros.
            let row = n / 2;
            (lower[n + row], diag[n + row], upper[n + row]) = (0.0, 0.0, 0.0);
            let error = plan.solve(&System::new(&lower, &diag, &upper), &rhs).unwrap_err();
            assert_eq!(error, Error::Singular { system: 1, row }, "{algorithm} {n}");
            // System 2 needs exchanges but is not singular: [[0, 1], [1, 0]] blocks.
            let mut lower = vec![0f32; 3 * n];
            let mut upper = lower.clone();
            let mut diag = vec![1f32; 3 * n];
            (diag[2 * n], upper[2 * n], lower[2 * n + 1], diag[2 * n + 1]) = (0.0, 1.0, 1.0, 0.0);
            let answer = plan.solve(&System::new(&lower, &diag, &upper), &rhs);
            if matches!(algorithm, Algorithm::Auto | Algorithm::Pivoting) {
                assert!(answer.unwrap().iter().all(|x| *x == 1.0));
                continue;
            }
            let error = answer.unwrap_err();
            assert!(matches!(error, Error::Breakdown { system: 2, .. }), "{algorithm} {n}: {error}");
            let slice = |v: &[f32]| v[2 * n..].to_vec();
            assert!(cpu::gtsv(&slice(&lower), &slice(&diag), &slice(&upper), &slice(&rhs)).is_ok());
        }
    }
}

/// The diagonals of [[1, 2, 0], [2, 5, 3], [0, 1, 3 + gap]] / 10: without the gap the second row is
/// twice the first and the third.
fn nearly_singular(gap: f32) -> [Vec<f32>; 3] {
    [vec![0.0, 0.2, 0.1], vec![0.1, 0.5, 0.3 + gap], vec![0.2, 0.3, 0.0]]
}

#[test]
fn matrices_that_are_singular_but_for_roundings() {
    let gpu = shared();
    let rhs = [1f32, 1.0, 1.0];
    let on_gpu = |[lower, diag, upper]: &[Vec<f32>; 3]| {
        Algorithm::ALL.map(|algorithm| {
            let options = Options::on_device().algorithm(algorithm);
            let plan = TridiagonalPlan::new(&gpu, Shape::single(3), options).unwrap();
            plan.solve(&System::new(lower, diag, upper), &rhs)
        })
    };
    let singular = nearly_singular(0.0);
    for answer in on_gpu(&singular) {
        assert!(
            matches!(
                answer,
                Err(Error::NearlySingular { system: 0, .. } | Error::Singular { .. } | Error::Inaccurate { .. })
            ),
            "{answer:?}"
        );
    }
    let [lower, diag, upper] = &singular;
    let answer = tridiagonal::solve_on_cpu(&System::new(lower, diag, upper), &rhs);
    assert!(matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })), "{answer:?}");
    // With a gap it is a matrix like others, which may still need row exchanges.
    let apart = nearly_singular(1e-3);
    for answer in on_gpu(&apart) {
        assert!(!matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })), "{answer:?}");
    }
    let [lower, diag, upper] = &apart;
    tridiagonal::solve_or_cpu(&LazyGpu::from(gpu.clone()), &System::new(lower, diag, upper), &rhs).unwrap();
    // Dominant, and of a condition past f32's, but the digits are carried.
    let n = 1 << 15;
    let (off, diag) = (vec![-1f32; n], vec![2f32; n]);
    let x =
        tridiagonal::solve_with(&gpu, &System::new(&off, &diag, &off), &vec![1.0; n], Options::on_device()).unwrap();
    let middle = ((n / 2) * (n / 2 + 1)) as f32 / 2.0;
    approx::assert_relative_eq!(x[n / 2], middle, max_relative = 1e-4);
}

/// What a row weighs beside others says nothing of the others' accuracy.
#[test]
fn rows_and_columns_of_any_size_are_judged_alike() {
    let gpu = shared();
    let solve = |algorithm, [lower, diag, upper]: [&[f64]; 3], rhs: &[f64]| {
        let narrow = |v: &[f64]| v.iter().map(|v| *v as f32).collect::<Vec<_>>();
        let (lower, diag, upper, rhs) = (narrow(lower), narrow(diag), narrow(upper), narrow(rhs));
        let system = System::new(&lower, &diag, &upper);
        match algorithm {
            None => tridiagonal::solve_on_cpu(&system, &rhs),
            Some(algorithm) => {
                let options = Options::on_device().algorithm(algorithm);
                TridiagonalPlan::new(&gpu, Shape::single(diag.len()), options).unwrap().solve(&system, &rhs)
            }
        }
    };
    let near = |x: &[f32], exact: &[f64]| x.iter().zip(exact).all(|(x, e)| (f64::from(*x) - e).abs() <= 1e-4 * e.abs());
    for algorithm in Algorithm::ALL.map(Some).into_iter().chain([None]) {
        // A penalty row beside two that need an exchange of rows.
        for penalty in [1.0, 1e5, 1e20] {
            let answer =
                solve(algorithm, [&[0.0, 1.0, 0.0], &[1e-9, 1.0, penalty], &[1.0, 0.0, 0.0]], &[1.0, 2.0, penalty]);
            assert!(
                answer.as_ref().map_or(algorithm.is_some(), |x| near(x, &[1.0; 3])),
                "{algorithm:?} {penalty}: {answer:?}"
            );
        }
        // Dominant rows of very different units.
        for unit in [1e10, 1e20, 1e30] {
            let matrix: [&[f64]; 3] = [&[0.0, -unit], &[2.5 / unit, 2.5 * unit], &[-1.0 / unit, 0.0]];
            let answer = solve(algorithm, matrix, &[1.0 / unit, unit]);
            assert!(answer.as_ref().is_ok_and(|x| near(x, &[2.0 / 3.0; 2])), "{algorithm:?} {unit}: {answer:?}");
        }
        // A singular block beside a penalty row.
        for penalty in [1.0, 1e6, 1e12] {
            let matrix: [&[f64]; 3] =
                [&[0.0, 0.33333334, 0.0, 0.0], &[1.0, 1.0000001, penalty, penalty], &[3.0, 0.1, 0.0, 0.0]];
            let answer = solve(algorithm, matrix, &[1.0, 2.0, penalty, penalty]);
            assert!(
                matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })),
                "{algorithm:?} {penalty}: {answer:?}"
            );
        }
    }
    // Units of columns.
    let matrix: [&[f64]; 3] = [&[0.0, -1.0, -1e9], &[2.5, 2.5e9, 2.5], &[-1e9, -1.0, 0.0]];
    let answer = solve(None, matrix, &[1.0, 2.0, 3.0]);
    assert!(answer.is_ok(), "{answer:?}");
    for algorithm in Algorithm::ALL {
        let answer = solve(Some(algorithm), matrix, &[1.0, 2.0, 3.0]);
        assert!(
            !matches!(answer, Err(Error::NearlySingular { .. } | Error::Singular { .. })),
            "{algorithm}: {answer:?}"
        );
    }
}

#[test]
fn accuracy_lost_to_small_pivots_is_an_error() {
    let gpu = shared();
    for tiny in [1e-4f32, 1e-6, 1e-10, 1e-20] {
        for n in [40usize, 5000] {
            let (ones, diag) = (vec![1f32; n], vec![tiny; n]);
            let rhs: Vec<f32> = (0..n).map(|i| i as f32 + 1.0).collect();
            let system = System::new(&ones, &diag, &ones);
            for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| sizes(algorithm, &[40]).contains(&n)) {
                let plan =
                    TridiagonalPlan::new(&gpu, Shape::single(n), Options::on_device().algorithm(algorithm)).unwrap();
                // Some algorithms get through; none may say it did where it did not.
                match plan.solve(&system, &rhs) {
                    Ok(x) => {
                        let size: f64 = x.iter().map(|x| f64::from(x.abs())).fold(1.0, f64::max) * (n as f64).sqrt();
                        let residual = cpu::relative_residual(&ones, &diag, &ones, &x, &rhs, false);
                        let norm: f64 = rhs.iter().map(|d| f64::from(d * d)).sum::<f64>().sqrt();
                        assert!(residual * norm < 1e-2 * size.max(norm), "{algorithm}, {tiny}, {n}: {residual}");
                    }
                    Err(Error::Inaccurate { system: 0, .. } | Error::Breakdown { system: 0, .. }) => {}
                    other => panic!("{algorithm}, {tiny}, {n}: {other:?}"),
                }
            }
            let by_cpu = tridiagonal::solve_or_cpu(&LazyGpu::from(gpu.clone()), &system, &rhs).unwrap();
            let residual = cpu::relative_residual(&ones, &diag, &ones, &by_cpu, &rhs, false);
            assert!(residual < 1e-2, "{tiny}, {n}: {residual}");
        }
    }
}

#[test]
fn what_underflows_is_not_accepted_as_0() {
    let gpu = shared();
    let solve = |diag: &[f32], off: f32, rhs: &[f32]| {
        let off = vec![off; diag.len()];
        tridiagonal::solve_with(&gpu, &System::new(&off, diag, &off), rhs, Options::on_device())
    };
    for answer in
        [solve(&[1e25], 0.0, &[1e-25]), solve(&[1e12], 0.0, &[3.1e-33]), solve(&[1e20; 2], -1.0, &[1e-30, 3e-30])]
    {
        assert!(matches!(answer, Err(Error::Underflow { .. })), "{answer:?}");
    }
    assert_eq!(solve(&[1e25], 0.0, &[0.0]).unwrap(), [0.0]);
}

#[test]
fn an_excess_that_makes_the_diagonal_negative() {
    let gpu = shared();
    let off = [-1f32; 2];
    let system = System::with_excess(&off, &[-3.0; 2], &off);
    let options = Options::on_device().diagonal(Diagonal::Excess);
    let plan = TridiagonalPlan::new(&gpu, Shape::single(2), options).unwrap();
    assert_eq!(plan.solve(&system, &[-3.0; 2]), Ok(vec![1.0; 2]));
}
