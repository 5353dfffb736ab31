// role: p_scheme_preceding
import super::p_scheme_chunks::{Chunk, stored_at, values};
import roles::real::real;

// The value before row i of a chunk in the pre-computation, read from memory, P places before the row's own. The first row of a chunk takes
// a branch instead (the paper's figure 2): it reads the place in front of the array in the sequence's first chunk, and takes 0 in the others.
// Both are 0 in this phase.
fn begin_chunk(chunk: Chunk) {
    if (chunk.start == 0u) {
        values[chunk.slot] = 0.0;
    }
}

fn preceding_value(chunk: Chunk, i: u32, sum: real) -> real {
    if (i == 0u) {
        if (chunk.start == 0u) {
            return values[chunk.slot];
        }
        return 0.0;
    }
    return values[stored_at(chunk, i)];
}
