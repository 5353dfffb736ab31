import package::shared::sizes::ROWS;
import super::affine::{ANEW, Affine, NOWHERE, Wide, narrow, plus, times, wide};
import super::near::{Near, near_times};
import super::recurrence_rows::{AffineRows, row_of};
import roles::affine_heads::{starts_sequence, value_before_head};
import roles::digits::{LEAST, exponent_of};
import roles::map::{identity, then};
import roles::real::{is_finite, real};

// Chunks of rows as maps.

// All rows of a chunk as one map, row by row.
fn far_map_of(problem: u32, chunk: u32) -> Affine {
    var map = identity();
    for (var i = 0u; i < ROWS; i++) {
        let row = row_of(problem, chunk, i);
        var own = Affine(wide(row.s, 0), wide(row.t, 0));
        if (starts_sequence(chunk, i) && row.s != 0.0) {
            own = Affine(ANEW, plus(times(own.s, wide(value_before_head(chunk, i), 0)), own.t));
        }
        map = then(map, own);
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

// The same where products of eight factors each stay within the range or a factor is 0, else a map that is not sound.
fn quick_map_of(rows: AffineRows) -> Near {
    var factor = Wide(1.0, 0);
    var sound = true;
    var product = real(1.0);
    var smallest = real(1.0);
    var sum = real(0.0);
    var anew = false;
    for (var i = 0u; i < ROWS; i++) { // unroll
        anew = anew || rows.s[i] == 0.0;
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
    if (anew) {
        return Near(ANEW, sum);
    }
    return Near(Wide(factor.x, select(NOWHERE, factor.e, sound)), sum);
}

// Whether a map holds: its factor is known.
fn is_sound(map: Near) -> bool {
    return map.s.e != NOWHERE;
}

// The same for all factors, row by row.
fn slow_map_of(problem: u32, chunk: u32) -> Near {
    let map = far_map_of(problem, chunk);
    return Near(map.s, narrow(map.t));
}
