import super::problem::params;
import super::sizes::BLOCK;
import roles::real::UNIT;

// The numbers that a launch of a factored solve reads, in the order in which it reads them. A tile has TILE rows; neighbouring numbers of a row
// come in units of 16 bytes, and a unit's rows side by side. The launch of turn k has, of each system,
//
// - the solved tiles: of block row k, the product of its inverse and the block before the diagonal, then the inverse itself up to the diagonal;
// - the reduced tiles: of all later block rows, the entries in the columns of block row k - 1.

// Rows of a tile.
const TILE = 0u; // set by Rust
// Units of a block's row.
const BLOCK_UNITS: u32 = BLOCK / UNIT;
// Tiles of a block row.
const TILES: u32 = BLOCK / TILE;

// Units of a row in the columns of the block row before: none for the first one.
fn units_before(turn: u32) -> u32 {
    return select(0u, BLOCK_UNITS, turn > 0u);
}

// Units of a row of a solved tile.
fn solved_units(turn: u32, tile: u32) -> u32 {
    return units_before(turn) + (tile + 1u) * TILE / UNIT;
}

// Where a solved tile of a system begins.
fn solved_tile(turn: u32, tile: u32) -> u32 {
    return tile * (TILE * units_before(turn)) + TILE * TILE / UNIT * (tile * (tile + 1u) / 2u);
}

// Where a reduced tile of a system begins.
fn reduced_tile(turn: u32, tile: u32) -> u32 {
    return solved_tile(turn, TILES) + tile * (TILE * BLOCK_UNITS);
}

// Where a system begins.
fn system_tiles(turn: u32, system: u32) -> u32 {
    return system * reduced_tile(turn, select(0u, (params.blocks - 1u - turn) * TILES, turn > 0u));
}
