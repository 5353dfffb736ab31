import package::shared::order::REVERSE;
import package::shared::problem::{matrix_base, params};
import super::p_scheme_chunks::{chunk_count, rows_each};
import roles::real::real;

// Transposition in tiles of 32 chunks by 32 rows of each, a tile a workgroup of 32 by 8 threads. Neighbouring
// threads take neighbouring rows on the caller's side, and neighbouring chunks on the other; through workgroup memory
// both are reached side by side. A tile's lines are a number longer than they have to be, so that a column lies
// in 32 banks.
const SIDE: u32 = 32u;
const DEPTH: u32 = 8u;

// Through workgroup memory; else the rearranged array is reached at a stride.
override TILED: bool = true;

var<workgroup> tile: array<real, 1056>;

fn tile_at(chunk: u32, row: u32) -> u32 {
    return chunk * (SIDE + 1u) + row;
}

// The tile of a workgroup.
struct Tile {
    problem: u32,
    // Its first chunk and row, counted in the sequence and in the chunk.
    chunk: u32,
    row: u32,
}

fn tile_of(w: u32) -> Tile {
    let across = (params.slices + SIDE - 1u) / SIDE;
    let down = (rows_each() + SIDE - 1u) / SIDE;
    let here = w % (across * down);
    return Tile(w / (across * down), (here % across) * SIDE, (here / across) * SIDE);
}

// A place in a tile, and what lies there.
struct Spot {
    // In the tile.
    chunk: u32,
    row: u32,
    inside: bool,
    // The row as the caller counts, and where it lies there.
    row_given: u32,
    given: u32,
    // Where it lies in the rearranged arrays.
    stored: u32,
}

fn spot_in(own: Tile, chunk: u32, row: u32) -> Spot {
    let k = own.chunk + chunk;
    let i = own.row + row;
    let each = rows_each();
    let order = k * each + i;
    let inside = k < params.slices && i < each && order < params.n;
    let lying = select(0u, select(order, params.n - 1u - order, REVERSE), inside);
    let given = matrix_base(own.problem) + lying * params.element_stride;
    return Spot(chunk, row, inside, lying, given, i * chunk_count() + own.problem * params.slices + k);
}

// A thread's spot in round 0, 1, ... of four, neighbouring threads at neighbouring rows, or chunks.
fn row_wise(own: Tile, thread: u32, round: u32) -> Spot {
    return spot_in(own, thread / SIDE + round * DEPTH, thread % SIDE);
}

fn chunk_wise(own: Tile, thread: u32, round: u32) -> Spot {
    return spot_in(own, thread % SIDE, thread / SIDE + round * DEPTH);
}
