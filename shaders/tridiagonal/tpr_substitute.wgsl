// role: kernel
import package::shared::place::share_of;
import package::shared::problem::params;
import package::shared::sizes::{HALF, ROWS};
import super::kept::kept_at;
import super::scratch::scratch_index;
import super::tpr_unknowns::unknowns;
import roles::own_rows::own_rows;
import roles::real::{real, real4};
import roles::tpr_put::put_rows;
import roles::tpr_threads::substitute_threads;

// Stage 3 of tree partitioning reduction: a workgroup solves a slice of each of its problems, whose
// last unknown, and that of the slice before, the overall system gave. Reads 16 bytes per row for the
// even rows (f32) and 6 for the odd ones, writes 4.
@group(0) @binding(7) var<storage, read> kept: array<real>;
@group(0) @binding(8) var<storage, read> x_ends: array<real>;

fn run(index: u32, t: u32) {
    // Backwards: what the first stage read last may still be in the cache.
    let w = params.workgroups - 1u - index;
    let share = share_of(w, t);
    let start = share.chunk * ROWS;
    let own = own_rows(share.problem, start);
    var last: array<real4, HALF>;
    for (var i = 0u; i < HALF; i++) { // unroll
        last[i] = real4(kept[kept_at(w, t, 3u * i)], kept[kept_at(w, t, 3u * i + 1u)], kept[kept_at(w, t, 3u * i + 2u)], 0.0);
    }
    var outer = vec2<real>(0.0, x_ends[scratch_index(share.problem, share.slice, params.slices)]);
    if (share.slice > 0u) {
        outer.x = x_ends[scratch_index(share.problem, share.slice - 1u, params.slices)];
    }
    let ends = substitute_threads(t, last[HALF - 1u], outer);
    let x = unknowns(own, last, ends.x, ends.y);
    put_rows(share.problem, start, own, x, share.owned);
}
