// s by the caller's formula, which no row past the end comes to.
fn s_at(problem: u32, row: u32) -> real {
    return trisolve_s(min(row, params.n - 1u), problem, params.n, params.problems);
}

// Of rows start..start+ROWS, four a round: drivers write the rounds of short formulas out, and should
// leave those of long ones, whose code would not be short any more.
fn s_rows(problem: u32, start: u32) -> array<real, ROWS> {
    var values: array<real, ROWS>;
    for (var round = 0u; round < QUADS; round++) {
        let row = start + 4u * round;
        let a = s_at(problem, row);
        let b = s_at(problem, row + 1u);
        let c = s_at(problem, row + 2u);
        let d = s_at(problem, row + 3u);
        // No index that is not constant: it would put the values into memory.
        for (var i = 0u; i < QUADS; i++) { // unroll
            values[4u * i + 0u] = select(values[4u * i + 0u], a, i == round);
            values[4u * i + 1u] = select(values[4u * i + 1u], b, i == round);
            values[4u * i + 2u] = select(values[4u * i + 2u], c, i == round);
            values[4u * i + 3u] = select(values[4u * i + 3u], d, i == round);
        }
    }
    return values;
}
