// Coefficients as the caller gives them.
fn chunk_row(chunk: Chunk, i: u32) -> Row {
    return given_row(chunk, i);
}
