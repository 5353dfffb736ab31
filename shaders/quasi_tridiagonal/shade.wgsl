// role: work
import super::control::CYCLES;
import super::gate::control;
import roles::real::{real, real4};

// The shadow residual: g itself in the first cycle, and another in each that follows, lest it break down as the one before.
@group(0) @binding(4) var<storage, read> g: array<real4>;
@group(0) @binding(5) var<storage, read_write> shadow: array<real4>;

// Between 0.5 and 1.5, by an integer hash (Wang).
fn factor(i: u32) -> real {
    var hash = (i ^ 61u) ^ (i >> 16u);
    hash *= 9u;
    hash ^= hash >> 4u;
    hash *= 0x27d4eb2du;
    hash ^= hash >> 15u;
    return 0.5 + real(hash >> 16u) / 65536.0;
}

fn work(q: u32) {
    var own = g[q];
    let cycle = control[CYCLES];
    if (cycle > 1u) {
        for (var i = 0u; i < 4u; i++) {
            own[i] *= factor(4u * q + i + cycle * 0x9e3779b9u);
        }
    }
    shadow[q] = own;
}
