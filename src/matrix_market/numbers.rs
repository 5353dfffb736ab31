//! The numbers of a file. Errors are messages: the caller knows the line.

use std::num::{IntErrorKind, ParseIntError};

/// Text of the file for a message: quoted, and shortened where it is long.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A size or an index.
pub(super) fn size(word: &str, what: &str) -> Result<usize, String> {
    word.parse().map_err(|e: ParseIntError| match e.kind() {
        IntErrorKind::PosOverflow => format!("{what}, {}, is too large", quoted(word)),
        _ => format!("{what} should be a whole number, found {}", quoted(word)),
    })
}

/// A number of a text file: finite, also with Fortran's exponent D. Refuses numbers other than 0 that f64 rounds to 0.
///
/// # Errors
/// What was found, and what should be there.
pub fn number(word: &str) -> Result<f64, String> {
    value(word, false)
}

/// An entry's value.
pub(super) fn value(word: &str, integer: bool) -> Result<f64, String> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if integer && !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("an integer file has the value {}", quoted(word)));
    }
    // Fortran writes exponents with D.
    let value: f64 = word
        .parse()
        .or_else(|_| word.replace(['d', 'D'], "e").parse())
        .map_err(|_| format!("a value should be a number, found {}", quoted(word)))?;
    if !value.is_finite() {
        return Err(format!("the value {} is not a finite f64", quoted(word)));
    }
    let mantissa = || digits.split(['e', 'E', 'd', 'D']).next().unwrap_or_default();
    if value == 0.0 && mantissa().bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        return Err(format!("the value {} is below the range of f64", quoted(word)));
    }
    Ok(value)
}
