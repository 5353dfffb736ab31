// t from a vector at any stride, or one for all rows.
@group(0) @binding(2) var<storage, INPUT_ACCESS> t: array<element>;

fn t_at(problem: u32, row: u32) -> real {
    return t[select(at_row(problem, row), 0u, CONSTANT_T)];
}

// Of rows start..start+ROWS.
fn t_rows(problem: u32, start: u32) -> array<real, ROWS> {
    var values: array<real, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        values[i] = t_at(problem, start + i);
    }
    return values;
}
