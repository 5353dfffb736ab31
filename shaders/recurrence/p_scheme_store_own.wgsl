// role: p_scheme_store
import package::shared::sizes::ROWS;
import super::p_scheme_chunks::Chunk;
import roles::p_scheme_put::put;
import roles::real::real;

// Each thread stores the values of its own chunk.
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
