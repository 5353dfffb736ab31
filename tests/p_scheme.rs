//! P-scheme: numbers out of the range, policies, and what it refuses.

mod common;

#[path = "common/draw.rs"]
mod draw;
#[path = "common/leaving_range.rs"]
mod leaving_range;

use std::sync::LazyLock;

use common::gpu;
use draw::some;
use leaving_range::{sequences_leave_the_range, values_leave_the_range};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::recurrence::moebius::{self, Moebius};
use trisolve::recurrence::{
    Algorithm, Coefficient, DeviceCoefficient, DeviceRecurrence, Direction, Options, PSchemeFit, PSchemeModel,
    PSchemePhases, PSchemePolicy, Recurrence, RecurrencePlan, Shape,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, cpu};
use trisolve_lab::seed;
use trisolve_lab::{Expected, FactorCost, HostRecurrence, OnDevice, PSchemeSample};

const REARRANGED: PSchemePolicy = PSchemePolicy { rearranged: true, ..PSchemePolicy::new(8, 16) };

fn options(groups: u32, threads: u32, rearranged: bool) -> Options {
    Options::on_device().algorithm(Algorithm::PScheme).policy(PSchemePolicy {
        groups,
        threads,
        rearranged,
        ..REARRANGED
    })
}

/// Few long chunks or many short ones, as arrays lie or rearranged: those of this run, for all tests.
fn drawn_options() -> &'static [Options] {
    static DRAWN: LazyLock<Vec<Options>> = LazyLock::new(|| {
        let chunks = [(1, 1), (4, 4), (4, 64), (16, 64)].into_iter();
        let all = chunks.flat_map(|(groups, threads)| [false, true].map(|own| options(groups, threads, own)));
        let mut random = SmallRng::seed_from_u64(seed("p_scheme, the policies"));
        some(&mut random, &all.collect::<Vec<_>>(), 3)
    });
    &DRAWN
}

/// Values that are powers of two between 2^-100 and 2^100, on a random walk: products of factors leave the range of
/// f32 within chunks and come back, and every value is exact.
#[test]
fn products_may_leave_the_range() {
    let mut random = SmallRng::seed_from_u64(seed("products_may_leave_the_range"));
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 5000;
    for start in [-100, 0, 100] {
        let mut exponent = start;
        let mut up = start < 0;
        let (mut s, mut w) = (vec![], vec![]);
        for _ in 0..n {
            let step = random.random_range(0..4);
            let next = if up { exponent + step } else { exponent - step };
            let next = next.clamp(-100, 100);
            s.push(2f32.powi(next - exponent) * [1.0, -1.0][random.random_range(0..2)]);
            exponent = next;
            // All the way, mostly.
            up = if exponent.abs() == 100 { exponent < 0 } else { up != random.random_bool(0.001) };
            w.push(2f32.powi(exponent));
        }
        for direction in [Direction::Forward, Direction::Reverse] {
            let mut given = s.clone();
            if direction == Direction::Reverse {
                given.reverse();
            }
            for &options in drawn_options() {
                let plan = RecurrencePlan::<f32>::new(&gpu, Shape::single(n), options.direction(direction)).unwrap();
                let initial = Coefficient::Constant(2f32.powi(start));
                let recurrence = Recurrence { s: Coefficient::Each(&given), t: Coefficient::Constant(0.0), initial };
                let mut found = plan.solve(&recurrence).unwrap();
                if direction == Direction::Reverse {
                    found.reverse();
                }
                for (row, (found, size)) in found.iter().zip(&w).enumerate() {
                    assert_eq!(found.abs(), *size, "row {row} from 2^{start}, {options:?}");
                }
            }
        }
    }
}

#[test]
fn values_that_leave_the_range() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for &options in drawn_options() {
        values_leave_the_range(&gpu, options);
        sequences_leave_the_range(&gpu, options);
    }
}

/// What growth leaves, with values over the coefficients that are needed once more.
#[test]
fn in_place_past_the_range() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let n = 3000;
    let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).unwrap();
    for &options in drawn_options() {
        let plan = RecurrencePlan::<f32>::new(&gpu, Shape::single(n), options).unwrap();
        let mut factors = vec![-2f32; n];
        factors[n / 2] = 0.0;
        let (s, t) = (vector(&factors), vector(&vec![1.0; n]));
        let recurrence = DeviceRecurrence {
            s: DeviceCoefficient::Each(s.as_slice()),
            t: DeviceCoefficient::Each(t.as_slice()),
            initial: DeviceCoefficient::Constant(3.0),
            w: None,
        };
        plan.bind(&recurrence).unwrap().submit().unwrap();
        let (mut before, found) = (3f32, t.read(&gpu).unwrap());
        for (row, found) in found.iter().enumerate() {
            before = if row == n / 2 { 1.0 } else { -2.0 * before + 1.0 };
            let close = *found == before || (found - before).abs() <= 1e-5 * before.abs();
            assert!(close, "row {row}: {found}, not {before}, {options:?}");
        }
    }
}

/// The paper's figures 2 and 3: only the place where a thread finds the value before a row changes.
#[test]
fn the_preceding_value_may_be_read_from_memory() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("the_preceding_value_may_be_read_from_memory");
    let mut random = SmallRng::seed_from_u64(seed);
    for shape in [Shape::single(random.random_range(900..1100)), Shape::contiguous(random.random_range(100..200), 3)] {
        let sample = HostRecurrence::<f32>::new(shape, seed).unwrap();
        let expected = sample.expected([None, None, Some(0.0)], Direction::Forward).unwrap();
        let solved = [0, 1, 2].map(|preceding| {
            let options = Options::on_device().algorithm(Algorithm::PScheme);
            let options = options.policy(PSchemePolicy { groups: 1, preceding, ..REARRANGED });
            let plan = RecurrencePlan::<f32>::new(&gpu, shape, options).unwrap();
            let w = DeviceVector::from_slice(&gpu, "w", &vec![f32::NAN; sample.t.len()]).unwrap();
            let vectors = [&sample.s, &sample.t].map(|values| DeviceVector::from_slice(&gpu, "given", values).unwrap());
            let bound = plan.bind(&DeviceRecurrence {
                s: DeviceCoefficient::Each(vectors[0].as_slice()),
                t: DeviceCoefficient::Each(vectors[1].as_slice()),
                initial: DeviceCoefficient::Constant(0.0),
                w: Some(w.as_slice()),
            });
            bound.unwrap().submit().unwrap();
            w.read(&gpu).unwrap()
        });
        for &Expected { at, value, allowed } in &expected {
            let off = (f64::from(solved[0][at]) - value).abs();
            assert!(off <= allowed, "row {at} of {shape:?}: {} is off by {off:e}", solved[0][at]);
        }
        let bits = solved.map(|w| w.iter().map(|w| w.to_bits()).collect::<Vec<_>>());
        assert!(bits[1] == bits[0] && bits[2] == bits[0], "{shape:?}");
    }
}

#[test]
fn long_sequences() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("long_sequences");
    let mut random = SmallRng::seed_from_u64(seed);
    for n in [65_537, 1_000_000] {
        let sample = HostRecurrence::<f32>::new(Shape::single(n), seed).unwrap();
        let expected = sample.expected([None, None, Some(0.0)], Direction::Forward).unwrap();
        let as_it_chooses = Options::on_device().algorithm(Algorithm::PScheme);
        // The last of more chunks than that, since none is longer than 16384 rows.
        let all = [as_it_chooses, options(32, 128, false), options(64, 32, true), options(1, 1, false)];
        for options in some(&mut random, &all, 2) {
            let plan = RecurrencePlan::<f32>::new(&gpu, sample.shape, options).unwrap();
            let w = plan.solve(&Recurrence::new(&sample.s, &sample.t)).unwrap();
            for &Expected { at, value, allowed } in &expected {
                let off = (f64::from(w[at]) - value).abs();
                assert!(off <= allowed, "row {at}: {} is off by {off:e}, more than {allowed:e}, {options:?}", w[at]);
            }
        }
    }
}

/// The paper's next step: Gaussian elimination without exchanges as a Moebius recurrence for the pivots and two linear recurrences, which
/// P-scheme takes.
#[test]
fn a_tridiagonal_system_by_thomass_method() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let seed = seed("a_tridiagonal_system_by_thomass_method");
    let mut random = SmallRng::seed_from_u64(seed);
    let n = 5000;
    let mut draw = |low: f32| (0..n).map(|_| random.random_range(low..1.0)).collect::<Vec<f32>>();
    let (lower, upper, rhs) = (draw(-1.0), draw(-1.0), draw(-1.0));
    // Dominant: more than 2 on the diagonal.
    let diag: Vec<_> = draw(0.0).iter().map(|excess| 2.1 + excess).collect();
    let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>();
    let exact = cpu::thomas(&wide(&lower), &wide(&diag), &wide(&upper), &wide(&rhs)).unwrap();

    // p[i] = (b[i] p[i-1] - a[i] c[i-1]) / p[i-1], from infinity, which leaves b[0].
    let products: Vec<_> = (0..n).map(|i| if i == 0 { 0.0 } else { -lower[i] * upper[i - 1] }).collect();
    let one = Coefficient::Constant(1.0f32);
    let zero = Coefficient::Constant(0.0);
    let (a, b) = (Coefficient::Each(&diag[..]), Coefficient::Each(&products[..]));
    let p =
        moebius::solve(&gpu, &Moebius { a, b, c: one, d: zero, initial: one }, moebius::Options::on_device()).unwrap();
    let linear = |direction, s: &[f32], t: &[f32]| {
        let options = Options::on_device().algorithm(Algorithm::PScheme).direction(direction);
        let plan = RecurrencePlan::<f32>::new(&gpu, Shape::single(n), options).unwrap();
        plan.solve(&Recurrence::new(s, t)).unwrap()
    };
    // y[i] = -(a[i] / p[i]) y[i-1] + d[i] / p[i], then x[i] = -(c[i] / p[i]) x[i+1] + y[i].
    let over = |values: &[f32], sign: f32| values.iter().zip(&p).map(|(v, p)| sign * v / p).collect::<Vec<_>>();
    let y = linear(Direction::Forward, &over(&lower, -1.0), &over(&rhs, 1.0));
    let x = linear(Direction::Reverse, &over(&upper, -1.0), &y);
    for (row, (x, exact)) in x.iter().zip(&exact).enumerate() {
        // Each of the three recurrences adds a few units of roundoff, and values before fade by 2 per row.
        let off = (f64::from(*x) - exact).abs();
        assert!(off <= 32.0 * f64::from(f32::EPSILON), "row {row}: {x} is not {exact}, seed {seed}");
    }
}

#[test]
fn bad_input_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::contiguous(70, 3);
    for (bad, direction) in [(f32::NAN, Direction::Forward), (f32::INFINITY, Direction::Reverse)] {
        for &options in drawn_options() {
            let mut s = vec![0.5; 210];
            s[70 + 41] = bad;
            let vector = |values: &[f32]| DeviceVector::from_slice(&gpu, "values", values).unwrap();
            let (s, t) = (vector(&s), vector(&[1.0; 210]));
            let recurrence = DeviceRecurrence {
                s: DeviceCoefficient::Each(s.as_slice()),
                t: DeviceCoefficient::Each(t.as_slice()),
                initial: DeviceCoefficient::Constant(0.0),
                w: None,
            };
            let plan = RecurrencePlan::<f32>::new(&gpu, shape, options.direction(direction)).unwrap();
            let bound = plan.bind(&recurrence).unwrap();
            bound.submit().unwrap();
            assert_eq!(bound.read_status().unwrap().non_finite_input, Some((1, 41)), "{options:?}");
            let w = t.read(&gpu).unwrap();
            assert!(w[..70].iter().chain(&w[140..]).all(|w| w.is_finite()), "{options:?}");
        }
    }
}

/// What the paper derives from its measured costs.
#[test]
fn the_papers_policy() {
    for (alpha, chunks, taken) in [(1.6, 1643.17, 2048), (20.0, 4593.5, 4096), (91.7, 9633.3, 8192)] {
        let model = PSchemeModel { alpha, beta: 1.0, gamma: 1.1, rearranging: 0.0 };
        approx::assert_relative_eq!(model.optimal_chunks(1_000_000), chunks, max_relative = 1e-4);
        let policy = model.policy(1_000_000, 32, true);
        assert_eq!((policy.groups, policy.threads), (taken / 32, 32));
        // None has less time by the model than P_opt.
        for other in [0.5, 0.9, 1.1, 2.0] {
            assert!(model.seconds(1_000_000, chunks) < model.seconds(1_000_000, other * chunks));
        }
    }
    let few = PSchemeModel { alpha: 1.0, beta: 1e9, gamma: 1.0, rearranging: 0.0 }.policy(1000, 32, false);
    assert_eq!((few.groups, few.threads), (1, 1));
    let many = PSchemeModel { alpha: 1e9, beta: 1.0, gamma: 1.0, rearranging: 0.0 }.policy(1 << 30, 32, false);
    assert_eq!((many.groups, many.threads), (16384, 1024));
}

#[test]
fn the_model_is_fitted() {
    let model = PSchemeModel { alpha: 2e-8, beta: 3e-9, gamma: 1e-8, rearranging: 5e-12 };
    let rows = 1_000_000usize;
    let measured = [1000, 2000, 5000, 10_000].map(|chunks| {
        let each = rows as f64 / f64::from(chunks);
        PSchemePhases {
            rows,
            chunks,
            rearranging: model.rearranging * rows as f64,
            precompute: model.alpha * each,
            propagate: model.beta * f64::from(chunks),
            determine: model.gamma * each,
        }
    });
    let fitted = PSchemeModel::fit(&measured).unwrap();
    let costs = |model: PSchemeModel| [model.alpha, model.beta, model.gamma, model.rearranging];
    for (found, given) in costs(fitted).iter().zip(costs(model)) {
        approx::assert_relative_eq!(*found, given, max_relative = 1e-9);
    }
    assert!(matches!(PSchemeModel::fit(&[]), Err(Error::Options(_))));
    assert!(matches!(PSchemeModel::fit(&[PSchemePhases { propagate: 0.0, ..measured[0] }]), Err(Error::Options(_))));
    // Arrays are rearranged where that is said to pay, and not where sequences lie closer than rows.
    let direct = PSchemeModel { alpha: 1e-6, rearranging: 0.0, ..model };
    let fit = PSchemeFit { direct, rearranged: model, staged: direct };
    assert!(fit.policy(rows, 32, false).rearranged && !fit.policy(rows, 32, true).rearranged);
    assert!(!fit.policy(rows, 32, false).staged);
    let fit = PSchemeFit { direct: model, rearranged: direct, staged: direct };
    assert!(!fit.policy(rows, 32, false).rearranged);
    let fit = PSchemeFit { direct, rearranged: direct, staged: model };
    assert!(fit.policy(rows, 32, false).staged);
    // Chunks have as many rows as a thread loads at once.
    let cheap = PSchemeModel { beta: 1e-15, ..model };
    let policy = cheap.policy(1 << 16, 32, true);
    assert_eq!(policy.groups * policy.threads, 1 << 13);
}

#[test]
fn the_papers_cases_agree_with_the_cpu() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    for cost in FactorCost::ALL {
        let sample = PSchemeSample::new(&gpu, 5000, cost, 7).unwrap();
        for rearranged in [false, true] {
            let policy = PSchemePolicy { rearranged, ..REARRANGED };
            let run = sample.measure(&gpu, policy, std::time::Duration::ZERO, 1).unwrap();
            assert!(run.difference < 1e-4, "{cost:?}: {run:?}");
            assert_eq!((run.phases.rows, run.phases.chunks), (5000, 128));
            assert_eq!(run.phases.rearranging > 0.0, rearranged);
            assert!(run.phases.seconds() > 0.0 && sample.cpu_seconds > 0.0);
        }
    }
}

#[test]
fn policies_are_checked() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let new = |options| RecurrencePlan::<f32>::new(&gpu, Shape::single(1000), options);
    let plan = new(Options::on_device().algorithm(Algorithm::PScheme)).unwrap();
    let by_default = plan.policy().expect("a policy");
    let own = by_default.with("groups=8,threads=16,rearranged=0,staged=1").unwrap();
    assert_eq!(own.to_string(), "groups=8,threads=16,rearranged=0,tiled=1,staged=1,grouped=1,preceding=0");
    assert_eq!(new(Options::on_device().algorithm(Algorithm::PScheme).policy(own)).unwrap().policy(), Some(own));
    assert_eq!(new(Options::on_device()).unwrap().policy(), None);
    for algorithm in [Algorithm::Auto, Algorithm::ThreeLaunch, Algorithm::OnePass] {
        let error = new(Options::on_device().algorithm(algorithm).policy(own)).unwrap_err();
        assert!(matches!(&error, Error::Options(why) if why.contains("p-scheme")), "{error}");
    }
    assert!(matches!(new(options(3, 64, false)), Err(Error::Options(_))));
    assert!(matches!(by_default.with("rows=8"), Err(Error::Options(_))));
    let chunks = |rows| PSchemePolicy { groups: 4, threads: 64, ..REARRANGED }.chunks(rows);
    assert_eq!([1, 255, 257, 1 << 22, 1 << 23].map(chunks), [1, 255, 256, 256, 512]);
    let most = gpu.capabilities().limits.max_compute_invocations_per_workgroup;
    if most < 1024 {
        assert!(matches!(new(options(1, 1024, true)), Err(Error::Limit { .. })));
    }
    // More chunks than rows are none.
    let recurrence = Recurrence::new(&[0.5f32; 3], &[1.0; 3]);
    let plan = RecurrencePlan::<f32>::new(&gpu, Shape::single(3), options(16384, 64, true)).unwrap();
    assert_eq!(plan.solve(&recurrence).unwrap(), [1.0, 1.5, 1.75]);
}
