//! A WGSL file: its imports and its declarations.

use std::collections::BTreeMap;

/// Marks a `const` whose value Rust sets.
const SET_BY_RUST: &str = "// set by Rust";

/// Marks a binding that is writable if the caller's vectors share a buffer with the solution.
const INPUT: &str = "// input";

/// The source of an imported name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// A module, by its path: `shared::block`.
    Module(String),
    /// The module that fills a role.
    Role(String),
}

/// A file's parsed text.
#[derive(Debug)]
pub(crate) struct Module {
    /// `shared::block` of `shaders/shared/block.wgsl`.
    pub path: String,
    /// The roles that it can fill, named in its first lines: `// role: load`.
    pub roles: Vec<String>,
    /// Imported names.
    pub imports: BTreeMap<String, Source>,
    /// The declarations in their order.
    pub declarations: Vec<Declaration>,
}

/// A declaration at module level, with the comment above it.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub name: String,
    /// The first line of the declaration or of its comment, counted from 1.
    pub line: usize,
    pub text: String,
    /// Identifiers in it that may name other declarations, sorted.
    pub words: Vec<String>,
    /// Whether it has the attribute `@compute`.
    pub is_entry: bool,
    /// A `const` whose value Rust sets.
    pub is_set_by_rust: bool,
    /// A binding that is writable if inputs are.
    pub is_input: bool,
}

impl Declaration {
    /// The value of a `const` that is a number like `4u`.
    pub fn literal(&self) -> Option<u32> {
        let (head, value) = self.text.rsplit_once(" = ")?;
        let is_const = head.lines().last().is_some_and(|line| line.starts_with("const "));
        value.strip_suffix("u;").filter(|_| is_const && !self.is_set_by_rust)?.parse().ok()
    }
}

/// A token: a part of the text without comments and blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    start: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Words and single characters.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if is_word(bytes[at]) {
            let len = rest.bytes().take_while(|byte| is_word(*byte)).count();
            found.push(Token { text: &rest[..len], start: at });
            len
        } else {
            let len = rest.chars().next().map_or(1, char::len_utf8);
            if !bytes[at].is_ascii_whitespace() {
                found.push(Token { text: &rest[..len], start: at });
            }
            len
        };
        at += len;
    }
    found
}

impl Module {
    /// # Errors
    /// The error in the text, and its line.
    pub fn parse(path: &str, text: &str) -> Result<Self, String> {
        let roles = text
            .lines()
            .map_while(|line| line.strip_prefix("// role: "))
            .flat_map(|roles| roles.split(", ").map(str::to_owned))
            .collect();
        let mut module = Self { path: path.to_owned(), roles, imports: BTreeMap::new(), declarations: vec![] };
        let tokens = tokens(text);
        let ends: Vec<_> = text.match_indices('\n').map(|(at, _)| at).collect();
        let line_of = |at: usize| 1 + ends.partition_point(|end| *end < at);
        let mut rest = &tokens[..];
        while let Some(first) = rest.first() {
            let line = line_of(first.start);
            let fault = |what: &str| format!("shaders/{}.wgsl:{line}: {what}", path.replace("::", "/"));
            let len = declaration_len(rest).ok_or_else(|| fault("a declaration without an end"))?;
            let (own, behind) = rest.split_at(len);
            rest = behind;
            match own[0].text {
                ";" => {}
                "import" => module.import(&own[1..len - 1]).map_err(|what| fault(&what))?,
                _ => module
                    .declarations
                    .push(declared(text, own, line_of).ok_or_else(|| fault("a declaration without a name"))?),
            }
        }
        Ok(module)
    }

    /// `a::b::c` or `a::b::{c, d}`.
    fn import(&mut self, tokens: &[Token<'_>]) -> Result<(), String> {
        let words: Vec<_> = tokens.iter().map(|token| token.text).filter(|text| *text != ":").collect();
        let brace = words.iter().position(|word| *word == "{");
        let (path, names) = words.split_at(brace.unwrap_or(words.len().saturating_sub(1)));
        let source = match path {
            ["package", path @ ..] => Source::Module(path.join("::")),
            ["super", path @ ..] => {
                let folder = self.path.rsplit_once("::").map_or("", |(folder, _)| folder);
                Source::Module([&[folder], path].concat().join("::"))
            }
            ["roles", role] => Source::Role((*role).to_owned()),
            _ => return Err("an import from none of package, super and roles".into()),
        };
        for name in names.iter().filter(|name| is_word(name.as_bytes()[0])) {
            if self.imports.insert((*name).to_owned(), source.clone()).is_some() {
                return Err(format!("{name} is imported twice"));
            }
        }
        Ok(())
    }
}

/// The number of tokens up to the end of the first declaration: a semicolon or a brace outside of brackets.
fn declaration_len(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0usize;
    let braced = tokens[0].text != "import";
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (token.text == ";" || token.text == "}" && braced) {
            return Some(at + 1);
        }
    }
    None
}

fn declared(text: &str, tokens: &[Token<'_>], line_of: impl Fn(usize) -> usize) -> Option<Declaration> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    // Includes the comment above, up to an empty line.
    let mut start = line_start(first.start);
    while start > 0 {
        let above = line_start(start - 1);
        if !text[above..start].starts_with("//") || text[above..start].starts_with("// role: ") {
            break;
        }
        start = above;
    }
    // Includes the rest of the last line.
    let end = text[last.start..].find('\n').map_or(text.len(), |end| last.start + end);
    let mark = text[last.start + 1..end].trim();
    let keyword =
        tokens.iter().position(|token| ["alias", "const", "fn", "override", "struct", "var"].contains(&token.text))?;
    // `var<workgroup> name`.
    let mut name = keyword + 1;
    if tokens[keyword].text == "var" && tokens.get(name)?.text == "<" {
        name += 1 + tokens[name..].iter().position(|token| token.text == ">")?;
    }
    let name = tokens.get(name)?;
    let mut words: Vec<_> = tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| {
            is_word(token.text.as_bytes()[0])
                && !token.text.as_bytes()[0].is_ascii_digit()
                && token.start != name.start
                && !at.checked_sub(1).is_some_and(|before| [".", "@"].contains(&tokens[before].text))
        })
        .map(|(_, token)| token.text.to_owned())
        .collect();
    words.sort();
    words.dedup();
    Some(Declaration {
        name: name.text.to_owned(),
        line: line_of(start),
        text: text[start..end].to_owned(),
        words,
        is_entry: tokens[..keyword].iter().any(|token| token.text == "compute"),
        is_set_by_rust: mark.starts_with(SET_BY_RUST),
        is_input: mark.starts_with(INPUT),
    })
}
