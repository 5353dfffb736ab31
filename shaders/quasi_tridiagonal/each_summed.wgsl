// role: kernel
import package::shared::workgroup::WORKGROUP;
import super::gate::wanted;
import super::params::params;
import super::sizes::SUMS;
import super::sums::add_up;
import roles::real::real;
import roles::summed_work::summed_work;

// Four rows per thread and round, each on its own, and sums over all.
override ROUNDS: u32 = 1u;

fn run(w: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    var sums: array<real, SUMS>;
    for (var k = 0u; k < ROUNDS; k++) {
        let q = (w * ROUNDS + k) * WORKGROUP + t;
        if (q < params.quads) {
            let own = summed_work(q);
            for (var i = 0u; i < SUMS; i++) { // unroll
                sums[i] += own[i];
            }
        }
    }
    add_up(w, t, sums);
}
