// role: ring
import package::shared::place::{CHUNKS, Place, place};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::pivoting::{PASSED_ON, Pair};
import super::sizes::INNER;
import roles::real::{real, real4};

// Periodic systems as they are: a slice's neighbours are those on the ring, and of two rows that are left each has both
// unknowns.
//
// The ring's last row is the last of its partition, which is the last on every level; the rows that fill the partition up stand
// before it, threads without rows before that partition's. An even number of rows that pass on what is on their either side
// leaves the others as they are. So an odd number of rows n gets one more, for
//
//   x_n = x_0 + G x_(n-1),
//
// from which the first row has its x_(n-1) and the last its x_0.
const G: real = 0.7;

// Rows on the ring.
fn ring_length() -> u32 {
    return params.n + (params.n & 1u);
}

// Whether a thread's rows are others than the caller's.
fn touches_an_end(at: u32) -> bool {
    return at == 0u || (at + 1u) * ROWS >= params.n;
}

fn ring_row(row: u32, given: real4) -> real4 {
    var it = given;
    if (ring_length() != params.n) {
        if (row == 0u) {
            it.x *= 1.0 / G;
            it.y -= it.x;
        }
        if (row + 1u == params.n) {
            it.y -= G * it.z;
        }
        if (row == params.n) {
            return real4(G, -1.0, 1.0, 0.0);
        }
    }
    if (row >= ring_length()) {
        return PASSED_ON;
    }
    return it;
}

// Whether it is the last thread that has rows.
fn is_last(at: u32) -> bool {
    return at == (ring_length() - 1u) / ROWS;
}

// The row at a place of the threads' partitions.
fn ring_row_at(place: u32) -> u32 {
    if (!is_last(place / ROWS)) {
        return place;
    }
    if (place % ROWS == ROWS - 1u) {
        return ring_length() - 1u;
    }
    return select(place, ring_length(), place + 1u >= ring_length());
}

fn with_last_at_end(at: u32, rows: array<real4, ROWS>) -> array<real4, ROWS> {
    var it = rows;
    if (is_last(at)) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (at * ROWS + i + 1u == ring_length()) {
                it[ROWS - 1u] = rows[i];
            }
        }
        for (var i = 0u; i < INNER; i++) { // unroll
            if (at * ROWS + i + 2u >= ring_length()) {
                it[i + 1u] = PASSED_ON;
            }
        }
    }
    return it;
}

fn with_last_in_place(at: u32, values: array<real, ROWS>) -> array<real, ROWS> {
    var it = values;
    if (is_last(at)) {
        for (var i = 0u; i < ROWS; i++) { // unroll
            if (at * ROWS + i + 1u == ring_length()) {
                it[i] = values[ROWS - 1u];
            }
        }
    }
    return it;
}

// Where a thread's partition is among its slice's: that of the last rows behind those that have none.
fn seat(t: u32, slice: u32) -> Place {
    var own = place(t);
    let last = (ring_length() - 1u) / ROWS - slice * CHUNKS;
    // Of slices before the last it is past their chunks.
    if (own.chunk == last) {
        own.chunk = CHUNKS - 1u;
    } else if (own.chunk > last) {
        own.chunk -= 1u;
    }
    return own;
}

// The two rows that are left of a system, each with both unknowns.
fn whole(pair: Pair) -> Pair {
    let first = pair.first;
    let last = pair.last;
    return Pair(real4(0.0, first.y, first.x + first.z, first.w), real4(last.x + last.z, last.y, 0.0, last.w));
}

// Their unknowns between those beside them.
fn around(unknowns: vec2<real>) -> real4 {
    return real4(unknowns.y, unknowns, unknowns.x);
}
