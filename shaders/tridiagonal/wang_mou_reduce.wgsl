// role: kernel
import package::shared::block::Block;
import package::shared::place::{place, share_of};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::kept::kept_at;
import super::wang_mou_steps::double_all;
import super::wang_mou_triads::triads_of;
import roles::own_rows::own_rows;
import roles::real::{is_finite, real};

// First pass of Wang and Mou's method in slices: every row in terms of the unknowns beside its slice,
// and the slice's block. Reads 16 bytes per row (f32), writes 12, and 32 a slice.
@group(0) @binding(6) var<storage, read_write> blocks: array<Block>;
@group(0) @binding(8) var<storage, read_write> kept: array<real>;

fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    var triads = triads_of(own_rows(share.problem, share.chunk * ROWS));
    double_all(t, &triads);
    for (var i = 0u; i < ROWS; i++) { // unroll
        let own = triads.own[i];
        kept[kept_at(w, t, 3u * i)] = own.x;
        kept[kept_at(w, t, 3u * i + 1u)] = own.y;
        // The complement is not kept: what it knows of inputs that are not finite goes with r.
        kept[kept_at(w, t, 3u * i + 2u)] = select(own.w, own.z, is_finite(own.w));
    }
    if (place(t).chunk == 0u && share.owned) {
        blocks[share.problem * params.slices + share.slice] = triads.block;
    }
}
