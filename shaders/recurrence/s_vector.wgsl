// s from a vector, four rows a load, or one for all rows.
@group(0) @binding(1) var<storage, INPUT_ACCESS> s: array<element>;

fn s_at(problem: u32, row: u32) -> real {
    let at = at_row(problem, row);
    return s[select(at / 4u, 0u, CONSTANT_S)][at % 4u];
}

// Of rows start..start+ROWS; start is divisible by 4.
fn s_rows(problem: u32, start: u32) -> array<real, ROWS> {
    var values: array<real, ROWS>;
    for (var i = 0u; i < QUADS; i++) { // unroll
        var four: real4;
        if (CONSTANT_S) {
            four = real4(s[0].x);
        } else {
            four = s[at_quad(problem, start + 4u * i)];
        }
        values[4u * i + 0u] = four.x;
        values[4u * i + 1u] = four.y;
        values[4u * i + 2u] = four.z;
        values[4u * i + 3u] = four.w;
    }
    return values;
}
