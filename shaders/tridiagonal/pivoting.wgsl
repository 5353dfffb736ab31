import package::shared::sizes::ROWS;
import super::sizes::INNER;
import roles::real::{NORMAL, real, real4};
import roles::scale::{ROUNDED, inverse_power};

// Partitions of ROWS rows, the inner unknowns of which are eliminated from above and from below, each time with the
// larger of two pivots (Klein and Strzodka 2021).
//
// A row before x[i-1] + own x[i] + after x[i+1] = right is real4(before, own, after, right). From below everything
// looks the same with before and after exchanged.

// x = 0.
const NO_ROW = real4(0.0, 1.0, 0.0, 0.0);

// x[i+1] = x[i-1]: an even number of such rows between two others leaves these as they are.
const PASSED_ON = real4(1.0, 0.0, -1.0, 0.0);

// A row times a power of two, which rounds nothing, such that its largest coefficient is about 1.
fn scaled_row(row: real4) -> real4 {
    return row * inverse_power(size_of(row));
}

fn size_of(row: real4) -> real {
    return max(max(abs(row.x), abs(row.y)), abs(row.z));
}

fn mirrored(row: real4) -> real4 {
    return row.zyxw;
}

fn seen_from(row: real4, below: bool) -> real4 {
    return select(row, mirrored(row), below);
}

// A partition's inner unknowns in terms of those behind them, in the order of their elimination:
// x_j = r + p x_(j+1) + q x as vec3(p, q, r), where x is that of j + 2 if the row was exchanged, else the partition's
// first.
struct Kept {
    relations: array<vec3<real>, INNER>,
    // A bit for each.
    exchanges: u32,
}

struct Elimination {
    // What is left: a row of the partition's first unknown, its last and the one behind that.
    end: real4,
    weakest_pivot: real,
    // The least size of what was left of rows on the way.
    least: real,
    kept: Kept,
}

// Where neither row has the unknown, there is nothing to eliminate: 0 times a number. A pivot that this changes is as good as
// none, beside coefficients of about 1.
fn inverse_of(pivot: real) -> real {
    return 1.0 / (pivot + NORMAL);
}

// What is left of a carried row, of a partition's first unknown, x_j, x_(j+1), and the next without x_j: the one that is
// not the pivot's, and `factor` times that.
fn remaining(carried: real4, row: real4, factor: real, exchange: bool) -> real4 {
    let upper = select(factor, real(1.0), exchange);
    let lower = select(real(1.0), factor, exchange);
    return real4(
        upper * carried.x,
        upper * carried.z + lower * row.y,
        lower * row.z,
        upper * carried.w + lower * row.w,
    );
}

// Eliminates the inner unknowns one by one with the rows behind the first.
fn eliminate_inner(rows: array<real4, ROWS>) -> Elimination {
    var it: Elimination;
    // Of the partition's first unknown, x_j, x_(j+1).
    var carried = rows[1];
    it.weakest_pivot = 8.0;
    it.least = 8.0;
    it.kept.exchanges = 0u;
    for (var i = 0u; i < INNER; i++) { // unroll
        let row = rows[i + 2u];
        let exchange = abs(row.x) > abs(carried.y);
        let pivot = select(carried.y, row.x, exchange);
        let inverse = inverse_of(pivot);
        let factor = -(select(row.x, carried.y, exchange) * inverse);
        it.kept.relations[i] = inverse * vec3<real>(
            -select(carried.z, row.y, exchange),
            -select(carried.x, row.z, exchange),
            select(carried.w, row.w, exchange),
        );
        it.kept.exchanges |= select(0u, 1u << i, exchange);
        it.weakest_pivot = min(it.weakest_pivot, abs(pivot));
        carried = remaining(carried, row, factor, exchange);
        it.least = min(it.least, size_of(carried));
    }
    it.end = carried;
    return it;
}

// The inner unknowns in the order of their elimination, from vec3(first, last, behind) as they look from there.
fn substituted(kept: Kept, known: vec3<real>) -> array<real, INNER> {
    var inner: array<real, INNER>;
    var next = known.y;
    var behind = known.z;
    for (var i = INNER; i > 0u; i--) { // unroll
        let relation = kept.relations[i - 1u];
        let far = select(known.x, behind, (kept.exchanges & (1u << (i - 1u))) != 0u);
        behind = next;
        next = relation.z + relation.x * next + relation.y * far;
        inner[i - 1u] = next;
    }
    return inner;
}

// Of the unknowns before a partition, its first and last, and behind it: the last three as they look from above or below.
fn known_from(known: real4, below: bool) -> vec3<real> {
    return select(known.yzw, known.zyx, below);
}

// What is left of a partition: a row of its first unknown and one of its last, whose sizes are about 1.
struct Pair {
    first: real4,
    last: real4,
}

// How little two such rows differ in what they say of the first unknown and the last: inner rows that are singular on their own
// leave the same row from above and from below, that which ties the partition's ends to each other.
fn difference_of(pair: Pair) -> real {
    return abs(pair.first.y * pair.last.y - pair.first.z * pair.last.x);
}

// A thread's own partition, from both sides.
struct Ends {
    pair: Pair,
    // From below, if the weakest pivot is stronger there: partitions are no stable places to cut at.
    kept: Kept,
    from_below: bool,
    // Below 0 where a roundoff is all that is left of a row: those behind or before the partition's first come to 0, which a
    // singular system's alone do.
    weakest_pivot: real,
}

fn backwards(rows: array<real4, ROWS>) -> array<real4, ROWS> {
    var it: array<real4, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unroll
        it[i] = mirrored(rows[ROWS - 1u - i]);
    }
    return it;
}

fn ends_of(rows: array<real4, ROWS>) -> Ends {
    let above = eliminate_inner(rows);
    let below = eliminate_inner(backwards(rows));
    var ends: Ends;
    ends.pair = Pair(scaled_row(mirrored(below.end)), scaled_row(above.end));
    ends.from_below = below.weakest_pivot > above.weakest_pivot;
    let strongest = max(below.weakest_pivot, above.weakest_pivot);
    ends.weakest_pivot = select(strongest, real(-1.0), min(below.least, above.least) < ROUNDED);
    for (var i = 0u; i < INNER; i++) { // unroll
        ends.kept.relations[i] = select(above.kept.relations[i], below.kept.relations[i], ends.from_below);
    }
    ends.kept.exchanges = select(above.kept.exchanges, below.kept.exchanges, ends.from_below);
    return ends;
}

// The inner unknowns of a thread's own partition, given its first and last and those beside it.
fn inner_unknowns(ends: Ends, known: real4) -> array<real, INNER> {
    let found = substituted(ends.kept, known_from(known, ends.from_below));
    var inner: array<real, INNER>;
    for (var i = 0u; i < INNER; i++) { // unroll
        inner[i] = select(found[i], found[INNER - 1u - i], ends.from_below);
    }
    return inner;
}

// Below this, a pivot is not relied on.
const WEAK: real = 0.25;

// What is left of a row of whose unknowns the first is x_j.
struct Candidate {
    own: real,
    next: real,
    far: real,
    right: real,
}

fn the_larger(a: Candidate, b: Candidate, larger: bool) -> Candidate {
    let is_a = (abs(a.own) >= abs(b.own)) == larger;
    return Candidate(
        select(b.own, a.own, is_a),
        select(b.next, a.next, is_a),
        select(b.far, a.far, is_a),
        select(b.right, a.right, is_a),
    );
}

// Without x_j, given the pivot's row with that coefficient 1.
fn without(row: Candidate, pivot: vec3<real>) -> Candidate {
    return Candidate(row.next - row.own * pivot.x, row.far - row.own * pivot.y, 0.0, row.right - row.own * pivot.z);
}

// The two rows that earlier unknowns have left for x_j, and the weakest of their pivots.
struct Window {
    upper: Candidate,
    lower: Candidate,
    weakest_pivot: real,
}

// x_j = z - x x_(j+1) - y x_(j+2) by the largest of three pivots, the window's and the next row's; the others are left without it.
fn pivoted(window: ptr<function, Window>, next: Candidate) -> vec3<real> {
    let large = the_larger((*window).upper, (*window).lower, true);
    let rest = the_larger((*window).upper, (*window).lower, false);
    let pivot = the_larger(large, next, true);
    let relation = vec3<real>(pivot.next, pivot.far, pivot.right) * (1.0 / pivot.own);
    (*window).weakest_pivot = min((*window).weakest_pivot, abs(pivot.own));
    (*window).upper = without(rest, relation);
    (*window).lower = without(the_larger(large, next, false), relation);
    return relation;
}

// What row i of a partition says of its inner unknowns, given those before it, its first, its last and that behind it.
fn candidate_of(row: real4, i: u32, known: real4) -> Candidate {
    if (i == 0u) {
        return Candidate(row.z, 0.0, 0.0, row.w - row.x * known.x - row.y * known.y);
    }
    if (i == 1u) {
        return Candidate(row.y, row.z, 0.0, row.w - row.x * known.y);
    }
    if (i == ROWS - 2u) {
        return Candidate(row.x, row.y, 0.0, row.w - row.z * known.z);
    }
    if (i == ROWS - 1u) {
        return Candidate(row.x, 0.0, 0.0, row.w - row.y * known.z - row.z * known.w);
    }
    return Candidate(row.x, row.y, row.z, row.w);
}

struct Solved {
    inner: array<real, INNER>,
    // No row had more than a rounding for one of them.
    doubtful: bool,
}

// The inner unknowns of a partition from all its rows, two more than there are unknowns: each by the largest of the three
// pivots that there are for it. Where neither side has strong ones, some unknowns may have theirs from above and others from
// below.
fn solved_inner(rows: array<real4, ROWS>, known: real4) -> Solved {
    var window = Window(candidate_of(rows[0], 0u, known), candidate_of(rows[1], 1u, known), 1.0);
    var relations: array<vec3<real>, INNER>;
    for (var i = 0u; i < INNER; i++) { // unroll
        relations[i] = pivoted(&window, candidate_of(rows[i + 2u], i + 2u, known));
    }
    var inner: array<real, INNER>;
    var next = real(0.0);
    var far = real(0.0);
    for (var i = INNER; i > 0u; i--) { // unroll
        let own = relations[i - 1u].z - relations[i - 1u].x * next - relations[i - 1u].y * far;
        far = next;
        next = own;
        inner[i - 1u] = own;
    }
    return Solved(inner, window.weakest_pivot < ROUNDED);
}

// The two unknowns of a system of two rows.
fn solved_pair(first: real4, last: real4) -> vec2<real> {
    let exchange = abs(last.x) > abs(first.y);
    let upper = select(first.yzw, last.xyw, exchange);
    let lower = select(last.xyw, first.yzw, exchange);
    let factor = lower.x / upper.x;
    let second = (lower.z - factor * upper.z) / (lower.y - factor * upper.y);
    return vec2<real>((upper.z - upper.y * second) / upper.x, second);
}
