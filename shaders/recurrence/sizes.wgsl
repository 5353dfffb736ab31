// Sizes, which Rust sets for each kernel.

// Rounds in which a workgroup's threads move a tile.
const ROUNDS = 0u; // set by Rust

// Words that a slice tells of its map in one pass, and of a value.
const MAP_WORDS = 0u; // set by Rust
const VALUE_WORDS = 0u; // set by Rust
