// role: work
import roles::outer::outer;
import roles::real::real4;

// A cycle begins: g = r / ||r||, d = 0. r and its norm are in the outer precision.
@group(0) @binding(3) var<storage, read> outer_numbers: array<outer>;
@group(0) @binding(4) var<storage, read> r: array<vec4<outer>>;
@group(0) @binding(5) var<storage, read_write> g: array<real4>;
@group(0) @binding(6) var<storage, read_write> d: array<real4>;

const CYCLE_NORM = 2u;

fn work(q: u32) {
    g[q] = real4(r[q] / outer_numbers[CYCLE_NORM]);
    d[q] = real4(0.0);
}
