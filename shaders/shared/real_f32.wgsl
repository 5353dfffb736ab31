// role: real

alias real = f32;
alias real4 = vec4<f32>;

const SMALLEST: real = 1e-30;
const NORMAL: real = 1e-37;
const LARGE: real = 1e37;
const NOISE: real = 1e-5;
const ROUNDOFF: real = 5.9604645e-8;

// Numbers of 16 bytes.
const UNIT = 4u;

// By bits: a compiler may assume that comparisons see no NaN.
fn is_finite(x: real) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn all_finite(x: real4) -> bool {
    return all((bitcast<vec4<u32>>(x) & vec4<u32>(0x7f800000u)) != vec4<u32>(0x7f800000u));
}

// A difference as it is rounded. No driver tried adds f32 up in another order.
fn rounded(x: real, zero: u32) -> real {
    return x;
}

// 16 bytes of rows: what a thread loads at once.
alias unit = real4;

fn unit_of(a: array<real, UNIT>) -> unit {
    return unit(a[0], a[1], a[2], a[3]);
}
