// role: kernel
import package::shared::block::Block;
import package::shared::place::{CHUNKS, place, share_of};
import package::shared::problem::params;
import package::shared::sizes::{HALF, ROWS};
import super::kept::kept_at;
import super::scratch::scratch_index;
import super::tpr_slice::reduce_rows;
import roles::own_rows::own_rows;
import roles::real::real;
import roles::tpr_threads::reduce_threads;

// Stage 1 of tree partitioning reduction: a workgroup reduces a slice of each of its problems and
// keeps the odd rows and the slice's two ends. Reads 16 bytes per row (f32), writes 6, and 32 a slice.
@group(0) @binding(7) var<storage, read_write> kept: array<real>;
@group(0) @binding(8) var<storage, read_write> ends: array<Block>;

fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    var reduced = reduce_rows(t, own_rows(share.problem, share.chunk * ROWS));
    let slice_ends = reduce_threads(t, Block(reduced.first[0], reduced.last[HALF - 1u]));
    reduced.last[HALF - 1u] = slice_ends.last;
    for (var i = 0u; i < HALF; i++) { // unroll
        kept[kept_at(w, t, 3u * i)] = reduced.last[i].x;
        kept[kept_at(w, t, 3u * i + 1u)] = reduced.last[i].y;
        kept[kept_at(w, t, 3u * i + 2u)] = reduced.last[i].z;
    }
    let at = scratch_index(share.problem, share.slice, params.slices);
    let chunk = place(t).chunk;
    if (share.owned && chunk == 0u) {
        ends[at].first = slice_ends.first;
    }
    if (share.owned && chunk + 1u == CHUNKS) {
        ends[at].last = slice_ends.last;
    }
}
