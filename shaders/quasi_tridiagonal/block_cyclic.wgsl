// role: sink, source
import package::shared::block::relation;
import package::tridiagonal::equation::equation;
import super::block_rows::{f, residual_squared, step_squared, x_next, x_squared};
import super::matrix::{index, off, slice_begin, tri};
import super::params::params;
import roles::real::{real, real4};
import roles::unknowns::x;

// The paper's form: a block's equations in workgroup memory, reduced cyclically, half a thread a row.
fn source(problem: u32, row: u32) -> real4 {
    let i = problem * params.n + row;
    let q = i / 4u;
    let k = i % 4u;
    let a = tri[q][k];
    let b = tri[params.quads + q][k];
    let c = tri[2u * params.quads + q][k];
    var r = f[q][k] - b * x[q][k];
    if (i > 0u) {
        r -= a * x[(i - 1u) / 4u][(i - 1u) % 4u];
    }
    if (q + 1u < params.quads || k < 3u) {
        r -= c * x[(i + 1u) / 4u][(i + 1u) % 4u];
    }
    let slice = q / 8u;
    let end = slice_begin(slice + 1u);
    for (var j = slice_begin(slice); j < end; j++) {
        let at = j * 8u + q % 8u;
        let column = index[params.columns_at + at][k];
        r -= off[at][k] * x[column / 4u][column % 4u];
    }
    residual_squared += r * r;
    let left = select(a, real(0.0), row == 0u);
    let right = select(c, real(0.0), row + 1u == params.n);
    return relation(equation(left, b, right, r));
}

fn sink(problem: u32, row: u32, solved: real) {
    let i = problem * params.n + row;
    let next = x[i / 4u][i % 4u] + solved;
    step_squared += solved * solved;
    x_squared += next * next;
    x_next[i / 4u][i % 4u] = next;
}
