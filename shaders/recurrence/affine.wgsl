// A number x UP^e with |x| between LOW and HIGH, or 0, or what is not finite. Products of many rows'
// coefficients leave the range of reals long before what they are applied to does.
struct Wide {
    x: real,
    e: i32,
}

// The exponent of 0: below all others.
const NOWHERE: i32 = -1073741824;

// Without branches: threads differ.
fn wide(x: real, e: i32) -> Wide {
    let large = abs(x) > HIGH;
    let small = abs(x) < LOW;
    let scale = select(select(real(1.0), UP, small), DOWN, large);
    return Wide(x * scale, select(e + select(select(0, -1, small), 1, large), NOWHERE, x == 0.0));
}

fn times(a: Wide, b: Wide) -> Wide {
    return wide(a.x * b.x, a.e + b.e);
}

// What is two exponents below another vanishes beside it.
fn scale_below(digits: i32) -> real {
    return select(select(real(0.0), DOWN, digits == 1), real(1.0), digits == 0);
}

fn plus(a: Wide, b: Wide) -> Wide {
    let e = max(a.e, b.e);
    return wide(a.x * scale_below(e - a.e) + b.x * scale_below(e - b.e), e);
}

fn narrow(a: Wide) -> real {
    let once = select(select(real(1.0), UP, a.e > 0), DOWN, a.e < 0);
    let twice = select(select(real(1.0), UP, a.e > 1), DOWN, a.e < -1);
    return (a.x * once) * twice;
}

// What rows make of the value before them: w -> s w + t.
struct Affine {
    s: Wide,
    t: Wide,
}

fn identity() -> Affine {
    return Affine(Wide(1.0, 0), Wide(0.0, NOWHERE));
}

fn then(first: Affine, second: Affine) -> Affine {
    return Affine(times(second.s, first.s), plus(times(second.s, first.t), second.t));
}

// So small a factor leaves nothing of any value before, and 0 least of all.
const FORGOTTEN: i32 = -4;

fn forgets(map: Affine) -> bool {
    return map.s.e <= FORGOTTEN;
}

fn value_behind(map: Affine, before: real) -> real {
    if (forgets(map)) {
        return narrow(map.t);
    }
    if (!is_finite(before)) {
        return before * map.s.x;
    }
    return narrow(plus(times(map.s, wide(before, 0)), map.t));
}
