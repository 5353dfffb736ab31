// role: trace
import super::problem::params;

// The order of events, over all workgroups: WGSL has no clock, so that a counter, which every event takes a number from, says only what
// came before what. The first thread speaks for its workgroup.
const EVENTS: u32 = 5u;
// The counter, and per block row of a problem, counted from 1: when its workgroup began, when its first wait was over, when its last product
// was summed up, when its unknowns were told; and for how many blocks it waited. 0 means never.
@group(0) @binding(4) var<storage, read_write> trace: array<atomic<u32>>;

var<private> trace_at: u32;
var<private> trace_waits: u32;

fn note(t: u32, event: u32) {
    if (t == 0u) {
        atomicStore(&trace[trace_at + event], atomicAdd(&trace[0], 1u) + 1u);
    }
}

fn trace_start(t: u32, number: u32, row: u32) {
    trace_at = 1u + (number * params.blocks + row) * EVENTS;
    trace_waits = 0u;
    note(t, 0u);
}

fn trace_wait(t: u32, looks: u32) {
    if (looks > 0u) {
        if (trace_waits == 0u) {
            note(t, 1u);
        }
        trace_waits += 1u;
    }
}

fn trace_products(t: u32) {
    note(t, 2u);
}

fn trace_end(t: u32) {
    note(t, 3u);
    if (t == 0u) {
        atomicStore(&trace[trace_at + 4u], trace_waits);
    }
}
