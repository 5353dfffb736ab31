//! All shader modules of the library.

use std::sync::OnceLock;

use super::module::Module;

/// Paths and texts, sorted by path.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// The modules; each is parsed on first use.
static MODULES: [OnceLock<Result<Module, String>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// The module of a path like `shared::block`.
///
/// # Errors
/// The fault in the module's file; or there is no such file.
pub(crate) fn module(path: &str) -> Result<&'static Module, String> {
    let at =
        FILES.binary_search_by_key(&path, |file| file.0).map_err(|_| format!("there is no shader module {path}"))?;
    let (path, text) = FILES[at];
    MODULES[at].get_or_init(|| Module::parse(path, text)).as_ref().map_err(Clone::clone)
}

/// The paths of all modules.
#[cfg(feature = "internals")]
pub fn modules() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.0)
}
