// role: trace
import super::problem::params;

// The order of events over all workgroups. WGSL has no clock: every event takes a number from a counter, which gives the order, and no
// times. Only the first thread of a workgroup notes their numbers.
const EVENTS: u32 = 6u;
// First the counter. Then, per block row of a problem, six words: the numbers of four events, counted from 1 (begun; first wait over; all
// products summed up; unknowns told), the number of waits, and how often it was begun (a workgroup that waits in vain begins again).
// 0 means never.
@group(0) @binding(4) var<storage, read_write> trace: array<atomic<u32>>;

var<private> trace_at: u32;
var<private> trace_summed: u32;

fn next_number() -> u32 {
    return atomicAdd(&trace[0], 1u) + 1u;
}

// Notes the number of an event, if it is the first of its kind.
fn note_first(event: u32, number: u32) {
    if (atomicLoad(&trace[trace_at + event]) == 0u) {
        atomicStore(&trace[trace_at + event], number);
    }
}

fn trace_start(t: u32, number: u32, row: u32) {
    trace_at = 1u + (number * params.blocks + row) * EVENTS;
    if (t == 0u) {
        note_first(0u, next_number());
        atomicAdd(&trace[trace_at + 5u], 1u);
    }
}

// `leads`: of the threads that wait for a block, the one that counts it.
fn trace_wait(t: u32, leads: bool, looks: u32) {
    if (leads && looks > 0u) {
        atomicAdd(&trace[trace_at + 4u], 1u);
        if (t == 0u) {
            note_first(1u, next_number());
        }
    }
}

fn trace_products(t: u32) {
    if (t == 0u) {
        trace_summed = next_number();
    }
}

// For the first thread. `complete`: everything that was waited for was there.
fn trace_end(complete: bool) {
    if (complete) {
        note_first(2u, trace_summed);
        note_first(3u, next_number());
    }
}
