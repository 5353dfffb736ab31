// role: real

alias real = f64;
alias real4 = vec4<f64>;

const SMALLEST: real = 1e-290;
const NORMAL: real = 1e-307;
const LARGE: real = 1e307;
const NOISE: real = 1e-13;
const ROUNDOFF: real = 1.1102230246251565e-16;

// Numbers of 16 bytes.
const UNIT = 2u;

// f64 runs on Vulkan only, where comparisons keep their IEEE meaning.
fn is_finite(x: real) -> bool {
    return abs(x) <= 1.7976931348623157e308;
}

fn all_finite(x: real4) -> bool {
    return all(abs(x) <= real4(1.7976931348623157e308));
}

// A difference as it is rounded, given a 0 that the compiler does not know: NVIDIA's (driver 580) makes
// b - (a + c) of (b - a) - c in f64, but not of ((b - a) one) - c.
fn rounded(x: real, zero: u32) -> real {
    return x * f64(1u + zero);
}

// 16 bytes of rows: what a thread loads at once.
alias unit = vec2<real>;

fn unit_of(a: array<real, UNIT>) -> unit {
    return unit(a[0], a[1]);
}
