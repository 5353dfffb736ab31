// role: slice
import package::shared::sizes::ROWS;
import super::map::{Moebius, Point, rescaled, settled};
import super::moebius_slice::Slice;
import roles::chunk_rows::Rows;
import roles::digits::{MOST, exponent_of, power};
import roles::map::Value;
import roles::real::real;
import roles::scan::scanned;

// Chunks of rows as maps.

// A row w -> (a w + b)/(c w + d).
struct MoebiusRow {
    a: real,
    b: real,
    c: real,
    d: real,
}

// Multiplied by a power of two where small numbers would be lost in products, or large ones would pass the range.
fn balanced(row: MoebiusRow) -> MoebiusRow {
    let e = exponent_of(max(max(abs(row.a), abs(row.b)), max(abs(row.c), abs(row.d))));
    let by = power(select(clamp(-e, 0, MOST), -8, e > MOST - 16));
    return MoebiusRow(by * row.a, by * row.b, by * row.c, by * row.d);
}

fn behind_row(row: MoebiusRow, v: Value) -> Point {
    return rescaled(Value(row.a * v.x + row.b * v.y, row.c * v.x + row.d * v.y));
}

// All rows of a chunk as one map.
fn moebius_map_of(rows: Rows) -> Moebius {
    var of_infinity = Point(Value(0.5, 0.0), 0);
    var of_zero = Point(Value(0.0, 0.5), 0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        let row = balanced(MoebiusRow(rows.a[i], rows.b[i], rows.c[i], rows.d[i]));
        let left = behind_row(row, of_infinity.v);
        let right = behind_row(row, of_zero.v);
        of_infinity = Point(left.v, of_infinity.e + left.e);
        of_zero = Point(right.v, of_zero.e + right.e);
    }
    return settled(of_infinity, of_zero);
}

// The maps of a slice, of which a thread has these rows.
fn slice_of(t: u32, problem: u32, chunk: u32, rows: Rows) -> Slice {
    return scanned(t, moebius_map_of(rows));
}
