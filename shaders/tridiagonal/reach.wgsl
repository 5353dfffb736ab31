import roles::real::{SMALLEST, real};

// Bounds on the influence of an outside unknown on dominant rows (partition_halo.wgsl derives them).

// Influence below two to minus this is dropped.
const ROUNDING = 0u; // set by Rust

// x < 2^this.
fn exponent_above(x: real) -> i32 {
    return i32(bitcast<u32>(f32(x)) >> 23u) - 126;
}

// The share of an outer unknown that arrives, given its coefficient and the complement.
fn passed_on(coefficient: real, complement: real) -> real {
    let size = abs(coefficient);
    // If both are 0, the share is 0.
    return size / max(size + complement, SMALLEST);
}
