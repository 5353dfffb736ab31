// role: store
import package::shared::problem::{params, x_base};
import package::shared::sizes::ROWS;
import super::sizes::{PIECE, PIECES};
import roles::piece::{piece, piece_of};
import roles::real::real;

const PIECE_PAIRS = 0u; // set by Rust

// Neighbouring lanes swap pieces of 16 bytes, so that together they write whole sectors of 32:
// threads that each write their own rows, half a sector at a time, cost an H200 a tenth of a solve.
@group(0) @binding(6) var<storage, read_write> x: array<piece>;

// Of an odd number of pieces the last of the even lane and the first of the odd one make a sector.
const ODD_PIECES = PIECES % 2u;

// The last piece goes by component: what lies behind row n-1 is the caller's.
fn store_piece(base: u32, row: u32, values: piece) {
    let at = (base + row) / PIECE;
    if (row + PIECE <= params.n) {
        x[at] = values;
    } else {
        for (var i = 0u; i < PIECE; i++) {
            if (row + i < params.n) {
                x[at][i] = values[i];
            }
        }
    }
}

fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    let base = x_base(problem);
    let odd = (start / ROWS) % 2u;
    let pair_start = start - odd * ROWS;
    for (var i = 0u; i < PIECE_PAIRS; i++) { // unroll
        const low = 2u * i;
        const high = low + ODD_PIECES;
        let got = subgroupShuffleXor(
            select(piece_of(values, low + 1u), piece_of(values, high), odd == 1u),
            1u,
        );
        let even_rows = select(piece_of(values, low), got, odd == 1u);
        let odd_rows = select(got, piece_of(values, high + 1u), odd == 1u);
        if (owned) {
            store_piece(base, pair_start + (low + odd) * PIECE, even_rows);
            store_piece(base, pair_start + ROWS + (high + odd) * PIECE, odd_rows);
        }
    }
    if (ODD_PIECES == 1u && owned) {
        let middle = select(piece_of(values, PIECES - 1u), piece_of(values, 0u), odd == 1u);
        store_piece(base, select(start + ROWS - PIECE, start, odd == 1u), middle);
    }
}
