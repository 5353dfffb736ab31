// Sizes, which Rust sets for each kernel.

// Rounds in which a workgroup's threads move a tile.
const ROUNDS = 0u; // set by Rust
