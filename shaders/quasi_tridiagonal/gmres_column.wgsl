// role: decision
import super::control::{BROKE_DOWN, COLUMNS, CYCLE_SCALE, IN_CYCLE};
import super::decide::{control, number, numbers};
import super::gmres_tables::{cosine_at, entry_at, gmres_right_at, sine_at};
import super::observe::{end, judge};
import super::scalars::INVERSE_NORM;
import super::sizes::SUMS;
import roles::real::{is_finite, real};

// Saad and Schultz (1986): the column is complete, is turned by the rotations before it and by its own, and the residual
// is what the turned right-hand side has left.
fn decide(sums: array<real, SUMS>) {
    let j = control[COLUMNS];
    let below = sqrt(sums[0]);
    for (var i = 0u; i < j; i++) {
        let cosine = numbers[cosine_at(i)];
        let sine = numbers[sine_at(i)];
        let upper = numbers[entry_at(i, j)];
        let lower = numbers[entry_at(i + 1u, j)];
        numbers[entry_at(i, j)] = cosine * upper + sine * lower;
        numbers[entry_at(i + 1u, j)] = cosine * lower - sine * upper;
    }
    let upper = numbers[entry_at(j, j)];
    let size = sqrt(upper * upper + below * below);
    let at = control[IN_CYCLE] + 1u;
    control[IN_CYCLE] = at;
    if (!is_finite(size)) {
        judge(at, f32(size), f32(size));
        return;
    }
    if (size == 0.0) {
        // A M^-1 is singular on what the basis spans.
        end(BROKE_DOWN);
        return;
    }
    let cosine = upper / size;
    let sine = below / size;
    numbers[cosine_at(j)] = cosine;
    numbers[sine_at(j)] = sine;
    numbers[entry_at(j, j)] = size;
    let right = numbers[gmres_right_at(j)];
    numbers[gmres_right_at(j)] = cosine * right;
    numbers[gmres_right_at(j + 1u)] = -sine * right;
    // Where nothing is left below, the space is invariant and the residual 0.
    numbers[INVERSE_NORM] = select(1.0 / below, 0.0, below == 0.0);
    control[COLUMNS] = j + 1u;
    let residual = f32(abs(sine * right)) * number(CYCLE_SCALE);
    judge(at, residual, residual);
}
