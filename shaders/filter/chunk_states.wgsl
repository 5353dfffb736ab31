// role: summary
import super::powers::advanced;
import super::state::{State, no_state};

const POWERS_BEFORE = 0u; // set by Rust

// What chunks come to, for the scan: the state that they leave of no state. Powers of whole numbers of chunks lie
// behind POWERS_BEFORE others.
alias Summary = State;

fn no_rows() -> Summary {
    return no_state();
}

fn joined(first: Summary, second: Summary, chunks: u32) -> Summary {
    return advanced(POWERS_BEFORE + chunks, first, second);
}
