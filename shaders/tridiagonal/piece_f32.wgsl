// 16 bytes of rows.
alias piece = vec4<f32>;
const PIECE = 4u;

fn piece_of(values: array<real, ROWS>, at: u32) -> piece {
    return piece(values[4u * at], values[4u * at + 1u], values[4u * at + 2u], values[4u * at + 3u]);
}
