//! Joins the declarations that a kernel reaches, from their files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::module::{Declaration, Module, Source};
use super::tree::module;
use super::unroll::unrolled;

/// The role of functions that the library's caller writes.
const CALLER: &str = "caller";

/// The input of the linker.
pub(crate) struct LinkRequest<'a> {
    /// The module of the entry point.
    pub root: &'a str,
    /// What the caller's functions call: modules, and names in them.
    pub called: &'a [(&'a str, &'a str)],
    /// Modules that fill the roles they name, or only the role given here, which another module then need not fill.
    pub fillings: &'a [(&'a str, Option<&'a str>)],
    /// Values of `const` declarations marked `// set by Rust`.
    pub values: &'a [(&'static str, u32)],
    /// The caller's vectors share a buffer with the solution.
    pub writable_inputs: bool,
}

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Which of [`Linked::modules`].
    pub module: usize,
    /// Counted from 1.
    pub line: usize,
}

/// A linked kernel.
#[derive(Debug, Clone, Default)]
pub struct Linked {
    /// The text, with the comments of its files.
    pub text: String,
    /// Per line of the text: its place in a file, if it has one.
    pub origins: Vec<Option<Origin>>,
    /// Paths of the modules in the text.
    pub modules: Vec<String>,
    /// Roles that the kernel reaches, and the files that fill them.
    pub roles: Vec<(String, String)>,
    /// The names that the kernel declares.
    pub names: BTreeSet<String>,
    /// The caller's functions that the kernel calls.
    pub called: BTreeSet<String>,
}

impl Linked {
    /// The text for the compiler: without comments, which are two fifths of the text, and with the same lines.
    pub fn without_comments(&self) -> String {
        let mut text = String::with_capacity(self.text.len());
        for (at, line) in self.text.lines().enumerate() {
            // The caller's code follows the files' lines, and stays as it is.
            let is_ours = at < self.origins.len();
            let code = line.find("//").filter(|_| is_ours).map_or(line, |comment| &line[..comment]);
            text.push_str(code.trim_end());
            text.push('\n');
        }
        text
    }

    /// The file, as `shaders/shared/block.wgsl`, and the line in it, for a line of the text; lines count from 1.
    pub fn place(&self, line: usize) -> Option<(String, usize)> {
        let Origin { module, line } = (*self.origins.get(line.checked_sub(1)?)?)?;
        Some((file_of(&self.modules[module]), line))
    }

    /// A compiler's message with the place in a file after each place in the text, `wgsl:LINE:COLUMN`.
    pub fn explained(&self, message: &str) -> String {
        let mut pieces = message.split("wgsl:");
        let mut explained = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let place = piece.split(|c: char| c != ':' && !c.is_ascii_digit()).next().unwrap_or_default();
            let line = place.split(':').next().and_then(|line| line.parse().ok());
            explained.push_str("wgsl:");
            explained.push_str(place);
            if let Some((file, line)) = line.and_then(|line| self.place(line)) {
                explained.push_str(&format!(" ({file}:{line})"));
            }
            explained.push_str(&piece[place.len()..]);
        }
        explained
    }

    fn push(&mut self, line: &str, origin: Option<Origin>) {
        self.text.push_str(line);
        self.text.push('\n');
        self.origins.push(origin);
    }
}

/// The file `shaders/shared/block.wgsl` for `shared::block`.
fn file_of(module: &str) -> String {
    format!("shaders/{}.wgsl", module.replace("::", "/"))
}

/// Links a kernel.
///
/// # Errors
/// The name that cannot be resolved, and its module: a defect of the shaders or of the request.
pub(crate) fn link(request: &LinkRequest<'_>) -> Result<Linked, String> {
    let mut roles = BTreeMap::new();
    for &(path, only) in request.fillings {
        let filling = module(path)?;
        if filling.roles.is_empty() {
            return Err(format!("{path} fills no role"));
        }
        let elsewhere = |role: &str| request.fillings.iter().any(|(_, other)| *other == Some(role));
        let fills = |role: &str| only.map_or(!elsewhere(role), |only| only == role);
        for role in filling.roles.iter().filter(|role| fills(role)) {
            if roles.insert(role.as_str(), filling).is_some_and(|other| other.path != filling.path) {
                return Err(format!("{} and {path} both fill the role {role}", roles[role.as_str()].path));
            }
        }
    }
    let root = module(request.root)?;
    let mut called = BTreeSet::new();
    let mut filled = BTreeMap::new();
    let mut reached: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    // Modules in the order in which the linker reaches their first names; the text begins with modules that others depend on.
    let mut order: Vec<&'static Module> = Vec::new();
    let mut open: Vec<(&'static Module, usize)> = Vec::new();
    let mut reach = |of: &'static Module, at: usize, open: &mut Vec<(&'static Module, usize)>| {
        if !reached.contains_key(of.path.as_str()) {
            order.push(of);
        }
        if reached.entry(of.path.as_str()).or_default().insert(at) {
            open.push((of, at));
        }
    };
    for (at, _) in root.declarations.iter().enumerate().filter(|(_, declaration)| declaration.is_entry) {
        reach(root, at, &mut open);
    }
    for (path, name) in request.called {
        let from = module(path)?;
        let at = from.declarations.iter().position(|declaration| declaration.name == *name);
        reach(from, at.ok_or_else(|| format!("the caller needs {name} of {path}, which has none"))?, &mut open);
    }
    while let Some((user, at)) = open.pop() {
        for word in &user.declarations[at].words {
            let own = user.declarations.iter().position(|declaration| declaration.name == *word);
            if let Some(own) = own {
                reach(user, own, &mut open);
                continue;
            }
            let Some(source) = user.imports.get(word) else { continue };
            let from = match source {
                Source::Module(path) => module(path)?,
                Source::Role(role) if role == CALLER => {
                    called.insert(word.clone());
                    continue;
                }
                Source::Role(role) => roles
                    .get(role.as_str())
                    .ok_or_else(|| format!("{} needs {word}, but nothing fills the role {role}", user.path))?,
            };
            if let Source::Role(role) = source {
                filled.insert(role.clone(), file_of(&from.path));
            }
            let there = from.declarations.iter().position(|declaration| declaration.name == *word);
            reach(
                from,
                there.ok_or_else(|| format!("{} needs {word} of {}, which has none", user.path, from.path))?,
                &mut open,
            );
        }
    }
    // Values set by Rust, and values in files: the bounds of unrolled loops.
    let value_of = |name: &str| {
        let given = request.values.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        given.or_else(|| {
            let reached =
                order.iter().flat_map(|from| reached[from.path.as_str()].iter().map(|at| &from.declarations[*at]));
            reached.filter(|declaration| declaration.name == name).find_map(Declaration::literal)
        })
    };
    let mut linked = Linked::default();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for (number, from) in order.iter().rev().enumerate() {
        linked.modules.push(from.path.clone());
        linked.push("", None);
        linked.push(&format!("// {}", file_of(&from.path)), None);
        for &at in &reached[from.path.as_str()] {
            let declaration = &from.declarations[at];
            if let Some(other) = names.insert(&declaration.name, &from.path) {
                return Err(format!("{other} and {} both declare {}", from.path, declaration.name));
            }
            for (line, text) in unrolled(&written(declaration, request)?, &value_of) {
                linked.push(&text, Some(Origin { module: number, line: declaration.line + line }));
            }
        }
    }
    linked.roles = filled.into_iter().collect();
    linked.called = called;
    linked.names = names.into_keys().map(str::to_owned).collect();
    Ok(linked)
}

/// A declaration with the value or the access of the request.
fn written(declaration: &Declaration, request: &LinkRequest<'_>) -> Result<String, String> {
    let Declaration { name, text, .. } = declaration;
    if declaration.is_input && request.writable_inputs {
        return Ok(text.replace("<storage, read>", "<storage, read_write>"));
    }
    if !declaration.is_set_by_rust {
        return Ok(text.clone());
    }
    let value = match name.as_str() {
        "INPUTS_WRITABLE" => request.writable_inputs.to_string(),
        _ => {
            let given = request.values.iter().find(|(given, _)| given == name);
            format!("{}u", given.ok_or_else(|| format!("Rust sets no value of {name}"))?.1)
        }
    };
    // Its comment stays as it is.
    let (comment, own) = text.split_at(text.rfind("const ").unwrap_or(0));
    let mut line = String::new();
    let _ = write!(line, "{comment}{} = {value};", own.split(" =").next().unwrap_or(own));
    Ok(line)
}
