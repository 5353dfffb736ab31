// role: orientation
import super::block_row::{Sums, work, xs};
import super::piece::{Piece, along_of};
import super::problem::QUADS;
import super::sizes::{ADDENDS, BLOCK, COLUMNS, FOUR, STRIPES, SUMS, XS};
import roles::real::real;

// Rows lie along memory: a lane sums up four rows over the columns of its stripes.
fn multiply(t: u32, piece: Piece, from_: u32, sums: Sums) -> Sums {
    var all = sums;
    let g = t / QUADS;
    for (var c = 0u; c < COLUMNS; c++) { // unroll
        for (var k = 0u; k < STRIPES; k++) { // unroll
            let x = xs[c * XS + from_ + g * STRIPES + k];
            for (var e = 0u; e < FOUR; e++) { // unroll
                all.a[c * SUMS + e] = fma(piece.a[k * 4u + e], x, all.a[c * SUMS + e]);
            }
        }
    }
    return all;
}

fn put_partial(t: u32, sums: Sums, c: u32) {
    let q = t % QUADS;
    let g = t / QUADS;
    for (var e = 0u; e < FOUR; e++) { // unroll
        work[g * BLOCK + along_of(q, e)] = sums.a[c * SUMS + e];
    }
}

// Of the row at place i of the block.
fn whole_sum(i: u32) -> real {
    var four: array<real, 4>;
    for (var k = 0u; k < ADDENDS; k++) { // unroll
        four[k % 4u] += work[k * BLOCK + i];
    }
    return (four[0] + four[1]) + (four[2] + four[3]);
}
