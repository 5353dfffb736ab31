// role: system_heads
import package::shared::head::head_at_or_behind;
import package::shared::problem::params;
import super::rows::LoadedRows;
import super::sizes::LOADED;

// Packed systems: the corners of each are dropped.

fn starts_system(row: u32) -> bool {
    return row % params.packed_rows == 0u;
}

// Of rows start..start+LOADED.
fn cut_at_heads(rows: ptr<function, LoadedRows>, start: u32) {
    var head = head_at_or_behind(start).rows;
    if (head > LOADED) {
        return;
    }
    for (var i = 0u; i < LOADED; i++) { // unroll
        if (i == head) {
            (*rows).a[i] = 0.0;
            head += params.packed_rows;
        }
        if (i + 1u == head) {
            (*rows).c[i] = 0.0;
        }
    }
}
