import package::shared::place::CHUNKS;
import super::params::params;

// The factors of the blocks T_j, as one array of numbers in planes:
// - For every row, three planes of `4 quads` numbers. With the rows of a chunk eliminated from the first to the last,
//   r_i = inverse_i d_i - multiplier_i r_(i-1), and x_i = p_i x_before + next_i x_(i+1) + r_i, where p_i is the product of the
//   -multiplier up to i.
// - For every chunk, five planes: cyclic reduction of the chunks' last unknowns. Down, y += down_before y_before + down_behind y_behind;
//   up, x = up_before x_before + up_behind x_behind + scale y. A chunk's place is the order in which the steps use it.
// - For every block, two planes: the entries that couple its first and last row to the blocks beside it.
const MULTIPLIER = 0u;
const INVERSE = 1u;
const NEXT = 2u;
const DOWN_BEFORE = 0u;
const DOWN_BEHIND = 1u;
const UP_BEFORE = 2u;
const UP_BEHIND = 3u;
const SCALE = 4u;
const BESIDE_FIRST = 0u;
const BESIDE_LAST = 1u;
const ROW_PLANES = 3u;
const CHUNK_PLANES = 5u;

// Planes of rows are read four at once.
fn row_quad(plane: u32, q: u32) -> u32 {
    return plane * params.quads + q;
}

fn chunks_begin() -> u32 {
    return ROW_PLANES * 4u * params.quads;
}

// `place` among the chunks of a block.
fn chunk_number(plane: u32, block: u32, place: u32) -> u32 {
    return chunks_begin() + (plane * params.problems + block) * CHUNKS + place;
}

fn block_number(plane: u32, block: u32) -> u32 {
    return chunks_begin() + (CHUNK_PLANES * CHUNKS + plane) * params.problems + block;
}

// The place of the k-th chunk that a step combines, and of the k-th that it solves on the way up.
fn step_place(step: u32, k: u32) -> u32 {
    return CHUNKS - (CHUNKS >> step) + k;
}
