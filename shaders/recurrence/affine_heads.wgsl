// role: affine_heads
import package::shared::head::Head;
import package::shared::heads_in_order::{head_from, next_head};
import package::shared::sizes::ROWS;
import super::recurrence_rows::AffineRows;
import roles::initial::initial_of;
import roles::real::real;

// The first head at or behind a chunk's first row.
fn head_of(chunk: u32) -> Head {
    return head_from(chunk * ROWS);
}

// A chunk whose first head is given: the first row of each sequence takes in the value before it, and forgets what the sequence before
// came to.
fn begin_at_heads(given: AffineRows, first: Head) -> AffineRows {
    var rows = given;
    var head = first;
    if (head.rows < ROWS) {
        // Ahead of its use.
        var before = initial_of(head.problem);
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (i == head.rows) {
                // A factor of 0 begins anew, also after infinity.
                rows.t[i] = select(rows.s[i] * before, 0.0, rows.s[i] == 0.0) + rows.t[i];
                rows.s[i] = 0.0;
                head = next_head(head);
                before = initial_of(head.problem);
            }
        }
    }
    return rows;
}

// Whether the i-th row of a chunk is the first of a sequence.
fn starts_sequence(chunk: u32, i: u32) -> bool {
    return head_from(chunk * ROWS + i).rows == 0u;
}

// The value before that row, if so.
fn value_before_head(chunk: u32, i: u32) -> real {
    return initial_of(head_from(chunk * ROWS + i).problem);
}
