// role: p_scheme_rows
import package::shared::problem::{matrix_base, params};
import package::shared::sizes::ROWS;
import super::p_scheme_chunks::{Chunk, row_in, rows_each};
import super::p_scheme_staged::{staged, staged_at, staged_place};
import super::recurrence_rows::{AffineRow, CONSTANT_S, CONSTANT_T};
import roles::real::real;
import roles::s::s_at;
import roles::t::t_at;

// Coefficients as the caller gives them, loaded by the workgroup together, but for constants and what is computed.
var<private> staged_s: array<real, ROWS>;
var<private> staged_t: array<real, ROWS>;

// Rows that a thread goes through: as many as the others of its workgroup.
fn rows_to_take(chunk: Chunk, owned: bool) -> u32 {
    return rows_each();
}

fn load_rows_together(w: u32, thread: u32, first: u32) {
    if (!CONSTANT_S) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            let place = staged_place(w, thread, i, first);
            if (place.inside) {
                let base = matrix_base(place.chunk.problem);
                staged[place.at] = s_at(place.chunk.problem, row_in(place.chunk, place.row), base);
            }
        }
        workgroupBarrier();
        for (var i = 0u; i < ROWS; i++) { // unroll
            staged_s[i] = staged[staged_at(thread, i)];
        }
        workgroupBarrier();
    }
    if (!CONSTANT_T) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            let place = staged_place(w, thread, i, first);
            if (place.inside) {
                let base = matrix_base(place.chunk.problem);
                staged[place.at] = t_at(place.chunk.problem, row_in(place.chunk, place.row), base);
            }
        }
        workgroupBarrier();
        for (var i = 0u; i < ROWS; i++) { // unroll
            staged_t[i] = staged[staged_at(thread, i)];
        }
        workgroupBarrier();
    }
}

// Row `first + k` of a chunk, of those loaded together.
fn chunk_row(chunk: Chunk, first: u32, k: u32) -> AffineRow {
    let own = min(row_in(chunk, min(first + k, max(chunk.count, 1u) - 1u)), params.n - 1u);
    let base = matrix_base(chunk.problem);
    var row: AffineRow;
    if (CONSTANT_S) {
        row.s = s_at(chunk.problem, own, base);
    } else {
        row.s = staged_s[k];
    }
    if (CONSTANT_T) {
        row.t = t_at(chunk.problem, own, base);
    } else {
        row.t = staged_t[k];
    }
    return row;
}
