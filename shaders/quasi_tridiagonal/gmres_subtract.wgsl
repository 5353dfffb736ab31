// role: summed_work
import super::control::COLUMNS;
import super::gate::control;
import super::gmres_tables::entry_at;
import super::numbers::numbers;
import super::params::params;
import super::sizes::SUMS;
import roles::real::{real, real4};

// w -= h v of up to four vectors of the basis, with w w.
override VECTORS: u32 = 4u;

@group(0) @binding(4) var<storage, read_write> w_: array<real4>;
@group(0) @binding(5) var<storage, read> v0: array<real4>;
@group(0) @binding(6) var<storage, read> v1: array<real4>;
@group(0) @binding(7) var<storage, read> v2: array<real4>;
@group(0) @binding(8) var<storage, read> v3: array<real4>;

fn summed_work(q: u32) -> array<real, SUMS> {
    let at = entry_at(params.first, control[COLUMNS]);
    var own = w_[q] - numbers[at] * v0[q];
    if (VECTORS > 1u) {
        own -= numbers[at + 1u] * v1[q];
    }
    if (VECTORS > 2u) {
        own -= numbers[at + 2u] * v2[q];
    }
    if (VECTORS > 3u) {
        own -= numbers[at + 3u] * v3[q];
    }
    w_[q] = own;
    return array<real, SUMS>(dot(own, own));
}
