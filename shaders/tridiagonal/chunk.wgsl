// A thread's rows.
struct Chunk {
    block: Block,
    // Each row's relation to the chunk's x_prev and to the next row.
    p: array<real, ROWS>,
    q: array<real, ROWS>,
    r: array<real, ROWS>,
    // An infinite diagonal would pass unseen, as x = 0.
    sound: bool,
}

fn reduce_chunk(problem: u32, start: u32) -> Chunk {
    let rows = load_rows(problem, start);
    var chunk: Chunk;
    var block = empty_block();
    var sound = true;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let it = equation_from(start + i, rows.a[i], rows.b[i], rows.c[i], rows.d[i]);
        sound = sound && is_finite(it.b);
        block.last = eliminate(block.last, it);
        block.first = through_next(block.first, block.last);
        chunk.p[i] = block.last.x;
        chunk.q[i] = block.last.y;
        chunk.r[i] = block.last.z;
    }
    chunk.block = block;
    chunk.sound = sound;
    return chunk;
}
