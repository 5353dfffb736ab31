// role: piece
import package::shared::sizes::ROWS;
import super::sizes::ROWS_AND_PIECE;
import roles::real::real;

// 16 bytes of rows.
alias piece = vec4<f32>;

fn piece_of(values: array<real, ROWS>, at: u32) -> piece {
    return piece(values[4u * at], values[4u * at + 1u], values[4u * at + 2u], values[4u * at + 3u]);
}

// Four rows from at + ahead.
fn piece_from(rows: array<real, ROWS_AND_PIECE>, at: u32, ahead: u32) -> piece {
    let odd = (ahead & 1u) == 1u;
    let low = piece(
        select(rows[at], rows[at + 1u], odd),
        select(rows[at + 1u], rows[at + 2u], odd),
        select(rows[at + 2u], rows[at + 3u], odd),
        select(rows[at + 3u], rows[at + 4u], odd),
    );
    let high = vec2<f32>(
        select(rows[at + 4u], rows[at + 5u], odd),
        select(rows[at + 5u], rows[at + 6u], odd),
    );
    return select(low, piece(low.zw, high), ahead >= 2u);
}
