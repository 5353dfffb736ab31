// role: slice_start
import package::shared::place::Share;
import package::shared::problem::params;
import super::slice_values::slice_values;
import roles::map::Value;

// Known from the launch before.
fn before_slice(share: Share) -> Value {
    return slice_values[share.problem * params.slices + share.slice];
}
