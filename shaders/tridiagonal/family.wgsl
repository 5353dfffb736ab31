import package::shared::block::{Block, join, through_next, through_prev};
import super::sizes::BLOCKS;
import roles::real::real4;

// Up to BLOCKS neighbouring blocks: few, so they stay in registers.
struct Family {
    block: Block,
    // The seam before each block.
    last: array<real4, BLOCKS>,
    first: array<real4, BLOCKS>,
}

fn append(family: ptr<function, Family>, i: u32, next: Block) {
    let seam = join((*family).block.last, next.first);
    (*family).block.first = through_next((*family).block.first, seam.first);
    (*family).block.last = through_prev(next.last, seam.last);
    (*family).last[i] = seam.last;
    (*family).first[i] = seam.first;
}
