// role: p_scheme_rows
import super::p_scheme_chunks::{Chunk, caller_row};
import super::recurrence_rows::AffineRow;

// Coefficients as the caller gives them.
fn rows_to_take(chunk: Chunk, owned: bool) -> u32 {
    return select(0u, chunk.count, owned);
}

fn load_rows_together(w: u32, thread: u32, first: u32) {
    // Each thread loads its own.
}

// Row `first + k` of a chunk, or its last.
fn chunk_row(chunk: Chunk, first: u32, k: u32) -> AffineRow {
    return caller_row(chunk, min(first + k, chunk.count - 1u));
}
