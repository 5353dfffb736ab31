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
fn map_of(problem: u32, chunk: u32, rows: Rows) -> Near {
    var product = real(1.0);
    var smallest = real(1.0);
    var sum = real(0.0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        product *= rows.s[i];
        smallest = min(smallest, abs(product));
        sum = rows.s[i] * sum + rows.t[i];
    }
    if (exponent_of(smallest) >= LEAST && is_finite(product)) {
        return Near(wide(product, 0), sum);
    }
    // What began anew forgets, whatever the product was before. Otherwise products of few rows hardly ever leave
    // the range.
    smallest = 1.0;
    for (var i = 0u; i < ROWS; i++) { // unroll
        smallest = min(smallest, abs(rows.s[i]));
    }
    if (smallest == 0.0) {
        return Near(Wide(0.0, NOWHERE), sum);
    }
    let map = far_map_of(problem, chunk);
    return Near(map.s, narrow(map.t));
}

// The maps of a slice, of which a thread has these rows.
fn slice_of(t: u32, problem: u32, chunk: u32, rows: Rows) -> Slice {
    var slice: Slice;
    slice.near = scanned(t, map_of(problem, chunk, rows));
    slice.is_far = any_left_range(slice.near);
    if (slice.is_far) {
        slice.far = far_scanned(t, far_map_of(problem, chunk));
    }
    return slice;
}
