// role: p_scheme_preceding
import super::p_scheme_chunks::{Chunk, stored_at, values};
import roles::real::real;

// The value before row i of a chunk in the pre-computation, where the thread has stored it: P places before the row's own, but for the
// first row, whose value before belongs to another chunk and counts as 0 in this phase (the branch of the paper's figure 2).
fn begin_chunk(chunk: Chunk) {
    // No copy is stored.
}

fn preceding_value(chunk: Chunk, i: u32, sum: real) -> real {
    if (i == 0u) {
        return 0.0;
    }
    return values[stored_at(chunk, i)];
}
