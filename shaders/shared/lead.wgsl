import super::order::{REVERSE, SLICE_CHUNKS};
import super::problem::params;
import super::sizes::ROWS;
import roles::real::UNIT;

// Sequences that begin anywhere, in units of 16 bytes: chunks begin at units, and the first one with as many rows
// before the sequence as its first unit has. Places count from there.
override SHIFTED: bool = false;

// Rows before the sequence in its first unit.
fn lead(base: u32) -> u32 {
    return select(0u, base % UNIT, SHIFTED);
}

// Places before the first row, in the filter's order.
fn places_before(base: u32) -> u32 {
    return select(lead(base), params.slices * SLICE_CHUNKS * ROWS - params.n - lead(base), REVERSE);
}

// Whether the rows at places start..start+count are all rows of the sequence.
fn all_rows(base: u32, start: u32, count: u32) -> bool {
    return start >= lead(base) && start + count <= params.n + lead(base);
}
