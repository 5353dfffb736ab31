// Known from the launch before.
fn before_slice(share: Share) -> Value {
    return slice_values[share.problem * params.slices + share.slice];
}
