// The values of a chunk, from the one before it.
fn solve_chunk(problem: u32, chunk: u32, rows: Rows, before: real, owned: bool) {
    let start = start_of(chunk);
    var values: array<real, ROWS>;
    var value = before;
    for (var i = 0u; i < ROWS; i++) { // unroll
        value = rows.s[i] * value + rows.t[i];
        values[i] = value;
    }
    // What is not finite among the numbers, and what grows too large, stays so.
    if (is_finite(value)) {
        var lying: array<real, ROWS>;
        for (var i = 0u; i < ROWS; i++) { // unroll
            lying[i] = select(values[i], values[ROWS - 1u - i], REVERSE);
        }
        store_rows(problem, start, lying, owned);
        return;
    }
    value = before;
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
}
