import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import super::p_scheme_chunks::{Chunk, chunk_count, chunk_of};
import roles::real::real;

// Rows on their way between the caller's arrays, where a chunk's rows lie side by side, and the threads, which each take ROWS rows of a
// chunk of their own: neighbouring threads access neighbouring rows. A thread's place is a number longer, so that a column lies in
// different banks.
override STAGED_PLACES: u32 = WORKGROUP * (ROWS + 1u);

var<workgroup> staged: array<real, STAGED_PLACES>;

// Place number `round` of a thread: the chunk, and the row from the first on.
struct StagedPlace {
    chunk: Chunk,
    at: u32,
    row: u32,
    inside: bool,
}

fn staged_place(w: u32, thread: u32, round: u32, first: u32) -> StagedPlace {
    let number = round * WORKGROUP + thread;
    let slot = w * WORKGROUP + number / ROWS;
    let row = first + number % ROWS;
    let chunk = chunk_of(min(slot, chunk_count() - 1u));
    return StagedPlace(chunk, (number / ROWS) * (ROWS + 1u) + number % ROWS, row, slot < chunk_count() && row < chunk.count);
}

fn staged_at(thread: u32, i: u32) -> u32 {
    return thread * (ROWS + 1u) + i;
}
