// role: guess
import super::control::FAULTS;
import super::params::params;
import super::scale::{LARGEST, numbers};
import roles::real::{is_finite, real, real4};

// Where the caller has the iteration begin; its first row that is not finite is kept for the host.
@group(0) @binding(7) var<storage, read> first_x: array<real>;
@group(0) @binding(8) var<storage, read_write> faults: array<atomic<u32>, FAULTS>;

fn guess(q: u32) -> real4 {
    var own = real4(0.0);
    for (var i = 0u; i < 4u; i++) {
        if (4u * q + i < params.rows) {
            own[i] = first_x[4u * q + i];
            if (!is_finite(own[i])) {
                atomicMin(&faults[4], 4u * q + i);
            }
        }
    }
    return own / numbers[LARGEST];
}
