// role: kernel, unknowns
import package::shared::workgroup::WORKGROUP;
import super::gate::wanted;
import super::gathered::gathered;
import super::params::params;
import roles::real::{real, real4};

const PIECE_QUADS = 0u; // set by Rust

// Rows too long for a slice, in pieces of PIECE entries, a workgroup a piece. A piece's sum goes behind the rows of x, where
// the row itself, or a piece of the next level, has an entry of 1 for it.
@group(0) @binding(4) var<storage, read> index: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> off: array<real4>;
@group(0) @binding(6) var<storage, read_write> x: array<real4>;

var<workgroup> summed: array<real, WORKGROUP>;

fn run(w: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    let piece = params.first + w;
    var sum = real(0.0);
    for (var k = t; k < PIECE_QUADS; k += WORKGROUP) {
        let at = params.count + piece * PIECE_QUADS + k;
        let columns = index[params.columns_at + at];
        sum += dot(off[at], gathered(columns));
    }
    summed[t] = sum;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            summed[t] += summed[t + half];
        }
    }
    if (t == 0u) {
        let at = 4u * params.quads + piece;
        x[at / 4u][at % 4u] = summed[0];
    }
}
