import roles::real::{real, real4};

// Blocks of consecutive rows, reduced to what their neighbours see of them.
//
// A relation is real4(p, q, r, c): x = p x_prev + q x_next + r, with c = 1 - |p| - |q|
// carried along instead of computed, because that subtraction is where f32 loses
// diffusion-like systems. Every update of c below adds terms that are >= 0 for a
// diagonally dominant matrix (Grassmann, Taksar, Heyman 1985; Alfa, Xue, Ye 2002).

// One equation a x_prev + b x + c x_next = d with its excess e = |b| - |a| - |c|.
struct Equation {
    a: real,
    b: real,
    c: real,
    d: real,
    e: real,
}

struct Block {
    first: real4,
    last: real4,
}

// The two unknowns at the seam of neighbouring blocks, in terms of the outer neighbours.
struct Seam {
    last: real4,
    first: real4,
}

// "x is x_prev" and "x is x_next": the block without rows, neutral in every merge.
fn empty_block() -> Block {
    return Block(real4(0.0, 1.0, 0.0, 0.0), real4(1.0, 0.0, 0.0, 0.0));
}

// Of opposite signs. A zero may count as either: what depends on it then agrees.
fn opposite(a: real, b: real) -> bool {
    return (a < 0.0) != (b < 0.0);
}

// |x| + |y| - |x + y|
fn cancelled(x: real, y: real) -> real {
    return select(real(0.0), 2.0 * min(abs(x), abs(y)), opposite(x, y));
}

// What a complement gains where a size that dominance keeps positive came out negative, its
// formula having taken the size for its magnitude.
fn flipped(size: real) -> real {
    return abs(size) - size;
}

// The relation of a row to x_prev and x_next, given `above`, the relation of the row
// before it to x_prev and to this row's unknown.
fn eliminate(above: real4, row: Equation) -> real4 {
    let t = row.a * above.y;
    let turn = opposite(t, row.b);
    let size_a = abs(row.a);
    let size = select(abs(row.b) + abs(t), row.e + abs(row.c) + size_a * (abs(above.x) + above.w), turn);
    let gain = select(above.w + 2.0 * abs(above.y), above.w, turn);
    let magnitude = 1.0 / size;
    let inverse = select(magnitude, -magnitude, row.b < 0.0);
    return real4(
        -row.a * above.x * inverse,
        -row.c * inverse,
        (row.d - row.a * above.z) * inverse,
        (row.e + size_a * gain + flipped(size)) * abs(magnitude),
    );
}

// A row on its own.
fn relation(row: Equation) -> real4 {
    let inverse = 1.0 / row.b;
    return real4(-row.a * inverse, -row.c * inverse, row.d * inverse, row.e * abs(inverse));
}

// Eliminates the two unknowns at a seam from each other.
fn join(last: real4, first: real4) -> Seam {
    let turn = opposite(last.y, first.x);
    let a = abs(last.y);
    let b = abs(first.x);
    let size = select((abs(last.x) + last.w) + a * (abs(first.y) + first.w), 1.0 + a * b, turn);
    let k = 1.0 / size;
    let more_a = select(real(0.0), 2.0 * a, turn);
    let more_b = select(real(0.0), 2.0 * b, turn);
    let gain = flipped(size);
    return Seam(
        real4(
            k * last.x,
            k * (last.y * first.y),
            k * (last.y * first.z + last.z),
            abs(k) * (last.w + a * (first.w + more_b) + gain),
        ),
        real4(
            k * (first.x * last.x),
            k * first.y,
            k * (first.x * last.z + first.z),
            abs(k) * (first.w + b * (last.w + more_a) + gain),
        ),
    );
}

// `outer` with its x_next replaced by the relation `x`.
fn through_next(outer: real4, x: real4) -> real4 {
    let s = outer.y * x.x;
    return real4(
        outer.x + s,
        outer.y * x.y,
        outer.z + outer.y * x.z,
        outer.w + abs(outer.y) * x.w + cancelled(outer.x, s),
    );
}

// `outer` with its x_prev replaced by the relation `x`.
fn through_prev(outer: real4, x: real4) -> real4 {
    let s = outer.x * x.y;
    return real4(
        outer.x * x.x,
        outer.y + s,
        outer.z + outer.x * x.z,
        outer.w + abs(outer.x) * x.w + cancelled(outer.y, s),
    );
}

// The value of a relation for known neighbours.
fn value(x: real4, prev: real, next: real) -> real {
    return x.x * prev + x.y * next + x.z;
}

// "x is x_prev" and "x is x_next": what `combine` takes where there is no neighbour to take in, so
// that the coupling stays.
const NONE_BEFORE = real4(1.0, 0.0, 0.0, 0.0);
const NONE_BEHIND = real4(0.0, 1.0, 0.0, 0.0);

// One step of cyclic reduction: `mid` with its two neighbours `lo` and `hi` replaced by
// their own relations, which couple it to the unknowns twice as far away.
fn combine(lo: real4, mid: real4, hi: real4) -> real4 {
    let turn_lo = opposite(mid.x, lo.y);
    let turn_hi = opposite(mid.y, hi.x);
    let a = abs(mid.x);
    let b = abs(mid.y);
    // 1 - mid.x lo.y - mid.y hi.x, by parts that do not cancel.
    let size_lo = select(abs(lo.x) + lo.w, 1.0 + abs(lo.y), turn_lo);
    let size_hi = select(abs(hi.y) + hi.w, 1.0 + abs(hi.x), turn_hi);
    let size = mid.w + a * size_lo + b * size_hi;
    let k = 1.0 / size;
    let gain_lo = lo.w + select(real(0.0), 2.0 * abs(lo.y), turn_lo);
    let gain_hi = hi.w + select(real(0.0), 2.0 * abs(hi.x), turn_hi);
    return real4(
        k * (mid.x * lo.x),
        k * (mid.y * hi.y),
        k * (mid.x * lo.z + mid.y * hi.z + mid.z),
        abs(k) * (mid.w + a * gain_lo + b * gain_hi + flipped(size)),
    );
}
