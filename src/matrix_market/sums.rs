//! Entries that a file lists several times.

use super::reader::Entry;
use crate::real::ExactSum;

/// Adds up the entries of each place exactly, and rounds each sum once.
///
/// # Errors
/// The entry at which the running sum leaves the range of f64.
pub(super) fn summed(mut entries: Vec<Entry>) -> Result<Vec<Entry>, Entry> {
    let by_rows = |entry: &Entry| (entry.0, entry.1);
    let by_columns = |entry: &Entry| (entry.1, entry.0);
    if entries.is_sorted_by(|one, next| by_rows(one) < by_rows(next))
        || entries.is_sorted_by(|one, next| by_columns(one) < by_columns(next))
    {
        return Ok(entries);
    }
    // The sort keeps the order of the file in a place.
    let mut sorted = entries.clone();
    sorted.sort_by_key(by_rows);
    if sorted.windows(2).all(|pair| by_rows(&pair[0]) != by_rows(&pair[1])) {
        return Ok(entries);
    }
    entries.clear();
    for place in sorted.chunk_by(|one, next| by_rows(one) == by_rows(next)) {
        let mut sum = ExactSum::default();
        for entry in place {
            sum.add(entry.2);
            if !sum.rounded().is_finite() {
                return Err(*entry);
            }
        }
        entries.push((place[0].0, place[0].1, sum.rounded(), place[0].3));
    }
    Ok(entries)
}
