import package::shared::workgroup::WORKGROUP;
import super::params::params;
import super::sizes::SUMS;
import roles::real::real;

// Sums over all rows: each workgroup's lie in `partial`, kind after kind.
@group(0) @binding(2) var<storage, read_write> partial: array<real>;

var<workgroup> summed: array<real, WORKGROUP>;

fn add_up(w: u32, t: u32, sums: array<real, SUMS>) {
    for (var k = 0u; k < SUMS; k++) { // unroll
        workgroupBarrier();
        summed[t] = sums[k];
        for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
            workgroupBarrier();
            if (t < half) {
                summed[t] += summed[t + half];
            }
        }
        if (t == 0u) {
            partial[k * params.workgroups + w] = summed[0];
        }
    }
}
