// role: kernel
import super::canonical::canonical_entry;
import super::problem::params;
import super::sizes::{BLOCK, THREADS};
import super::tiles::{BLOCK_UNITS, TILE, TILES, reduced_tile, system_tiles};
import roles::real::{UNIT, unit};

// Writes the reduced tiles of all systems, a workgroup per tile.
@group(0) @binding(6) var<storage, read_write> tiles_out: array<unit>;

fn run(w: u32, t: u32) {
    let tiles = (params.blocks - 1u - params.launch) * TILES;
    let system = w / tiles;
    let tile = w % tiles;
    let base = system_tiles(params.launch, system) + reduced_tile(params.launch, tile);
    let i = (params.launch + 1u) * BLOCK + tile * TILE + t % TILE;
    let column = (params.launch - 1u) * BLOCK;
    for (var u = t / TILE; u < BLOCK_UNITS; u += THREADS / TILE) {
        var numbers: unit;
        for (var e = 0u; e < UNIT; e++) { // unroll
            numbers[e] = canonical_entry(system, i, column + u * UNIT + e);
        }
        tiles_out[base + u * TILE + t % TILE] = numbers;
    }
}
