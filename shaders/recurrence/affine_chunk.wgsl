import package::shared::sizes::ROWS;
import super::affine::{Affine, NOWHERE, Wide, narrow, wide};
import super::near::{Near, near_times};
import super::recurrence_rows::{AffineRows, row_of};
import roles::digits::{LEAST, exponent_of};
import roles::map::{identity, then};
import roles::real::{is_finite, real};

// Chunks of rows as maps.

// All rows of a chunk as one map, row by row.
fn far_map_of(problem: u32, chunk: u32) -> Affine {
    var map = identity();
    for (var i = 0u; i < ROWS; i++) {
        let row = row_of(problem, chunk, i);
        map = then(map, Affine(wide(row.s, 0), wide(row.t, 0)));
    }
    return map;
}

// All rows of a chunk as one map; its summand says by what it is where it left the range.
fn map_of(problem: u32, chunk: u32, rows: AffineRows) -> Near {
    let map = quick_map_of(rows);
    if (is_sound(map)) {
        return map;
    }
    return slow_map_of(problem, chunk);
}

// The same where products of eight factors each stay within the range, else a map that is not sound.
fn quick_map_of(rows: AffineRows) -> Near {
    var factor = Wide(1.0, 0);
    var sound = true;
    var product = real(1.0);
    var smallest = real(1.0);
    var sum = real(0.0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        product *= rows.s[i];
        smallest = min(smallest, abs(product));
        sum = rows.s[i] * sum + rows.t[i];
        if (i % 8u == 7u || i + 1u == ROWS) {
            sound = sound && exponent_of(smallest) >= LEAST && is_finite(product);
            factor = near_times(factor, wide(product, 0));
            product = 1.0;
            smallest = 1.0;
        }
    }
    return Near(Wide(factor.x, select(NOWHERE, factor.e, sound)), sum);
}

// No factor is 0 of which all products stay within the range.
fn is_sound(map: Near) -> bool {
    return map.s.e != NOWHERE;
}

// The same for all factors, row by row.
fn slow_map_of(problem: u32, chunk: u32) -> Near {
    var smallest = real(1.0);
    var sum = real(0.0);
    for (var i = 0u; i < ROWS; i++) {
        let row = row_of(problem, chunk, i);
        smallest = min(smallest, abs(row.s));
        sum = row.s * sum + row.t;
    }
    // What began anew forgets, whatever the product was before. Otherwise products of few rows hardly ever leave
    // the range.
    if (smallest == 0.0) {
        return Near(Wide(0.0, NOWHERE), sum);
    }
    let map = far_map_of(problem, chunk);
    return Near(map.s, narrow(map.t));
}
