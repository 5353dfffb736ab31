import package::shared::block::{Block, empty_block, join, through_next, through_prev};
import package::shared::sizes::ROWS;
import super::merge::merge_with;
import roles::real::real4;

// Wang and Mou's triads: every row with the first and the last row of its block, all in terms of the
// unknowns beside the block (Wang and Mou 1991; Diéguez, Amor, Doallo 2019, section 2.2.3). A thread
// starts with ROWS rows, which share their block's two.
struct Triads {
    block: Block,
    own: array<real4, ROWS>,
}

fn triads_of(rows: array<real4, ROWS>) -> Triads {
    var triads = Triads(empty_block(), rows);
    for (var i = 0u; i < ROWS; i++) { // unroll
        let seam = join(triads.block.last, rows[i]);
        for (var j = 0u; j < ROWS; j++) { // unroll
            if (j < i) {
                triads.own[j] = through_next(triads.own[j], seam.first);
            }
        }
        triads.own[i] = seam.first;
        triads.block = Block(through_next(triads.block.first, seam.first), seam.first);
    }
    return triads;
}

// One step: the blocks of `triads` and of `other`, which lies left or right of it, become one.
fn double(triads: ptr<function, Triads>, other: Block, right: bool) {
    let merged = merge_with((*triads).block, other, right);
    (*triads).block = merged.block;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let own = (*triads).own[i];
        if (right) {
            (*triads).own[i] = through_prev(own, merged.across);
        } else {
            (*triads).own[i] = through_next(own, merged.across);
        }
    }
}
