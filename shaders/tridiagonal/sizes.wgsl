// Sizes, which Rust sets for each kernel.

// Rows that a thread loads at once.
const LOADED = 0u; // set by Rust

// The same, in vectors of four.
const LOADED_QUADS = 0u; // set by Rust

// Loads of LOADED rows that make ROWS.
const PARTS = 0u; // set by Rust

// Numbers of 16 bytes.
const PIECE = 0u; // set by Rust

// Pieces per thread.
const PIECES = 0u; // set by Rust

// Rows per thread, and one piece.
const ROWS_AND_PIECE = 0u; // set by Rust

// Rows of a partition between its first and its last.
const INNER = 0u; // set by Rust

// Steps of cyclic reduction within a thread's rows.
const ROW_STEPS = 0u; // set by Rust

// Blocks of the level below per thread.
const BLOCKS = 0u; // set by Rust

// Steps that merge the largest run of lanes.
const LOG_LANES = 0u; // set by Rust
