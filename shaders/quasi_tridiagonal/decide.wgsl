// role: kernel
import package::shared::workgroup::WORKGROUP;
import super::control::{PHASE, WORDS};
import super::params::params;
import super::sizes::SUMS;
import roles::decision::decide;
import roles::gather::gather;
import roles::real::real;

// One workgroup adds up what all left, and its first thread decides how it goes on.
@group(0) @binding(1) var<storage, read_write> control: array<u32, WORDS>;
@group(0) @binding(2) var<storage, read> partial: array<real>;
@group(0) @binding(3) var<storage, read_write> numbers: array<real>;

override GATE: u32 = 0u;
override GATE_TOO: u32 = GATE;
// The first of a solve, which finds what the last one left.
override ALWAYS: bool = false;

var<workgroup> summed: array<real, WORKGROUP>;
var<workgroup> is_wanted: bool;

fn word(value: f32) -> u32 {
    return bitcast<u32>(value);
}

fn number(at: u32) -> f32 {
    return bitcast<f32>(control[at]);
}

fn run(w: u32, t: u32) {
    if (t == 0u) {
        is_wanted = ALWAYS || control[PHASE] == GATE || control[PHASE] == GATE_TOO;
    }
    if (!workgroupUniformLoad(&is_wanted)) {
        return;
    }
    var sums: array<real, SUMS>;
    for (var k = 0u; k < SUMS; k++) { // unroll
        var sum = real(0.0);
        for (var i = t; i < params.partials; i += WORKGROUP) {
            sum = gather(sum, partial[k * params.partials + i]);
        }
        workgroupBarrier();
        summed[t] = sum;
        for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (t < half) {
                summed[t] = gather(summed[t], summed[t + half]);
            }
        }
        workgroupBarrier();
        sums[k] = summed[0];
    }
    if (t == 0u) {
        decide(sums);
    }
}
