import super::problem::{ACROSS, QUADS, params};
import super::sizes::{BLOCK, FOUR, PIECE, STRIPES, WIDTH};
import roles::real::real;
import roles::triangle::{entry_of, load_behind, load_from};

const INDICES = 0u; // set by Rust
const LOADS = 0u; // set by Rust
const PANELS = 0u; // set by Rust

// A thread's entries of a block: four along memory, WIDTH of them side by side, from STRIPES stripes over it.
struct Piece {
    a: array<real, PIECE>,
}

// The entry along memory that is a lane's entry e.
fn along_of(q: u32, e: u32) -> u32 {
    return ((e / WIDTH) * QUADS + q) * WIDTH + e % WIDTH;
}

// Of the block at two places, row and column; whatever lies there, inside the matrix or not.
fn load_piece(t: u32, system: u32, row: u32, column: u32) -> Piece {
    let q = t % QUADS;
    let g = t / QUADS;
    let along = select(row, column, ACROSS) * BLOCK;
    let over_block = select(column, row, ACROSS);
    let over = over_block * BLOCK + g * STRIPES;
    // What is read in place of rows behind the last is not used; of columns it would be multiplied by zeros, which
    // leaves nothing of numbers only.
    let beyond = ACROSS && along + BLOCK > params.n;
    let last = params.n - 1u;
    let last_over = params.stored - 1u;
    let second = PANELS == 2u && over_block >= params.panel;
    var base = system * params.matrix_stride;
    if (second) {
        base = params.panel_first - params.panel * BLOCK * params.lda;
    }
    var indices: array<u32, INDICES>;
    for (var k = 0u; k < STRIPES; k++) { // unroll
        let stripe = base + min(over + k, last_over) * params.lda;
        for (var e = 0u; e < LOADS; e++) { // unroll
            indices[k * LOADS + e] = stripe + min(along + along_of(q, e * WIDTH), last / WIDTH * WIDTH);
        }
    }
    // Which binding changes from piece to piece: one branch for all loads, which are under way together. Where it is the
    // same for a whole block row, a branch for each costs less.
    var piece: Piece;
    if (second && !ACROSS) {
        for (var i = 0u; i < INDICES; i++) { // unroll
            let value = load_behind(indices[i]);
            for (var u = 0u; u < WIDTH; u++) { // unroll
                piece.a[i * WIDTH + u] = entry_of(value, u);
            }
        }
    } else {
        for (var i = 0u; i < INDICES; i++) { // unroll
            let value = load_from(indices[i], second && ACROSS);
            for (var u = 0u; u < WIDTH; u++) { // unroll
                piece.a[i * WIDTH + u] = entry_of(value, u);
            }
        }
    }
    if (beyond) {
        for (var k = 0u; k < STRIPES; k++) { // unroll
            for (var e = 0u; e < FOUR; e++) { // unroll
                if (along + along_of(q, e) >= params.n) {
                    piece.a[k * 4u + e] = 0.0;
                }
            }
        }
    }
    return piece;
}
