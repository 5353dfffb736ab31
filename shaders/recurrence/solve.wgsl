// Names the rows of a chunk that are not finite.
fn report_rows(problem: u32, start: u32, rows: Rows) {
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (!is_finite(rows.s[i]) || !is_finite(rows.t[i])) {
            report_input(problem, start + place_of(i));
        }
    }
}

// The values of a chunk, from the one before it.
fn solve_chunk(problem: u32, chunk: u32, rows: Rows, before: real, owned: bool) {
    let start = start_of(chunk);
    var lying: array<real, ROWS>;
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
        report_rows(problem, start, rows);
    }
    if (!is_finite(value)) {
        value = before;
        for (var i = 0u; i < ROWS; i++) { // unroll
            value = stepped(rows.s[i], rows.t[i], value);
            values[i] = value;
        }
    }
    for (var i = 0u; i < ROWS; i++) { // unroll
        lying[i] = select(values[i], values[ROWS - 1u - i], REVERSE);
    }
    store_rows(problem, start, lying, owned);
}
