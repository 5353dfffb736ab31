// role: kernel
import package::shared::place::share_of;
import super::gate::wanted;
import super::hisa_step::{beside, residual_squared, step_squared, x_squared};
import super::params::params;
import super::sizes::SUMS;
import super::sums::add_up;
import roles::leaf::reduce_leaf;
import roles::leaf_solve::solve_leaf;
import roles::leaf_tree::{ascend_leaf, descend_leaf};
import roles::real::real;

// The second pass: x_next from the unknowns beside each slice; the residual of x is T (x_next - x). 48 bytes per row in f64, 24 in f32.
@group(0) @binding(9) var<storage, read> neighbours: array<vec2<real>>;

fn run(index: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    // Backwards: what the first pass read last may still be in the cache.
    let w = params.workgroups - 1u - index;
    let share = share_of(w, t);
    var outer = vec2<real>(0.0, 0.0);
    if (params.slices > 1u) {
        outer = neighbours[share.slice];
    }
    let leaf = reduce_leaf(share.problem, share.chunk);
    ascend_leaf(t, leaf);
    beside = descend_leaf(t, outer);
    solve_leaf(leaf, share.problem, share.chunk, beside, share.owned);
    add_up(w, t, array<real, SUMS>(residual_squared, step_squared, x_squared));
}
