// role: kernel
import package::shared::sizes::ROWS;
import package::shared::status::report_input;
import package::shared::workgroup::WORKGROUP;
import super::affine::{Affine, Wide, narrow, times, wide};
import super::p_scheme_chunks::{chunk_count, chunk_of, caller_row, products, row_in, stored_at, values};
import super::p_scheme_trusted::trusted;
import super::recurrence_rows::AffineRows;
import super::slice_maps::slice_maps;
import roles::digits::{LEAST, MOST, exponent_of, power};
import roles::map::{identity, then};
import roles::p_scheme_preceding::{begin_chunk, preceding_value};
import roles::p_scheme_rows::{chunk_row, load_rows_together, rows_to_take};
import roles::real::{is_finite, real};

// The values of each chunk as if the one before it were 0, and the products of its factors: P-scheme's first phase,
// a chunk a thread (f32: 8 bytes per row read, 8 written).
//
// Both are stored as plain numbers, but the product is carried with an exponent, so that it comes back from
// below the range (or above) as it should. What a product below the range would have added to a row is lost;
// `trusted` says up to which value before the chunk that is nothing beside what the row comes to. Numbers
// above the range show themselves in the third phase.

fn run(w: u32, thread: u32) {
    let at = w * WORKGROUP + thread;
    let owned = at < chunk_count();
    let chunk = chunk_of(min(at, chunk_count() - 1u));
    var product = Wide(1.0, 0);
    var sum = real(0.0);
    // Of rows behind a product below the range.
    var least = power(MOST / 2);
    if (owned) {
        begin_chunk(chunk);
    }
    for (var first = 0u; first < rows_to_take(chunk, owned); first += ROWS) {
        load_rows_together(w, thread, first);
        var rows: AffineRows;
        for (var i = 0u; i < ROWS; i++) { // unroll
            let row = chunk_row(chunk, first, i);
            // AffineRows past the end leave everything as it is.
            rows.s[i] = select(real(1.0), row.s, first + i < chunk.count);
            rows.t[i] = select(real(0.0), row.t, first + i < chunk.count);
        }
        // Products within these rows seldom leave the range, and then only the last waits for those before.
        var within: array<real, ROWS>;
        var inner = real(1.0);
        var smallest = real(1.0);
        var largest = real(1.0);
        var gone = false;
        var sound = true;
        for (var i = 0u; i < ROWS; i++) { // unroll
            inner *= rows.s[i];
            within[i] = inner;
            gone = gone || rows.s[i] == 0.0;
            smallest = min(smallest, select(abs(inner), 1.0, gone));
            largest = max(largest, abs(inner));
            sound = sound && is_finite(rows.s[i]) && is_finite(rows.t[i]);
        }
        var so_far: array<Wide, ROWS>;
        if (exponent_of(smallest) >= LEAST && is_finite(largest)) {
            for (var i = 0u; i < ROWS; i++) { // unroll
                so_far[i] = times(product, wide(within[i], 0));
            }
            product = so_far[ROWS - 1u];
        } else {
            for (var i = 0u; i < ROWS; i++) { // unroll
                product = times(product, wide(rows.s[i], 0));
                so_far[i] = product;
            }
        }
        for (var i = 0u; i < ROWS; i++) { // unroll
            // Rows past the end keep the last value.
            sum = rows.s[i] * preceding_value(chunk, min(first + i, chunk.count), sum) + rows.t[i];
            let stored = narrow(so_far[i]);
            let lost = so_far[i].x != 0.0 && so_far[i].e < LEAST;
            least = min(least, select(least, abs(sum), lost));
            if (owned && first + i < chunk.count) {
                let place = stored_at(chunk, first + i);
                products[place] = stored;
                values[chunk_count() + place] = sum;
            }
        }
        if (owned && !sound) {
            for (var i = first; i < min(first + ROWS, chunk.count); i++) {
                let row = caller_row(chunk, i);
                if (!is_finite(row.s) || !is_finite(row.t)) {
                    report_input(chunk.problem, row_in(chunk, i));
                }
            }
        }
    }
    if (!owned) {
        return;
    }
    // Less than 2^LEAST times the value before is missing: of values up to 1 nothing in the range, and of larger ones
    // less than 2^(LEAST + MOST / 2) (f32: 2^-63) of the row.
    trusted[chunk.slot] = max(1.0, least * power(MOST / 2));
    var map = Affine(product, wide(sum, 0));
    if (!is_finite(sum)) {
        // Past the range: with an exponent as well.
        map = identity();
        for (var i = 0u; i < chunk.count; i++) {
            let row = caller_row(chunk, i);
            map = then(map, Affine(wide(row.s, 0), wide(row.t, 0)));
        }
    }
    slice_maps[chunk.slot] = map;
}
