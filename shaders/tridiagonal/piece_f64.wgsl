// role: piece
import package::shared::sizes::ROWS;
import super::sizes::ROWS_AND_PIECE;
import roles::real::real;

// 16 bytes of rows.
alias piece = vec2<f64>;

fn piece_of(values: array<real, ROWS>, at: u32) -> piece {
    return piece(values[2u * at], values[2u * at + 1u]);
}

// Two rows from at + ahead.
fn piece_from(rows: array<real, ROWS_AND_PIECE>, at: u32, ahead: u32) -> piece {
    return select(piece(rows[at], rows[at + 1u]), piece(rows[at + 1u], rows[at + 2u]), ahead == 1u);
}
