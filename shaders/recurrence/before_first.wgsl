// role: slice_start
import package::shared::place::Share;
import roles::initial::initial_of;
import roles::map::{Value, value_of};

// A sequence that is one slice.
fn before_slice(share: Share) -> Value {
    return value_of(initial_of(share.problem));
}
