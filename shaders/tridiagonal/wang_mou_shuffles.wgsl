// role: triad_runs
import package::shared::place::{LOG_CHUNKS, LOG_RUN};
import super::exchange::exchange;
import super::sizes::LOG_LANES;
import super::wang_mou_triads::{Triads, double};

// The steps among the lanes of a run.
fn double_in_runs(t: u32, triads: ptr<function, Triads>) {
    for (var i = 0u; i < LOG_LANES; i++) { // unroll
        if (i < min(LOG_CHUNKS, LOG_RUN)) {
            double(triads, exchange((*triads).block, 1u << i), (t & (1u << i)) != 0u);
        }
    }
}
