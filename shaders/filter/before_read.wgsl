// Known from the launch before.
fn before_slice(share: Share) -> State {
    return slice_states[share.problem * params.slices + share.slice];
}
