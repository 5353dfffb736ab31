// s from a vector at any stride, or one for all rows.
@group(0) @binding(1) var<storage, INPUT_ACCESS> s: array<element>;

fn s_at(problem: u32, row: u32) -> real {
    return s[select(at_row(problem, row), 0u, CONSTANT_S)];
}

// Of rows start..start+ROWS.
fn s_rows(problem: u32, start: u32) -> array<real, ROWS> {
    var values: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        values[i] = s_at(problem, start + i);
    }
    return values;
}
