// A thread's rows.
struct Chunk {
    block: Block,
    // Each row's relation to the chunk's x_prev and to the next row.
    p: array<real, ROWS>,
    q: array<real, ROWS>,
    r: array<real, ROWS>,
    // Neither NaN nor an infinite diagonal, which would pass unseen as x = 0, among the rows:
    // both make the complement NaN, and it stays so.
    sound: bool,
}

fn reduce_chunk(problem: u32, start: u32) -> Chunk {
    var chunk: Chunk;
    var block = empty_block();
    for (var part = 0u; part < PARTS; part++) { // unroll
        var rows = load_rows(problem, start + part * LOADED);
        for (var i = 0u; i < LOADED; i++) { // unroll
            block.last = eliminate(block.last, equation_at(&rows, i));
            block.first = through_next(block.first, block.last);
            chunk.p[part * LOADED + i] = block.last.x;
            chunk.q[part * LOADED + i] = block.last.y;
            chunk.r[part * LOADED + i] = block.last.z;
        }
    }
    chunk.block = block;
    chunk.sound = is_finite(block.last.w);
    return chunk;
}
