//! What follows the sizes, a record per line: read in blocks, which are cut at line ends into parts; all cores parse them.

use std::io::{BufRead, Read};

use memchr::{memchr, memrchr};
use rayon::prelude::*;

use super::lines::{LONGEST_LINE, Lines, data, text, too_long};
use super::numbers::quoted;
use crate::error::Error;

/// Parts per block: enough to keep the cores at work, few enough that memory holds the records, not the text.
const PARTS: usize = 32;

/// The records of a part, up to the first line that is none.
struct Part<T> {
    /// With their lines, counted in the part from 1.
    records: Vec<(T, u64)>,
    lines: u64,
    /// Of the last line that was looked at.
    fault: Option<Fault>,
}

enum Fault {
    TooLong,
    NoRecord(String),
}

impl<T> Part<T> {
    /// The first line with something on it after `room` records.
    fn surplus(&self, room: usize) -> Option<u64> {
        match (self.records.get(room), &self.fault) {
            (Some(&(_, line)), _) => Some(line),
            (None, Some(Fault::NoRecord(_))) if self.records.len() == room => Some(self.lines),
            _ => None,
        }
    }
}

/// Reads the rest of a file. `parse` makes a record of a line; `take` gets each record with its line number, in the file's order.
/// Returns how many there were, `listed` at most.
///
/// # Errors
/// Those of `parse`, of lines that are too long, of more records than `listed`, and of the source; always the first in the file.
pub(super) fn records<R: BufRead, T: Send>(
    lines: &mut Lines<R>,
    listed: usize,
    parse: impl Fn(&str) -> Result<T, String> + Sync,
    mut take: impl FnMut(T, u64),
) -> Result<usize, Error> {
    let block_bytes = lines.part_bytes * PARTS;
    let mut block = Vec::new();
    let mut found = 0;
    loop {
        let read = lines.source.by_ref().take(block_bytes as u64).read_to_end(&mut block);
        let has_ended = matches!(read, Ok(count) if count < block_bytes);
        let after_last_end = memrchr(b'\n', &block).map_or(0, |at| at + 1);
        // The last line goes on in the next block, unless there is none or it is too long already.
        let is_whole = has_ended || block.len() - after_last_end > LONGEST_LINE;
        let whole = if is_whole { block.len() } else { after_last_end };
        let cut = cut(&block[..whole], lines.part_bytes);
        let parts: Vec<_> = cut.par_iter().map(|bytes| parsed(bytes, &parse)).collect();
        for (bytes, part) in cut.iter().zip(parts) {
            if let Some(line) = part.surplus(listed - found) {
                lines.number += line;
                let bytes = bytes.split(|&byte| byte == b'\n').nth(line as usize - 1).unwrap_or_default();
                let more = quoted(text(bytes).trim());
                return Err(lines.error(format!("{listed} entries are declared, but there is more: {more}")));
            }
            found += part.records.len();
            part.records.into_iter().for_each(|(record, line)| take(record, lines.number + line));
            lines.number += part.lines;
            match part.fault {
                None => {}
                Some(Fault::TooLong) => return Err(lines.error(too_long())),
                Some(Fault::NoRecord(message)) => return Err(lines.error(message)),
            }
        }
        read.map_err(|error| lines.unreadable(&error))?;
        if has_ended {
            return Ok(found);
        }
        block.drain(..whole);
    }
}

/// Where the first line ends.
fn line_end(bytes: &[u8]) -> usize {
    memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1)
}

/// Cuts lines into parts of `part_bytes` and the rest of a line.
fn cut(mut bytes: &[u8], part_bytes: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let least = part_bytes.min(bytes.len()) - 1;
        let (part, rest) = bytes.split_at(least + line_end(&bytes[least..]));
        parts.push(part);
        bytes = rest;
    }
    parts
}

/// The records of whole lines, up to the first faulty one.
fn parsed<T>(bytes: &[u8], parse: impl Fn(&str) -> Result<T, String>) -> Part<T> {
    let mut part = Part { records: Vec::new(), lines: 0, fault: None };
    let mut rest = bytes;
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(line_end(rest));
        rest = behind;
        part.lines += 1;
        if line.len() > LONGEST_LINE {
            part.fault = Some(Fault::TooLong);
            break;
        }
        match data(&text(line)).map(&parse) {
            None => {}
            Some(Ok(record)) => part.records.push((record, part.lines)),
            Some(Err(message)) => {
                part.fault = Some(Fault::NoRecord(message));
                break;
            }
        }
    }
    part
}
