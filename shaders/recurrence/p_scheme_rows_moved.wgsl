// role: p_scheme_rows
import package::shared::problem::matrix_base;
import super::p_scheme_chunks::{Chunk, chunk_count, products, row_in, stored_at, values};
import super::recurrence_rows::{CONSTANT_S, CONSTANT_T, AffineRow};
import roles::s::s_at;
import roles::t::t_at;

// Coefficients from the rearranged arrays, but for constants and what is computed.
fn chunk_row(chunk: Chunk, i: u32) -> AffineRow {
    let at = stored_at(chunk, i);
    let base = matrix_base(chunk.problem);
    var row: AffineRow;
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
