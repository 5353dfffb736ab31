// role: p_scheme_put
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import super::p_scheme_chunks::{Chunk, row_in};
import roles::real::real;

// Values to where the caller wants them.
@group(0) @binding(6) var<storage, read_write> x: array<real>;

fn put(chunk: Chunk, i: u32, value: real) {
    x[matrix_base(chunk.problem) + row_in(chunk, i) * params.element_stride] = value;
}

fn rows_to_put(lost: u32) -> u32 {
    return lost;
}

// Values of the rows from the first on, where they are sound.
fn put_found(w: u32, thread: u32, chunk: Chunk, first: u32, found: array<real, ROWS>, sound: bool) {
    for (var i = 0u; i < ROWS; i++) { // unroll
        if (sound && first + i < chunk.count) {
            put(chunk, first + i, found[i]);
        }
    }
}
