// Coefficients from the rearranged arrays, but for constants and what is computed.
fn chunk_row(chunk: Chunk, i: u32) -> Row {
    let at = stored_at(chunk, i);
    let base = matrix_base(chunk.problem);
    var row: Row;
    if (CONSTANT_S) {
        row.s = s_at(chunk.problem, row_in(chunk, i), base);
    } else {
        row.s = products[at];
    }
    if (CONSTANT_T) {
        row.t = t_at(chunk.problem, row_in(chunk, i), base);
    } else {
        row.t = values[chunk_count() + at];
    }
    return row;
}
