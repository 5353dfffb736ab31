// role: factored_rows
import package::shared::sizes::{QUADS, ROWS};
import super::factored_input::{beside_block, f, factors};
import super::factors::{BESIDE_FIRST, BESIDE_LAST, row_quad};
import super::factored_output::{step_squared, x_next, x_squared};
import super::matrix::{product_beside, row_above, row_below};
import super::params::params;
import roles::real::{real, real4};
import roles::unknowns::x;

// Chunks of whole fours of rows: f - S x, where S has the entries that lead out of the block.
fn right_of(block: u32, chunk: u32) -> array<real, ROWS> {
    var right: array<real, ROWS>;
    let first = (block * params.n + chunk * ROWS) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let q = first + i;
        var own = f[q] - product_beside(q);
        if (chunk == 0u && i == 0u) {
            own.x -= beside_block(BESIDE_FIRST, block) * row_above(q);
        }
        if ((chunk + 1u) * ROWS == params.n && i + 1u == QUADS) {
            own.w -= beside_block(BESIDE_LAST, block) * row_below(q);
        }
        right[4u * i + 0u] = own.x;
        right[4u * i + 1u] = own.y;
        right[4u * i + 2u] = own.z;
        right[4u * i + 3u] = own.w;
    }
    return right;
}

fn row_factors(plane: u32, block: u32, chunk: u32) -> array<real, ROWS> {
    var numbers: array<real, ROWS>;
    let first = (block * params.n + chunk * ROWS) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let four = factors[row_quad(plane, first + i)];
        numbers[4u * i + 0u] = four.x;
        numbers[4u * i + 1u] = four.y;
        numbers[4u * i + 2u] = four.z;
        numbers[4u * i + 3u] = four.w;
    }
    return numbers;
}

// Stores the new unknowns; their step.
fn step_to(block: u32, chunk: u32, values: array<real, ROWS>, owned: bool) -> array<real, ROWS> {
    var steps: array<real, ROWS>;
    let first = (block * params.n + chunk * ROWS) / 4u;
    for (var i = 0u; i < QUADS; i++) { // unroll
        let next = real4(values[4u * i], values[4u * i + 1u], values[4u * i + 2u], values[4u * i + 3u]);
        let step = next - x[first + i];
        if (owned) {
            x_next[first + i] = next;
        }
        step_squared += dot(step, step);
        x_squared += dot(next, next);
        steps[4u * i + 0u] = step.x;
        steps[4u * i + 1u] = step.y;
        steps[4u * i + 2u] = step.z;
        steps[4u * i + 3u] = step.w;
    }
    return steps;
}
