// Maps whose summands stay among the reals, as nearly all do: half the work. One that left the range says so by
// what it is, infinity or NaN, which no composing mends.
struct Near {
    s: Wide,
    t: real,
}
alias ScanMap = Near;

fn scan_identity() -> Near {
    return Near(Wide(1.0, 0), 0.0);
}

fn scan_then(first: Near, second: Near) -> Near {
    let product = first.s.x * second.s.x;
    let carry = abs(product) >= 2.0;
    let e = max(first.s.e + second.s.e + select(0, 1, carry), NOWHERE);
    return Near(Wide(select(product, 0.5 * product, carry), e), scaled(second.s, first.t) + second.t);
}

fn near_value_behind(map: Near, before: real) -> real {
    if (forgets(map.s)) {
        return map.t;
    }
    return scaled(map.s, before) + map.t;
}

fn far(map: Near) -> Affine {
    return Affine(map.s, wide(map.t, 0));
}
