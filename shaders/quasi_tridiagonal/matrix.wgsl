import super::gathered::gathered;
import super::params::params;
import roles::real::{real, real4};
import roles::unknowns::x;

// A = T + S. `tri` holds the three diagonals of T, each of `quads` fours of rows; S lies in slices of 32 rows, each as
// wide as its longest row: entry j of a slice's rows side by side, so that neighbouring lanes read neighbouring fours.
// `index` has first where each slice begins, in rows of eight fours, then the columns. Filled up with entries of 0, and
// with rows that say x = 0.
@group(0) @binding(3) var<storage, read> tri: array<real4>;
@group(0) @binding(4) var<storage, read> index: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> off: array<real4>;

fn slice_begin(slice: u32) -> u32 {
    return index[slice / 4u][slice % 4u];
}

// S x in four rows.
fn product_beside(q: u32) -> real4 {
    let slice = q / 8u;
    let end = slice_begin(slice + 1u);
    var sum = real4(0.0);
    for (var j = slice_begin(slice); j < end; j++) {
        let at = j * 8u + q % 8u;
        sum += off[at] * gathered(index[params.columns_at + at]);
    }
    return sum;
}

// x above and below four rows; the matrix has zeros where there is none.
fn row_above(q: u32) -> real {
    return x[max(q, 1u) - 1u].w;
}

fn row_below(q: u32) -> real {
    return x[min(q + 1u, params.quads - 1u)].x;
}

// T x in four rows.
fn within(q: u32, a: real4, b: real4, c: real4, own: real4) -> real4 {
    return b * own + a * real4(row_above(q), own.xyz) + c * real4(own.yzw, row_below(q));
}

// A x in four rows.
fn product(q: u32) -> real4 {
    return within(q, tri[q], tri[params.quads + q], tri[2u * params.quads + q], x[q]) + product_beside(q);
}
