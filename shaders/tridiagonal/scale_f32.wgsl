// 2^-k for 2^k <= size < 2^(k + 1), as far as that is a normal number.
fn inverse_power(size: real) -> real {
    return bitcast<f32>(max(0x7f000000u - (bitcast<u32>(size) & 0x7f800000u), 0x00800000u));
}
