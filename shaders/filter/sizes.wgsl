// Sizes, which Rust sets for each kernel.

// Numbers of the state.
const ORDER = 0u; // set by Rust

// Quads of numbers that a matrix takes.
const MATRIX_QUADS = 0u; // set by Rust
