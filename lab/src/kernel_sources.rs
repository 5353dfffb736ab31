//! The WGSL sources of kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trisolve::internals::{Linked, Permutation};
use trisolve::tridiagonal::TridiagonalPlan;
use trisolve::{Error, Precision, Real};

/// The source of a kernel for one precision, one way to read its vectors, and one set of constants.
#[derive(Debug, Clone)]
pub struct KernelSource {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The precision of the vectors.
    pub precision: Precision,
    /// The kernel's name with its specialisation.
    pub name: String,
    /// The WGSL text.
    pub source: Arc<str>,
    /// The text that the compiler gets: the source without comments.
    pub compiled: Arc<str>,
    /// Whether the kernel uses f64, at least in part (SPIR-V and HLSL only).
    pub f64: bool,
    /// Whether the kernel uses 64-bit integers.
    pub int64: bool,
    /// Whether the kernel uses subgroup operations.
    pub subgroups: bool,
    /// Whether the caller's vectors share a buffer with the solution.
    pub writable_inputs: bool,
    /// Values of `const` declarations that are marked `// set by Rust`.
    pub constants: Vec<(&'static str, u32)>,
    /// Values of `override` declarations.
    pub overrides: Vec<(&'static str, u32)>,
    /// The files that fill the roles: role, and path in the source tree.
    pub roles: Vec<(String, String)>,
    /// The origins of the lines.
    linked: Arc<Linked>,
}

impl KernelSource {
    fn new(permutation: &Permutation, Text { source, compiled, linked }: Text) -> Self {
        let of_text = |values: &[(&'static str, u32)]| -> Vec<_> {
            values.iter().filter(|(name, _)| linked.names.contains(*name)).copied().collect()
        };
        Self {
            kernel: permutation.kernel,
            precision: permutation.precision,
            name: permutation.to_string(),
            f64: permutation.precision == Precision::F64 || source.contains("= f64;"),
            int64: source.contains("u64"),
            source,
            compiled,
            subgroups: permutation.subgroups,
            writable_inputs: permutation.writable_inputs,
            constants: of_text(&permutation.constants),
            overrides: of_text(&permutation.overrides),
            roles: linked.roles.clone(),
            linked,
        }
    }

    /// The origin of a line: the file, as `shaders/shared/place.wgsl`, and the line in it. Lines count from 1. `None` for lines of
    /// the linker and of the caller's code.
    pub fn origin(&self, line: usize) -> Option<(String, usize)> {
        self.linked.place(line)
    }
}

/// The text of a kernel, with the origins of its lines.
#[derive(Clone)]
struct Text {
    source: Arc<str>,
    compiled: Arc<str>,
    linked: Arc<Linked>,
}

/// Links permutations; those that differ by overrides alone share one text.
fn sources<'a>(permutations: impl IntoIterator<Item = &'a Permutation>) -> Result<Vec<KernelSource>, Error> {
    let mut texts = BTreeMap::new();
    let source = |permutation: &'a Permutation| {
        let key = Permutation { overrides: vec![], ..permutation.clone() };
        let text = match texts.get(&key) {
            Some(text) => Text::clone(text),
            None => {
                let mut linked = permutation.linked()?;
                let compiled = linked.without_comments().into();
                let source = std::mem::take(&mut linked.text).into();
                let text = Text { source, compiled, linked: linked.into() };
                texts.insert(key, text.clone());
                text
            }
        };
        Ok(KernelSource::new(permutation, text))
    };
    permutations.into_iter().map(source).collect()
}

/// Every permutation of every kernel, for all devices.
///
/// # Panics
/// If files do not fit together, which is a defect of the library.
pub fn kernel_sources() -> Vec<KernelSource> {
    kernel_sources_where(|_| true)
}

/// The permutations that `wanted` holds for.
///
/// # Panics
/// As [`kernel_sources`].
pub fn kernel_sources_where(wanted: impl Fn(&Permutation) -> bool) -> Vec<KernelSource> {
    let all = super::permutations();
    sources(all.iter().filter(|permutation| wanted(permutation))).unwrap_or_else(|error| panic!("{error}"))
}

/// The names of all kernels.
pub fn kernel_names() -> BTreeSet<&'static str> {
    super::permutations().iter().map(|permutation| permutation.kernel).collect()
}

/// The kernels of a plan in the order of its dispatches, each once, for inputs in other buffers than x.
///
/// # Errors
/// [`Error::Kernel`] if files do not fit together.
pub fn kernels_of<T: Real>(plan: &TridiagonalPlan<T>) -> Result<Vec<KernelSource>, Error> {
    let mut all = plan.permutations();
    let mut seen = BTreeSet::new();
    all.retain(|permutation| seen.insert(permutation.clone()));
    sources(&all)
}
