import roles::map::Value;

// The value before each slice.
@group(0) @binding(8) var<storage, read_write> slice_values: array<Value>;
