// role: p_scheme_rows
import super::p_scheme_chunks::{Chunk, caller_row};
import super::recurrence_rows::AffineRow;

// Coefficients as the caller gives them.
fn chunk_row(chunk: Chunk, i: u32) -> AffineRow {
    return caller_row(chunk, i);
}
