// A sequence that is one slice.
fn before_slice(share: Share) -> Value {
    return value_of(initial_of(share.problem));
}
