// role: summary
import super::affine::{Affine, NOWHERE, Wide, begins_anew, forgets, scaled, wide};
import roles::real::real;

// Maps whose summands stay among the reals, as nearly all do: half the work. One that left the range says so by
// what it is, infinity or NaN, which no composing mends.
struct Near {
    s: Wide,
    t: real,
}

fn near_times(a: Wide, b: Wide) -> Wide {
    let product = a.x * b.x;
    let carry = abs(product) >= 2.0;
    return Wide(select(product, 0.5 * product, carry), max(a.e + b.e + select(0, 1, carry), NOWHERE));
}

fn near_then(first: Near, second: Near) -> Near {
    let moved = select(scaled(second.s, first.t), 0.0, begins_anew(second.s));
    return Near(near_times(first.s, second.s), moved + second.t);
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

// What chunks come to, for the scan.
alias Summary = Near;

fn no_rows() -> Summary {
    return Near(Wide(1.0, 0), 0.0);
}

// A map says itself how much it leaves of what was before.
fn joined(first: Summary, second: Summary, chunks: u32) -> Summary {
    return near_then(first, second);
}
