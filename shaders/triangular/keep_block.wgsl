// role: precache
import super::piece::Piece;
import super::sizes::{BLOCK, PIECE, THREADS};
import roles::real::real;

// A block in workgroup memory: each thread its own entries.
var<workgroup> block: array<real, BLOCK * BLOCK>;

fn keep(t: u32, piece: Piece) {
    for (var k = 0u; k < PIECE; k++) { // unroll
        block[k * THREADS + t] = piece.a[k];
    }
}

fn kept(t: u32) -> Piece {
    var piece: Piece;
    for (var k = 0u; k < PIECE; k++) { // unroll
        piece.a[k] = block[k * THREADS + t];
    }
    return piece;
}
