// role: p_scheme_rows
import package::shared::problem::matrix_base;
import super::p_scheme_chunks::{Chunk, chunk_count, products, row_in, stored_at, values};
import super::recurrence_rows::{CONSTANT_S, CONSTANT_T, AffineRow};
import roles::s::s_at;
import roles::t::t_at;

// Coefficients from the rearranged arrays, but for constants and what is computed.
fn rows_to_take(chunk: Chunk, owned: bool) -> u32 {
    return select(0u, chunk.count, owned);
}

fn load_rows_together(w: u32, thread: u32, first: u32) {
    // Each thread loads its own.
}

// Row `first + k` of a chunk, or its last.
fn chunk_row(chunk: Chunk, first: u32, k: u32) -> AffineRow {
    let i = min(first + k, chunk.count - 1u);
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
