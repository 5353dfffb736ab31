// A block in workgroup memory: each thread its own entries.
var<workgroup> block: array<real, BLOCK * BLOCK>;

fn keep(t: u32, piece: Piece) {
    for (var k = 0u; k < PIECE; k++) { // unroll
        block[k * WORKGROUP + t] = piece.a[k];
    }
}

fn kept(t: u32) -> Piece {
    var piece: Piece;
    for (var k = 0u; k < PIECE; k++) { // unroll
        piece.a[k] = block[k * WORKGROUP + t];
    }
    return piece;
}
