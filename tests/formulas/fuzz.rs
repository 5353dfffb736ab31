//! Any text is judged, and what is accepted compiles.

use proptest::prelude::*;
use trisolve::recurrence::{Algorithm, Formulas, Options, RecurrencePlan, Shape};
use trisolve::{Error, FeatureSwitches, Gpu, Real};
use trisolve_lab::OnDevice;

use crate::common::gpu;
use crate::refusals::error;

/// Each of WGSL's numeric functions, of x and y.
const FUNCTIONS: [&str; 68] = [
    "abs(x)",
    "acos(x)",
    "acosh(x)",
    "asin(x)",
    "asinh(x)",
    "atan(x)",
    "atanh(x)",
    "atan2(x, y)",
    "ceil(x)",
    "clamp(x, 0.0, 1.0)",
    "cos(x)",
    "cosh(x)",
    "cross(vec3(x), vec3(y)).x",
    "degrees(x)",
    "distance(x, y)",
    "distance(vec2(x), vec2(y))",
    "dot(vec3(x), vec3(y))",
    "exp(x)",
    "exp2(x)",
    "faceForward(vec2(x), vec2(y), vec2(x)).x",
    "floor(x)",
    "fma(x, y, x)",
    "fract(x)",
    "frexp(x).fract",
    "real(frexp(x).exp)",
    "inverseSqrt(x)",
    "ldexp(x, 2)",
    "length(x)",
    "length(vec3(x))",
    "log(x)",
    "log2(x)",
    "max(x, y)",
    "min(x, y)",
    "mix(x, y, x)",
    "modf(x).fract",
    "modf(x).whole",
    "normalize(vec2(x)).x",
    "pow(x, y)",
    "quantizeToF16(x)",
    "radians(x)",
    "reflect(vec2(x), vec2(y)).x",
    "refract(vec2(x), vec2(y), x).x",
    "round(x)",
    "saturate(x)",
    "sign(x)",
    "sin(x)",
    "sinh(x)",
    "smoothstep(x, y, x)",
    "sqrt(x)",
    "step(x, y)",
    "tan(x)",
    "tanh(x)",
    "trunc(x)",
    "determinant(mat2x2(x, y, y, x))",
    "transpose(mat2x2(x, y, y, x))[0].x",
    "(mat2x2(x, y, y, x) * vec2(x, y)).x",
    "x % y",
    "-x",
    "select(x, y, x < y)",
    "select(x, y, all(vec2(x, y) == vec2(y, x)))",
    "real(u32(x) + u32(i32(x)))",
    "real(bool(x))",
    "real(countOneBits(i) + firstLeadingBit(i) + reverseBits(i) + extractBits(i, 1u, 3u) + insertBits(i, n, 1u, 3u))",
    "real(dot4U8Packed(i, n)) + real(dot4I8Packed(i, n))",
    "real(pack4x8snorm(vec4<f32>(f32(i))))",
    "real(unpack4x8unorm(i).x + unpack2x16snorm(i).y)",
    "real(pack4xU8(vec4(i)) + unpack4xU8(i).x)",
    "real(i << n)",
];

/// Functions that share a formula, and so a kernel.
const TOGETHER: usize = 17;

fn every_function<T: Real>(gpu: &Gpu) -> Vec<&'static str> {
    let of = |functions: &[&str]| {
        let sum = functions.iter().map(|function| format!("({function})")).collect::<Vec<_>>().join(" + ");
        Formulas::new().t(format!("let x = real(i) * real(0.125);\nlet y = x + real(1.5);\nreturn {sum};"))
    };
    let accepted = FUNCTIONS.into_iter().filter(|function| {
        let accepted = of(&[function]).check::<T>();
        // Whatever is refused is refused with its place.
        assert!(matches!(accepted, Ok(()) | Err(Error::Formula { line: 1..=3, .. })), "{function}: {accepted:?}");
        accepted.is_ok()
    });
    let accepted: Vec<_> = accepted.collect();
    for functions in accepted.chunks(TOGETHER) {
        let plan = RecurrencePlan::<T>::with_formulas(gpu, Shape::single(5), Options::on_device(), &of(functions));
        assert!(plan.is_ok(), "{functions:?}: {:?}", plan.err());
    }
    accepted
}

#[test]
fn every_function_that_is_accepted_compiles() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let f32 = every_function::<f32>(&gpu);
    println!("refused in f32: {:?}", FUNCTIONS.iter().filter(|function| !f32.contains(function)).collect::<Vec<_>>());
    assert!(f32.len() >= FUNCTIONS.len() - 4, "{f32:?}");
    if gpu.capabilities().features.f64 {
        let f64 = every_function::<f64>(&gpu);
        println!(
            "refused in f64: {:?}",
            FUNCTIONS.iter().filter(|function| !f64.contains(function)).collect::<Vec<_>>()
        );
    }
}

/// Pieces of formulas, sensible and not.
fn pieces() -> impl Strategy<Value = String> {
    let spaced =
        ["let a = ", "var b = ", "return ", "if ", "else ", "loop ", "for (var k = 0u; k < 3u; k++) ", "while "];
    let statements = ["switch i ", "case 1u: ", "default: ", "break; ", "continue; ", "continuing ", "fn ", "struct "];
    let others = ["const ", "array(1.0, 2.0)", "ptr<function, f32>", "\n", " ", "\t", "\r\n", "\u{e4}", "\u{3000}"];
    let words = "i n sequence real real(i) gain gain(i) a b vec3 select exp bitcast<f32> trisolve_s true 1.0 2 3u 0x1p-3 1e .5 _";
    let signs = "( ) [ ] { } < > + - * / % = == && || & ! ~ ; , . : @ # // /* */";
    let pieces = words.split(' ').chain(signs.split(' ')).chain(spaced).chain(statements).chain(others);
    let piece = prop::sample::select(pieces.collect::<Vec<_>>());
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
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_accepted_compiles(expression in expressions(), body in any::<bool>(), one_pass in any::<bool>()) {
        let gpu = gpu(false, FeatureSwitches::ALL);
        let text = match body {
            true => format!("var sum = gain(i);\nfor (var k = 0u; k < 2u; k++) {{ sum += {expression}; }}\nreturn sum;"),
            false => format!("gain(i) * 0.0 + {expression}"),
        };
        let formulas = Formulas::new().t(&text).vector("gain");
        let options = Options::on_device().algorithm(if one_pass { Algorithm::OnePass } else { Algorithm::ThreeLaunch });
        let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(10_000), options, &formulas);
        prop_assert!(plan.is_ok(), "{text}: {:?}", plan.err());
    }
}
