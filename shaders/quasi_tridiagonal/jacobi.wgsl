// role: summed_work
import super::matrix::{product_beside, tri, within};
import super::params::params;
import super::sizes::SUMS;
import roles::real::{real, real4};
import roles::unknowns::x;

// Jacobi: x_next = x + D^-1 (f - A x), with the squares of that residual, of the step and of x. 84 bytes per row in f64 with
// three entries product_beside the tridiagonal.
@group(0) @binding(7) var<storage, read> f: array<real4>;
@group(0) @binding(8) var<storage, read_write> x_next: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let own = x[q];
    let diagonal = tri[params.quads + q];
    let within_ = within(q, tri[q], diagonal, tri[2u * params.quads + q], own);
    let r = f[q] - within_ - product_beside(q);
    let step = r / diagonal;
    x_next[q] = own + step;
    return array<real, SUMS>(dot(r, r), dot(step, step), dot(own, own));
}
