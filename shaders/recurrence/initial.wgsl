// role: initial
import roles::real::real;

const INITIAL_BINDING = 0u; // set by Rust

// A value before the first row for each sequence, else one for all.
override INITIALS: bool = false;

@group(0) @binding(INITIAL_BINDING) var<storage, read> initial: array<real>; // input

fn initial_of(problem: u32) -> real {
    return initial[select(0u, problem, INITIALS)];
}
