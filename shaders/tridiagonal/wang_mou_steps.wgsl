import package::shared::block::Block;
import package::shared::place::{CHUNKS, LOG_RUN, place, thread_at};
import package::shared::workgroup::WORKGROUP;
import super::wang_mou_triads::{Triads, double};
import roles::real::real4;
import roles::triad_runs::double_in_runs;

// All steps of a workgroup's problems: among the lanes of a run, then through workgroup memory.
override BLOCKS_HELD: u32 = WORKGROUP >> LOG_RUN;

var<workgroup> held_first: array<real4, BLOCKS_HELD>;
var<workgroup> held_last: array<real4, BLOCKS_HELD>;

fn double_all(t: u32, triads: ptr<function, Triads>) {
    double_in_runs(t, triads);
    let here = place(t);
    for (var v = 1u << LOG_RUN; v < CHUNKS; v *= 2u) {
        workgroupBarrier();
        if (here.chunk % v == 0u) {
            held_first[t >> LOG_RUN] = (*triads).block.first;
            held_last[t >> LOG_RUN] = (*triads).block.last;
        }
        workgroupBarrier();
        let other = thread_at(((here.chunk / v) ^ 1u) * v, here.local_problem) >> LOG_RUN;
        double(triads, Block(held_first[other], held_last[other]), (here.chunk & v) != 0u);
    }
}
