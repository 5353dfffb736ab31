// role: chain

// No dispatches but those that verdicts.wgsl knows.
fn wake_chain(bit: u32) {
}

fn clear_chain(i: u32) {
}
