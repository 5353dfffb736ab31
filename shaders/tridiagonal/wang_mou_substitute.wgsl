// role: kernel
import package::shared::place::{PROBLEMS, place, share_of};
import package::shared::problem::in_order;
import package::shared::sizes::ROWS;
import super::kept::kept_at;
import super::wang_mou_put::put_unknowns;
import roles::neighbours::outer_neighbours;
import roles::real::{real, real4};
import roles::tree::{holds_root, root_problem};

// Second pass of Wang and Mou's method in slices: the unknowns, from those beside the slice. Reads 12
// bytes per row (f32), writes 4.
@group(0) @binding(8) var<storage, read> kept: array<real>;

var<workgroup> beside_slices: array<vec2<real>, PROBLEMS>;

fn run(index: u32, t: u32) {
    // Backwards: what the first pass wrote last may still be in the cache.
    let w = in_order(index);
    let share = share_of(w, t);
    let beside_root = outer_neighbours(t, share.base, share.slice);
    if (holds_root(t)) {
        beside_slices[root_problem(t)] = beside_root;
    }
    workgroupBarrier();
    var own: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        own[i] = real4(kept[kept_at(w, t, 3u * i)], kept[kept_at(w, t, 3u * i + 1u)], kept[kept_at(w, t, 3u * i + 2u)], 0.0);
    }
    put_unknowns(share.problem, share.chunk * ROWS, own, beside_slices[place(t).local_problem], share.owned);
}
