// role: kernel
import package::shared::place::share_of;
import package::shared::problem::params;
import package::shared::status::report_result;
import super::twisted::{
    KEPT, KeptBlock, NONE, WINDOW, begun, blocks_of_problem, eliminate_block, is_doubted, met, report_spoilt, side_of, solve_block,
};
import roles::real::{all_finite, is_finite, real4};
import roles::verdict::concerns;

// Whole systems of up to 2 KEPT blocks, two threads each: reads 16 bytes per row (f32), and writes 4.
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let blocks = blocks_of_problem();
    let side = side_of(t, share.problem, 0u, (blocks + 1u) / 2u, blocks);
    // Nothing lies outside.
    var progress = begun(side, real4(0.0, 0.0, 0.0, 1.0));
    var kept: array<KeptBlock, KEPT>;
    var spoilt = NONE;
    for (var block = 0u; block < side.blocks; block++) {
        for (var i = 0u; i < WINDOW; i++) { // unroll
            kept[i] = kept[i + 1u];
        }
        kept[WINDOW] = eliminate_block(&progress, side, block);
        if (spoilt == NONE && !all_finite(progress.last)) {
            spoilt = block;
        }
    }
    var next = met(t, progress.last);
    // All threads ask: there may be barriers in it.
    let stored = concerns(t, share, is_doubted(progress)) && share.owned;
    if (stored) {
        // Before x is written, which may lie over rhs.
        report_spoilt(side, spoilt);
    }
    for (var i = KEPT; i > 0u; i--) { // unroll
        // The last block is the last kept.
        let block = side.blocks + i - 1u - KEPT;
        if (side.blocks + i > KEPT) {
            next = solve_block(kept[i - 1u], side, block, next, stored);
        }
    }
    if (stored && spoilt == NONE && !is_finite(next)) {
        report_result(share.problem, min(side.outer, params.n - 1u));
    }
}
