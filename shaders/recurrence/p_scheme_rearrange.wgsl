// role: kernel
import package::shared::problem::matrix_base;
import super::p_scheme_chunks::{chunk_count, products, values};
import super::p_scheme_tiles::{TILED, Tile, chunk_wise, row_wise, tile, tile_at, tile_of};
import super::recurrence_rows::{CONSTANT_S, CONSTANT_T};
import super::sizes::ROUNDS;
import roles::real::real;
import roles::s::s_at;
import roles::t::t_at;

// s and t to where P-scheme's threads reach them side by side (f32: 8 bytes per row read, 8 written).
fn run(w: u32, thread: u32) {
    let own = tile_of(w);
    if (!CONSTANT_S) {
        transpose(own, thread, true);
    }
    if (!CONSTANT_T) {
        transpose(own, thread, false);
    }
}

fn given(factor: bool, problem: u32, row: u32, base: u32) -> real {
    if (factor) {
        return s_at(problem, row, base);
    }
    return t_at(problem, row, base);
}

fn keep_value(factor: bool, at: u32, value: real) {
    if (factor) {
        products[at] = value;
    } else {
        values[chunk_count() + at] = value;
    }
}

// One of the two.
fn transpose(own: Tile, thread: u32, factor: bool) {
    let base = matrix_base(own.problem);
    for (var round = 0u; round < ROUNDS; round++) { // unroll
        let here = row_wise(own, thread, round);
        if (here.inside) {
            let value = given(factor, own.problem, here.row_given, base);
            if (TILED) {
                tile[tile_at(here.chunk, here.row)] = value;
            } else {
                keep_value(factor, here.stored, value);
            }
        }
    }
    if (TILED) {
        workgroupBarrier();
        for (var round = 0u; round < ROUNDS; round++) { // unroll
            let there = chunk_wise(own, thread, round);
            if (there.inside) {
                keep_value(factor, there.stored, tile[tile_at(there.chunk, there.row)]);
            }
        }
        // Before the next takes the tile.
        workgroupBarrier();
    }
}
