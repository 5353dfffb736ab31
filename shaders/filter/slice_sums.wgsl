import super::state::State;

// The state that each slice leaves where there was none before it, in the basis in which states are composed.
@group(0) @binding(7) var<storage, read_write> slice_sums: array<State>;
