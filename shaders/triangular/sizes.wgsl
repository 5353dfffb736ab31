// Sizes, which Rust sets for each kernel.

// Partial sums of a row.
const ADDENDS = 0u; // set by Rust

// Blocks that a workgroup waits for at once.
const AHEAD = 0u; // set by Rust

// Sums per thread, of all right-hand sides.
const ALL_SUMS = 0u; // set by Rust

// Blocks that launches load at once.
const AT_ONCE = 0u; // set by Rust

// Rows of a block.
const BLOCK = 0u; // set by Rust

// Right-hand sides that a workgroup solves together.
const COLUMNS = 0u; // set by Rust

// Always 8: the bound of a loop that is written out.
const EIGHT = 0u; // set by Rust

// Eights of entries per thread.
const EIGHTS = 0u; // set by Rust

// Loads of 16 bytes for eight entries.
const EIGHT_UNITS = 0u; // set by Rust

// Always 4: the bound of a loop that is written out.
const FOUR = 0u; // set by Rust

// Threads that share a row.
const PARTS = 0u; // set by Rust

// Entries of a block that a thread holds.
const PIECE = 0u; // set by Rust

// Rows of a system that one workgroup solves.
const ROWS = 0u; // set by Rust

// Entries of an inverse per thread.
const SPAN_ENTRIES = 0u; // set by Rust

// Columns of a block per thread.
const STRIPES = 0u; // set by Rust

// Sums per thread, of one right-hand side.
const SUMS = 0u; // set by Rust

// Threads of a workgroup.
const THREADS = 0u; // set by Rust

// Entries per load.
const WIDTH = 0u; // set by Rust

// Solved rows that a workgroup holds.
const XS = 0u; // set by Rust
