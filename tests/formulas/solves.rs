//! What formulas compute, of what they are given.

use naga::keywords::wgsl::BUILTIN_IDENTIFIERS;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve::recurrence::{
    Algorithm, Coefficient, DeviceCoefficient, DeviceRecurrence, Direction, Formulas, Options, Recurrence,
    RecurrencePlan, Shape,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, GpuOptions, Real, wgpu};
use trisolve_lab::{HostRecurrence, OnDevice, kernel_sources_where, kernels_compiled, kernels_living};

use crate::common::gpu;
use crate::draw::some;
use trisolve_lab::seed;

#[test]
fn kernels_hide_nothing_that_formulas_may_call() {
    let mut computed = 0;
    for shader in kernel_sources_where(|permutation| permutation.caller.is_some()) {
        computed += 1;
        let module = naga::front::wgsl::parse_str(&shader.source).expect("a valid shader");
        let names = module.functions.iter().filter_map(|(_, function)| function.name.as_deref());
        let names = names.chain(module.global_variables.iter().filter_map(|(_, variable)| variable.name.as_deref()));
        let names = names.chain(module.constants.iter().filter_map(|(_, constant)| constant.name.as_deref()));
        let names = names.chain(module.overrides.iter().filter_map(|(_, constant)| constant.name.as_deref()));
        let names = names.chain(module.types.iter().filter_map(|(_, of)| of.name.as_deref()));
        for name in names {
            assert!(!BUILTIN_IDENTIFIERS.contains(&name), "{}: {name}", shader.name);
        }
    }
    assert!(computed >= 30, "{computed}");
}

/// w of s from a formula and t = 0 or 1: the formula's own values, since the value before is 1.
fn values_of<T: Real>(gpu: &Gpu, n: usize, formulas: &Formulas, vectors: &[(&str, &[T])]) -> Vec<T> {
    let plan =
        RecurrencePlan::<T>::with_formulas(gpu, Shape::single(n), Options::on_device(), formulas).expect("a plan");
    // Nothing is passed on.
    let recurrence = Recurrence {
        s: Coefficient::Constant(T::from_f64(0.0)),
        t: Coefficient::Computed(vectors),
        initial: Coefficient::Constant(T::from_f64(0.0)),
    };
    plan.solve(&recurrence).expect("values")
}

#[test]
fn each_formula_has_kernels_of_its_own_that_go_with_it() {
    let gpu = Gpu::new().expect("a GPU");
    for factor in [2.0, -4.0] {
        let before = (factor != 2.0).then(|| kernels_living(&gpu));
        let found = values_of::<f32>(&gpu, 100, &Formulas::new().t(format!("{factor:?} * real(i)")), &[]);
        assert!(found.iter().enumerate().all(|(i, w)| *w == factor * i as f32), "{factor}");
        assert!(before.is_none_or(|before| kernels_living(&gpu) == before), "{factor}");
    }
}

#[test]
fn a_plan_compiles_what_its_binds_use() {
    let gpu = Gpu::new().expect("a GPU");
    let n = 5000;
    let vector = |value: f32, len| DeviceVector::from_slice(&gpu, "a vector", &vec![value; len]).expect("a vector");
    let (t, initial, w) = (vector(1.0, n), vector(2.0, 1), vector(f32::NAN, n));
    for algorithm in [Algorithm::OnePass, Algorithm::ThreeLaunch, Algorithm::PScheme] {
        let options = Options::on_device().algorithm(algorithm);
        let formulas = Formulas::new().s("0.5");
        let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(n), options, &formulas).expect("a plan");
        let compiled = kernels_compiled(&gpu);
        let recurrence = DeviceRecurrence {
            s: DeviceCoefficient::Computed(&[]),
            t: DeviceCoefficient::Each(t.as_slice()),
            initial: DeviceCoefficient::Each(initial.as_slice()),
            w: Some(w.as_slice()),
        };
        let bound = plan.bind(&recurrence).expect("bound");
        assert_eq!(kernels_compiled(&gpu), compiled, "{algorithm}");
        bound.submit().expect("a solve");
        assert!(w.read(&gpu).expect("values").iter().all(|w| *w == 2.0), "{algorithm}");
    }
}

#[test]
fn names_and_texts_of_the_kernels_are_free() {
    let mut random = SmallRng::seed_from_u64(seed("names_and_texts_of_the_kernels_are_free"));
    for gpu in [gpu(true, FeatureSwitches::ALL), gpu(false, FeatureSwitches::NONE)] {
        let texts = [
            "let rows = real(i); let params = rows; let main = params; let wide = main; return wide;",
            "let element = i; let Row = element; let s = Row; let t = s; let x = t; let words = x; return real(words);",
            "const ROWS = 3u;\nvar sum = 0u;\nfor (var k = 0u; k < ROWS; k++) { // unroll\n    sum += i;\n}\n\
             return real(sum) / 3.0;",
            "let INPUT_ACCESS = real(i); return INPUT_ACCESS;",
            "let real = i; return f32(real);",
            "return real(i); // }",
            "/* { */ return real(i) /* ( /* [ */ */ ;",
            "real(i)\r\n// the end",
            // naga evaluates such vectors once overrides have values.
            "let a = vec2<real>(1.0, 0.0); let m = mat2x2<real>(1.0, 0.0, 0.0, 1.0); return a.x * real(i) * m[1].y + a[1];",
            "var place_of = 0u; loop { if (place_of == i) { break; } place_of++; } return real(place_of);",
        ];
        // A kernel per text.
        for formula in some(&mut random, &texts, 2) {
            let found = values_of::<f32>(&gpu, 100, &Formulas::new().t(formula), &[]);
            assert!(found.iter().enumerate().all(|(i, w)| *w == i as f32), "{formula}: {found:?}");
        }
        let names = ["rows", "s", "x", "main", "wide", "params", "row_at", "element", "s_at", "computed"];
        for name in some(&mut random, &names, 2) {
            let numbers: Vec<f32> = (0..100).map(|i| i as f32).collect();
            let formulas = Formulas::new().t(format!("{name}(i)")).vector(name);
            assert_eq!(values_of(&gpu, 100, &formulas, &[(name, &numbers)]), numbers, "{name}");
        }
    }
}

#[test]
fn nothing_is_read_past_an_end() {
    let mut random = SmallRng::seed_from_u64(seed("nothing_is_read_past_an_end"));
    for (gpu, texts) in [(gpu(true, FeatureSwitches::ALL), 1), (gpu(false, FeatureSwitches::NONE), 3)] {
        let gain = [1.0f32, 2.0, 3.0];
        let formulas = Formulas::new().t("gain(i) + gain(i * 1000000007u) + gain(0u - 1u - i)").vector("gain");
        let found = values_of(&gpu, 50, &formulas, &[("gain", &gain)]);
        let expected = |i: u32| {
            let entry = |k: u32| gain[k.min(2) as usize];
            entry(i) + entry(i.wrapping_mul(1_000_000_007)) + entry(u32::MAX - i)
        };
        assert!(found.iter().zip(0..).all(|(w, i)| *w == expected(i)), "{found:?}");
        // Arrays of its own, and divisors that may be 0: what comes out is some number.
        let all = [
            "var a = array(1.0, 2.0, 3.0); return a[i * 1000003u];",
            "let a = vec4(1.0, 2.0, 3.0, 4.0); return a[i * 1000003u];",
            "const a = array(1.0, 2.0, 3.0); return a[i * 1000003u];",
            "var a: array<array<f32, 3>, 3>; a[i][i] = 1.0; return a[i + 1u][2];",
            "real(i / (i % 2u)) * 1e-6",
            "real(i32(i) % (i32(i) - 7)) * 1e-6",
        ];
        for formula in some(&mut random, &all, texts) {
            let found = values_of::<f32>(&gpu, 100, &Formulas::new().t(formula), &[]);
            assert!(found.iter().all(|w| w.is_finite()), "{formula}: {found:?}");
        }
    }
}

#[test]
fn f64_literals_keep_their_digits() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    if gpu.capabilities().features.f64 {
        for formula in ["real(0.1) * real(i)", "0.1 * real(i)", "0.1lf * real(i)"] {
            let found = values_of::<f64>(&gpu, 100, &Formulas::new().t(formula), &[]);
            assert!(found.iter().enumerate().all(|(i, w)| *w == 0.1 * i as f64), "{formula}: {found:?}");
        }
    }
}

/// A formula on the host.
type OnHost = fn(u32, u32, u32, u32) -> f64;

#[test]
fn host_and_device_agree_at_every_edge() {
    let seed = seed("host_and_device_agree_at_every_edge");
    let s_text = "0.9 - real((i * 37u + sequence) % 101u) * 0.015625";
    let s: OnHost = |i, sequence, _, _| 0.9 - f64::from((i * 37 + sequence) % 101) * 0.015625;
    let t_text =
        "let back = n - 1u - i;\nif (back % 5u == 0u) { return 0.0; }\nreturn real(back % 64u) / real(sequences);";
    let t: OnHost = |i, _, n, sequences| match n - 1 - i {
        back if back % 5 == 0 => 0.0,
        back => f64::from(back % 64) / f64::from(sequences),
    };
    let gpu = gpu(true, FeatureSwitches::ALL);
    let sizes = [1usize, 2, 3, 31, 257, 4095, 4096, 4097, 65_537];
    let drawn = some(&mut SmallRng::seed_from_u64(seed), &sizes, 3);
    for (at, n) in drawn.into_iter().chain([300_000]).enumerate() {
        let all = [
            (Shape::single(n), Algorithm::OnePass, Direction::Forward),
            (Shape::padded(n, 2, n + 3), Algorithm::OnePass, Direction::Reverse),
            (Shape::interleaved(n, 3), Algorithm::ThreeLaunch, Direction::Forward),
            (Shape::padded(n, 2, n.next_multiple_of(4)), Algorithm::ThreeLaunch, Direction::Reverse),
        ];
        // The sizes take them in turn.
        for (shape, algorithm, direction) in all.into_iter().skip(at % 2).step_by(2) {
            let mut host = HostRecurrence::<f32>::new(shape, seed).expect("a sample");
            for (values, of) in [(&mut host.s, s), (&mut host.t, t)] {
                for (sequence, row) in (0..shape.batch).flat_map(|sequence| (0..n).map(move |row| (sequence, row))) {
                    let value = of(row as u32, sequence as u32, n as u32, shape.batch as u32);
                    values[shape.matrix_index(sequence, row)] = value as f32;
                }
            }
            let options = Options::on_device().algorithm(algorithm).direction(direction);
            let formulas = Formulas::new().s(s_text).t(t_text);
            let plan = RecurrencePlan::<f32>::with_formulas(&gpu, shape, options, &formulas).expect("a plan");
            let recurrence = Recurrence {
                s: Coefficient::Computed(&[]),
                t: Coefficient::Computed(&[]),
                initial: Coefficient::Each(&host.initial),
            };
            let found = plan.solve(&recurrence).expect("values");
            for expected in host.expected([None; 3], direction).expect("values") {
                let off = (f64::from(found[expected.at]) - expected.value).abs();
                // A subtraction's rounding, and a division's of 2.5 units.
                assert!(off <= 6.0 * expected.allowed, "{shape:?} {algorithm}, at {}: {off:e}", expected.at);
            }
        }
    }
}

#[test]
fn what_is_computed_but_not_finite_is_named() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let shape = Shape::contiguous(9000, 2);
    // Infinite in row 8000 of sequence 1.
    let spoilt = "1.0 / real(i32(sequence * 9000u + i) - 17000)";
    let mut random = SmallRng::seed_from_u64(seed("what_is_computed_but_not_finite_is_named"));
    for algorithm in some(&mut random, &[Algorithm::OnePass, Algorithm::ThreeLaunch], 1) {
        let options = Options::on_device().algorithm(algorithm);
        for (formulas, vector) in [
            (Formulas::new().s(spoilt), "s"),
            (Formulas::new().t(spoilt), "t"),
            (Formulas::new().s("0.5").t(spoilt), "s or t"),
        ] {
            let plan = RecurrencePlan::<f32>::with_formulas(&gpu, shape, options, &formulas).expect("a plan");
            let given = |name: &str| match vector.contains(name) {
                true => Coefficient::Computed(&[]),
                false => Coefficient::Constant(0.5),
            };
            let recurrence = Recurrence { s: given("s"), t: given("t"), initial: Coefficient::Constant(0.0) };
            let expected = Error::NonFiniteInput { vector, system: 1, row: 8000 };
            assert_eq!(plan.solve(&recurrence).expect_err("an infinite coefficient"), expected, "{algorithm}");
        }
    }
}

#[test]
fn what_is_given_has_to_be_what_was_planned() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    let five = [1f32; 5];
    let refused = |formulas: &Formulas, s, t, initial| {
        let plan =
            RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::on_device(), formulas).unwrap();
        plan.solve(&Recurrence { s, t, initial }).expect_err("a refusal").to_string()
    };
    let (none, one) = (Formulas::new(), Coefficient::Constant(1.0));
    let (each, computed) = (Coefficient::Each(&five[..]), Coefficient::Computed(&[]));
    let reads = Formulas::new().s("gain(i)").t("gain(i)").vector("gain");
    let gain = [("gain", &five[..])];
    let with_gain = Coefficient::Computed(&gain);
    let loss = [("gain", &five[..]), ("loss", &five[..])];
    let empty = [("gain", &five[..0])];
    for (formulas, s, t, initial, message) in [
        (&none, computed, each, one, "s is to be computed, but the plan has no formula"),
        (&none, each, each, computed, "initial cannot be computed"),
        (&reads, with_gain, each, one, "the plan computes t"),
        (&reads, computed, computed, one, "have a vector gain"),
        (&reads, with_gain, with_gain, one, "given twice"),
        (&reads, Coefficient::Computed(&loss), computed, one, "have no vector or texture loss"),
        (&reads, Coefficient::Computed(&empty), computed, one, "0 entries"),
    ] {
        let text = refused(formulas, s, t, initial);
        assert!(text.contains(message), "{text}");
    }
    // One that is not read is not bound; each once, with either.
    let more = Formulas::new().s("1.0").t("loss(i)").vector("gain").vector("loss");
    let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::on_device(), &more).unwrap();
    let both = Recurrence { s: computed, t: Coefficient::Computed(&loss), initial: one };
    assert_eq!(plan.solve(&both).unwrap(), [2.0, 3.0, 4.0, 5.0, 6.0]);
    for (s, t) in [(with_gain, computed), (computed, with_gain)] {
        let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::on_device(), &reads).unwrap();
        assert_eq!(plan.solve(&Recurrence { s, t, initial: one }).unwrap(), [2.0, 3.0, 4.0, 5.0, 6.0]);
    }
    // A plan has no length of its own without a vector.
    let both = Recurrence { s: computed, t: computed, initial: one };
    assert!(matches!(trisolve::recurrence::solve(&gpu, &both, Options::on_device()), Err(Error::Options(_))));
    // Values lie over no vector that formulas read, nor over what is computed.
    let vector = DeviceVector::from_slice(&gpu, "five", &five).unwrap();
    let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::on_device(), &reads).unwrap();
    let gain = [("gain", vector.as_slice())];
    let bound = |w| {
        let (s, t) = (DeviceCoefficient::Computed(&gain), DeviceCoefficient::Computed(&[]));
        plan.bind(&DeviceRecurrence { s, t, initial: DeviceCoefficient::Constant(1.0), w }).map(drop)
    };
    assert!(matches!(bound(Some(vector.as_slice())), Err(Error::Overlap { .. })));
    assert!(matches!(bound(None), Err(Error::Options(_))));
}

/// A device with no more than WebGPU promises.
fn least_device() -> Gpu {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends &= wgpu::Backends::PRIMARY;
    let instance = wgpu::Instance::new(descriptor);
    futures::executor::block_on(async {
        let adapter = wgpu::util::initialize_adapter_from_env_or_default(&instance, None).await.expect("an adapter");
        let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await.expect("a device");
        Gpu::from_wgpu_with(device, queue, adapter.get_info(), GpuOptions::default())
    })
}

#[test]
fn more_vectors_than_kernels_can_have_are_refused() {
    let gpu = least_device();
    assert_eq!(gpu.capabilities().limits.max_storage_buffers_per_shader_stage, 8);
    let names = ["a", "b", "c", "d", "e", "f"];
    let formulas = |count: usize, both: bool| {
        let sum: Vec<_> = names[..count].iter().map(|name| format!("{name}(i)")).collect();
        let formulas = names[..count].iter().fold(Formulas::new().t(sum.join(" + ")), |all, name| all.vector(*name));
        if both { formulas.s("0.0") } else { formulas }
    };
    let plan = |algorithm, formulas: &Formulas| {
        RecurrencePlan::<f32>::with_formulas(
            &gpu,
            Shape::single(20_000),
            Options::on_device().algorithm(algorithm),
            formulas,
        )
    };
    let all = [
        (Algorithm::OnePass, false, 3),
        (Algorithm::OnePass, true, 4),
        (Algorithm::ThreeLaunch, false, 4),
        (Algorithm::ThreeLaunch, true, 5),
        (Algorithm::Auto, false, 4),
    ];
    let mut random = SmallRng::seed_from_u64(seed("more_vectors_than_kernels_can_have_are_refused"));
    for (algorithm, both, most) in some(&mut random, &all, 2) {
        let error = plan(algorithm, &formulas(most + 1, both)).expect_err("a refusal");
        let Error::Limit { limit: "max_storage_buffers_per_shader_stage", needed: 9, available: 8, .. } = error else {
            panic!("{algorithm}: {error:?}");
        };
        assert!(error.to_string().contains(&format!("(at most {most} fit)")), "{error}");
        let plan = plan(algorithm, &formulas(most, both)).expect("a plan");
        let numbers: Vec<Vec<f32>> = (1..=most).map(|k| (0..10 * k).map(|i| (i * k) as f32).collect()).collect();
        let given: Vec<_> = names.iter().copied().zip(numbers.iter().map(Vec::as_slice)).collect();
        let constant = Coefficient::Constant(0.0);
        let s = if both { Coefficient::Computed(&[]) } else { constant };
        let found = plan.solve(&Recurrence { s, t: Coefficient::Computed(&given), initial: constant }).expect("values");
        let entry = |numbers: &Vec<f32>, i: usize| numbers[i.min(numbers.len() - 1)];
        for (i, w) in found.iter().enumerate() {
            assert_eq!(*w, numbers.iter().map(|numbers| entry(numbers, i)).sum::<f32>(), "{algorithm}, row {i}");
        }
    }
    // Auto goes where there is room.
    assert_eq!(plan(Algorithm::Auto, &formulas(3, false)).expect("a plan").algorithm(), Algorithm::OnePass);
    assert_eq!(plan(Algorithm::Auto, &formulas(4, false)).expect("a plan").algorithm(), Algorithm::ThreeLaunch);
}
