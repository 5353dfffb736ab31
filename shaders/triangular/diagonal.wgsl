// The diagonal block in the order in which its rows are solved, row by row.
const ROW: u32 = BLOCK + 16u / BYTES;
var<workgroup> d: array<real, BLOCK * ROW>;
var<workgroup> reciprocal: array<real, BLOCK>;

// Only the diagonal and what is on the matrix's side of it are kept, and of a unit one no diagonal. Rows behind the
// last are those of the identity.
fn load_diagonal(t: u32, problem: Problem, place: u32) {
    let q = t % QUADS;
    let g = t / QUADS;
    let piece = load_piece(t, problem.system, place, place);
    for (var k = 0u; k < STRIPES; k++) { // unroll
        for (var e = 0u; e < FOUR; e++) { // unroll
            let along = along_of(q, e);
            let over = g * STRIPES + k;
            let row = order(select(along, over, ACROSS));
            let column = order(select(over, along, ACROSS));
            let inside = place * BLOCK + max(along, over) < params.n;
            var value = piece.a[k * 4u + e];
            if (row == column) {
                if (UNIT_DIAGONAL || !inside) {
                    value = 1.0;
                } else if (!is_finite(value)) {
                    report_input(row_number(problem, 0u), place * BLOCK + along);
                } else if (value == 0.0) {
                    report_diagonal(row_number(problem, 0u), place * BLOCK + along);
                }
                reciprocal[row] = 1.0 / value;
            }
            d[row * ROW + column] = select(real(0.0), value, row == column || (row > column && inside));
        }
    }
    workgroupBarrier();
}

// The eight rows of a step from their right-hand sides, by substitution.
fn eight_solved(step: u32, given: array<real, 8>) -> array<real, 8> {
    var z = given;
    for (var e = 0u; e < EIGHT; e++) { // unroll
        let row = step * 8u + e;
        for (var f = 0u; f < EIGHT; f++) { // unroll
            if (f < e) {
                z[e] = fma(-d[row * ROW + step * 8u + f], z[f], z[e]);
            }
        }
        z[e] *= reciprocal[row];
    }
    return z;
}

// Solves what is left by substitution, eight rows at a time, which every thread solves for itself.
fn substitute(t: u32, c: u32) {
    for (var step = 0u; step < BLOCK / 8u; step++) {
        var given: array<real, 8>;
        for (var e = 0u; e < EIGHT; e++) { // unroll
            given[e] = left[c * BLOCK + step * 8u + e];
        }
        let z = eight_solved(step, given);
        if (t < BLOCK && t / 8u > step) {
            var rest = left[c * BLOCK + t];
            for (var f = 0u; f < EIGHT; f++) { // unroll
                rest = fma(-d[t * ROW + step * 8u + f], z[f], rest);
            }
            left[c * BLOCK + t] = rest;
        }
        for (var e = 0u; e < EIGHT; e++) { // unroll
            if (t == e) {
                solved[step * 8u + e] = z[e];
            }
        }
        workgroupBarrier();
    }
}

// Partial sums of the rows, or the rows themselves, in the order in which they are solved.
var<workgroup> solved: array<real, THREADS>;
