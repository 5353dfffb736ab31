// role: p_scheme_preceding
import super::p_scheme_chunks::Chunk;
import roles::real::real;

// The value before row i of a chunk in the pre-computation: the thread has just computed it, and keeps it in a register.
fn begin_chunk(chunk: Chunk) {
    // Nothing is stored.
}

fn preceding_value(chunk: Chunk, i: u32, sum: real) -> real {
    return sum;
}
