// In which order a sequence takes its rows.

// w[i] from w[i+1] instead of w[i-1].
override REVERSE: bool = false;

// The first row of a chunk where it lies; chunks are counted in the order of the recurrence.
fn start_of(chunk: u32) -> u32 {
    return ROWS * select(chunk, params.slices * CHUNKS - 1u - chunk, REVERSE);
}

// Where the i-th row of a chunk lies in it.
fn place_of(i: u32) -> u32 {
    return select(i, ROWS - 1u - i, REVERSE);
}

// A chunk's values, which are in the order of the recurrence, as they lie.
fn as_they_lie(values: array<real, ROWS>) -> array<real, ROWS> {
    var lying: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        lying[i] = select(values[i], values[ROWS - 1u - i], REVERSE);
    }
    return lying;
}
