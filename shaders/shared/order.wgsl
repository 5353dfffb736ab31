import super::place::CHUNKS;
import super::problem::params;
import super::sizes::ROWS;
import roles::real::{UNIT, real};

// The order in which rows are taken.
// From the last row to the first. Rows past the end, as many as fill the last slice up, then come first.
override REVERSE: bool = false;
// Chunks of a slice.
override SLICE_CHUNKS: u32 = CHUNKS;

// The first row of a chunk where it lies; chunks are counted in the order of the rows.
fn start_of(chunk: u32) -> u32 {
    return ROWS * select(chunk, params.slices * SLICE_CHUNKS - 1u - chunk, REVERSE);
}

// Where the i-th row of a chunk lies in it.
fn place_of(i: u32) -> u32 {
    return select(i, ROWS - 1u - i, REVERSE);
}

// Where a row lies, by its number in that order.
fn row_of_step(step: u32) -> u32 {
    return select(step, params.n - 1u - step, REVERSE);
}

// A chunk's values, which are in that order, as they lie.
fn as_they_lie(values: array<real, ROWS>) -> array<real, ROWS> {
    var lying: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        lying[i] = select(values[i], values[ROWS - 1u - i], REVERSE);
    }
    return lying;
}

// The same for units of a chunk's rows, each by itself.
fn units_as_they_lie(values: array<real, ROWS>) -> array<real, ROWS> {
    var lying: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        const mirrored = i / UNIT * UNIT + UNIT - 1u - i % UNIT;
        lying[i] = select(values[i], values[mirrored], REVERSE);
    }
    return lying;
}
