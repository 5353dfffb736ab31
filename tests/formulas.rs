//! Formulas of coefficients: what is refused and where, and that all else runs.
#![cfg(feature = "testing")]

mod common;
#[path = "common/seed.rs"]
mod seed;

use common::gpu;
use naga::keywords::wgsl::BUILTIN_IDENTIFIERS;
use proptest::prelude::*;
use seed::seed;
use trisolve::recurrence::{
    Algorithm, Coefficient, DeviceCoefficient, DeviceRecurrence, Direction, Formulas, Options, Recurrence,
    RecurrencePlan, Shape,
};
use trisolve::testing::{HostRecurrence, shaders};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, GpuOptions, Real, wgpu};

fn error(formula: &str) -> Option<Error> {
    Formulas::new().s(formula).vector("gain").check::<f32>().err()
}

/// What is wrong with a formula of s that may read `gain`: line, column, message.
fn fault(formula: &str) -> (usize, usize, String) {
    match error(formula) {
        Some(Error::Formula { coefficient: "s", line, column, message, formula: own }) => {
            assert_eq!(own, formula);
            (line, column, message)
        }
        other => panic!("{formula:?}: {other:?}"),
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let mut wrong = Vec::new();
    for (formula, line, column, message) in [
        ("", 1, 1, "there is nothing in it"),
        (" // nothing\n", 1, 1, "there is nothing in it"),
        ("exp(-0.5 * real(i)) * gian(i)", 1, 23, "`gian`; there are i, sequence, n, sequences, real, gain"),
        ("1.0 +\n  y * gain(i)", 2, 3, "`y`"),
        ("/* \u{e9}\u{e9} */ y", 1, 10, "`y`"),
        ("gain[i]", 1, 1, "`gain(k)` is its entry k"),
        ("1.0 + gain", 1, 7, "`gain(k)` is its entry k"),
        ("gain(0.5)", 1, 6, "to `u32`"),
        ("gain(i) +", 1, 10, "expected expression, but there the formula ends"),
        ("let a = 1.0;\nreturn a", 2, 9, "expected `;`, but there the formula ends"),
        ("let a = 1.0;", 1, 12, "ends with `return`"),
        ("i", 1, 1, "not a `real` (f32)"),
        ("let a = i; return a;", 1, 12, "not a `real` (f32)"),
        ("true", 1, 1, "not a `real` (f32)"),
        ("vec2(1.0, 2.0)", 1, 1, "to `f32`"),
        ("let half = real(0.5);\nreturn half * i;", 2, 8, "Mul"),
        ("if (i > 3u) { return 1.0; }", 1, 28, "not every way through it ends"),
        ("return;", 1, 1, "not every way through it ends"),
        ("let n = 3u;\nreturn real(n);", 1, 5, "redefinition of `n`"),
        ("i = 3u; return 1.0;", 1, 1, "invalid left-hand side"),
        ("1e39", 1, 1, "1e39"),
        ("1.0 / 0.0", 1, 1, "overflowed"),
        ("real(i / 0u)", 1, 6, "Division by zero"),
        ("var a = array<f32, 3>(); return a[5];", 1, 33, "Accessing index 5"),
        ("params.n", 1, 1, "`params`"),
        ("rows.s[0]", 1, 1, "`rows`"),
        ("real(s[i])", 1, 6, "`s`"),
        ("main()", 1, 1, "`main`"),
        ("wide(1.0, 0).x", 1, 1, "`wide`"),
        ("real4(1.0).x", 1, 1, "`real4`"),
        ("trisolve_formula(i, i, i, i)", 1, 1, "`trisolve_` are taken"),
        ("trisolve_data_0[i]", 1, 1, "`trisolve_` are taken"),
        ("let trisolve_x = 1.0; return trisolve_x;", 1, 5, "`trisolve_` are taken"),
        ("1.0); return (2.0", 1, 4, "`)` closes nothing"),
        ("return 1.0; } fn f() -> f32 { return 2.0;", 1, 13, "`}` closes nothing"),
        ("return 1.0;\n}\n@compute @workgroup_size(1) fn main() {", 2, 1, "`}` closes nothing"),
        ("return (1.0];", 1, 12, "`]` where `)` should be"),
        ("{ return 1.0;", 1, 1, "`{` is not closed by `}`"),
        ("return 1.0; // }\n}", 2, 1, "`}` closes nothing"),
        ("return 1.0; /* /* } */ */ }", 1, 27, "`}` closes nothing"),
        ("return 1.0; /* {", 1, 13, "comment that does not end"),
        ("return 1.0; // \u{2028} }", 1, 16, "no part of a formula"),
        ("return 1.0; // \r }", 1, 16, "no part of a formula"),
        ("return 1.0; // \u{b} }", 1, 16, "no part of a formula"),
        ("1.0 \u{0}", 1, 5, "no part of a formula"),
        ("1.0 \u{d7} 2.0", 1, 5, "no part of a formula"),
        ("override a = 1.0; return a;", 1, 10, "found \"a\""),
        ("var<workgroup> a: f32; return a;", 1, 5, "invalid address space"),
        ("var<private> a: f32; return a;", 1, 5, "invalid address space"),
        ("fn f() -> f32 { return 1.0; } return f();", 1, 4, "found \"f\""),
        ("struct A { a: f32 } return 1.0;", 1, 8, "found \"A\""),
        ("@group(0) @binding(3) var<storage> a: f32; return a;", 1, 2, "attribute"),
        ("enable f16; return 1.0;", 1, 8, "found \"f16\""),
        ("workgroupBarrier(); return 1.0;", 1, 1, "cannot wait for others"),
        ("storageBarrier(); return 1.0;", 1, 1, "cannot wait for others"),
        ("if (i > 2u) { loop { workgroupBarrier(); } } return 1.0;", 1, 22, "cannot wait for others"),
        ("discard; return 1.0;", 1, 1, "cannot wait for others"),
        ("dpdx(real(i))", 1, 1, "fragment shaders only"),
        ("subgroupAdd(real(i))", 1, 1, "SUBGROUP"),
        ("real(f64(i))", 1, 6, "cast"),
        ("0.5h", 1, 1, "f16"),
        ("real(u64(i))", 1, 6, "cast"),
        ("const_assert 1 < 0; return 1.0;", 1, 14, "const_assert"),
        ("select(1.0, 2.0, i)", 1, 1, "boolean"),
        ("loop { return gain; }", 1, 15, "is its entry k"),
        ("return real(i) * e;", 1, 18, "`e`"),
        ("let fn = 1.0; return fn;", 1, 5, "reserved keyword"),
        ("#include <a>\n1.0", 1, 1, ""),
        ("\"text\"", 1, 1, ""),
    ] {
        let found = fault(formula);
        if (found.0, found.1) != (line, column) || !found.2.contains(message) {
            wrong.push(format!("{formula:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_show_the_line() {
    let formula = format!("let a = real(i);\nreturn {} + y;", "a".repeat(1));
    let text = error(&formula).expect("an error").to_string();
    assert!(text.starts_with("the formula of s, line 2, column 12: "), "{text}");
    assert!(text.ends_with("\n  return a + y;\n             ^"), "{text}");
    // Of a long line what is near.
    let formula = format!("{}y", " ".repeat(100_000));
    let text = error(&formula).expect("an error").to_string();
    assert!(text.len() < 400 && text.contains("column 100001"), "{text}");
}

#[test]
fn what_compilers_cannot_hold_is_refused() {
    let plus = |terms| format!("real(i){}", " + 1.0".repeat(terms));
    let or = |terms| format!("if (i == 0u{}) {{ return 1.0; }}\nreturn 2.0;", " || i == 1u".repeat(terms));
    let calls = |terms| format!("gain(i){}", " + max(gain(i), 1.0)".repeat(terms));
    let branches = |count| format!("{}{{ return 1.0; }}", "if (i > 3u) { return 3.0; } else ".repeat(count));
    let nested = |depth| format!("{}real(i){}", "(".repeat(depth), ")".repeat(depth));
    let negated = |count| format!("{}real(i)", "- ".repeat(count));
    let accessed = |count| format!("vec2(real(i)){}", ".xy".repeat(count));
    let statements = |count| format!("var a = 1.0;\n{}return a;", "a = 0.5 * a + gain(i);\n".repeat(count));
    let table = |count| format!("const a = array({}1.0); return a[i];", "1.0, ".repeat(count));
    for (formula, accepted) in [
        (plus(240), true),
        (plus(260), false),
        (plus(100_000), false),
        (or(80), true),
        (or(100_000), false),
        (calls(20), true),
        (calls(100_000), false),
        (branches(40), true),
        (branches(100_000), false),
        (nested(45), true),
        (nested(60), false),
        (nested(100_000), false),
        (negated(200), true),
        (negated(100_000), false),
        (accessed(100_000), false),
        (statements(1000), true),
        (statements(100_000), false),
        (table(1000), true),
        (table(100_000), false),
    ] {
        let start: String = formula.chars().take(60).collect();
        match error(&formula) {
            None => assert!(accepted, "{start}"),
            Some(Error::Formula { .. }) => assert!(!accepted, "{start}"),
            Some(other) => panic!("{start}: {other}"),
        }
    }
}

#[test]
fn vectors_have_names_of_their_own_and_are_read() {
    for (names, message) in [
        (&["2gain"][..], "letter"),
        (&["_gain"], "letter"),
        (&["ga\u{ed}n"], "letter"),
        (&[""], "letter"),
        (&["gain("], "letter"),
        (&["i"], "means something else"),
        (&["sequences"], "means something else"),
        (&["real"], "means something else"),
        (&["exp"], "means something else"),
        (&["loop"], "means something else"),
        (&["f32"], "means something else"),
        (&["trisolve_data_0"], "means something else"),
        (&["gain", "gain"], "already"),
    ] {
        let formulas = names.iter().fold(Formulas::new().s("gain(i)"), |formulas, name| formulas.vector(*name));
        match formulas.check::<f32>() {
            Err(Error::Options(text)) => assert!(text.contains(message), "{names:?}: {text}"),
            other => panic!("{names:?}: {other:?}"),
        }
    }
    Formulas::new().s("gain(i)").t("loss(i) + gain(i)").vector("gain").vector("loss").check::<f32>().unwrap();
    Formulas::new().check::<f32>().unwrap();
    assert!(matches!(Formulas::new().vector("gain").check::<f32>(), Err(Error::Options(_))));
    // Names of the kernels are free, and so are those that look like a component.
    Formulas::new().s("rows(i) * vec2(x(i), 1.0).x").vector("rows").vector("x").check::<f32>().unwrap();
}

#[test]
fn f64_has_no_elementary_functions_and_whole_literals() {
    let check = |formula: &str| Formulas::new().t(formula).check::<f64>();
    for function in ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "log", "log2"]
    {
        let error = check(&format!("1.0 + {function}(real(i))")).unwrap_err();
        let Error::Formula { coefficient: "t", line: 1, column: 7, message, .. } = error else { panic!("{error:?}") };
        assert!(message.contains(&format!("no `{function}` in f64")), "{message}");
        check(&format!("1.0 + real({function}(f32(i)))")).unwrap();
    }
    assert!(check("pow(real(i), 2.0)").is_err() && check("atan2(real(i), 2.0)").is_err());
    for formula in
        ["sqrt(real(i))", "fma(real(i), 0.1, 1.0)", "min(abs(real(i)), 2.0)", "floor(0.5 * real(i))", "0.1", "2"]
    {
        check(formula).unwrap();
    }
    // An f32, as WGSL has it.
    assert!(check("let half = 0.5; return half * real(i);").is_err());
    assert!(check("const half = 0.5; return half * real(i);").is_ok());
}

#[test]
fn kernels_hide_nothing_that_formulas_may_call() {
    let mut computed = 0;
    for shader in shaders().iter().filter(|shader| shader.source.contains("fn trisolve_")) {
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
    let plan = RecurrencePlan::<T>::with_formulas(gpu, Shape::single(n), Options::default(), formulas).expect("a plan");
    // Nothing is passed on.
    let recurrence = Recurrence {
        s: Coefficient::Constant(T::from_f64(0.0)),
        t: Coefficient::Computed(vectors),
        initial: Coefficient::Constant(T::from_f64(0.0)),
    };
    plan.solve(&recurrence).expect("values")
}

#[test]
fn each_formula_has_kernels_of_its_own() {
    let gpu = gpu(true, FeatureSwitches::ALL);
    for factor in [2.0, 3.0, -4.0] {
        let found = values_of::<f32>(&gpu, 5000, &Formulas::new().t(format!("{factor:?} * real(i)")), &[]);
        assert!(found.iter().enumerate().all(|(i, w)| *w == factor * i as f32), "{factor}");
    }
}

#[test]
fn names_and_texts_of_the_kernels_are_free() {
    for gpu in [gpu(true, FeatureSwitches::ALL), gpu(false, FeatureSwitches::NONE)] {
        for formula in [
            "let rows = real(i); let params = rows; let main = params; let wide = main; return wide;",
            "let element = i; let Row = element; let s = Row; let t = s; let x = t; let words = x; return real(words);",
            "const ROWS = 3u;\nvar sum = 0u;\nfor (var k = 0u; k < ROWS; k++) { // unroll\n    sum += i;\n}\n\
             return real(sum) / 3.0;",
            "let INPUT_ACCESS = real(i); return INPUT_ACCESS;",
            "let real = i; return f32(real);",
            "return real(i); // }",
            "/* { */ return real(i) /* ( /* [ */ */ ;",
            "real(i)\r\n// the end",
            "var place_of = 0u; loop { if (place_of == i) { break; } place_of++; } return real(place_of);",
        ] {
            let found = values_of::<f32>(&gpu, 100, &Formulas::new().t(formula), &[]);
            assert!(found.iter().enumerate().all(|(i, w)| *w == i as f32), "{formula}: {found:?}");
        }
        for name in ["rows", "s", "x", "main", "wide", "params", "row_at", "element", "s_at", "computed"] {
            let numbers: Vec<f32> = (0..100).map(|i| i as f32).collect();
            let formulas = Formulas::new().t(format!("{name}(i)")).vector(name);
            assert_eq!(values_of(&gpu, 100, &formulas, &[(name, &numbers)]), numbers, "{name}");
        }
    }
}

#[test]
fn nothing_is_read_past_an_end() {
    for gpu in [gpu(true, FeatureSwitches::ALL), gpu(false, FeatureSwitches::NONE)] {
        let gain = [1.0f32, 2.0, 3.0];
        let formulas = Formulas::new().t("gain(i) + gain(i * 1000000007u) + gain(0u - 1u - i)").vector("gain");
        let found = values_of(&gpu, 50, &formulas, &[("gain", &gain)]);
        let expected = |i: u32| {
            let entry = |k: u32| gain[k.min(2) as usize];
            entry(i) + entry(i.wrapping_mul(1_000_000_007)) + entry(u32::MAX - i)
        };
        assert!(found.iter().zip(0..).all(|(w, i)| *w == expected(i)), "{found:?}");
        // Arrays of its own, and divisors that may be 0: what comes out is some number.
        for formula in [
            "var a = array(1.0, 2.0, 3.0); return a[i * 1000003u];",
            "let a = vec4(1.0, 2.0, 3.0, 4.0); return a[i * 1000003u];",
            "const a = array(1.0, 2.0, 3.0); return a[i * 1000003u];",
            "var a: array<array<f32, 3>, 3>; a[i][i] = 1.0; return a[i + 1u][2];",
            "real(i / (i % 2u)) * 1e-6",
            "real(i32(i) % (i32(i) - 7)) * 1e-6",
        ] {
            let found = values_of::<f32>(&gpu, 5000, &Formulas::new().t(formula), &[]);
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
    for n in [1usize, 2, 3, 31, 33, 255, 257, 4095, 4096, 4097, 65_537] {
        for (shape, algorithm, direction) in [
            (Shape::single(n), Algorithm::OnePass, Direction::Forward),
            (Shape::padded(n, 2, n + 3), Algorithm::OnePass, Direction::Reverse),
            (Shape::interleaved(n, 3), Algorithm::ThreeLaunch, Direction::Forward),
            (Shape::padded(n, 2, n.next_multiple_of(4)), Algorithm::ThreeLaunch, Direction::Reverse),
        ] {
            let mut host = HostRecurrence::<f32>::new(shape, seed).expect("a sample");
            for (values, of) in [(&mut host.s, s), (&mut host.t, t)] {
                for (sequence, row) in (0..shape.batch).flat_map(|sequence| (0..n).map(move |row| (sequence, row))) {
                    let value = of(row as u32, sequence as u32, n as u32, shape.batch as u32);
                    values[shape.matrix_index(sequence, row)] = value as f32;
                }
            }
            let options = Options::default().algorithm(algorithm).direction(direction);
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
    for algorithm in [Algorithm::OnePass, Algorithm::ThreeLaunch] {
        let options = Options::default().algorithm(algorithm);
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
        let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::default(), formulas).unwrap();
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
        (&reads, Coefficient::Computed(&loss), computed, one, "have no vector loss"),
        (&reads, Coefficient::Computed(&empty), computed, one, "0 entries"),
    ] {
        let text = refused(formulas, s, t, initial);
        assert!(text.contains(message), "{text}");
    }
    // One that is not read is not bound; each once, with either.
    let more = Formulas::new().s("1.0").t("loss(i)").vector("gain").vector("loss");
    let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::default(), &more).unwrap();
    let both = Recurrence { s: computed, t: Coefficient::Computed(&loss), initial: one };
    assert_eq!(plan.solve(&both).unwrap(), [2.0, 3.0, 4.0, 5.0, 6.0]);
    for (s, t) in [(with_gain, computed), (computed, with_gain)] {
        let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::default(), &reads).unwrap();
        assert_eq!(plan.solve(&Recurrence { s, t, initial: one }).unwrap(), [2.0, 3.0, 4.0, 5.0, 6.0]);
    }
    // A plan has no length of its own without a vector.
    let both = Recurrence { s: computed, t: computed, initial: one };
    assert!(matches!(trisolve::recurrence::solve(&gpu, &both), Err(Error::Options(_))));
    // Values lie over no vector that formulas read, nor over what is computed.
    let vector = DeviceVector::from_slice(&gpu, "five", &five).unwrap();
    let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::default(), &reads).unwrap();
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
            Options::default().algorithm(algorithm),
            formulas,
        )
    };
    for (algorithm, both, most) in [
        (Algorithm::OnePass, false, 2),
        (Algorithm::OnePass, true, 3),
        (Algorithm::ThreeLaunch, false, 4),
        (Algorithm::ThreeLaunch, true, 5),
        (Algorithm::Auto, false, 4),
    ] {
        let error = plan(algorithm, &formulas(most + 1, both)).expect_err("a refusal");
        let Error::Limit { limit: "max_storage_buffers_per_shader_stage", needed: 9, available: 8, .. } = error else {
            panic!("{algorithm}: {error:?}");
        };
        assert!(error.to_string().contains(&format!("where {most} would do")), "{error}");
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
    assert_eq!(plan(Algorithm::Auto, &formulas(2, false)).expect("a plan").algorithm(), Algorithm::OnePass);
    assert_eq!(plan(Algorithm::Auto, &formulas(3, false)).expect("a plan").algorithm(), Algorithm::ThreeLaunch);
}

/// Pieces of formulas, sensible and not.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "i",
        "n",
        "sequence",
        "real",
        "real(i)",
        "gain",
        "gain(i)",
        "1.0",
        "2",
        "3u",
        "0x1p-3",
        "1e",
        ".5",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "+",
        "-",
        "*",
        "/",
        "%",
        "=",
        "==",
        "&&",
        "||",
        "&",
        "!",
        "~",
        ";",
        ",",
        ".",
        ":",
        "@",
        "#",
        "//",
        "/*",
        "*/",
        "\n",
        " ",
        "let a = ",
        "var b = ",
        "a",
        "b",
        "return ",
        "if ",
        "else ",
        "loop ",
        "for (var k = 0u; k < 3u; k++) ",
        "while ",
        "switch i ",
        "case 1u: ",
        "default: ",
        "break; ",
        "continue; ",
        "continuing ",
        "array(1.0, 2.0)",
        "vec3",
        "select",
        "exp",
        "bitcast<f32>",
        "fn ",
        "struct ",
        "ptr<function, f32>",
        "const ",
        "_",
        "\u{e4}",
        "\u{3000}",
        "\t",
        "\r\n",
        "trisolve_s",
        "true",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged(text in pieces()) {
        // Its display finds its place as well.
        if let Some(error) = error(&text) {
            let _ = error.to_string();
        }
    }
}

/// Expressions that are right, whatever they mean.
fn expressions() -> impl Strategy<Value = String> {
    let leaf =
        prop::sample::select(vec!["real(i)", "gain(i)", "0.25", "real(n)", "real(sequence)", "-1.5", "real(gain(2u))"]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} * 0.125 - {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("min({a}, max({b}, 0.5))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("select({a}, {b}, i % 3u == 1u)")),
            inner.clone().prop_map(|a| format!("/* {{ */ abs({a})")),
            inner.prop_map(|a| format!("gain(u32(abs({a})))")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_accepted_compiles(expression in expressions(), body in any::<bool>()) {
        let gpu = gpu(false, FeatureSwitches::ALL);
        let text = match body {
            true => format!("var sum = gain(i);\nfor (var k = 0u; k < 2u; k++) {{ sum += {expression}; }}\nreturn sum;"),
            false => format!("gain(i) * 0.0 + {expression}"),
        };
        let formulas = Formulas::new().t(&text).vector("gain");
        for algorithm in [Algorithm::OnePass, Algorithm::ThreeLaunch] {
            let options = Options::default().algorithm(algorithm);
            let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(10_000), options, &formulas);
            prop_assert!(plan.is_ok(), "{text}: {:?}", plan.err());
        }
    }
}
