// The blocks of the level below, four a thread: BLOCKS is small, so they stay in registers.
@group(0) @binding(1) var<storage, read> below: array<Block>;

struct Family {
    block: Block,
    last: array<real4, BLOCKS>,
    first: array<real4, BLOCKS>,
}

fn reduce_family(problem: u32, start: u32) -> Family {
    var family: Family;
    family.block = empty_block();
    for (var i = 0u; i < BLOCKS; i++) { // unroll
        if (start + i < params.children) {
            let next = below[problem * params.children + start + i];
            let seam = join(family.block.last, next.first);
            family.block.first = through_next(family.block.first, seam.first);
            family.block.last = through_prev(next.last, seam.last);
            family.last[i] = seam.last;
            family.first[i] = seam.first;
        }
    }
    return family;
}
