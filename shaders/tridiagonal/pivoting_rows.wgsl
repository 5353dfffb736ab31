// role: pivoting_leaf
import package::shared::sizes::ROWS;
import super::pivoting::{scaled_row, size_of};
import super::sizes::{LOADED, PARTS};
import super::structure::load_equation;
import roles::load::load_rows;
import roles::real::{is_finite, real, real4};
import roles::ring::{ring_row, ring_row_at, touches_an_end, with_last_at_end};

// A thread's rows, from the caller's vectors.
struct PivotingLeaf {
    rows: array<real4, ROWS>,
    // No infinity among them. (NaN goes through to the unknowns.)
    sound: bool,
}

fn load_leaf(problem: u32, at: u32) -> PivotingLeaf {
    var leaf: PivotingLeaf;
    var largest = real(0.0);
    var right = real(0.0);
    let ends = touches_an_end(at);
    for (var part = 0u; part < PARTS; part++) { // unroll
        let start = at * ROWS + part * LOADED;
        let rows = load_rows(problem, start);
        for (var i = 0u; i < LOADED; i++) { // unroll
            var row = real4(rows.a[i], rows.b[i], rows.c[i], rows.d[i]);
            if (ends) {
                row = ring_row(start + i, row);
            }
            let size = size_of(row);
            largest = max(largest, size);
            right = max(right, abs(row.w));
            leaf.rows[part * LOADED + i] = scaled_row(row);
        }
    }
    leaf.sound = is_finite(max(largest, right));
    leaf.rows = with_last_at_end(at, leaf.rows);
    return leaf;
}

fn leaf_row(problem: u32, place: u32) -> real4 {
    let row = ring_row_at(place);
    let it = load_equation(problem, row);
    return scaled_row(ring_row(row, real4(it.a, it.b, it.c, it.d)));
}
