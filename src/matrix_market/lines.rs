//! The lines of a file.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use crate::error::{Error, Result};

/// No sensible line is longer, its end included; a file without line ends must not fill the memory.
pub(super) const LONGEST_LINE: usize = 4096;

/// A source of lines.
pub(super) struct Lines<R> {
    pub(super) source: R,
    pub(super) path: String,
    /// Of the line that was read last.
    pub(super) number: u64,
    /// Bytes that a core parses at a time.
    pub(super) part_bytes: usize,
}

/// What a line of more than [`LONGEST_LINE`] bytes is refused with.
pub(super) fn too_long() -> String {
    format!("a line of more than {LONGEST_LINE} bytes")
}

/// The text of a line.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Comments may be in any encoding; elsewhere the replacement is no number.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// What stands on a line, unless it is empty or a comment.
pub(super) fn data(line: &str) -> Option<&str> {
    let line = line.trim();
    (!line.is_empty() && !line.starts_with('%')).then_some(line)
}

impl<R: BufRead> Lines<R> {
    /// An error in the line that was read last.
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        Error::Parse { path: self.path.clone(), line: self.number.max(1), message: message.into() }
    }

    /// An error of the source.
    pub(super) fn unreadable(&self, error: &std::io::Error) -> Error {
        Error::File { path: self.path.clone(), message: error.to_string() }
    }

    /// The next line as it is, or `None` at the end.
    pub(super) fn raw(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        // One byte more than a line may have tells a longest line from a longer one.
        let mut source = self.source.by_ref().take(LONGEST_LINE as u64 + 1);
        let read = source.read_until(b'\n', &mut bytes).map_err(|error| self.unreadable(&error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if read > LONGEST_LINE {
            return Err(self.error(too_long()));
        }
        Ok(Some(text(&bytes).into_owned()))
    }

    /// The next line with something on it.
    pub(super) fn data(&mut self) -> Result<Option<String>> {
        while let Some(line) = self.raw()? {
            if let Some(line) = data(&line) {
                return Ok(Some(line.to_owned()));
            }
        }
        Ok(None)
    }
}
