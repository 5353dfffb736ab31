// A thread's rows.
struct Chunk {
    block: Block,
    // Each row's relation to the chunk's x_prev and to the next row.
    p: array<real, ROWS>,
    q: array<real, ROWS>,
    r: array<real, ROWS>,
}

fn reduce_chunk(problem: u32, start: u32, check: bool) -> Chunk {
    let rows = load_rows(problem, start);
    var chunk: Chunk;
    chunk.block = empty_block();
    for (var i = 0u; i < ROWS; i++) {
        let it = equation_from(start + i, rows.a[i], rows.b[i], rows.c[i], rows.d[i]);
        if (check) {
            check_equation(problem, start + i, it);
        }
        let x = eliminate(chunk.block.last, it);
        chunk.block.last = x;
        chunk.block.first = through_next(chunk.block.first, x);
        chunk.p[i] = x.x;
        chunk.q[i] = x.y;
        chunk.r[i] = x.z;
    }
    return chunk;
}
