// role: slice_start
import package::shared::place::Share;
import package::shared::problem::params;
import super::slice_states::slice_states;
import super::constants::out_of_basis;
import super::state::State;

// Known from the launch before.
fn before_slice(share: Share) -> State {
    return out_of_basis(slice_states[share.problem * params.slices + share.slice]);
}
