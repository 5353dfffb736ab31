// The diagonal block in the order in which its rows are solved, row by row: in units of 16 bytes, since workgroup
// memory gives one at a time whatever its size.
const ROW: u32 = BLOCK / UNIT + 1u;
var<workgroup> d: array<unit, BLOCK * ROW>;
var<workgroup> reciprocal: array<real, BLOCK>;
// Whether one of the reciprocals is out of range, or rounded to fewer digits.
var<workgroup> extreme: u32;

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
                if (!(abs(value) * NORMAL < 0.1 && abs(value) > 10.0 * NORMAL)) {
                    extreme = 1u;
                }
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

// The eight rows of a step from their right-hand sides, by substitution. Who knows that no diagonal is extreme spares
// itself the code for that.
fn eight_solved(step: u32, given: array<real, 8>, may_divide: bool) -> array<real, 8> {
    var z = given;
    for (var e = 0u; e < EIGHT; e++) { // unroll
        let factors = eight_of(step * 8u + e, step);
        for (var f = 0u; f < EIGHT; f++) { // unroll
            if (f < e) {
                z[e] = fma(-factors[f], z[f], z[e]);
            }
        }
        if (!may_divide || extreme == 0u) {
            z[e] *= reciprocal[step * 8u + e];
        } else {
            // Devices divide by what is in the middle of the range only.
            let large = abs(factors[e]) > 1.0;
            let scale = select(real(1.1805916207174113e21), real(8.470329472543003e-22), large);
            z[e] = (z[e] * scale) / (factors[e] * scale);
        }
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
        let z = eight_solved(step, given, true);
        if (t < BLOCK && t / 8u > step) {
            let factors = eight_of(t, step);
            var rest = left[c * BLOCK + t];
            for (var f = 0u; f < EIGHT; f++) { // unroll
                rest = fma(-factors[f], z[f], rest);
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
