import super::problem::params;
import super::sizes::{BLOCK, SPAN_ENTRIES, THREADS};

// The inverses of all diagonal blocks, one block after the other. A thread's entries lie THREADS apart, so that neighbouring threads access
// neighbouring numbers. Behind them there is a number per block: 1 if its inverse may be used, else 0.
fn inverse_entry(system: u32, place: u32, t: u32, k: u32) -> u32 {
    return ((system * params.blocks + place) * SPAN_ENTRIES + k) * THREADS + t;
}

fn inverse_is_usable(system: u32, place: u32) -> u32 {
    let systems = params.problems / params.groups;
    return (systems * BLOCK * BLOCK + system) * params.blocks + place;
}
