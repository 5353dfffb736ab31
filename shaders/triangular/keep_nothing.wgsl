// role: precache
import super::piece::Piece;

// Blocks are not kept in workgroup memory.
fn keep(t: u32, piece: Piece) {
}

fn kept(t: u32) -> Piece {
    return Piece();
}
