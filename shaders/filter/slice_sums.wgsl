// The state that each slice leaves where there was none before it.
@group(0) @binding(7) var<storage, read_write> slice_sums: array<State>;
