// role: numbers
import roles::real::real4;

const CONSTANT_QUADS = 0u; // set by Rust

// One filter for all sequences. Numbers that all threads read at the same index, and powers of its matrix.
@group(0) @binding(4) var<uniform> constants: array<real4, CONSTANT_QUADS>;
@group(0) @binding(3) var<storage, read> powers: array<real4>;

fn take_filter_of(problem: u32) {}

fn constant(quad: u32) -> real4 {
    return constants[quad];
}

fn power_quad(quad: u32) -> real4 {
    return powers[quad];
}
