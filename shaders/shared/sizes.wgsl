// Sizes, which Rust sets for each kernel.

// Rows per thread.
const ROWS = 0u; // set by Rust

// The same, in vectors of four.
const QUADS = 0u; // set by Rust

// Half of them.
const HALF = 0u; // set by Rust

// Slices whose maps a thread loads at once.
const AHEAD = 0u; // set by Rust

// The caller's vectors share a buffer with the solution.
const INPUTS_WRITABLE = false; // set by Rust
