import super::order::{REVERSE, SLICE_CHUNKS};
import super::problem::params;
import super::sizes::ROWS;
import roles::real::UNIT;

// A sequence may begin inside a unit of 16 bytes. Chunks are then counted from the start of that unit. A place counts
// rows from there: place = row + lead.
override SHIFTED: bool = false;

// Rows before the sequence in its first unit.
fn lead(base: u32) -> u32 {
    return select(0u, base % UNIT, SHIFTED);
}

// Places before the first row, in the order in which rows are taken.
fn places_before(base: u32) -> u32 {
    return select(lead(base), params.slices * SLICE_CHUNKS * ROWS - params.n - lead(base), REVERSE);
}

// Whether the rows at places start..start+count are all rows of the sequence.
fn all_rows(base: u32, start: u32, count: u32) -> bool {
    return start >= lead(base) && start + count <= params.n + lead(base);
}
