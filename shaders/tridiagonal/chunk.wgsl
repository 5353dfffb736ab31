// role: leaf
import package::shared::block::{Block, eliminate, empty_block, through_next};
import package::shared::sizes::ROWS;
import super::rows::equation_at;
import super::sizes::{LOADED, PARTS};
import roles::load::load_rows;
import roles::real::{ROUNDOFF, is_finite, real, real4};

// A thread's rows.
struct Leaf {
    block: Block,
    // The first row, in terms of x_prev and the last row.
    head: real4,
    // Each row's relation to the leaf's x_prev and to the next row.
    p: array<real, ROWS>,
    q: array<real, ROWS>,
    r: array<real, ROWS>,
    // Neither NaN nor an infinite diagonal, which would pass unseen as x = 0, among the rows:
    // both make the complement NaN, and it stays so.
    sound: bool,
    // The least of the rows', where roundings of the diagonal are forgiven: matrices whose diagonals are sums of their
    // neighbours lose their last digits to exchanges, but not to the carried complements.
    excess: real,
}

// Not dominant, or not readable.
fn doubtful(leaf: Leaf) -> bool {
    return leaf.excess < 0.0 || !leaf.sound;
}

// Chunk `at` of a problem.
fn reduce_leaf(problem: u32, at: u32) -> Leaf {
    var leaf: Leaf;
    var block = empty_block();
    leaf.excess = 1.0;
    for (var part = 0u; part < PARTS; part++) { // unroll
        var rows = load_rows(problem, at * ROWS + part * LOADED);
        for (var i = 0u; i < LOADED; i++) { // unroll
            let row = equation_at(&rows, i);
            leaf.excess = min(leaf.excess, row.e + 4.0 * ROUNDOFF * abs(row.b));
            block.last = eliminate(block.last, row);
            if (part * LOADED + i == ROWS - 1u) {
                leaf.head = block.first;
            }
            block.first = through_next(block.first, block.last);
            leaf.p[part * LOADED + i] = block.last.x;
            leaf.q[part * LOADED + i] = block.last.y;
            leaf.r[part * LOADED + i] = block.last.z;
        }
    }
    leaf.block = block;
    leaf.sound = is_finite(block.last.w);
    return leaf;
}
