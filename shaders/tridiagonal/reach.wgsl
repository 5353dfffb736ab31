import roles::real::{SMALLEST, real};

// How far unknowns of dominant rows reach: what arrives of an outer one.

// Below two to minus this it no longer matters.
const ROUNDING = 0u; // set by Rust

// x < 2^this.
fn exponent_above(x: real) -> i32 {
    return i32(bitcast<u32>(f32(x)) >> 23u) - 126;
}

// The share of an outer unknown that arrives, given its coefficient and the complement.
fn passed_on(coefficient: real, complement: real) -> real {
    let size = abs(coefficient);
    // 0 of both is nothing to pass on, too.
    return size / max(size + complement, SMALLEST);
}
