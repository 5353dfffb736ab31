// role: p_scheme_store
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import super::p_scheme_chunks::{Chunk, rows_each};
import super::p_scheme_staged::{staged, staged_at, staged_place};
import roles::p_scheme_put::put;
import roles::real::real;

// The threads of a workgroup store their chunks' values together, through workgroup memory.
var<workgroup> is_sound: array<u32, WORKGROUP>;

fn rows_to_put(lost: u32) -> u32 {
    return rows_each();
}

// Values of the rows from the first on, where they are sound.
fn put_found(w: u32, thread: u32, chunk: Chunk, first: u32, found: array<real, ROWS>, sound: bool) {
    for (var i = 0u; i < ROWS; i++) { // unroll
        staged[staged_at(thread, i)] = found[i];
    }
    is_sound[thread] = select(0u, 1u, sound);
    workgroupBarrier();
    for (var i = 0u; i < ROWS; i++) { // unroll
        let place = staged_place(w, thread, i, first);
        if (place.inside && is_sound[(i * WORKGROUP + thread) / ROWS] == 1u) {
            put(place.chunk, place.row, staged[place.at]);
        }
    }
    workgroupBarrier();
}
