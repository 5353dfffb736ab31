//! Sizes on the command line.

/// Parses a number, or a power such as 2^20.
pub fn size(text: &str) -> Result<usize, String> {
    let parsed = match text.split_once('^') {
        Some((base, power)) => {
            base.parse::<usize>().ok().zip(power.parse::<u32>().ok()).and_then(|(base, power)| base.checked_pow(power))
        }
        None => text.parse().ok(),
    };
    match parsed {
        Some(0) | None => Err("should be a whole number of at least 1, as 1048576 or 2^20".into()),
        Some(size) => Ok(size),
    }
}
