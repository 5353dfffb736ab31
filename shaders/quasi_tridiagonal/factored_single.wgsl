// role: factored_rows
import package::shared::sizes::ROWS;
import super::factored_input::{beside_block, f, factor_at};
import super::factors::{BESIDE_FIRST, BESIDE_LAST, row_quad};
import super::factored_output::{step_squared, x_next, x_squared};
import super::matrix::{index, off, slice_begin};
import super::params::params;
import roles::real::real;
import roles::unknowns::x;

// The paper's form: a row per thread.
fn unknown_of(row: u32) -> real {
    return x[row / 4u][row % 4u];
}

// f - S x, where S has the entries that lead out of the block.
fn right_of(block: u32, chunk: u32) -> array<real, ROWS> {
    let row = block * params.n + chunk;
    let q = row / 4u;
    let k = row % 4u;
    var own = f[q][k];
    let slice = q / 8u;
    let end = slice_begin(slice + 1u);
    for (var j = slice_begin(slice); j < end; j++) {
        let at = j * 8u + q % 8u;
        own -= off[at][k] * unknown_of(index[params.columns_at + at][k]);
    }
    if (chunk == 0u && row > 0u) {
        own -= beside_block(BESIDE_FIRST, block) * unknown_of(row - 1u);
    }
    if (chunk + 1u == params.n && row + 1u < 4u * params.quads) {
        own -= beside_block(BESIDE_LAST, block) * unknown_of(row + 1u);
    }
    return array<real, ROWS>(own);
}

fn row_factors(plane: u32, block: u32, chunk: u32) -> array<real, ROWS> {
    return array<real, ROWS>(factor_at(4u * row_quad(plane, 0u) + block * params.n + chunk));
}

// Stores the new unknown; its step.
fn step_to(block: u32, chunk: u32, values: array<real, ROWS>, owned: bool) -> array<real, ROWS> {
    let row = block * params.n + chunk;
    let step = values[0] - unknown_of(row);
    if (owned) {
        x_next[row / 4u][row % 4u] = values[0];
    }
    step_squared += step * step;
    x_squared += values[0] * values[0];
    return array<real, ROWS>(step);
}
