// role: trace

// For plans without a trace: no event is noted.
fn trace_start(t: u32, number: u32, row: u32) {
}

fn trace_wait(t: u32, leads: bool, looks: u32) {
}

fn trace_products(t: u32) {
}

fn trace_end(complete: bool) {
}
