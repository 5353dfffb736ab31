// role: work
import super::control::{FAULTS, OUTCOME, RHS_NOT_FINITE, X_AT};
import super::gate::control;
import super::params::params;
import roles::real::{NORMAL, is_finite, real, real4};

// x = m y, from where the last iterate is, into the caller's vector.
@group(0) @binding(3) var<storage, read> numbers: array<real>;
@group(0) @binding(4) var<storage, read> y_even: array<real4>;
@group(0) @binding(5) var<storage, read> y_odd: array<real4>;
@group(0) @binding(6) var<storage, read_write> x: array<real>;
// The first row of x that leaves the range, and the bits of the largest y, of which the host sees whether x is too small.
@group(0) @binding(7) var<storage, read_write> faults: array<atomic<u32>, FAULTS>;

const LARGEST = 0u;

fn work(q: u32) {
    let m = numbers[LARGEST];
    var y = real4(0.0);
    if (m != 0.0 && control[OUTCOME] != RHS_NOT_FINITE) {
        if (control[X_AT] == 0u) {
            y = y_even[q];
        } else {
            y = y_odd[q];
        }
    }
    let own = y * m;
    for (var i = 0u; i < 4u; i++) {
        if (4u * q + i < params.rows) {
            x[4u * q + i] = own[i];
            if (!is_finite(own[i])) {
                atomicMin(&faults[1], 4u * q + i);
            }
        }
    }
    // Digits of x are lost where even its largest entry is next to what is no normal number.
    if (any(abs(own) >= real4(1e7 * NORMAL)) && atomicLoad(&faults[5]) == 0u) {
        atomicMax(&faults[5], 1u);
    }
    let size = abs(y);
    atomicMax(&faults[2], bitcast<u32>(f32(max(max(size.x, size.y), max(size.z, size.w)))));
}
