// role: work
import super::params::params;
import roles::real::real4;

// Jacobi's preconditioner: z = D^-1 r.
@group(0) @binding(3) var<storage, read> tri: array<real4>;
@group(0) @binding(4) var<storage, read> r: array<real4>;
@group(0) @binding(5) var<storage, read_write> z: array<real4>;

fn work(q: u32) {
    z[q] = r[q] / tri[params.quads + q];
}
