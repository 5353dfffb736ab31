// role: digits
import roles::real::real;

// Powers of two from LEAST to MOST are normal.
const LEAST: i32 = -126;
const MOST: i32 = 127;
// Of a normal number, in bits.
const DIGITS: i32 = 24;

// Of a normal number; below LEAST for 0 and what is subnormal, above MOST for what is not finite.
fn exponent_of(x: real) -> i32 {
    return i32((bitcast<u32>(x) >> 23u) & 0xffu) - MOST;
}

// x 2^by, where that and x are normal.
fn moved(x: real, by: i32) -> real {
    return bitcast<real>(bitcast<u32>(x) + (u32(by) << 23u));
}

// 2^e, and 0 for e = LEAST - 1.
fn power(e: i32) -> real {
    return bitcast<real>(u32(e + MOST) << 23u);
}

// Of the sign of x, given a 0 that the compiler does not know: constants have to be finite.
fn infinite(x: real, zero: u32) -> real {
    return bitcast<real>((bitcast<u32>(x) & 0x80000000u) | (0x7f800000u + zero));
}
