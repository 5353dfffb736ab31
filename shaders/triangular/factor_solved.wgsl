// role: kernel
import super::problem::params;
import super::sizes::{BLOCK, THREADS};
import super::tiles::{TILE, TILES, solved_tile, solved_units, system_tiles, units_before};
import super::well_conditioned::WELL_CONDITIONED;
import roles::real::{UNIT, is_finite, real, unit};

// Writes the solved tiles of a block row of some systems, a workgroup per tile, and tests the conditions of the inverses.
@group(0) @binding(6) var<storage, read_write> tiles_out: array<unit>;
// The inverses, and their products with the blocks before the diagonal, column by column.
@group(0) @binding(7) var<storage, read> solutions: array<real>;
@group(0) @binding(8) var<storage, read> row_sums: array<real>;
@group(0) @binding(9) var<storage, read_write> unusable: array<atomic<u32>, 1>;

// A sum of b products rounds by less than b u, and the bound of substitution is n u. So the limit grows with the rows b of a block.
const LARGEST_CONDITION: f32 = max(WELL_CONDITIONED, f32(BLOCK) / 8.0);

// Threads that share a row.
const PARTS: u32 = THREADS / TILE;
var<workgroup> sizes: array<real, THREADS>;

fn run(w: u32, t: u32) {
    let own = w / TILES;
    let tile = w % TILES;
    let row = t % TILE;
    let i = tile * TILE + row;
    let base = system_tiles(params.launch, params.first_system + own) + solved_tile(params.launch, tile);
    let before = units_before(params.launch);
    let count = solved_units(params.launch, tile);
    var size = real(0.0);
    for (var u = t / TILE; u < count; u += PARTS) {
        let is_inverse = u >= before;
        let column = select(BLOCK + u * UNIT, (u - before) * UNIT, is_inverse);
        var numbers: unit;
        for (var e = 0u; e < UNIT; e++) { // unroll
            if (!is_inverse || column + e <= i) {
                numbers[e] = solutions[(own * 2u * BLOCK + column + e) * BLOCK + i];
            }
            if (is_inverse) {
                size = fma(abs(numbers[e]), row_sums[own * BLOCK + column + e], size);
            } else if (!is_finite(numbers[e])) {
                atomicStore(&unusable[0], 1u);
            }
        }
        tiles_out[base + u * TILE + row] = numbers;
    }
    sizes[t] = size;
    workgroupBarrier();
    if (t < TILE) {
        var sum = real(0.0);
        for (var g = 0u; g < PARTS; g++) {
            sum += sizes[g * TILE + t];
        }
        // NaN is not well conditioned.
        if (!(sum <= real(LARGEST_CONDITION))) {
            atomicStore(&unusable[0], 1u);
        }
    }
}
