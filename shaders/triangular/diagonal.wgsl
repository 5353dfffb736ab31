// role: eight
import super::block_row::left;
import super::eight::{diagonal_entry, eight_solved, extreme};
import super::piece::{along_of, load_piece};
import super::problem::{ACROSS, Problem, QUADS, order, params};
import super::sizes::{BLOCK, EIGHT, EIGHT_UNITS, FOUR, STRIPES, THREADS};
import roles::real::{UNIT, real, unit};

// The diagonal block in the order in which its rows are solved, row by row: in units of 16 bytes, since workgroup
// memory gives one at a time whatever its size.
const ROW: u32 = BLOCK / UNIT + 1u;
var<workgroup> d: array<unit, BLOCK * ROW>;

// Only the diagonal and what is on the matrix's side of it are kept, and of a unit one no diagonal. Rows behind the
// last are those of the identity.
fn load_diagonal(t: u32, problem: Problem, place: u32) {
    let q = t % QUADS;
    let g = t / QUADS;
    let piece = load_piece(t, problem.system, place, place);
    if (t == 0u) {
        extreme = 0u;
    }
    workgroupBarrier();
    for (var k = 0u; k < STRIPES; k++) { // unroll
        for (var e = 0u; e < FOUR; e++) { // unroll
            let along = along_of(q, e);
            let over = g * STRIPES + k;
            let row = order(select(along, over, ACROSS));
            let column = order(select(over, along, ACROSS));
            let inside = place * BLOCK + along < params.n && place * BLOCK + over < params.stored;
            var value = piece.a[k * 4u + e];
            if (row == column) {
                value = diagonal_entry(value, inside, problem, place * BLOCK + along, row);
            }
            d[row * ROW + column / UNIT][column % UNIT] = select(real(0.0), value, row == column || (row > column && inside));
        }
    }
    workgroupBarrier();
}

// Eight entries of a row of the diagonal block.
fn eight_of(row: u32, step: u32) -> array<real, 8> {
    var eight: array<real, 8>;
    for (var e = 0u; e < EIGHT_UNITS; e++) { // unroll
        let some = d[row * ROW + step * EIGHT_UNITS + e];
        for (var u = 0u; u < UNIT; u++) { // unroll
            eight[e * UNIT + u] = some[u];
        }
    }
    return eight;
}

// Solves what is left by substitution, eight rows at a time, which every thread of a row solves for itself: workgroup
// memory is what that waits for, so that nobody else does.
fn substitute(t: u32, c: u32) {
    let divided = extreme != 0u;
    for (var step = 0u; step < BLOCK / 8u; step++) {
        if (t < BLOCK && t / 8u >= step) {
            var given: array<real, 8>;
            for (var e = 0u; e < EIGHT; e++) { // unroll
                given[e] = left[c * BLOCK + step * 8u + e];
            }
            let z = eight_solved(step, given, divided);
            if (t / 8u > step) {
                let factors = eight_of(t, step);
                var rest = left[c * BLOCK + t];
                for (var f = 0u; f < EIGHT; f++) { // unroll
                    rest = fma(-factors[f], z[f], rest);
                }
                left[c * BLOCK + t] = rest;
            }
            for (var e = 0u; e < EIGHT; e++) { // unroll
                if (t == step * 8u + e) {
                    solved[t] = z[e];
                }
            }
        }
        workgroupBarrier();
    }
}

// Partial sums of the rows, or the rows themselves, in the order in which they are solved.
var<workgroup> solved: array<real, THREADS>;
