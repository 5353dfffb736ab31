// A sequence that is one slice.
fn before_slice(share: Share) -> real {
    return initial_of(share.problem);
}
