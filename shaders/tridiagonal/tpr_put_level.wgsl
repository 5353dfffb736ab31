fn put_rows(problem: u32, start: u32, own: array<real4, ROWS>, x: array<real, ROWS>, owned: bool) {
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (owned && start + i < params.n) {
            sink(problem, start + i, x[i]);
        }
    }
}
