import super::problem::{ACROSS, UNIT_DIAGONAL, params, row_place};
import roles::real::real;
import roles::triangle::{entry_of, load_from};

const PANELS = 0u; // set by Rust
const PANEL_BLOCK = 0u; // set by Rust

// The matrix as a lower triangle that is solved from its first row. Rows behind the last are those of the identity.

// An entry on or below the diagonal.
fn canonical_entry(system: u32, row: u32, column: u32) -> real {
    if (row >= params.n || (UNIT_DIAGONAL && row == column)) {
        return select(real(0.0), real(1.0), row == column);
    }
    let along = row_place(select(row, column, ACROSS));
    let over = row_place(select(column, row, ACROSS));
    let second = PANELS == 2u && over >= params.panel * PANEL_BLOCK;
    let base = select(system * params.matrix_stride, params.panel_first - params.panel * PANEL_BLOCK * params.lda, second);
    return entry_of(load_from(base + over * params.lda + along, second), 0u);
}
