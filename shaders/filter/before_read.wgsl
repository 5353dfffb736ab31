// Known from the launch before.
fn before_slice(share: Share) -> State {
    return out_of_basis(slice_states[share.problem * params.slices + share.slice]);
}
