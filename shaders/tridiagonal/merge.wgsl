import package::shared::block::{Block, join, through_next, through_prev};
import roles::real::real4;

// Two neighbouring blocks as one, from the side of either; `across` is the unknown just across the
// seam from that side.
struct Merged {
    block: Block,
    across: real4,
}

fn merge_with(mine: Block, other: Block, right: bool) -> Merged {
    let last = select(mine.last, other.last, right);
    let first = select(other.first, mine.first, right);
    let seam = join(last, first);
    return Merged(
        Block(
            through_next(select(mine.first, other.first, right), seam.first),
            through_prev(select(other.last, mine.last, right), seam.last),
        ),
        select(seam.first, seam.last, right),
    );
}
