// role: kernel
import package::shared::workgroup::WORKGROUP;
import super::gate::wanted;
import super::params::params;
import roles::work::work;

// Four rows per thread and round, each on its own.
override ROUNDS: u32 = 1u;

fn run(w: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    for (var k = 0u; k < ROUNDS; k++) {
        let q = (w * ROUNDS + k) * WORKGROUP + t;
        if (q < params.quads) {
            work(q);
        }
    }
}
