// Sizes, which Rust sets for each kernel.

// Sums that a dispatch adds up over all rows.
const SUMS = 0u; // set by Rust

// Steps of cyclic reduction that the chunks of a block take.
const CHUNK_STEPS = 0u; // set by Rust
