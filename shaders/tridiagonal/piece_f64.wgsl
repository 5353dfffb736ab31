// 16 bytes of rows.
alias piece = vec2<f64>;
const PIECE = 2u;

fn piece_of(values: array<real, ROWS>, at: u32) -> piece {
    return piece(values[2u * at], values[2u * at + 1u]);
}
