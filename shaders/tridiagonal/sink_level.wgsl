// role: sink
import package::shared::problem::params;
import super::scratch::scratch_index;
import roles::real::real;

@group(0) @binding(6) var<storage, read_write> level_x: array<real>;

fn sink(problem: u32, row: u32, solved: real) {
    level_x[scratch_index(problem, row, params.n)] = solved;
}
