// role: p_scheme_rows
import super::p_scheme_chunks::{Chunk, given_row};
import super::rows::Row;

// Coefficients as the caller gives them.
fn chunk_row(chunk: Chunk, i: u32) -> Row {
    return given_row(chunk, i);
}
