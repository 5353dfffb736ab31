// role: p_scheme_preceding
import super::p_scheme_chunks::{Chunk, stored_at, values};
import roles::real::real;

// The value before row i of a chunk in the pre-computation, where the thread has stored it: P places before the row's own, for the first
// row too, since the last index of the chunk before has a copy there (the paper's figure 3). The copy counts as 0 in this phase.
fn begin_chunk(chunk: Chunk) {
    values[chunk.slot] = 0.0;
}

fn preceding_value(chunk: Chunk, i: u32, sum: real) -> real {
    return values[stored_at(chunk, i)];
}
