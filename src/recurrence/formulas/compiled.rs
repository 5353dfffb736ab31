//! A formula as the WGSL compiler sees it, in a small module of its own: its errors are about the caller's text.

use std::collections::HashMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wgpu::naga::front::wgsl;
use wgpu::naga::valid::{Capabilities, FunctionError, ModuleInfo, ValidationError, ValidationFlags, Validator};
use wgpu::naga::{Module, Span, WithSpan};

use super::safety::{self, Refused};
use super::words::{Fault, Words};
use crate::gpu::wgsl::{Checks, Precision};

/// A function's parameters: what every formula knows.
pub(super) const PARAMETERS: [&str; 4] = ["i", "sequence", "n", "sequences"];

/// A formula that can go into kernels.
#[derive(Debug)]
pub(super) struct Compiled {
    /// A function's body, without comments, in which vectors have names of ours.
    pub body: String,
    pub checks: Checks,
    /// Which of the vectors it reads.
    pub reads: Vec<bool>,
}

/// The name in kernels of the function that reads a vector.
pub(super) fn reader(vector: usize) -> String {
    format!("trisolve_vector_{vector}")
}

/// The declaration of a vector and of the function that reads it, which takes any index.
pub(super) fn vector_text(vector: usize, binding: usize, access: &str, reader: &str) -> String {
    let data = format!("trisolve_data_{vector}");
    format!(
        "@group(0) @binding({binding}) var<storage, {access}> {data}: array<real>;\n\
         fn {reader}(k: u32) -> real {{\n    return {data}[min(k, arrayLength(&{data}) - 1u)];\n}}\n"
    )
}

/// The head of a formula's function.
pub(super) fn head(name: &str) -> String {
    let parameters = PARAMETERS.map(|name| format!("{name}: u32")).join(", ");
    format!("fn {name}({parameters}) -> real {{\n")
}

/// Reads and checks a formula.
pub(super) fn compile(text: &str, vectors: &[String], precision: Precision) -> Result<Compiled, Fault> {
    let words = Words::of(text)?;
    if words.is_empty() {
        return Err(Fault::new(0, "there is nothing in it"));
    }
    // With a `return` in it, it is a function's body; otherwise one expression.
    let (before, behind) = match (words.has("return"), words.first_end()) {
        (true, _) => ("", "\n"),
        (false, None) => ("return (\n", "\n);\n"),
        (false, Some(end)) => {
            return Err(Fault::new(end, "`;` in an expression: a formula of several statements ends with `return`"));
        }
    };
    let mut module_text = format!("alias real = {};\n", precision.name());
    for (at, name) in vectors.iter().enumerate() {
        module_text.push_str(&vector_text(at, at, "read", name));
    }
    module_text.push_str(&head("trisolve_formula"));
    module_text.push_str(before);
    let source = Source { start: module_text.len(), text, vectors };
    // Writing to a String cannot fail.
    let _ = writeln!(module_text, "{text}{behind}}}");
    // What makes the compiler stop must not stop the caller.
    let understood = catch_unwind(AssertUnwindSafe(|| source.understand(&module_text, precision)));
    let (checks, reads) = understood.unwrap_or_else(|_| {
        Err(Fault::new(0, "the compiler failed on this, a defect of its own: write it otherwise"))
    })?;
    let names: HashMap<_, _> = vectors.iter().enumerate().map(|(at, name)| (name.as_str(), reader(at))).collect();
    Ok(Compiled { body: [before, &words.renamed(&names), behind].concat(), checks, reads })
}

/// Where the caller's text stands in a module.
struct Source<'a> {
    start: usize,
    text: &'a str,
    vectors: &'a [String],
}

impl Source<'_> {
    fn understand(&self, module_text: &str, precision: Precision) -> Result<(Checks, Vec<bool>), Fault> {
        let module = wgsl::parse_str(module_text).map_err(|error| self.unparsed(&error))?;
        let mut capabilities = Capabilities::empty();
        capabilities.set(Capabilities::FLOAT64, precision == Precision::F64);
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .map_err(|error| self.invalid(&error, precision))?;
        self.judged(&module, &info)
    }

    fn judged(&self, module: &Module, info: &ModuleInfo) -> Result<(Checks, Vec<bool>), Fault> {
        // Nothing but what was wrapped around it.
        let alone = module.functions.len() == self.vectors.len() + 1
            && module.global_variables.len() == self.vectors.len()
            && module.overrides.is_empty()
            && module.entry_points.is_empty();
        let function = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some("trisolve_formula"));
        let Some((handle, function)) = function.filter(|_| alone) else {
            return Err(Fault::new(0, "a formula declares nothing outside of itself"));
        };
        let checks = safety::checks(module, function, &info[handle])
            .map_err(|Refused { span, message }| Fault { at: self.place(span).unwrap_or(0), message })?;
        let reads = module.global_variables.iter().map(|(vector, _)| !info[handle][vector].is_empty()).collect();
        Ok((checks, reads))
    }

    /// The byte of the caller's text where something begins, the end for what begins behind.
    fn place(&self, span: Span) -> Option<usize> {
        let start = span.to_range()?.start.checked_sub(self.start)?;
        Some(start.min(self.text.len()))
    }

    fn unparsed(&self, error: &wgsl::ParseError) -> Fault {
        // The first that is in the caller's text; what is missing at its end is missed right behind.
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
            let known = PARAMETERS.iter().copied().chain(["real"]).chain(self.vectors.iter().map(String::as_str));
            message = format!("{message}; there are {}", known.collect::<Vec<_>>().join(", "));
        } else if self.vectors.iter().any(|name| name == word) {
            message = format!("`{word}` is a vector: `{word}(k)` is its entry k");
        }
        Fault { at, message }
    }

    fn invalid(&self, error: &WithSpan<ValidationError>, precision: Precision) -> Fault {
        // The innermost place, and the innermost reason.
        let at = error.spans().filter_map(|(span, _)| self.place(*span)).last();
        let message = match error.as_inner() {
            ValidationError::Function {
                source: FunctionError::InvalidReturnType { expression: Some(_), .. }, ..
            } => {
                // Of a parameter the place is its declaration.
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

/// A message without the compiler's numbers of what it speaks of, such as ` [3]`.
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
