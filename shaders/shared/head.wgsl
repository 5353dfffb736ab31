import super::problem::params;

// Problems one behind the other without gaps, taken as one. The first row of each is a head, where all begins anew: so their number of
// rows does not matter to the loads, nor to the division of work.

struct Head {
    // Rows before it.
    rows: u32,
    // Its problem, among those that are taken as one.
    problem: u32,
}

// The first head at or behind a row.
fn head_at_or_behind(row: u32) -> Head {
    if (row == 0u) {
        return Head(0u, 0u);
    }
    let problem = (row - 1u) / params.packed_rows + 1u;
    return Head(problem * params.packed_rows - row, problem);
}
