import package::shared::block::Block;

// Another lane's block.
fn exchange(mine: Block, distance: u32) -> Block {
    return Block(subgroupShuffleXor(mine.first, distance), subgroupShuffleXor(mine.last, distance));
}
