// role: digits
import roles::real::real;

// Powers of two from LEAST to MOST are normal.
const LEAST: i32 = -1022;
const MOST: i32 = 1023;
// Of a normal number, in bits.
const DIGITS: i32 = 53;

// Of a normal number; below LEAST for 0 and what is subnormal, above MOST for what is not finite.
fn exponent_of(x: real) -> i32 {
    return i32(u32(bitcast<u64>(x) >> 52u) & 0x7ffu) - MOST;
}

// x 2^by, where that and x are normal.
fn moved(x: real, by: i32) -> real {
    return bitcast<real>(bitcast<u64>(x) + (u64(u32(by)) << 52u));
}

// 2^e, and 0 for e = LEAST - 1.
fn power(e: i32) -> real {
    return bitcast<real>(u64(u32(e + MOST)) << 52u);
}

// Of the sign of x, given a 0 that the compiler does not know: constants have to be finite.
fn infinite(x: real, zero: u32) -> real {
    return bitcast<real>((bitcast<u64>(x) & 0x8000000000000000lu) | (0x7ff0000000000000lu + u64(zero)));
}
