// role: kernel
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import super::p_scheme_chunks::{chunk_count, chunk_of, caller_row, products, stored_at, values};
import super::p_scheme_trusted::trusted;
import roles::p_scheme_put::put;
import roles::p_scheme_store::{put_found, rows_to_put};
import roles::real::{is_finite, real};

// The values of each chunk, now that the one before it is known: P-scheme's third phase, a chunk per thread
// (f32: 8 bytes per row read, 4 written).
//
// From the first row on that comes out past the range, or from the chunk's first where its stored numbers are not
// trusted, one value after the other from the coefficients; of these none has been overwritten where w lies over
// them, since a chunk's rows are its own thread's.
fn run(w: u32, thread: u32) {
    let at = w * WORKGROUP + thread;
    let owned = at < chunk_count();
    let chunk = chunk_of(min(at, chunk_count() - 1u));
    let before = values[chunk.slot];
    var value = before;
    // The first row that the stored numbers do not give.
    var lost = select(0u, chunk.count, owned && is_finite(before) && abs(before) <= trusted[chunk.slot]);
    for (var first = 0u; first < rows_to_put(lost); first += ROWS) {
        var found: array<real, ROWS>;
        var sound = first < lost;
        if (sound) {
            for (var i = 0u; i < ROWS; i++) { // unroll
                let place = stored_at(chunk, min(first + i, chunk.count - 1u));
                found[i] = products[place] * before + values[chunk_count() + place];
            }
            for (var i = 0u; i < ROWS; i++) { // unroll
                sound = sound && is_finite(found[i]);
            }
            if (sound) {
                value = found[ROWS - 1u];
            } else {
                lost = first;
            }
        }
        put_found(w, thread, chunk, first, found, sound);
    }
    if (!owned) {
        return;
    }
    for (var i = lost; i < chunk.count; i++) {
        let row = caller_row(chunk, i);
        // A factor of 0 starts anew, also after infinity.
        value = select(row.s * value, 0.0, row.s == 0.0) + row.t;
        put(chunk, i, value);
    }
}
