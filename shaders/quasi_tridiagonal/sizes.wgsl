// Sizes, which Rust sets for each kernel.

// Sums that a dispatch adds up over all rows.
const SUMS = 0u; // set by Rust
