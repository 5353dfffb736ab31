// The values of a chunk, as they lie, and the last.
struct Values {
    lying: array<real, ROWS>,
    last: real,
}

fn values_of(rows: Rows, before: real) -> Values {
    var values: array<real, ROWS>;
    var found: Values;
    found.last = before;
    for (var i = 0u; i < ROWS; i++) { // unroll
        found.last = rows.s[i] * found.last + rows.t[i];
        values[i] = found.last;
    }
    for (var i = 0u; i < ROWS; i++) { // unroll
        found.lying[i] = select(values[i], values[ROWS - 1u - i], REVERSE);
    }
    return found;
}

// The values of a chunk, from the one before it.
fn solve_chunk(problem: u32, chunk: u32, rows: Rows, before: real, owned: bool) {
    let values = values_of(rows, before);
    if (is_finite(values.last)) {
        store_rows(problem, start_of(chunk), values.lying, owned);
    } else {
        let last = solve_rows(problem, chunk, before, owned);
    }
}

// The same row by row, read once more; the last value is returned. What is not finite among the numbers, and what grows
// too large, stays so.
fn solve_rows(problem: u32, chunk: u32, before: real, owned: bool) -> real {
    let start = start_of(chunk);
    var value = before;
    for (var i = 0u; i < ROWS; i++) {
        let row = row_of(problem, chunk, i);
        let at = start + place_of(i);
        if (!is_finite(row.s) || !is_finite(row.t)) {
            report_input(problem, at);
        }
        // A factor of 0 starts anew, also after infinity.
        value = select(row.s * value, 0.0, row.s == 0.0) + row.t;
        if (owned && at < params.n) {
            store_row(problem, at, value);
        }
    }
    return value;
}
