// role: pivoting_put
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import roles::real::real;

// The unknowns of a coarse system.
@group(0) @binding(6) var<storage, read_write> level_x: array<real>;

fn put_leaf(readable: bool, problem: u32, at: u32, values: array<real, ROWS>, owned: bool) {
    if (!owned) {
        return;
    }
    for (var i = 0u; i < ROWS; i++) { // unroll
        let row = at * ROWS + i;
        if (row < params.n) {
            level_x[problem * params.n + row] = values[i];
        }
    }
}
