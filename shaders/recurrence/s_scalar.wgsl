// s from a vector at any stride, or one for all rows.
@group(0) @binding(1) var<storage, INPUT_ACCESS> s: array<element>;

fn s_at(problem: u32, row: u32, base: u32) -> real {
    return s[select(at_row(base, row), 0u, CONSTANT_S)];
}

fn s_four(problem: u32, row: u32, base: u32) -> real4 {
    return real4(
        s_at(problem, row, base),
        s_at(problem, row + 1u, base),
        s_at(problem, row + 2u, base),
        s_at(problem, row + 3u, base),
    );
}
