// role: slice_start
import package::shared::place::Share;
import super::initial_state::initial_state_of;
import super::state::State;

// A sequence that is one slice.
fn before_slice(share: Share) -> State {
    return initial_state_of(share.problem);
}
