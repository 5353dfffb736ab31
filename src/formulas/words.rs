//! Tokens of a formula: checks before a compiler sees it.

use std::collections::HashMap;
use std::ops::Range;

/// Prefix of names that no formula may use.
pub(super) const RESERVED: &str = "trisolve_";

/// Most tokens in all, and most in one expression, one chain of `else if` or one nesting: compilers process these by recursion, on a
/// limited stack.
const MOST: usize = 20_000;
const MOST_TOGETHER: usize = 500;
const MOST_NESTED: usize = 50;

/// A fault in a text, and its byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub at: usize,
    pub message: String,
}

impl Fault {
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    Sign(char),
}

#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    kind: Kind,
    at: usize,
    text: &'a str,
    /// The text between it and the token before: none, blanks, or lines.
    gap: &'static str,
}

/// A loop's body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LoopBody {
    /// The token that opens it.
    start: usize,
    /// The loops inside, at any depth.
    pub inside: Vec<usize>,
    /// Whether it is in a `continuing` block, which `return` may not leave.
    pub in_continuing: bool,
}

/// A text without comments and with balanced brackets: no part of it affects the code around it.
#[derive(Debug)]
pub(super) struct Words<'a> {
    tokens: Vec<Token<'a>>,
}

impl<'a> Words<'a> {
    pub fn of(text: &'a str) -> Result<Self, Fault> {
        let words = Self { tokens: tokens(text)? };
        words.check_brackets()?;
        let reserved = |token: &&Token<'_>| token.kind == Kind::Word && token.text.starts_with(RESERVED);
        match words.tokens.iter().find(reserved) {
            Some(token) => {
                Err(Fault::new(token.at, format!("names that begin with `{RESERVED}` are taken: `{}`", token.text)))
            }
            None => Ok(words),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether the word occurs, other than after a dot.
    pub fn has(&self, word: &str) -> bool {
        self.names().any(|(_, token)| token.text == word)
    }

    /// The place where the first statement ends.
    pub fn first_end(&self) -> Option<usize> {
        self.tokens.iter().find(|token| token.kind == Kind::Sign(';')).map(|token| token.at)
    }

    /// Words that are names, that is, not after a dot.
    fn names(&self) -> impl Iterator<Item = (usize, &Token<'a>)> {
        let behind_dot = |at: usize| at > 0 && self.tokens[at - 1].kind == Kind::Sign('.');
        self.tokens.iter().enumerate().filter(move |(at, token)| token.kind == Kind::Word && !behind_dot(*at))
    }

    /// The text again, without comments and with renamed names.
    pub fn renamed(&self, names: &HashMap<&str, String>) -> String {
        self.with_rounds(names, &[])
    }

    /// The same with a statement at the start of each loop's body, in the order of the text.
    pub fn with_rounds(&self, names: &HashMap<&str, String>, statements: &[String]) -> String {
        let own: HashMap<usize, &String> =
            self.names().filter_map(|(at, token)| Some((at, names.get(token.text)?))).collect();
        let bodies = self.loop_bodies().into_iter().map(|body| body.start);
        let statements: HashMap<usize, &String> = bodies.zip(statements).collect();
        let word = |(at, token): (usize, &Token<'a>)| {
            let text = own.get(&at).map_or(token.text, |name| name);
            [token.gap, text, statements.get(&at).map_or("", |text| text)].concat()
        };
        self.tokens.iter().enumerate().map(word).collect()
    }

    /// The bodies of loops, in the order of the text.
    pub fn loop_bodies(&self) -> Vec<LoopBody> {
        let blocks_of = |words: &[&str]| -> Vec<Range<usize>> {
            self.names().filter(|(_, token)| words.contains(&token.text)).filter_map(|(at, _)| self.block(at)).collect()
        };
        let (loops, continuing) = (blocks_of(&["for", "while", "loop"]), blocks_of(&["continuing"]));
        let of = |body: &Range<usize>| LoopBody {
            start: body.start,
            inside: (0..loops.len()).filter(|&at| loops[at].start > body.start && loops[at].end < body.end).collect(),
            in_continuing: continuing.iter().any(|block| block.contains(&body.start)),
        };
        loops.iter().map(of).collect()
    }

    /// The brackets of the block that belongs to a word.
    fn block(&self, word: usize) -> Option<Range<usize>> {
        let (mut depth, mut start) = (0, None);
        for (at, token) in self.tokens.iter().enumerate().skip(word + 1) {
            match token.kind {
                Kind::Sign('{') if depth == 0 && start.is_none() => start = Some(at),
                Kind::Sign('(' | '[' | '{') => depth += 1,
                Kind::Sign('}') if depth == 0 => return start.map(|start| start..at),
                Kind::Sign(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
        }
        None
    }

    fn check_brackets(&self) -> Result<(), Fault> {
        // The open brackets, each with the number of connected tokens at its place.
        let mut open: Vec<(char, usize, usize)> = Vec::new();
        let mut together = 0;
        for (number, token) in self.tokens.iter().enumerate() {
            let start = open.last().map_or(0, |&(.., start)| start);
            together += 1;
            if number >= MOST || together > MOST_TOGETHER {
                let what = if number >= MOST { "the formula" } else { "what hangs together" };
                let most = if number >= MOST { MOST } else { MOST_TOGETHER };
                let message = format!("{what} has more than {most} words and signs: take it apart with `let`, or loop");
                return Err(Fault::new(token.at, message));
            }
            let Kind::Sign(sign) = token.kind else { continue };
            match sign {
                '(' | '[' | '{' => open.push((sign, token.at, together)),
                ')' | ']' | '}' => {
                    let expected = open.pop().map(|(opened, ..)| closing(opened));
                    if expected != Some(sign) {
                        let message = match expected {
                            Some(expected) => format!("`{sign}` where `{expected}` should be"),
                            None => format!("`{sign}` closes nothing in this formula"),
                        };
                        return Err(Fault::new(token.at, message));
                    }
                    let goes_on = self.tokens.get(number + 1).is_some_and(|next| next.text == "else");
                    if sign == '}' && !goes_on {
                        together = open.last().map_or(0, |&(.., start)| start);
                    }
                }
                ';' | ',' => together = start,
                _ => {}
            }
            if open.len() > MOST_NESTED {
                return Err(Fault::new(token.at, format!("more than {MOST_NESTED} brackets within each other")));
            }
        }
        match open.last() {
            Some(&(opened, at, _)) => Err(Fault::new(at, format!("`{opened}` is not closed by `{}`", closing(opened)))),
            None => Ok(()),
        }
    }
}

fn closing(opened: char) -> char {
    match opened {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// Words, numbers and signs, without comments.
fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    // Compilers differ in the characters that end a line, and so a comment.
    let unclear = |&(at, c): &(usize, char)| match c {
        '\n' | '\t' => false,
        '\r' => !text[at + 1..].starts_with('\n'),
        '\u{2028}' | '\u{2029}' => true,
        _ => c.is_control(),
    };
    let foreign = |at, c: char| Fault::new(at, format!("a character that is no part of a formula: {c:?}"));
    if let Some((at, c)) = text.char_indices().find(unclear) {
        return Err(foreign(at, c));
    }
    let mut tokens = Vec::new();
    let mut gap = "";
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let (kind, len) = if matches!(first, ' ' | '\t' | '\r' | '\n') {
            (None, 1)
        } else if rest.starts_with("//") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (None, comment(rest).ok_or_else(|| Fault::new(at, "a comment that does not end"))?)
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            (Some(Kind::Number), number(rest))
        } else if word(first) {
            (Some(Kind::Word), rest.find(|c| !word(c)).unwrap_or(rest.len()))
        } else if first.is_ascii_graphic() {
            (Some(Kind::Sign(first)), 1)
        } else {
            return Err(foreign(at, first));
        };
        match kind {
            Some(kind) => {
                tokens.push(Token { kind, at, text: &rest[..len], gap });
                gap = "";
            }
            None if first == '\n' => gap = "\n",
            None if gap.is_empty() => gap = " ",
            None => {}
        }
        at += len;
    }
    Ok(tokens)
}

/// The length of a comment in which others may nest.
fn comment(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let step = if rest.starts_with(b"/*") {
            depth += 1;
            2
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            2
        } else {
            1
        };
        at += step;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The length of a number with its exponent and suffix.
fn number(text: &str) -> usize {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let exponent = match before {
            'e' | 'E' => !hexadecimal,
            'p' | 'P' => hexadecimal,
            _ => false,
        };
        let belongs = c.is_ascii_alphanumeric() || c == '.' || c == '_' || (matches!(c, '+' | '-') && exponent);
        if !belongs {
            return at;
        }
        before = c;
    }
    text.len()
}
