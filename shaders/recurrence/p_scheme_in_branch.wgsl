// role: p_scheme_preceding
import super::p_scheme_chunks::{Chunk, stored_at, values};
import roles::real::real;

// The value before row i of a chunk in the pre-computation, where the thread has stored it: P places before the row's own, but for the
// first row (the branches of the paper's figure 2). The sequence's first chunk finds the value before it in front of the array; that of the
// others is not known in this phase, and counts as 0, as the first one's does.
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
