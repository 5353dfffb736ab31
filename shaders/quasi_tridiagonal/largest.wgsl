// role: kernel
import package::shared::workgroup::WORKGROUP;
import super::control::FAULTS;
import super::params::params;
import roles::real::{is_finite, real};
import roles::row_scale::scaled_entry;

// The largest entry of the right-hand side after row scaling, four rows per thread; infinity if an entry is not finite.
@group(0) @binding(2) var<storage, read_write> partial: array<real>;
@group(0) @binding(4) var<storage, read> rhs: array<real>;
@group(0) @binding(5) var<storage, read_write> faults: array<atomic<u32>, FAULTS>;

var<workgroup> largest: array<real, WORKGROUP>;

override ROUNDS: u32 = 1u;

fn run(w: u32, t: u32) {
    var most = real(0.0);
    for (var k = 0u; k < 4u * ROUNDS; k++) {
        let i = (w * 4u * ROUNDS + k) * WORKGROUP + t;
        if (i < params.rows) {
            let value = rhs[i];
            if (is_finite(value)) {
                most = max(most, abs(scaled_entry(i, value)));
            } else {
                atomicMin(&faults[0], i);
            }
        }
    }
    largest[t] = most;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            largest[t] = max(largest[t], largest[t + half]);
        }
    }
    if (t == 0u) {
        partial[w] = largest[0];
    }
}
