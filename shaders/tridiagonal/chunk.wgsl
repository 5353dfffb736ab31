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
    var rows = load_rows(problem, start);
    var chunk: Chunk;
    var block = empty_block();
    for (var i = 0u; i < ROWS; i++) { // unroll
        block.last = eliminate(block.last, equation_at(&rows, i));
        block.first = through_next(block.first, block.last);
        chunk.p[i] = block.last.x;
        chunk.q[i] = block.last.y;
        chunk.r[i] = block.last.z;
    }
    chunk.block = block;
    chunk.sound = is_finite(block.last.w);
    return chunk;
}
