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
        store_rows(problem, start, as_they_lie(values), owned);
        return;
    }
    // Who stands in for nobody may find rows overwritten already.
    if (!owned) {
        return;
    }
    value = before;
    for (var i = 0u; i < ROWS; i++) {
        let row = row_of(problem, chunk, i);
        let at = start + place_of(i);
        // A factor of 0 starts anew, also after infinity.
        value = select(row.s * value, 0.0, row.s == 0.0) + row.t;
        if (at < params.n) {
            check_row(problem, at, row, value);
            store_row(problem, at, value);
        }
    }
}
