//! The specialisation of a kernel: the modules that fill its roles, constants, overrides.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::linker::{LinkRequest, Linked, link};
use super::tree::module;
use crate::error::{Error, Result};
use crate::precision::Precision;
use crate::status::Status;

/// A shader module of a kernel: the module of its entry point, or one that fills roles; named `family/module@role`, only this role,
/// in place of the module that would else fill it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    pub name: &'static str,
}

macro_rules! parts {
    ($($constant:ident = $path:literal;)*) => {
        $(pub(crate) const $constant: crate::shader::Part = crate::shader::Part { name: $path };)*
    };
}
pub(crate) use parts;

/// The module that fills the role `problem` of recurrences, which `report_input` reads.
const PROBLEM: &str = "shared::problem";

/// WGSL of the caller, with the checks that it needs in every compilation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallerCode {
    /// In every kernel with functions of the caller.
    pub common: Arc<str>,
    pub functions: Vec<CallerFunction>,
    /// The declarations of the vectors and textures, and the functions that read them.
    pub sources: Vec<Arc<str>>,
    pub checks: Checks,
    /// Whether it calls `report_input`; not every kernel binds the status words by itself.
    pub reports: bool,
}

/// A function of the caller, which a kernel contains if it calls it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallerFunction {
    pub name: String,
    pub text: Arc<str>,
    /// Which of the sources it reads.
    pub reads: Vec<usize>,
}

impl CallerCode {
    /// The text for a kernel that calls these functions.
    fn text(&self, called: &BTreeSet<String>) -> String {
        let functions: Vec<_> = self.functions.iter().filter(|function| called.contains(&function.name)).collect();
        let read: BTreeSet<_> = functions.iter().flat_map(|function| &function.reads).collect();
        let sources = read.into_iter().map(|&source| &self.sources[source]);
        let functions = functions.iter().map(|function| &function.text);
        std::iter::once(&self.common).chain(functions).chain(sources).map(|text| &**text).collect()
    }
}

/// Checks that keep code of an unknown author from undefined behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Checks {
    /// Bounds checks of indices into its own arrays.
    pub bounds: bool,
    /// Bounds on the rounds of its loops.
    pub loops: bool,
    /// Checks of its integer divisors.
    pub divisions: bool,
}

/// A kernel with its modules and the numbers that specialise it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permutation {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Precision of its arithmetic.
    pub precision: Precision,
    /// The caller's inputs share a buffer with x: then wgpu needs all inputs writable.
    pub writable_inputs: bool,
    /// Whether it uses subgroup operations.
    pub subgroups: bool,
    /// The modules that fill the roles.
    pub parts: Vec<Part>,
    /// Values of `const` declarations that Rust sets: array sizes.
    pub constants: Vec<(&'static str, u32)>,
    /// Values of `override` declarations.
    pub overrides: Vec<(&'static str, u32)>,
    /// The caller's functions that the parts call. They are inserted without substitutions.
    pub caller: Option<CallerCode>,
}

impl Permutation {
    /// The WGSL text, with the origin of each line.
    ///
    /// # Errors
    /// [`Error::Kernel`] for modules that do not match: a defect of the library.
    pub fn linked(&self) -> Result<Linked> {
        let fault = |message: String| Error::Kernel { kernel: self.to_string(), message };
        let split = |part: &Part| match part.name.split_once('@') {
            Some((name, role)) => (name.replace('/', "::"), Some(role)),
            None => (part.name.replace('/', "::"), None),
        };
        let paths: Vec<_> = self.parts.iter().map(split).collect();
        let real = match self.precision {
            Precision::F32 => "shared::real_f32",
            Precision::F64 => "shared::real_f64",
        };
        let mut root = None;
        let mut fillings = vec![(real, None)];
        for (path, role) in &paths {
            let module = module(path).map_err(fault)?;
            if module.declarations.iter().any(|declaration| declaration.is_entry) {
                root = Some(path.as_str());
            }
            if !module.roles.is_empty() {
                fillings.push((path, *role));
            }
        }
        let root = root.ok_or_else(|| fault("no part has an entry point".into()))?;
        let called: &[_] = match &self.caller {
            Some(CallerCode { reports: true, .. }) => &[("shared::status", "report_input")],
            _ => &[],
        };
        if !called.is_empty() && !fillings.contains(&(PROBLEM, None)) {
            fillings.push((PROBLEM, None));
        }
        let values = [&self.constants[..], Status::PLACES].concat();
        let request =
            LinkRequest { root, called, fillings: &fillings, values: &values, writable_inputs: self.writable_inputs };
        let mut linked = link(&request).map_err(fault)?;
        if let Some(caller) = &self.caller {
            linked.text.push_str(&caller.text(&linked.called));
        }
        Ok(linked)
    }
}

impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kernel, self.precision)?;
        for (name, value) in self.constants.iter().chain(&self.overrides) {
            write!(f, " {name}={value}")?;
        }
        for (set, name) in [(self.writable_inputs, "writable inputs"), (self.subgroups, "subgroups")] {
            if set {
                write!(f, ", {name}")?;
            }
        }
        let variants: Vec<_> = self.parts.iter().filter_map(|part| part.name.split('/').nth(1)).collect();
        write!(f, " ({})", variants.join("+"))
    }
}
