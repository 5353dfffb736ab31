// role: scale
import roles::real::real;

// 2^-k for 2^k <= size < 2^(k + 1), as far as that is a normal number.
fn inverse_power(size: real) -> real {
    return bitcast<f32>(max(0x7f000000u - (bitcast<u32>(size) & 0x7f800000u), 0x00800000u));
}

// 1 to half of the digits: the root of a unit of roundoff.
const HALF_OF_DIGITS: real = 2.44140625e-4;
// Of a remainder that has no more digits than that.
const SINGULAR: real = 6.103515625e-5;
// What roundings may leave of a number of size 1; and of one of a coarse row. (More would be too many by chance in f32.)
const ROUNDED: real = 1.9073486328125e-6;
const ROUNDED_OFTEN: real = 1.52587890625e-5;
