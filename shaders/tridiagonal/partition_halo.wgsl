// role: kernel
import package::shared::place::{CHUNKS, LOG_CHUNKS, LOG_RUN, place, share_of};
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import super::halo::HALO;
import super::reach::{ROUNDING, exponent_above, passed_on};
import super::verdicts::{COUPLED, NOT_DOMINANT};
import roles::leaf::{doubtful, reduce_leaf};
import roles::leaf_solve::solve_leaf;
import roles::leaf_tree::{ascend_leaf, descend_leaf};
import roles::real::real;
import roles::slice_verdict::{PACKED_SLICES, give_slice_verdict, stays_finite, verdict_before_slice};

// A slice with HALO chunks on either side of it, solved as if nothing lay beyond: reads 16 bytes per row (f32), those of the
// halos twice, and writes 4.
//
// What lies beyond reaches a slice through the halo's chunks only. Of dominant rows no unknown is larger, in response to
// the outside, than those nearer to it; so a chunk whose last unknown is p x_prev + q x_next passes on no more than
// |p| / (1 - |q|) = |p| / (|p| + c), c being the carried complement, and a halo no more than its chunks' product. Where that
// is not below rounding, or rows are not dominant, nothing is written, and the verdict of each of its problems says so.

var<workgroup> settled: u32;
var<workgroup> doubts: atomic<u32>;
// Of what reaches the slice from the left and from the right, the logarithm of a bound to the base of 2.
var<workgroup> reaching: array<atomic<i32>, 2>;

fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    if (t == 0u) {
        // Once one slice has failed the others are in vain.
        settled = verdict_before_slice(share.problem, share.slice);
        atomicStore(&doubts, 0u);
        atomicStore(&reaching[0], 0);
        atomicStore(&reaching[1], 0);
    }
    if (workgroupUniformLoad(&settled) != 0u) {
        return;
    }
    let chunk = place(t).chunk;
    let behind = share.slice * (CHUNKS - 2u * HALO) + chunk;
    // Before the first row there is as little as behind the last.
    let at = select((params.n + ROWS - 1u) / ROWS, behind - HALO, behind >= HALO);
    let leaf = reduce_leaf(share.problem, at);
    if (doubtful(leaf)) {
        atomicOr(&doubts, NOT_DOMINANT);
    }
    let last = leaf.block.last;
    if (chunk < HALO) {
        atomicAdd(&reaching[0], exponent_above(passed_on(last.x, last.w)));
    }
    if (chunk >= CHUNKS - HALO) {
        // From its last unknown to its first, and to its last from the next chunk.
        let arriving = passed_on(leaf.head.y, leaf.head.w) * passed_on(last.y, last.w);
        atomicAdd(&reaching[1], exponent_above(arriving));
    }
    ascend_leaf(t, leaf);
    if (LOG_CHUNKS <= LOG_RUN) {
        // Otherwise there are some on the way.
        workgroupBarrier();
    }
    let beside = descend_leaf(t, vec2<real>(0.0, 0.0));
    let inner = chunk >= HALO && chunk < CHUNKS - HALO;
    if (PACKED_SLICES) {
        if (inner && !stays_finite(leaf, beside)) {
            atomicOr(&doubts, COUPLED);
        }
        workgroupBarrier();
    }
    let most = max(atomicLoad(&reaching[0]), atomicLoad(&reaching[1]));
    let doubt = atomicLoad(&doubts) | select(0u, COUPLED, most > -i32(ROUNDING));
    give_slice_verdict(t, share.problem, share.slice, doubt);
    solve_leaf(leaf, share.problem, at, beside, share.owned && inner && doubt == 0u);
}
