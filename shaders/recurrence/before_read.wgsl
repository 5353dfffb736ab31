// Known from the launch before.
fn before_slice(share: Share) -> real {
    return slice_values[share.problem * params.slices + share.slice];
}
