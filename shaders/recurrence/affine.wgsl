// role: map
import roles::digits::{LEAST, MOST, exponent_of, moved, power};
import roles::real::{is_finite, real};

// A number x 2^e with 1 <= |x| < 2, or 0, or what is not finite. Products of many rows' coefficients
// leave the range of reals long before what they are applied to does.
struct Wide {
    x: real,
    e: i32,
}

// The exponent of 0: below all others. None is above its negative's half.
const NOWHERE: i32 = -1073741824;

// x 2^e; what is subnormal counts as 0.
fn wide(x: real, e: i32) -> Wide {
    let own = exponent_of(x);
    let nothing = own < LEAST;
    let kept = select(moved(x, -own), x, own > MOST);
    return Wide(select(kept, real(0.0), nothing), select(clamp(e + own, NOWHERE, -NOWHERE / 2), NOWHERE, nothing));
}

fn times(a: Wide, b: Wide) -> Wide {
    return wide(a.x * b.x, a.e + b.e);
}

fn plus(a: Wide, b: Wide) -> Wide {
    let e = max(a.e, b.e);
    return wide(a.x * power(max(a.e - e, LEAST - 1)) + b.x * power(max(b.e - e, LEAST - 1)), e);
}

// The real of a number times another: two powers of two reach from one end of the range to the other.
fn scaled(a: Wide, v: real) -> real {
    let once = clamp(a.e, LEAST, MOST);
    let twice = clamp(a.e - once, LEAST - 1, MOST);
    return (a.x * power(once)) * (v * power(twice));
}

fn narrow(a: Wide) -> real {
    return scaled(a, 1.0);
}

// What rows make of the value before them: w -> s w + t.
struct Affine {
    s: Wide,
    t: Wide,
}
alias SliceMap = Affine;
alias Value = real;

fn value_of(x: real) -> Value {
    return x;
}

fn identity() -> Affine {
    return Affine(Wide(1.0, 0), Wide(0.0, NOWHERE));
}

fn then(first: Affine, second: Affine) -> Affine {
    if (begins_anew(second.s)) {
        return second;
    }
    return Affine(times(second.s, first.s), plus(times(second.s, first.t), second.t));
}

// A factor of 0: it begins anew, also after what is not finite.
const ANEW: Wide = Wide(0.0, NOWHERE / 2);

fn begins_anew(s: Wide) -> bool {
    return s.x == 0.0;
}

// So small a factor leaves nothing of any value before, and 0 least of all.
fn forgets(s: Wide) -> bool {
    return s.e < 2 * LEAST;
}

// Whether a map leaves nothing of any value before.
fn is_constant(map: Affine) -> bool {
    return forgets(map.s);
}

// The value that such a map leads to.
fn constant_of(map: Affine) -> real {
    return narrow(map.t);
}

fn value_behind(map: Affine, before: real) -> real {
    if (is_constant(map)) {
        return constant_of(map);
    }
    if (!is_finite(before)) {
        return before * map.s.x;
    }
    return narrow(plus(times(map.s, wide(before, 0)), map.t));
}
