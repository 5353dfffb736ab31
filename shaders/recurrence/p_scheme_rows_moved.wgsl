// Coefficients from the rearranged arrays, but for factors that are no array, and constants.
fn chunk_row(chunk: Chunk, i: u32) -> Row {
    let at = stored_at(chunk, i);
    var row: Row;
    if (CONSTANT_S) {
        row.s = unmoved_factor(row_in(chunk, i));
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
