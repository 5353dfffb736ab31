// role: chunk_rows
import package::shared::order::{REVERSE, start_of};
import package::shared::sizes::ROWS;
import super::recurrence_rows::{AffineRows, ended};
import roles::affine_heads::{begin_at_heads, head_of};
import roles::recurrence_rows::load_affine_rows;

alias Rows = AffineRows;

// A chunk's rows in their order.
fn load_chunk(problem: u32, chunk: u32) -> AffineRows {
    let lying = load_affine_rows(problem, start_of(chunk));
    var rows: AffineRows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows.s[i] = select(lying.s[i], lying.s[ROWS - 1u - i], REVERSE);
        rows.t[i] = select(lying.t[i], lying.t[ROWS - 1u - i], REVERSE);
    }
    return ended(begin_at_heads(rows, head_of(chunk)), problem, chunk);
}
