// role: kernel
import package::shared::place::{PROBLEMS, place, share_of};
import package::shared::problem::params;
import super::reach::{ROUNDING, exponent_above, passed_on};
import super::twisted::{
    KEPT, KeptBlock, NONE, WINDOW, begun, blocks_of_problem, eliminate_block, is_doubted, met, report_spoilt, side_of, solve_block,
};
import super::verdicts::{COUPLED, NOT_DOMINANT, give_verdict};
import roles::real::{is_finite, real, real4};

// Dominant systems of any length, slice by slice, two threads per slice: reads 16 bytes per row (f32), those of halos twice, and
// writes 4. A thread keeps KEPT blocks only, since rows far away no longer matter: the unknown behind WINDOW blocks reaches the
// rows before them by the product of their q. Before a thread meets a further block, it solves the oldest, as if nothing lay
// behind the last. Halos of WINDOW blocks do the same at the slice's ends.
//
// Where that product is not below rounding, or rows are not dominant, the problem's verdict says so, and others solve it.

var<workgroup> doubts: array<atomic<u32>, PROBLEMS>;

fn is_below_rounding(x: real) -> bool {
    return exponent_above(abs(x)) <= -i32(ROUNDING);
}

// Whether a window may still decay below rounding, given the product of q of its first two blocks; else a thread gives up early.
// It asks for half of the decay per block that the window needs.
fn may_forget(x: real) -> bool {
    return i32(WINDOW) * exponent_above(abs(x)) <= -i32(ROUNDING);
}

fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let local_problem = place(t).local_problem;
    if (t < PROBLEMS) {
        atomicStore(&doubts[t], 0u);
    }
    workgroupBarrier();
    let blocks = blocks_of_problem();
    // Two threads per slice, and so several neighbouring slices of few problems.
    let first = min((share.chunk / 2u) * params.blocks, blocks);
    let end = min(first + params.blocks, blocks);
    // A slice without blocks, behind the last one, has no halo.
    let window = select(WINDOW, 0u, first == end);
    let halo_first = max(first, window) - window;
    let halo_end = min(end + window, blocks);
    let middle = clamp((halo_first + halo_end + 1u) / 2u, first, end);
    let side = side_of(t, share.problem, halo_first, middle, halo_end);
    let halo = select(first - halo_first, halo_end - end, side.upwards);
    // At an end of the system nothing lies outside; elsewhere the first row is still to be put in terms of the one before.
    let at_end = select(halo_first == 0u, halo_end == blocks, side.upwards);
    let outside = select(real4(1.0, 0.0, 0.0, 0.0), real4(0.0, 0.0, 0.0, 1.0), at_end);
    var progress = begun(side, outside);
    var doubt = 0u;
    var spoilt = NONE;
    var kept: array<KeptBlock, KEPT>;
    // One way out only, in the loop's head: with others, an H200 takes 15% longer.
    for (var block = 0u; block < side.blocks && doubt == 0u; block++) {
        if (block >= KEPT + halo) {
            var behind = real(0.0);
            var reaching = real(1.0);
            for (var i = WINDOW; i > 0u; i--) { // unroll
                behind = kept[i].through.x * behind + kept[i].through.y;
                reaching *= kept[i].through.x;
            }
            if (!is_below_rounding(reaching)) {
                doubt = COUPLED;
            }
            let first = solve_block(kept[0], side, block - KEPT, behind, share.owned);
            if (spoilt == NONE && !is_finite(first)) {
                spoilt = block - KEPT;
            }
        }
        for (var i = 0u; i < WINDOW; i++) { // unroll
            kept[i] = kept[i + 1u];
        }
        kept[WINDOW] = eliminate_block(&progress, side, block);
        if (spoilt == NONE && !is_finite(progress.last.z)) {
            spoilt = block;
        }
        if (block == 1u && side.blocks > KEPT && !may_forget(kept[WINDOW - 1u].through.x * kept[WINDOW].through.x)) {
            doubt = COUPLED;
        }
        if (is_doubted(progress)) {
            doubt = NOT_DOMINANT;
        }
        if (block + 1u == halo && !at_end && !is_below_rounding(passed_on(progress.last.x, progress.last.w))) {
            doubt |= COUPLED;
        }
    }
    atomicOr(&doubts[local_problem], doubt);
    var next = met(t, progress.last);
    let stored = atomicLoad(&doubts[local_problem]) == 0u && share.owned;
    if (t < PROBLEMS && share.base + t < params.problems && atomicLoad(&doubts[t]) != 0u) {
        give_verdict(share.base + t, atomicLoad(&doubts[t]));
    }
    for (var i = KEPT; i > 0u; i--) { // unroll
        // The last block is the last kept; those of the halo are the neighbour's.
        let block = side.blocks + i - 1u - KEPT;
        if (side.blocks + i > KEPT + halo) {
            next = solve_block(kept[i - 1u], side, block, next, stored);
            if (spoilt == NONE && !is_finite(next)) {
                spoilt = block;
            }
        }
    }
    if (stored) {
        report_spoilt(side, spoilt);
    }
}
