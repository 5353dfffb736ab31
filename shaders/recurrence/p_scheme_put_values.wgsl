// role: p_scheme_put
import super::p_scheme_chunks::{Chunk, chunk_count, stored_at, values};
import roles::real::real;

// Values to the rearranged array.
fn put(chunk: Chunk, i: u32, value: real) {
    values[chunk_count() + stored_at(chunk, i)] = value;
}
