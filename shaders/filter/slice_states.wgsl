import super::state::State;

// The state before each slice, in the basis in which states are composed.
@group(0) @binding(8) var<storage, read_write> slice_states: array<State>;
