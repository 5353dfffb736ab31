// role: kernel
import package::shared::problem::params;
import package::shared::workgroup::WORKGROUP;
import super::final::final_states;
import super::sizes::ORDER;
import roles::real::real;

// The final states over the initial ones: in a dispatch of its own, since slices may still read the initial states in that of the
// one pass.
@group(0) @binding(7) var<storage, read> finals_kept: array<real>;

fn run(w: u32, t: u32) {
    let i = w * WORKGROUP + t;
    if (i < params.problems * ORDER) {
        final_states[i] = finals_kept[i];
    }
}
