// role: kernel
import package::shared::block::{NONE_BEFORE, NONE_BEHIND, combine, eliminate, empty_block, through_next};
import package::shared::place::{CHUNKS, LOG_CHUNKS, place, share_of};
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import package::tridiagonal::equation::equation;
import super::factors::{
    BESIDE_FIRST, BESIDE_LAST, DOWN_BEFORE, DOWN_BEHIND, INVERSE, MULTIPLIER, NEXT, SCALE, UP_BEFORE, UP_BEHIND,
    block_number, chunk_number, row_quad, step_place,
};
import super::params::params;
import roles::real::{real, real4};

// Step 1 of algorithm 3, once for a matrix: the factors of every block T_j, a thread a chunk of rows. The dominance of the rows is carried,
// as where a block is solved from its rows.
@group(0) @binding(1) var<storage, read> tri: array<real4>;
@group(0) @binding(2) var<storage, read_write> factors: array<real>;

// A chunk's first row, then its last row.
var<workgroup> chunks: array<real4, WORKGROUP>;

fn put_factor(at: u32, value: real, owned: bool) {
    if (owned) {
        factors[at] = value;
    }
}

fn entry(plane: u32, row: u32) -> real {
    return tri[plane * params.quads + row / 4u][row % 4u];
}

fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let here = place(t);
    let block = share.problem;
    let owned = share.owned;
    var chunk_rows = empty_block();
    var head = chunk_rows.first;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let at = share.chunk * ROWS + i;
        let row = block * params.n + at;
        var a = entry(0u, row);
        var c = entry(2u, row);
        if (at == 0u) {
            put_factor(block_number(BESIDE_FIRST, block), a, owned);
            a = 0.0;
        }
        if (at + 1u == params.n) {
            put_factor(block_number(BESIDE_LAST, block), c, owned);
            c = 0.0;
        }
        // With a right-hand side of 1 and nothing before it, r is the inverse of the pivot.
        var before = chunk_rows.last;
        before.z = 0.0;
        chunk_rows.last = eliminate(before, equation(a, entry(1u, row), c, 1.0));
        let inverse = chunk_rows.last.z;
        put_factor(4u * row_quad(MULTIPLIER, 0u) + row, a * inverse, owned);
        put_factor(4u * row_quad(INVERSE, 0u) + row, inverse, owned);
        put_factor(4u * row_quad(NEXT, 0u) + row, chunk_rows.last.y, owned);
        head = chunk_rows.first;
        chunk_rows.first = through_next(chunk_rows.first, chunk_rows.last);
    }
    chunks[t] = head;
    workgroupBarrier();
    var behind = NONE_BEHIND;
    if (here.chunk + 1u < CHUNKS) {
        behind = chunks[t + 1u];
        behind.z = 0.0;
    }
    var tail = chunk_rows.last;
    tail.z = 1.0;
    tail = combine(NONE_BEFORE, tail, behind);
    workgroupBarrier();
    // z is the scale: what y is multiplied by.
    chunks[t] = tail;
    let base = t - here.chunk;
    for (var step = 0u; step < LOG_CHUNKS; step++) {
        workgroupBarrier();
        let u = 1u << step;
        if (here.chunk < (CHUNKS >> (step + 1u))) {
            let j = (here.chunk + 1u) * 2u * u - 1u;
            var low = chunks[base + j - u];
            var mid = chunks[base + j];
            var high = real4(0.0, 0.0, 0.0, 1.0);
            if (j + u < CHUNKS) {
                high = chunks[base + j + u];
            }
            let at = step_place(step, here.chunk);
            put_factor(chunk_number(DOWN_BEFORE, block, at), mid.x * low.z / mid.z, owned);
            put_factor(chunk_number(DOWN_BEHIND, block, at), mid.y * high.z / mid.z, owned);
            let scale = mid.z;
            low.z = 0.0;
            mid.z = 1.0;
            high.z = 0.0;
            mid = combine(low, mid, high);
            mid.z *= scale;
            chunks[base + j] = mid;
        }
    }
    workgroupBarrier();
    let solved = chunks[t];
    let step = countTrailingZeros(here.chunk + 1u);
    let at = step_place(step, (here.chunk + 1u) >> (step + 1u));
    put_factor(chunk_number(UP_BEFORE, block, at), solved.x, owned);
    put_factor(chunk_number(UP_BEHIND, block, at), solved.y, owned);
    put_factor(chunk_number(SCALE, block, at), solved.z, owned);
}
