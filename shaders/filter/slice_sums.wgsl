import super::state::State;

// The final state of each slice for state 0, in the basis in which states are composed.
@group(0) @binding(7) var<storage, read_write> slice_sums: array<State>;
