// A number x UP^e with |x| between LOW and HIGH, or 0, or what is not finite. Products of many rows'
// coefficients leave the range of reals long before what they are applied to does.
struct Wide {
    x: real,
    e: i32,
}

fn wide(x: real, e: i32) -> Wide {
    let size = abs(x);
    if (size > HIGH) {
        return Wide(x * DOWN, e + 1);
    }
    if (size < LOW) {
        return Wide(x * UP, select(e - 1, 0, x == 0.0));
    }
    return Wide(x, e);
}

// 0 times anything is 0: a coefficient of 0 starts anew whatever came before.
fn times(a: Wide, b: Wide) -> Wide {
    if (a.x == 0.0 || b.x == 0.0) {
        return Wide(0.0, 0);
    }
    return wide(a.x * b.x, a.e + b.e);
}

fn plus(a: Wide, b: Wide) -> Wide {
    if (a.x == 0.0) {
        return b;
    }
    if (b.x == 0.0) {
        return a;
    }
    if (a.e == b.e) {
        return wide(a.x + b.x, a.e);
    }
    var large = a;
    var small = b;
    if (a.e < b.e) {
        large = b;
        small = a;
    }
    if (large.e - small.e > 1) {
        return large;
    }
    return wide(large.x + small.x * DOWN, large.e);
}

fn narrow(a: Wide) -> real {
    var x = a.x;
    for (var i = 0; i < 2; i++) {
        if (i < a.e) {
            x *= UP;
        }
        if (i < -a.e) {
            x *= DOWN;
        }
    }
    return x;
}

// What rows make of the value before them: w -> s w + t.
struct Affine {
    s: Wide,
    t: Wide,
}

fn identity() -> Affine {
    return Affine(Wide(1.0, 0), Wide(0.0, 0));
}

fn then(first: Affine, second: Affine) -> Affine {
    return Affine(times(second.s, first.s), plus(times(second.s, first.t), second.t));
}

fn value_behind(map: Affine, before: real) -> real {
    return narrow(plus(times(map.s, wide(before, 0)), map.t));
}

// As four reals; more digits than these have no way back.
const MOST_DIGITS: i32 = 4194304;

fn packed(map: Affine) -> real4 {
    let digits = clamp(vec2<i32>(map.s.e, map.t.e), vec2<i32>(-MOST_DIGITS), vec2<i32>(MOST_DIGITS));
    return real4(map.s.x, map.t.x, real(digits.x), real(digits.y));
}

fn unpacked(map: real4) -> Affine {
    return Affine(Wide(map.x, i32(map.z)), Wide(map.y, i32(map.w)));
}
