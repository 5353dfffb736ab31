//! Solves whose answer is checked, now and then or never (`Options::check`), and what each of them compiles.

use std::time::Instant;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use trisolve::filter::{self, Coefficients, FilterPlan};
use trisolve::recurrence::moebius::{self, Moebius, MoebiusPlan};
use trisolve::recurrence::{self, Coefficient, Recurrence, RecurrencePlan};
use trisolve::triangular::{self, TriangularPlan};
use trisolve::tridiagonal::{Algorithm, Options, Shape, Solution, System, TridiagonalPlan};
use trisolve::{Check, Error, Gpu, Timing};
use trisolve_lab::{OnDevice, pipelines_made, seed};

const N: usize = 100;

/// Whether five reported solves in a row say an error; `solve` returns what the report has.
fn stated(mut solve: impl FnMut() -> trisolve::Result<Option<f64>>) -> [bool; 5] {
    [(); 5].map(|()| {
        let stated = solve().unwrap();
        assert!(stated.is_none_or(|stated| stated < 1e-3), "{stated:?}");
        stated.is_some()
    })
}

/// Every family, with each option; the values are the same.
#[test]
fn reports_say_which_solves_were_checked() {
    let gpu = Gpu::new().unwrap();
    let (off, diag, rhs) = (vec![-1f32; N], vec![2.5; N], vec![0.5; N]);
    let system = System::new(&off, &diag, &off);
    let matrix: Vec<_> = (0..N * N).map(|at| if at % (N + 1) == 0 { 2.0 } else { 0.5 / N as f32 }).collect();
    let recurrence = Recurrence::new(&rhs, &diag);
    let one = Coefficient::Constant(1f32);
    let moebius = Moebius { a: Coefficient::Each(&diag), b: one, c: one, d: one, initial: one };
    let smoother = Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    let shape = Shape::single(N);
    let mut answers = vec![];
    for (check, expected) in
        [(Check::Every, [true; 5]), (Check::Sampled(3), [true, false, false, true, false]), (Check::Off, [false; 5])]
    {
        let tridiagonal = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device().check(check)).unwrap();
        let factored = tridiagonal.factor(&system).unwrap();
        let options = triangular::Options::on_device().check(check);
        let triangular = TriangularPlan::<f32>::new(&gpu, triangular::Shape::single(N), options).unwrap();
        let options = recurrence::Options::on_device().check(check);
        let values = RecurrencePlan::<f32>::new(&gpu, shape, options).unwrap();
        let options = moebius::Options::on_device().check(check);
        let quotients = MoebiusPlan::<f32>::new(&gpu, shape, options).unwrap();
        let options = filter::Options::on_device().check(check);
        let filter = FilterPlan::<f32>::new(&gpu, shape, &smoother, options).unwrap();
        let found = [
            stated(|| {
                let solution = tridiagonal.solve_reported(&system, &rhs)?;
                assert_eq!(solution.residuals.is_some(), solution.forward_error.is_some());
                Ok(solution.forward_error)
            }),
            stated(|| factored.solve_reported(&rhs).map(|solution| solution.forward_error)),
            stated(|| triangular.solve_reported(&matrix, &rhs).map(|solution| solution.forward_error)),
            stated(|| values.solve_reported(&recurrence).map(|solution| solution.forward_error)),
            stated(|| quotients.solve_reported(&moebius).map(|solution| solution.forward_error)),
            stated(|| filter.solve_from(&rhs, None).map(|solution| solution.forward_error)),
        ];
        assert_eq!(found, [expected; 6], "{check:?}");
        let mut x = vec![f32::NAN; N];
        tridiagonal.solve_into(&system, &rhs, &mut x).unwrap();
        answers.push([
            x,
            tridiagonal.solve(&system, &rhs).unwrap(),
            pollster::block_on(tridiagonal.solve_async(&system, &rhs)).unwrap(),
            factored.solve(&rhs).unwrap(),
            triangular.solve(&matrix, &rhs).unwrap(),
            values.solve(&recurrence).unwrap(),
            quotients.solve(&moebius).unwrap(),
            filter.solve(&rhs).unwrap(),
        ]);
    }
    assert!(answers.iter().all(|values| *values == answers[0]));
}

#[test]
fn samples_of_no_solve_are_refused() {
    let gpu = Gpu::new().unwrap();
    let check = Check::Sampled(0);
    let shape = Shape::single(N);
    let smoother = Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    for found in [
        TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device().check(check)).err(),
        TriangularPlan::<f32>::new(&gpu, triangular::Shape::single(N), triangular::Options::on_device().check(check))
            .err(),
        RecurrencePlan::<f32>::new(&gpu, shape, recurrence::Options::on_device().check(check)).err(),
        MoebiusPlan::<f32>::new(&gpu, shape, moebius::Options::on_device().check(check)).err(),
        FilterPlan::<f32>::new(&gpu, shape, &smoother, filter::Options::on_device().check(check)).err(),
    ] {
        assert!(matches!(&found, Some(Error::Options(why)) if why.contains("Sampled(0)")), "{found:?}");
    }
}

/// Status words need no check.
#[test]
fn failures_are_errors_without_a_check() {
    let gpu = Gpu::new().unwrap();
    let plan =
        |options: Options| TridiagonalPlan::<f32>::new(&gpu, Shape::single(N), options.check(Check::Off)).unwrap();
    let (off, diag, rhs) = (vec![-1f32; N], vec![2.5f32; N], vec![0.5f32; N]);
    let system = System::new(&off, &diag, &off);
    let auto = plan(Options::on_device());
    for (vector, at) in [("lower", 7), ("diag", 8), ("upper", 9), ("rhs", 10)] {
        let mut given = [off.clone(), diag.clone(), off.clone(), rhs.clone()];
        let index = ["lower", "diag", "upper", "rhs"].iter().position(|name| *name == vector).unwrap();
        given[index][at] = f32::NAN;
        let [lower, diag, upper, rhs] = &given;
        let found = auto.solve(&System::new(lower, diag, upper), rhs);
        assert_eq!(found, Err(Error::NonFiniteInput { vector, system: 0, row: at }));
        let found = auto.factor(&system).unwrap().solve(rhs);
        assert_eq!(found.is_err(), vector == "rhs", "{vector}: {found:?}");
    }
    // The next solve begins with clean status words.
    auto.solve(&system, &rhs).unwrap();
    let weak = vec![1.5f32; N];
    let found = plan(Options::on_device().dominant()).solve(&System::new(&off, &weak, &off), &rhs);
    assert_eq!(found, Err(Error::NotDominant { system: 0 }));
    let zero = vec![0f32; N];
    let found = plan(Options::on_device().algorithm(Algorithm::Thomas)).solve(&System::new(&off, &zero, &off), &rhs);
    assert!(matches!(found, Err(Error::Breakdown { system: 0, .. })), "{found:?}");

    let matrix = vec![1f32; N * N];
    let plan = |check| {
        let options = triangular::Options::on_device().check(check);
        TriangularPlan::<f32>::new(&gpu, triangular::Shape::single(N), options).unwrap()
    };
    let mut large = rhs.clone();
    large[0] = f32::MAX;
    large[1] = -f32::MAX;
    let [every, unchecked] = [Check::Every, Check::Off].map(|check| plan(check).solve(&matrix, &large));
    assert!(matches!(every, Err(Error::Overflow { .. })), "{every:?}");
    assert!(matches!(unchecked, Err(Error::Breakdown { system: 0, .. })), "{unchecked:?}");
}

/// A filter whose rounding errors are large needs the CPU's answers.
#[test]
fn noisy_filters_are_checked() {
    let gpu = Gpu::new().unwrap();
    // Four poles at 0.99: a low-pass with a low cut-off.
    let poles = [1.0, -3.96, 5.8806, -3.881196, 0.96059601];
    let low_pass = Coefficients::new(&[1e-8], &poles).unwrap();
    let x = vec![1f32; 5000];
    let plan = |check| {
        let options = filter::Options::on_device().check(check);
        FilterPlan::<f32>::new(&gpu, Shape::single(x.len()), &low_pass, options).unwrap()
    };
    assert!(plan(Check::Every).solve(&x).is_ok());
    for check in [Check::Sampled(2), Check::Off] {
        let found = plan(check).solve(&x);
        assert!(matches!(found, Err(Error::Noisy { .. })), "{check:?}: {found:?}");
    }
}

/// Matrices whose pivoting partitions are singular: the CPU's answer is returned out of turn, too.
#[test]
fn samples_judge_failures_out_of_turn() {
    let gpu = Gpu::new().unwrap();
    let plan = |check| TridiagonalPlan::new(&gpu, Shape::single(64), Options::on_device().check(check)).unwrap();
    let [every, sampled, off] = [Check::Every, Check::Sampled(1 << 40), Check::Off].map(plan);
    let mut random = SmallRng::seed_from_u64(seed("samples_judge_failures_out_of_turn"));
    let (mut failures, mut is_first) = (0, true);
    for draw in 0..400 {
        let mut integers = || (0..64).map(|_| random.random_range(-2..=2) as f32).collect::<Vec<_>>();
        let [lower, diag, upper, rhs] = [(); 4].map(|()| integers());
        let system = System::new(&lower, &diag, &upper);
        let Ok(expected) = every.solve_reported(&system, &rhs) else { continue };
        let found = sampled.solve_reported(&system, &rhs).unwrap();
        if std::mem::take(&mut is_first) {
            assert_eq!(found.forward_error, expected.forward_error);
            continue;
        }
        match off.solve(&system, &rhs) {
            Err(Error::SingularPartition { .. } | Error::Breakdown { .. }) => {
                failures += 1;
                assert_eq!(found.x, expected.x, "draw {draw}");
                let of = |solution: &Solution<f32>| (solution.forward_error, solution.replaced);
                assert_eq!(of(&found), of(&expected), "draw {draw}");
            }
            unchecked => {
                assert_eq!(unchecked.unwrap(), found.x, "draw {draw}");
                assert_eq!((found.forward_error, found.replaced), (None, 0), "draw {draw}");
            }
        }
    }
    println!("{failures} failures");
    assert!(failures > 0, "no partition is singular");
}

/// A second solve of a plan makes no pipeline, and without checks none measures residuals.
#[test]
fn pipelines_are_made_once() {
    let (off, diag, rhs) = (vec![-1f32; N], vec![2.5; N], vec![0.5; N]);
    let system = System::new(&off, &diag, &off);
    let gpu = Gpu::new().unwrap();
    let made_by = |solve: &dyn Fn()| {
        let before = pipelines_made(&gpu);
        solve();
        pipelines_made(&gpu) - before
    };
    for (check, measuring) in [(Check::Off, 0), (Check::Every, 1), (Check::Sampled(2), 0)] {
        let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(N), Options::on_device().check(check)).unwrap();
        let factored = plan.factor(&system).unwrap();
        // The kernel of the residual is the one that a plan has not compiled.
        assert_eq!(made_by(&|| drop(plan.solve(&system, &rhs).unwrap())), measuring, "{check:?}");
        let again: [&dyn Fn(); 5] = [
            &|| drop(plan.solve(&system, &rhs).unwrap()),
            &|| drop(plan.solve_reported(&system, &rhs).unwrap()),
            &|| drop(pollster::block_on(plan.solve_async(&system, &rhs)).unwrap()),
            &|| drop(factored.solve(&rhs).unwrap()),
            &|| drop(factored.solve_reported(&rhs).unwrap()),
        ];
        for (way, solve) in again.iter().enumerate() {
            assert_eq!([made_by(solve), made_by(solve)], [0, 0], "{check:?}, way {way}");
        }
    }
    // The other families, and an answer that the CPU replaced.
    let matrix: Vec<_> = (0..N * N).map(|at| if at % (N + 1) == 0 { 2.0 } else { 0.5 / N as f32 }).collect();
    let smoother = Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    let shape = Shape::single(N);
    let replaced = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device()).unwrap();
    let zero = vec![0f32; N];
    let exchanging = System::new(&off, &zero, &off);
    let triangular =
        TriangularPlan::<f32>::new(&gpu, triangular::Shape::single(N), triangular::Options::on_device()).unwrap();
    let values = RecurrencePlan::<f32>::new(&gpu, shape, recurrence::Options::on_device()).unwrap();
    let quotients = MoebiusPlan::<f32>::new(&gpu, shape, moebius::Options::on_device()).unwrap();
    let filter = FilterPlan::<f32>::new(&gpu, shape, &smoother, filter::Options::on_device()).unwrap();
    let one = Coefficient::Constant(1f32);
    let moebius = Moebius { a: Coefficient::Each(&diag), b: one, c: one, d: one, initial: one };
    let families: [&dyn Fn(); 5] = [
        &|| drop(replaced.solve(&exchanging, &rhs).unwrap()),
        &|| drop(triangular.solve(&matrix, &rhs).unwrap()),
        &|| drop(values.solve(&Recurrence::new(&rhs, &diag)).unwrap()),
        &|| drop(quotients.solve(&moebius).unwrap()),
        &|| drop(filter.solve(&rhs).unwrap()),
    ];
    for (family, solve) in families.iter().enumerate() {
        solve();
        assert_eq!(made_by(solve), 0, "family {family}");
    }
}

/// Executors move futures between threads.
#[test]
fn an_asynchronous_solve_can_move() {
    fn movable(_: impl Send) {}
    let gpu = Gpu::new().unwrap();
    let (off, diag, rhs) = (vec![-1f32; N], vec![2.5; N], vec![0.5; N]);
    let plan = TridiagonalPlan::new(&gpu, Shape::single(N), Options::on_device()).unwrap();
    movable(plan.solve_async(&System::new(&off, &diag, &off), &rhs));
}

/// The parts of a reported solve make up the time of its call.
#[test]
fn nothing_big_is_missing_from_the_timing() {
    let gpu = Gpu::new().unwrap();
    let n = 1 << 18;
    let (off, diag, rhs) = (vec![-1f32; n], vec![2.5; n], vec![0.5; n]);
    let system = System::new(&off, &diag, &off);
    let moebius = {
        let one = Coefficient::Constant(1f32);
        Moebius { a: Coefficient::Each(&diag), b: one, c: one, d: one, initial: one }
    };
    let matrix: Vec<_> = (0..500 * 500).map(|at| if at % 501 == 0 { 2.0 } else { 0.5 / 500.0 }).collect();
    let smoother = Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    let shape = Shape::single(n);
    let timed = |call: &dyn Fn() -> Timing, what: &str| {
        let start = Instant::now();
        let timing = call();
        let (all, sum) = (start.elapsed().as_secs_f64(), timing.total());
        assert!(sum <= all && all - sum < 0.05 * all + 3e-3, "{what}: {all} s, {timing:?}");
        timing
    };
    for check in [Check::Every, Check::Off] {
        let plan = || TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device().check(check)).unwrap();
        let made = timed(&|| plan().timing(), "plan");
        assert!(made.planning > 0.0 && (made.total() - made.planning - made.compiling).abs() < 1e-9, "{made:?}");
        let plan = plan();
        timed(&|| plan.factor(&system).unwrap().timing(), "factor");
        let factored = plan.factor(&system).unwrap();
        let triangular_options = triangular::Options::on_device().check(check);
        let triangular = TriangularPlan::<f32>::new(&gpu, triangular::Shape::single(500), triangular_options).unwrap();
        let values = RecurrencePlan::<f32>::new(&gpu, shape, recurrence::Options::on_device().check(check)).unwrap();
        let quotients = MoebiusPlan::<f32>::new(&gpu, shape, moebius::Options::on_device().check(check)).unwrap();
        let filter = FilterPlan::<f32>::new(&gpu, shape, &smoother, filter::Options::on_device().check(check)).unwrap();
        let solves: [(&str, &dyn Fn() -> Timing); 6] = [
            ("tridiagonal", &|| plan.solve_reported(&system, &rhs).unwrap().timing),
            ("factored", &|| factored.solve_reported(&rhs).unwrap().timing),
            ("triangular", &|| triangular.solve_reported(&matrix, &rhs[..500]).unwrap().timing),
            ("recurrence", &|| values.solve_reported(&Recurrence::new(&rhs, &diag)).unwrap().timing),
            ("moebius", &|| quotients.solve_reported(&moebius).unwrap().timing),
            ("filter", &|| filter.solve_from(&rhs, None).unwrap().timing),
        ];
        for (what, solve) in solves {
            for _ in 0..2 {
                let timing = timed(solve, what);
                let Timing { uploading, solving, downloading, .. } = timing;
                assert!([uploading, solving, downloading].iter().all(|part| *part > 0.0), "{what}: {timing:?}");
            }
            // Nothing is compiled in the second.
            assert!(timed(solve, what).compiling < 1e-3, "{what}");
        }
    }
}
