// role: work
import super::gmres_tables::solution_at;
import super::numbers::numbers;
import super::params::params;
import roles::real::real4;

// z = V y, up to four vectors at a time.
override VECTORS: u32 = 4u;

@group(0) @binding(4) var<storage, read_write> z: array<real4>;
@group(0) @binding(5) var<storage, read> v0: array<real4>;
@group(0) @binding(6) var<storage, read> v1: array<real4>;
@group(0) @binding(7) var<storage, read> v2: array<real4>;
@group(0) @binding(8) var<storage, read> v3: array<real4>;

// 0 times a vector that was never made is not 0.
fn part(at: u32, v: real4) -> real4 {
    let factor = numbers[solution_at(at)];
    return select(factor * v, real4(0.0), factor == 0.0);
}

fn work(q: u32) {
    var own = part(params.first, v0[q]);
    if (params.first > 0u) {
        own += z[q];
    }
    if (VECTORS > 1u) {
        own += part(params.first + 1u, v1[q]);
    }
    if (VECTORS > 2u) {
        own += part(params.first + 2u, v2[q]);
    }
    if (VECTORS > 3u) {
        own += part(params.first + 3u, v3[q]);
    }
    z[q] = own;
}
