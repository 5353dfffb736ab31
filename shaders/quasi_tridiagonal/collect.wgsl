// role: work
import super::control::X_AT;
import super::gate::control;
import roles::outer::outer;
import roles::real::real4;

// What a cycle found: y += ||r|| d, from where the cycle's last iterate is.
@group(0) @binding(3) var<storage, read> outer_numbers: array<outer>;
@group(0) @binding(4) var<storage, read_write> y: array<vec4<outer>>;
@group(0) @binding(5) var<storage, read> d_even: array<real4>;
@group(0) @binding(6) var<storage, read> d_odd: array<real4>;

const CYCLE_NORM = 2u;

fn work(q: u32) {
    var d = d_even[q];
    if (control[X_AT] == 1u) {
        d = d_odd[q];
    }
    y[q] += vec4<outer>(d) * outer_numbers[CYCLE_NORM];
}
