// role: kernel
import package::shared::place::{PROBLEMS, share_of};
import package::shared::problem::params;
import super::pivoting::ends_of;
import super::pivoting_tree::{node, nodes, rise, top};
import roles::pivoting_leaf::load_leaf;
import roles::real::real4;
import roles::ring::seat;
import roles::singular::settled_leaf;

// A workgroup takes a slice of each of its problems and writes the two rows that are left of it: reads 16 bytes per row
// (f32), writes 32 a slice.
@group(0) @binding(6) var<storage, read_write> slice_ends: array<real4>;

fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let ends = ends_of(load_leaf(share.problem, share.chunk).rows);
    rise(t, seat(t, share.slice), settled_leaf(t, share.problem, share.chunk, ends.pair));
    let problem = share.base + t;
    if (t < PROBLEMS && problem < params.problems) {
        let at = 2u * (problem * params.slices + share.slice);
        slice_ends[at] = nodes[node(top, 2u, 0u, t)];
        slice_ends[at + 1u] = nodes[node(top, 2u, 1u, t)];
    }
}
