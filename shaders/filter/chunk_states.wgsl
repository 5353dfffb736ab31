// role: summary
import super::powers::advanced;
import super::state::{State, no_state};

const POWERS_BEFORE = 0u; // set by Rust

// A chunk's summary for the scan: its final state for state 0. The power of k chunks has index POWERS_BEFORE + k.
alias Summary = State;

fn no_rows() -> Summary {
    return no_state();
}

fn joined(first: Summary, second: Summary, chunks: u32) -> Summary {
    return advanced(POWERS_BEFORE + chunks, first, second);
}
