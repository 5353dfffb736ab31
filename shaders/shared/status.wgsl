import roles::problem::{numbered, params};

// Status words (src/status.rs): the least number of each kind of report.
const STATUS_WORDS = 0u; // set by Rust
const NON_FINITE_INPUT = 0u; // set by Rust
const NON_FINITE_RESULT = 0u; // set by Rust
const ZERO_DIAGONAL = 0u; // set by Rust
const PIVOTED = 0u; // set by Rust
const PROMISED_DOMINANT = 0u; // set by Rust
const SINGULAR_PARTITION = 0u; // set by Rust

@group(0) @binding(5) var<storage, read_write> status_words: array<atomic<u32>, STATUS_WORDS>;

fn report_input(problem: u32, row: u32) {
    atomicMin(&status_words[NON_FINITE_INPUT], numbered(problem) * params.n + row);
}

fn report_result(problem: u32, row: u32) {
    atomicMin(&status_words[NON_FINITE_RESULT], numbered(problem) * params.n + row);
}

fn report_diagonal(problem: u32, row: u32) {
    atomicMin(&status_words[ZERO_DIAGONAL], numbered(problem) * params.n + row);
}

fn report_pivoting(problem: u32) {
    atomicMin(&status_words[PIVOTED], numbered(problem) * params.n);
}

fn report_not_dominant(problem: u32) {
    atomicMin(&status_words[PROMISED_DOMINANT], numbered(problem) * params.n);
}

fn report_singular_partition(problem: u32) {
    atomicMin(&status_words[SINGULAR_PARTITION], numbered(problem));
}
