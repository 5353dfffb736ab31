// Coefficients from the rearranged arrays, but for constants.
fn chunk_row(chunk: Chunk, i: u32) -> Row {
    let at = stored_at(chunk, i);
    var row: Row;
    if (CONSTANT_S) {
        row.s = s[0];
    } else {
        row.s = products[at];
    }
    if (CONSTANT_T) {
        row.t = t[0];
    } else {
        row.t = values[chunk_count() + at];
    }
    return row;
}
