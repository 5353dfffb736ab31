// Partitions of ROWS rows, the inner unknowns of which are eliminated from above and from below, each time with the
// larger of two pivots (Klein and Strzodka 2021).
//
// A row before x[i-1] + own x[i] + after x[i+1] = right is real4(before, own, after, right). From below everything
// looks the same with before and after exchanged.

// x = 0.
const NO_ROW = real4(0.0, 1.0, 0.0, 0.0);

// A row times a power of two, which rounds nothing, such that its largest coefficient is about 1.
fn scaled(row: real4) -> real4 {
    return row * inverse_power(max(max(abs(row.x), abs(row.y)), abs(row.z)));
}

fn mirrored(row: real4) -> real4 {
    return row.zyxw;
}

// Whether an unknown has the larger coefficient in the row below than in what is carried down, which is of the
// partition's first unknown, that one and the next.
fn exchanged(carried: real4, row: real4) -> bool {
    return abs(row.x) > abs(carried.y);
}

fn pivot_size(carried: real4, row: real4) -> real {
    return max(abs(row.x), abs(carried.y));
}

// The one of the two rows that is not the pivot's, without the unknown.
fn eliminated(carried: real4, row: real4) -> real4 {
    let exchange = exchanged(carried, row);
    let pivot = select(carried.y, row.x, exchange);
    // Neither has the unknown: nothing to eliminate.
    let factor = select(select(row.x, carried.y, exchange) / pivot, real(0.0), pivot == 0.0);
    let kept = select(row.yw, carried.zw, exchange) - factor * select(carried.zw, row.yw, exchange);
    return real4(
        carried.x * select(-factor, real(1.0), exchange),
        kept.x,
        row.z * select(real(1.0), -factor, exchange),
        kept.y,
    );
}

// A partition's two rows of the coarse system: of its first and its last unknown, and those beside the partition.
struct Ends {
    first: real4,
    last: real4,
    // The weakest pivot is stronger from below: partitions are no stable places to cut at.
    from_below: bool,
}

fn ends_of(rows: array<real4, ROWS>) -> Ends {
    var above = rows[1];
    var below = mirrored(rows[ROWS - 2u]);
    var weakest_above = real(8.0);
    var weakest_below = real(8.0);
    for (var i = 0u; i < INNER; i++) { // unroll
        let next = rows[i + 2u];
        let previous = mirrored(rows[ROWS - 3u - i]);
        weakest_above = min(weakest_above, pivot_size(above, next));
        weakest_below = min(weakest_below, pivot_size(below, previous));
        above = eliminated(above, next);
        below = eliminated(below, previous);
    }
    return Ends(scaled(mirrored(below)), scaled(above), weakest_below > weakest_above);
}

// All unknowns of a partition, given its first and last and those beside it: real4(before, first, last, behind).
fn substituted(rows: array<real4, ROWS>, from_below: bool, known: real4) -> array<real, ROWS> {
    let ends = select(known, known.wzyx, from_below);
    // Pivot, coefficient of the next unknown, of the one behind that or the partition's first, right-hand side.
    var pivots: array<real4, INNER>;
    var exchanges: array<bool, INNER>;
    var carried = select(rows[1], mirrored(rows[ROWS - 2u]), from_below);
    for (var i = 0u; i < INNER; i++) { // unroll
        let row = select(rows[i + 2u], mirrored(rows[ROWS - 3u - i]), from_below);
        exchanges[i] = exchanged(carried, row);
        pivots[i] = select(carried.yzxw, row, exchanges[i]);
        carried = eliminated(carried, row);
    }
    var inner: array<real, INNER>;
    var next = ends.z;
    var behind = ends.w;
    for (var i = INNER; i > 0u; i--) { // unroll
        let pivot = pivots[i - 1u];
        let other = select(ends.y, behind, exchanges[i - 1u]);
        behind = next;
        next = (pivot.w - pivot.y * next - pivot.z * other) / pivot.x;
        inner[i - 1u] = next;
    }
    var x: array<real, ROWS>;
    x[0] = known.y;
    for (var i = 0u; i < INNER; i++) { // unroll
        x[i + 1u] = select(inner[i], inner[INNER - 1u - i], from_below);
    }
    x[ROWS - 1u] = known.z;
    return x;
}

// The two unknowns of a system of two rows.
fn solved_pair(first: real4, last: real4) -> vec2<real> {
    let exchange = exchanged(first, last);
    let upper = select(first.yzw, last.xyw, exchange);
    let lower = select(last.xyw, first.yzw, exchange);
    let factor = lower.x / upper.x;
    let second = (lower.z - factor * upper.z) / (lower.y - factor * upper.y);
    return vec2<real>((upper.z - upper.y * second) / upper.x, second);
}
