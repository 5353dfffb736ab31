// role: orientation
import super::block_row::{Sums, work, xs};
import super::piece::{Piece, along_of};
import super::problem::QUADS;
import super::sizes::{ADDENDS, BLOCK, COLUMNS, FOUR, STRIPES, SUMS, XS};
import roles::real::real;

// Columns lie along memory: a lane sums up the rows of its stripes over four columns.
fn multiply(t: u32, piece: Piece, from_: u32, sums: Sums) -> Sums {
    var all = sums;
    let q = t % QUADS;
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        for (var e = 0u; e < FOUR; e++) { // unroll
            let x = xs[c * XS + from_ + along_of(q, e)];
            for (var k = 0u; k < STRIPES; k++) { // unroll
                all.a[c * SUMS + k] = fma(piece.a[k * 4u + e], x, all.a[c * SUMS + k]);
            }
        }
    }
    return all;
}

// One place more a lane, so that lanes write to different banks.
fn put_partial(t: u32, sums: Sums, c: u32) {
    let q = t % QUADS;
    let g = t / QUADS;
    for (var k = 0u; k < STRIPES; k++) { // unroll
        work[q * (BLOCK + 1u) + g * STRIPES + k] = sums.a[c * SUMS + k];
    }
}

// Of the row at place i of the block.
fn whole_sum(i: u32) -> real {
    var four: array<real, 4>;
    for (var k = 0u; k < ADDENDS; k++) { // unroll
        four[k % 4u] += work[k * (BLOCK + 1u) + i];
    }
    return (four[0] + four[1]) + (four[2] + four[3]);
}
