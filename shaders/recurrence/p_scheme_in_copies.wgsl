// role: p_scheme_preceding
import super::p_scheme_chunks::{Chunk, stored_at, values};
import roles::real::real;

// The value before row i of a chunk in the pre-computation, read from memory, P places before the row's own. For the first row, that place
// is the copy of the last value of the chunk before (the paper's figure 3), which is 0 in this phase.
fn begin_chunk(chunk: Chunk) {
    values[chunk.slot] = 0.0;
}

fn preceding_value(chunk: Chunk, i: u32, sum: real) -> real {
    return values[stored_at(chunk, i)];
}
