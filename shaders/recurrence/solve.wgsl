// The values of a chunk, from the one before it.
fn solve_chunk(problem: u32, chunk: u32, rows: Rows, before: real, owned: bool) {
    let start = start_of(chunk);
    var lying: array<real, ROWS>;
    var values: array<real, ROWS>;
    var value = before;
    for (var i = 0u; i < ROWS; i++) { // unroll
        value = stepped(rows.s[i], rows.t[i], value);
        values[i] = value;
        if (!is_finite(rows.s[i]) || !is_finite(rows.t[i])) {
            report_input(problem, start + place_of(i));
        }
    }
    for (var i = 0u; i < ROWS; i++) { // unroll
        lying[i] = select(values[i], values[ROWS - 1u - i], REVERSE);
    }
    store_rows(problem, start, lying, owned);
}
