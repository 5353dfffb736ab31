import package::shared::status::{report_diagonal, report_input};
import super::extreme::is_extreme;
import super::problem::{Problem, UNIT_DIAGONAL, row_number};
import super::sizes::EIGHT;
import roles::eight::eight_of;
import roles::real::{is_finite, real};

const RECIPROCALS = 0u; // set by Rust

// Eight rows from their right-hand sides, by substitution: `eight_of` says what their factors are.

// Where its reciprocal is wanted, that of a row's diagonal entry.
var<workgroup> reciprocal: array<real, RECIPROCALS>;
// Whether one of the reciprocals is out of range, or rounded to fewer digits.
var<workgroup> extreme: u32;

// A diagonal entry, as rows are divided by it: checked, or 1 where none counts.
fn diagonal_entry(given: real, counts: bool, problem: Problem, place: u32, row: u32) -> real {
    var value = given;
    if (UNIT_DIAGONAL || !counts) {
        value = 1.0;
    } else if (!is_finite(value)) {
        report_input(row_number(problem, 0u), place);
    } else if (value == 0.0) {
        report_diagonal(row_number(problem, 0u), place);
    }
    reciprocal[row] = 1.0 / value;
    if (is_extreme(value)) {
        extreme = 1u;
    }
    return value;
}

// The eight rows of a step. Where diagonals are extreme, they are divided by.
fn eight_solved(step: u32, given: array<real, 8>, divided: bool) -> array<real, 8> {
    if (divided) {
        return eight_divided(step, given);
    }
    var z = given;
    for (var e = 0u; e < EIGHT; e++) { // unroll
        let factors = eight_of(step * 8u + e, step);
        for (var f = 0u; f < EIGHT; f++) { // unroll
            if (f < e) {
                z[e] = fma(-factors[f], z[f], z[e]);
            }
        }
        if (!UNIT_DIAGONAL) {
            z[e] *= reciprocal[step * 8u + e];
        }
    }
    return z;
}

// rest / diagonal, also for an extreme diagonal: both are scaled first. If the scaled numbers leave the range, so does the quotient.
fn divided_by_extreme(rest: real, diagonal: real) -> real {
    let large = abs(diagonal) > 1.0;
    let own = select(real(1.1805916207174113e21), real(8.470329472543003e-22), large);
    let scale = select(real(1.0), own, is_extreme(diagonal));
    return (rest * scale) / (diagonal * scale);
}

fn eight_divided(step: u32, given: array<real, 8>) -> array<real, 8> {
    var z: array<real, 8>;
    for (var e = 0u; e < 8u; e++) {
        let factors = eight_of(step * 8u + e, step);
        var rest = given[0];
        var diagonal = factors[0];
        for (var f = 0u; f < EIGHT; f++) { // unroll
            rest = select(rest, given[f], f == e);
            diagonal = select(diagonal, factors[f], f == e);
        }
        // Unknowns that are not known yet are 0.
        for (var f = 0u; f < EIGHT; f++) { // unroll
            rest = fma(-factors[f], z[f], rest);
        }
        let found = divided_by_extreme(rest, diagonal);
        for (var f = 0u; f < EIGHT; f++) { // unroll
            z[f] = select(z[f], found, f == e);
        }
    }
    return z;
}
