import package::shared::order::REVERSE;
import package::shared::problem::{params, systems_first};
import super::recurrence_rows::{AffineRow, row_at};
import roles::real::real;

// The chunks of P-scheme: so many neighbouring rows of a sequence a thread, and where their numbers lie
// between the phases.
// As the paper's w' lies: what the threads take at a step side by side, row i of all chunks before row i + 1.
// Otherwise as the caller's rows lie, without gaps.
override REARRANGED: bool = false;

// The value before each chunk of all sequences (the last index of the chunk before, once more); behind them each
// row's value, t before that where arrays are rearranged.
@group(0) @binding(8) var<storage, read_write> values: array<real>;
// Products of a chunk's factors up to each row; s before that where arrays are rearranged.
@group(0) @binding(9) var<storage, read_write> products: array<real>;

struct Chunk {
    problem: u32,
    // Among the chunks of all sequences.
    slot: u32,
    // The first row, in the order of the recurrence.
    start: u32,
    // Its rows; none of the last chunks, where rows ran out.
    count: u32,
}

// The paper's M.
fn rows_each() -> u32 {
    return (params.n + params.slices - 1u) / params.slices;
}

fn chunk_count() -> u32 {
    return params.problems * params.slices;
}

// The chunk of a thread below chunk_count().
fn chunk_of(thread: u32) -> Chunk {
    // Neighbours take neighbouring sequences where those lie closer than rows.
    let across = systems_first() && !REARRANGED;
    let problem = select(thread / params.slices, thread % params.problems, across);
    let k = select(thread % params.slices, thread / params.problems, across);
    let each = rows_each();
    let start = min(k * each, params.n);
    return Chunk(problem, problem * params.slices + k, start, min(each, params.n - start));
}

// Where row i of a chunk lies in `products`, and behind the chunks' values in `values`.
fn stored_at(chunk: Chunk, i: u32) -> u32 {
    if (REARRANGED) {
        return i * chunk_count() + chunk.slot;
    }
    let row = chunk.start + i;
    return select(chunk.problem * params.n + row, row * params.problems + chunk.problem, systems_first());
}

// AffineRow i of a chunk, as the caller counts rows.
fn row_in(chunk: Chunk, i: u32) -> u32 {
    let row = chunk.start + i;
    return select(row, params.n - 1u - row, REVERSE);
}

// The caller's coefficients of row i.
fn caller_row(chunk: Chunk, i: u32) -> AffineRow {
    return row_at(chunk.problem, row_in(chunk, i));
}
