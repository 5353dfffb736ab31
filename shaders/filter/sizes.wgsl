// Sizes, which Rust sets for each kernel.

// Numbers of the state.
const ORDER = 0u; // set by Rust
