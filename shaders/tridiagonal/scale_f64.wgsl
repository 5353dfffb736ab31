// role: scale
import roles::real::real;

// 2^-k for 2^k <= size < 2^(k + 1), as far as that is a normal number: by the bits of an f32, since not every
// device has integers as long as an f64.
fn inverse_power(size: real) -> real {
    var near = size;
    var scale: real = 1.0;
    if (!(size < 18446744073709551616.0lf && size > 5.421010862427522e-20lf)) {
        // Seldom: 2^512, 2^256, 2^128, 2^64.
        scale = bring_near(&near, 1.3407807929942597e154lf, 7.458340731200207e-155lf)
            * bring_near(&near, 1.157920892373162e77lf, 8.636168555094445e-78lf)
            * bring_near(&near, 3.402823669209385e38lf, 2.938735877055719e-39lf)
            * bring_near(&near, 18446744073709551616.0lf, 5.421010862427522e-20lf);
    }
    scale *= real(bitcast<f32>(0x7f000000u - (bitcast<u32>(f32(near)) & 0x7f800000u)));
    return clamp(scale, 2.2250738585072014e-308lf, 8.98846567431158e307lf);
}

// Divides by a power where `near` is not below it, multiplies where it is below the inverse; returns the factor.
fn bring_near(near: ptr<function, real>, power: real, inverse: real) -> real {
    let factor = select(select(real(1.0), power, *near < inverse), inverse, *near >= power);
    *near *= factor;
    return factor;
}

// 1 to half of the digits: the root of a unit of roundoff.
const HALF_OF_DIGITS: real = 1.4901161193847656e-8;
// Of a remainder that has no more digits than that.
const SINGULAR: real = 3.725290298461914e-9;
// What roundings may leave of a number of size 1; and of one of a coarse row. (More would be too many by chance in f32.)
const ROUNDED: real = 1.1368683772161603e-13;
const ROUNDED_OFTEN: real = 1.4551915228366852e-11;
