// role: store
import package::shared::place::{CHUNKS, RUN};
import package::shared::problem::{params, x_base};
import package::shared::sizes::ROWS;
import super::halo::HALO;
import super::sizes::{PIECE, PIECES, ROWS_AND_PIECE};
import roles::piece::{piece, piece_from};
import roles::real::real;

// Rows side by side wherever they begin: a lane's first rows, up to where a piece of 16 bytes
// starts, are written by the lane before it, so that all but the ends of a run of lanes go as
// whole pieces.
@group(0) @binding(6) var<storage, read_write> x: array<piece>;

fn store_shifted_row(at: u32, value: real) {
    x[at / PIECE][at % PIECE] = value;
}

fn store_rows(problem: u32, start: u32, values: array<real, ROWS>, owned: bool) {
    let base = x_base(problem);
    let ahead = (PIECE - base % PIECE) % PIECE;
    // Neighbouring lanes of one problem and one run that store.
    let span = min(CHUNKS, RUN);
    let chunk = HALO + (start / ROWS) % (CHUNKS - 2u * HALO);
    let is_first = chunk % span == 0u || chunk == HALO;
    let is_last = chunk % span == span - 1u || chunk == CHUNKS - 1u - HALO;
    var rows: array<real, ROWS_AND_PIECE>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows[i] = values[i];
    }
    for (var i = 0u; i < PIECE; i++) { // unroll
        rows[ROWS + i] = subgroupShuffleDown(values[i], 1u);
    }
    if (!owned) {
        return;
    }
    let stop = select(params.n, min(params.n, start + ROWS), is_last);
    for (var i = 0u; i < PIECES; i++) { // unroll
        let row = start + ahead + i * PIECE;
        let at = base + row;
        let whole = piece_from(rows, i * PIECE, ahead);
        if (row + PIECE <= stop) {
            x[at / PIECE] = whole;
        } else {
            for (var j = 0u; j < PIECE; j++) { // unroll
                if (row + j < stop) {
                    store_shifted_row(at + j, whole[j]);
                }
            }
        }
    }
    if (is_first) {
        for (var j = 0u; j < PIECE; j++) { // unroll
            if (j < ahead && start + j < params.n) {
                store_shifted_row(base + start + j, values[j]);
            }
        }
    }
}
