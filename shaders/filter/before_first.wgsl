// A sequence that is one slice.
fn before_slice(share: Share) -> State {
    return initial_of(share.problem);
}
