// The values of a chunk, from the one before it.
fn solve_chunk(problem: u32, chunk: u32, rows: Rows, before: real, owned: bool) {
    let start = start_of(chunk);
    var values: array<real, ROWS>;
    var value = before;
    var product = real(1.0);
    var sum = real(0.0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        value = rows.s[i] * value + rows.t[i];
        values[i] = value;
        product *= rows.s[i];
        sum += rows.t[i];
    }
    // What is not finite leaves a mark, and so does what grows too large.
    if (!is_finite(product) || !is_finite(sum)) {
        for (var i = 0u; i < ROWS; i++) {
            let row = row_of(problem, chunk, i);
            if (!is_finite(row.s) || !is_finite(row.t)) {
                report_input(problem, start + place_of(i));
            }
        }
    }
    if (!is_finite(value)) {
        value = before;
        for (var i = 0u; i < ROWS; i++) { // unroll
            // A factor of 0 starts anew, also after infinity.
            value = select(rows.s[i] * value, 0.0, rows.s[i] == 0.0) + rows.t[i];
            values[i] = value;
        }
    }
    var lying: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        lying[i] = select(values[i], values[ROWS - 1u - i], REVERSE);
    }
    store_rows(problem, start, lying, owned);
}
