// role: kernel
import super::p_scheme_chunks::{chunk_count, values};
import super::p_scheme_tiles::{TILED, chunk_wise, row_wise, tile, tile_at, tile_of};
import super::sizes::ROUNDS;
import roles::real::real;

// Values from the rearranged array to where the caller wants them (f32: 4 bytes per row read, 4 written).
@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn run(w: u32, thread: u32) {
    let own = tile_of(w);
    if (TILED) {
        for (var round = 0u; round < ROUNDS; round++) { // unroll
            let there = chunk_wise(own, thread, round);
            if (there.inside) {
                tile[tile_at(there.chunk, there.row)] = values[chunk_count() + there.stored];
            }
        }
        workgroupBarrier();
    }
    for (var round = 0u; round < ROUNDS; round++) { // unroll
        let here = row_wise(own, thread, round);
        if (here.inside) {
            if (TILED) {
                x[here.given] = tile[tile_at(here.chunk, here.row)];
            } else {
                x[here.given] = values[chunk_count() + here.stored];
            }
        }
    }
}
