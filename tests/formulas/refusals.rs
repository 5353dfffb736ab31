//! What is wrong with a formula, and where.

use trisolve::recurrence::{Formulas, Options, RecurrencePlan, Shape};
use trisolve::{Error, FeatureSwitches};
use trisolve_lab::OnDevice;

use crate::common::gpu;

pub fn error(formula: &str) -> Option<Error> {
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
    let text = error("let a = real(i);\nreturn a + y;").expect("an error").to_string();
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
    let gpu = gpu(false, FeatureSwitches::NONE);
    let zeros = |count| format!("var a = array<u32, {count}>(); a[i] = i; return real(a[i + 1u]);");
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
        (statements(200), true),
        (statements(100_000), false),
        (table(1000), true),
        (table(100_000), false),
        (zeros(1000), true),
        (zeros(100_000), false),
    ] {
        let start: String = formula.chars().take(60).collect();
        match error(&formula) {
            None => {
                assert!(accepted, "{start}");
                // The device's compiler takes it, too.
                let formulas = Formulas::new().s(&formula).vector("gain");
                let plan =
                    RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(5), Options::on_device(), &formulas);
                assert!(plan.is_ok(), "{start}: {:?}", plan.err());
            }
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
