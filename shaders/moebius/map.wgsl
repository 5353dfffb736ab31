// role: map, summary
import package::shared::problem::params;
import roles::digits::{LEAST, MOST, exponent_of, infinite, power};
import roles::real::{is_finite, real};

// A value w as the point p : q of the projective line, w = p/q: infinity, 1 : 0, is one like others. Points and
// maps are given up to a factor, so powers of two are taken out wherever they come up, which is exact.
alias Value = vec2<real>;

// v 2^e.
struct Point {
    v: Value,
    e: i32,
}

// Exponents beyond count as infinite.
const FAR: i32 = 536870912;

// The same with the larger component between a half and 1. 0 : 0 stays, and what is not finite.
fn rescaled(v: Value) -> Point {
    let e = clamp(exponent_of(max(abs(v.x), abs(v.y))) + 1, LEAST, MOST - 1);
    return Point(v * power(-e), e);
}

fn value_of(x: real) -> Value {
    return rescaled(Value(x, 1.0)).v;
}

fn is_nothing(v: Value) -> bool {
    return v.x == 0.0 && v.y == 0.0;
}

// Neither 0 : 0 nor made of what is not finite; what is not proper leads to nothing that is.
fn is_proper(v: Value) -> bool {
    return is_finite(v.x) && is_finite(v.y) && !is_nothing(v);
}

fn quotient(v: Value) -> real {
    return select(v.x / v.y, infinite(v.x, params.zero), v.y == 0.0 && v.x != 0.0);
}

// What rows make of the value before them, by where infinity and 0 : 1 go: p : q to
// p 2^e of_infinity + q of_zero, the columns of a product of matrices. With an exponent between the two no number leaves the
// range unless the image of 0 or that of infinity does.
struct Moebius {
    of_infinity: Value,
    of_zero: Value,
    e: i32,
}
alias Summary = Moebius;
alias SliceMap = Moebius;

fn settled(of_infinity: Point, of_zero: Point) -> Moebius {
    // A column of zeros counts nothing beside the other.
    let e = clamp(of_infinity.e - of_zero.e, -FAR, FAR);
    let e_or_none = select(e, -FAR, is_nothing(of_infinity.v));
    return Moebius(of_infinity.v, of_zero.v, select(e_or_none, FAR, is_nothing(of_zero.v)));
}

fn identity() -> Moebius {
    return Moebius(Value(0.5, 0.0), Value(0.0, 0.5), 0);
}

// The exponent; of 0 below all others.
fn level(x: real) -> i32 {
    let e = exponent_of(x);
    return select(e, -2 * FAR, e < LEAST);
}

fn image(map: Moebius, v: Value) -> Point {
    let e = max(level(v.x) + map.e, level(v.y));
    let p = v.x * power(clamp(map.e - e, LEAST - 1, MOST));
    let q = v.y * power(clamp(-e, LEAST - 1, MOST));
    let found = rescaled(map.of_infinity * p + map.of_zero * q);
    return Point(found.v, found.e + e);
}

fn then(first: Moebius, second: Moebius) -> Moebius {
    let of_infinity = image(second, first.of_infinity);
    return settled(Point(of_infinity.v, of_infinity.e + first.e), image(second, first.of_zero));
}

fn value_behind(map: Moebius, before: Value) -> Value {
    return image(map, before).v;
}

fn no_rows() -> Summary {
    return identity();
}

// A map says itself how much it leaves of what was before.
fn joined(first: Summary, second: Summary, chunks: u32) -> Summary {
    return then(first, second);
}
