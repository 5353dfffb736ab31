import package::shared::workgroup::WORKGROUP;

const KEPT = 0u; // set by Rust

// KEPT numbers per thread from one pass over the rows to the next: where a thread of the same slice
// finds them side by side with its neighbours'.
fn kept_at(w: u32, t: u32, i: u32) -> u32 {
    return (w * KEPT + i) * WORKGROUP + t;
}
