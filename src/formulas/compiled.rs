//! A formula compiled in a small module of its own, so that errors refer to the caller's text.

use std::collections::HashMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wgpu::naga::front::wgsl;
use wgpu::naga::valid::{Capabilities, FunctionError, ModuleInfo, ValidationError, ValidationFlags, Validator};
use wgpu::naga::{Module, Span, WithSpan};

use super::budget::Counted;
use super::lockstep;
use super::safety::{self, Refused};
use super::words::{Fault, Words};
use crate::precision::Precision;
use crate::shader::Checks;

/// A formula ready for kernels.
#[derive(Debug)]
pub(super) struct Compiled {
    /// A function's body, without comments, with the library's names for sources.
    pub body: String,
    /// The same with counted rounds of loops, if it has loops.
    pub counted: Option<Counted>,
    pub checks: Checks,
    /// Which of the sources it reads.
    pub reads: Vec<bool>,
}

/// A formula's function that calls one with counted rounds.
pub(super) fn counted(name: &str, parameters: &[&str], body: &str) -> String {
    let inner = format!("{name}_counted");
    let arguments = parameters.join(", ");
    let (row, problem) = (parameters[0], parameters[1]);
    format!(
        "{}{body}}}\n{}    return trisolve_whole({inner}({arguments}), {problem}, {row});\n}}\n",
        head(&inner, parameters),
        head(name, parameters)
    )
}

/// Something that formulas read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// The name in formulas.
    pub name: String,
    pub kind: SourceKind,
}

/// How formulas read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SourceKind {
    /// A vector of the plan's numbers: `name(k)` is entry k.
    Vector,
    /// A texture of two dimensions: `name(x, y, c)` is a channel of a texel.
    Texture,
}

impl Source {
    /// The name in kernels of the function that reads it.
    pub fn reader(at: usize) -> String {
        format!("trisolve_source_{at}")
    }

    /// The declaration, and the function that reads it, which takes any index.
    pub fn declared(&self, at: usize, binding: usize, access: &str, reader: &str) -> String {
        let data = format!("trisolve_data_{at}");
        match self.kind {
            SourceKind::Vector => format!(
                "@group(0) @binding({binding}) var<storage, {access}> {data}: array<real>;\n\
                 fn {reader}(k: u32) -> real {{\n    return {data}[min(k, arrayLength(&{data}) - 1u)];\n}}\n"
            ),
            SourceKind::Texture => format!(
                "@group(0) @binding({binding}) var {data}: texture_2d<f32>;\n\
                 fn {reader}(x: u32, y: u32, c: u32) -> real {{\n    \
                 let last = textureDimensions({data}) - vec2<u32>(1u);\n    \
                 let texel = textureLoad({data}, min(vec2<u32>(x, y), last), 0);\n    \
                 return real(select(select(texel.x, texel.y, c == 1u), select(texel.z, texel.w, c > 2u), c > 1u));\n}}\n"
            ),
        }
    }
}

/// The head of a formula's function.
pub(super) fn head(name: &str, parameters: &[&str]) -> String {
    let parameters: Vec<_> = parameters.iter().map(|name| format!("{name}: u32")).collect();
    let parameters = parameters.join(", ");
    format!("fn {name}({parameters}) -> real {{\n")
}

/// Reads and checks a formula, which may use these parameters of its function, and sources.
pub(super) fn compile(
    text: &str,
    (parameters, sources): (&[&str], &[Source]),
    precision: Precision,
) -> Result<Compiled, Fault> {
    let words = Words::of(text)?;
    if words.is_empty() {
        return Err(Fault::new(0, "there is nothing in it"));
    }
    // With a `return` it is a function's body; otherwise one expression.
    let (before, behind) = match (words.has("return"), words.first_end()) {
        (true, _) => ("", "\n"),
        (false, None) => ("return (\n", "\n);\n"),
        (false, Some(end)) => {
            return Err(Fault::new(end, "`;` in an expression: a formula of several statements ends with `return`"));
        }
    };
    let mut module_text = format!("alias real = {};\n", precision.name());
    for (at, source) in sources.iter().enumerate() {
        module_text.push_str(&source.declared(at, at, "read", &source.name));
    }
    module_text.push_str(&head("trisolve_formula", parameters));
    module_text.push_str(before);
    let source = InModule { start: module_text.len(), text, parameters, sources };
    // Writing to a String cannot fail.
    let _ = writeln!(module_text, "{text}{behind}}}");
    // A panic of the compiler must not stop the caller.
    let understood = catch_unwind(AssertUnwindSafe(|| source.understand(&module_text, precision)));
    let Understood { checks, reads, lockstep } = understood.unwrap_or_else(|_| {
        Err(Fault::new(0, "the compiler failed on this, a defect of its own: write it otherwise"))
    })?;
    let names: HashMap<_, _> =
        sources.iter().enumerate().map(|(at, source)| (source.name.as_str(), Source::reader(at))).collect();
    let bodies = words.loop_bodies();
    let counted = (!bodies.is_empty()).then(|| {
        // Each loop of the module is one of the text.
        let lockstep = if lockstep.len() == bodies.len() { lockstep } else { vec![false; bodies.len()] };
        Counted::new(&lockstep, &bodies, |counts| [before, &words.with_rounds(&names, counts), behind].concat())
    });
    Ok(Compiled { body: [before, &words.renamed(&names), behind].concat(), counted, checks, reads })
}

/// What a formula's module tells.
struct Understood {
    checks: Checks,
    reads: Vec<bool>,
    /// Whether threads run its loops in lockstep, in the order of the text.
    lockstep: Vec<bool>,
}

/// The place of the caller's text in a module.
struct InModule<'a> {
    start: usize,
    text: &'a str,
    parameters: &'a [&'a str],
    sources: &'a [Source],
}

impl InModule<'_> {
    fn understand(&self, module_text: &str, precision: Precision) -> Result<Understood, Fault> {
        let module = wgsl::parse_str(module_text).map_err(|error| self.unparsed(&error))?;
        let mut capabilities = Capabilities::empty();
        capabilities.set(Capabilities::FLOAT64, precision == Precision::F64);
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .map_err(|error| self.invalid(&error, precision))?;
        self.judged(&module, &info)
    }

    fn judged(&self, module: &Module, info: &ModuleInfo) -> Result<Understood, Fault> {
        // Only the functions wrapped around the formula.
        let alone = module.functions.len() == self.sources.len() + 1
            && module.global_variables.len() == self.sources.len()
            && module.overrides.is_empty()
            && module.entry_points.is_empty();
        let function = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some("trisolve_formula"));
        let Some((handle, function)) = function.filter(|_| alone) else {
            return Err(Fault::new(0, "a formula declares nothing outside of itself"));
        };
        let checks = safety::checks(module, function, &info[handle])
            .map_err(|Refused { span, message }| Fault { at: self.place(span).unwrap_or(0), message })?;
        let reads = module.global_variables.iter().map(|(vector, _)| !info[handle][vector].is_empty()).collect();
        Ok(Understood { checks, reads, lockstep: lockstep::loops(function) })
    }

    /// The byte of the caller's text where a span begins; the end for later spans.
    fn place(&self, span: Span) -> Option<usize> {
        let start = span.to_range()?.start.checked_sub(self.start)?;
        Some(start.min(self.text.len()))
    }

    fn unparsed(&self, error: &wgsl::ParseError) -> Fault {
        // The first place in the caller's text; text missing at its end is reported just after it.
        let place = error.labels().find_map(|(span, _)| self.place(span));
        let at = place.unwrap_or(self.text.len());
        let mut message = match error.message() {
            // Its reason is in the notes.
            "internal WGSL front end error" => error.notes().collect::<Vec<_>>().join("; "),
            said => said.to_owned(),
        };
        if at == self.text.len()
            && let Some(found) = message.find(", found ")
        {
            message.truncate(found);
            message.push_str(", but there the formula ends");
        }
        let rest = &self.text[at..];
        let word = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())];
        if message.starts_with("no definition in scope") {
            let known = self
                .parameters
                .iter()
                .copied()
                .chain(["real"])
                .chain(self.sources.iter().map(|source| source.name.as_str()));
            message = format!("{message}; there are {}", known.collect::<Vec<_>>().join(", "));
        } else if let Some(source) = self.sources.iter().find(|source| source.name == word) {
            message = match source.kind {
                SourceKind::Vector => format!("`{word}` is a vector: `{word}(k)` is its entry k"),
                SourceKind::Texture => {
                    format!("`{word}` is a texture: `{word}(x, y, c)` is channel c of its texel in column x and row y")
                }
            };
        }
        Fault { at, message }
    }

    fn invalid(&self, error: &WithSpan<ValidationError>, precision: Precision) -> Fault {
        // The innermost place and reason.
        let at = error.spans().filter_map(|(span, _)| self.place(*span)).last();
        let message = match error.as_inner() {
            ValidationError::Function {
                source: FunctionError::InvalidReturnType { expression: Some(_), .. }, ..
            } => {
                // For a parameter, the place is its declaration.
                let message = format!("what comes out is not a `real` ({precision}): convert it, as `real(i)` does");
                return Fault { at: at.or(self.text.rfind("return")).unwrap_or(0), message };
            }
            ValidationError::Function { source: FunctionError::InvalidReturnType { .. }, .. } => {
                "not every way through it ends with `return` and a number".to_owned()
            }
            inner => {
                let mut reason: &dyn std::error::Error = inner;
                while let Some(source) = reason.source() {
                    reason = source;
                }
                without_handles(&reason.to_string())
            }
        };
        Fault { at: at.unwrap_or(self.text.len()), message }
    }
}

/// A message without the compiler's numbers of expressions, such as ` [3]`.
fn without_handles(message: &str) -> String {
    let mut pieces = message.split(" [");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(']') {
            Some((number, rest)) if number.bytes().all(|c| c.is_ascii_digit()) => text.push_str(rest),
            _ => {
                text.push_str(" [");
                text.push_str(piece);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: [&str; 4] = ["i", "sequence", "n", "sequences"];

    #[track_caller]
    fn checks(text: &str) -> Checks {
        let gain = Source { name: "gain".to_owned(), kind: SourceKind::Vector };
        compile(text, (&PARAMETERS, &[gain]), Precision::F32).map_err(|fault| fault.message).expect(text).checks
    }

    #[test]
    fn loops_that_count_to_an_end_need_no_bound() {
        for (ends, head, body) in [
            (true, "for (var k = 0u; k < 9u; k++)", "x += gain(k);"),
            (true, "for (var k = 0; k < i32(i); k += 1)", "if (x > 9.0) { break; } x += 1.0; continue;"),
            (true, "for (var k = i; k > sequence; k--)", "for (var l = 0u; l < k; l++) { x += 1.0; }"),
            (true, "for (var k = i; k > 0u; k = k - 1u)", "switch i { case 1u: { x = 1.0; } default: {} }"),
            (true, "loop", "if (m < 9u) {} else { break; } x += 1.0; continuing { m = m + 1u; }"),
            (true, "for (var k = 0u; k < 9u; k++)", "let p = &x; *p = 2.0; m = k;"),
            (false, "for (var k = 0u; k <= n; k++)", ""),
            (false, "for (var k = 0u; k != n; k++)", ""),
            (false, "for (var k = 0u; k < n; k += 2u)", ""),
            (false, "for (var k = 0u; k < n; k--)", ""),
            (false, "for (var k = 9u; k > 0u; k++)", ""),
            (false, "for (var k = 0.0; k < 9e9; k += 1.0)", ""),
            (false, "for (var k = 0u; k < 9u; )", "k++;"),
            (false, "for (var k = 0u; ; k++)", "if (k > 9u) { break; }"),
            (false, "for (var k = 0u; m < 9u; k++)", ""),
            (false, "for (var k = 0u; k < 9u; m++)", ""),
            (false, "for (var k = 0u; k < 9u; k++)", "k = 0u;"),
            (false, "for (var k = 0u; k < 9u; k++)", "if (i > 2u) { loop { k--; break; } }"),
            (false, "for (var k = 0u; k < 9u; k++)", "let p = &k; *p = 0u;"),
            (false, "for (var k = 0u; k < 9u; k++)", "for (var l = 0u; l < 9u; l += i) {}"),
            (false, "let a = m; loop", "if (a < 9u) {} else { break; } x += 1.0; continuing { m = m + 1u; }"),
            (false, "let a = m; loop", "if (m < 9u) {} else { break; } x += 1.0; continuing { m = a + 1u; }"),
            (false, "while (x < 9.0)", "x += 1.0;"),
            (false, "loop", "x += 1.0; continuing { break if x > 9.0; }"),
        ] {
            let text = format!("var x = 0.0; var m = 0u; {head} {{ {body} }} return x + gain(m);");
            assert_eq!(checks(&text), Checks { loops: !ends, ..Checks::default() }, "{text}");
        }
    }

    #[test]
    fn loops_of_all_threads_are_told_from_others() {
        for (lockstep, loops) in [
            (&[true][..], "for (var k = 0u; k < 9u; k++) { x += 1.0; }"),
            (&[true], "for (var k = n; k > 3u; k--) { if (i > 3u) { x += 1.0; } }"),
            (
                &[true],
                "for (var k = 0; k < i32(n / sequences) + 2; k++) { switch i { case 1u: { x = 1.0; } default: {} } }",
            ),
            (&[true, true], "for (var k = 0u; k < 9u; k++) { for (var l = n; l > 0u; l--) { x += 1.0; } }"),
            (&[true, false], "for (var k = 0u; k < 9u; k++) { for (var l = k; l > 0u; l--) { x += 1.0; } }"),
            // `a` holds what the counter was before.
            (
                &[true, false],
                "var k = i; let a = k; for (k = 0u; k < 9u; k++) { for (var l = 0u; l < a; l++) { x += 1.0; } }",
            ),
            (
                &[true, false],
                "var k = i; let a = k; for (k = 0u; k < 9u; k++) { for (var l = a; l < 9u; l++) { x += 1.0; } }",
            ),
            (&[true, false], "for (var k = 0u; k < 9u; k++) { for (var l = i; l > 0u; l--) { x += 1.0; } }"),
            (&[true, false], "for (var k = 0u; k < 9u; k++) { loop { if (x > 9.0) { break; } x += 1.0; } }"),
            (
                &[true, true],
                "var a = 3u; for (var l = 0u; l < 9u; l++) { x += 1.0; } { for (var k = 2u; k > 1u; k--) {} }",
            ),
            (&[false], "for (var k = 0u; k < i; k++) { x += 1.0; }"),
            (&[false], "for (var k = sequence; k < 9u; k++) { x += 1.0; }"),
            (&[false], "for (var k = 0u; k < 9u; k += 2u) { x += 1.0; }"),
            (&[false], "for (var k = 0u; k < 9u; k++) { if (x > 9.0) { break; } x += 1.0; }"),
            (&[false], "for (var k = 0u; k < 9u; k++) { if (x > 9.0) { continue; } x += 1.0; }"),
            (&[false], "for (var k = 0u; k < 9u; k++) { if (x > 9.0) { return x; } x += 1.0; }"),
            (&[false], "for (var k = 0u; k < 9u; k++) { if (i > 9u) { k = 0u; } }"),
            (&[false], "if (i > 3u) { for (var k = 0u; k < 9u; k++) { x += 1.0; } }"),
            (&[false], "if (i > 3u) { return x; } for (var k = 0u; k < 9u; k++) { x += 1.0; }"),
            (&[false], "switch i { case 1u: { return x; } default: {} } for (var k = 0u; k < 9u; k++) { x += 1.0; }"),
            (&[false], "var k = 0u; if (i > 3u) { k = 1u; } for (; k < 9u; k++) { x += 1.0; }"),
            (&[false], "var m = n; if (i > 3u) { m = 1u; } for (var k = 0u; k < m; k++) { x += 1.0; }"),
            (&[false, false], "loop { if (x > 9.0) { return x; } x += 1.0; } for (var k = 0u; k < 9u; k++) {}"),
            (&[false, false], "while (x < 9.0) { x += 1.0; for (var k = 0u; k < 9u; k++) { x += 1.0; } }"),
            (&[false, true], "while (x < 9.0) { x += 1.0; } for (var k = 0u; k < 9u; k++) { x += 1.0; }"),
            (
                &[true, false],
                "for (var k = 0u; k < 9u; k++) { var l = 0u; if (k > i) { l = 2u; } for (; l < 9u; l++) {} }",
            ),
        ] {
            let text = format!("var x = 0.0; {loops} return x;");
            let compiled =
                compile(&text, (&PARAMETERS, &[]), Precision::F32).map_err(|fault| fault.message).expect(&text);
            let body = compiled.counted.expect("loops").body;
            let counts: Vec<_> =
                body.match_indices("trisolve_is_spent(").map(|(at, found)| &body[at + found.len()..]).collect();
            // The first counts all loops once.
            let found: Vec<_> = counts[1..].iter().map(|rest| rest.starts_with("trisolve_lockstep")).collect();
            assert_eq!(found, lockstep, "{text}");
        }
    }

    #[test]
    fn loops_inside_and_checks_are_counted() {
        let text = "var x = 0u; for (var k = 0u; k < 9u; k++) { while (x < i) { loop { break; } x += 1u; } \
                    loop { if (x > 9u) { break; } continuing { for (; x < 3u; ) { x += 1u; } } } } return real(x);";
        let body = compile(text, (&PARAMETERS, &[]), Precision::F32).expect("a formula").counted.expect("loops").body;
        let costs = [
            "0u + 4u * trisolve_alone + 1u * trisolve_lockstep)) { return",
            "trisolve_lockstep + 4u * trisolve_alone + 0u * trisolve_lockstep)) { return",
            "trisolve_alone + 1u * trisolve_alone + 0u * trisolve_lockstep)) { return",
            "trisolve_alone + 0u * trisolve_alone + 0u * trisolve_lockstep)) { return",
            "trisolve_alone + 1u * trisolve_alone + 0u * trisolve_lockstep)) { return",
            "trisolve_alone + 0u * trisolve_alone + 0u * trisolve_lockstep)) { break",
        ];
        let found: Vec<_> =
            body.match_indices("trisolve_is_spent(").map(|(at, word)| &body[at + word.len()..]).collect();
        assert_eq!(found.len(), costs.len(), "{body}");
        assert!(found.iter().zip(costs).all(|(found, cost)| found.starts_with(cost)), "{body}");
    }

    #[test]
    fn indices_and_divisors_that_vary_need_checks() {
        let none = Checks::default();
        let (bounds, divisions) = (Checks { bounds: true, ..none }, Checks { divisions: true, ..none });
        for (text, expected) in [
            ("gain(i * 7u / 3u % 5u) / real(i)", none),
            ("real(-7 / 2) + real(i32(i) % 3)", none),
            ("let a = vec3(1.0, 2.0, real(i)); return a[1] + a.z;", none),
            ("var a: array<f32, 3>; a[2] = 1.0; return a[2];", none),
            ("vec3(1.0, 2.0, real(i))[i]", bounds),
            ("var a: array<f32, 3>; a[i] = 1.0; return a[2];", bounds),
            ("var a: array<f32, 3>; let p = &a; return (*p)[i];", bounds),
            ("real(7u / i)", divisions),
            ("real(i32(i) / -1)", divisions),
            ("var m = i; m %= n; return real(m);", divisions),
            ("real((vec2(i, 7u) / vec2(2u, i)).x)", divisions),
        ] {
            assert_eq!(checks(text), expected, "{text}");
        }
    }
}
