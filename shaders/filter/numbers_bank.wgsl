// role: numbers
import package::shared::problem::params;
import roles::real::real4;

const CONSTANT_QUADS = 0u; // set by Rust

// A filter per sequence: for each, the constants and then the powers of its matrix.
@group(0) @binding(3) var<storage, read> numbers: array<real4>;

// The first quad of the thread's filter.
var<private> first_quad: u32;

// Before any other function of the filter.
fn take_filter_of(problem: u32) {
    first_quad = problem * (arrayLength(&numbers) / params.problems);
}

fn constant(quad: u32) -> real4 {
    return numbers[first_quad + quad];
}

fn power_quad(quad: u32) -> real4 {
    return numbers[first_quad + CONSTANT_QUADS + quad];
}
