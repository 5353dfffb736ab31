// role: kernel
import package::shared::problem::{params, right_place, x_offset};
import package::shared::workgroup::WORKGROUP;
import super::equation::excess_of;
import super::form::EXCESS;
import super::structure::{
    PERIODIC, System, left_coefficient, own_coefficient, right_coefficient, row_before, row_behind,
};
import roles::real::{LARGE, NORMAL, ROUNDOFF, SMALLEST, is_finite, real};
import roles::rhs::right_side_at;

const SEGMENT = 0u; // set by Rust

// Partial norms of d - A x and of d; and, each row divided by its largest coefficient, of d - A x, of
// |A| |x| + |d| and of d: each workgroup takes SEGMENT rows of one problem and writes scale and scaled sum
// of squares of each, so that no square overflows. Beside them what bounds the forward error of x (see `Bounds`).
@group(0) @binding(6) var<storage, read> x: array<real>;
@group(0) @binding(7) var<storage, read_write> norms: array<real>;

var<workgroup> shared_sums: array<ResidualSums, WORKGROUP>;
var<workgroup> shared_bounds: array<Bounds, WORKGROUP>;

// Numbers that a workgroup writes: 10 of norms, 5 of bounds.
const PARTIAL: u32 = 15u;
// Roundings of a row's residual, in units of |A| |x| + |d|.
const ROUNDINGS: real = 6.0;
// Classes of rows. REGULAR: dominant, off-diagonals of opposite sign to the diagonal. IRREGULAR: dominant, other signs.
const REGULAR: real = 0.0;
const IRREGULAR: real = 1.0;
const NOT_DOMINANT: real = 2.0;

// Maxima over rows.
struct Bounds {
    // Of |x|.
    size: real,
    // Of (|d - A x| + its rounding errors) / (8 excess); LARGE for rows without excess. For strictly dominant rows, 8
    // times this bounds |x^ - x| (Ahlberg and Nilson 1963, Varah 1975).
    error: real,
    // Of what dominance says.
    dominance: real,
    // `along`: 1 if some d has the diagonal's sign; `against`: 1 if some d has the opposite sign.
    along: real,
    against: real,
}

// As the rows are, and scaled.
struct ResidualSums {
    plain: vec2<real>,
    scaled: vec3<real>,
}

// Where a problem's entries begin, and how many rows it has.
struct Bases {
    problem: u32,
    matrix: System,
    right: u32,
    rows: u32,
}

// Avoids branches and loop bounds that depend on parameters alone (as those of `matrix_base`): Mesa's software driver
// recompiles such a kernel at every dispatch.
fn bases_of(problem: u32, t: u32) -> Bases {
    let system = problem / params.columns;
    let matrix = (system / params.group) * params.group_stride + (system % params.group) * params.system_stride;
    let right = (system / params.right_group) * params.right_group_stride +
        (system % params.right_group) * params.right_system_stride;
    return Bases(problem, System(matrix, system), right + (problem % params.columns) * params.column_stride, params.n + (t & params.zero));
}

fn unknown(bases: Bases, row: u32) -> real {
    return x[right_place(bases.right, row) + x_offset()];
}

// Compilers make one quotient of two: x / row / scale = x / (row scale), and 0 / 0 where that product is below
// the normal numbers. It is above them where x is, no scale being below x / row: so what is not is 0, and of 0
// no quotient is taken.
fn without_denormals(x: real) -> real {
    return select(x, 0.0, abs(x) < NORMAL);
}

struct ResidualRow {
    sums: ResidualSums,
    bounds: Bounds,
}

// d - A x and d of a row; scaled the same, with an eighth of |A| |x| + |d| (so that the sum cannot overflow
// alone) between them; and its bounds.
fn residual_of(bases: Bases, row: u32) -> ResidualRow {
    let system = bases.matrix;
    let given = right_side_at(bases.problem, bases.right, row);
    let before = left_coefficient(system, row);
    let behind = right_coefficient(system, row);
    let has_left = row > 0u || PERIODIC;
    let has_right = row + 1u < bases.rows || PERIODIC;
    var diagonal = own_coefficient(system, row);
    if (EXCESS) {
        diagonal += select(0.0, abs(before), has_left) + select(0.0, abs(behind), has_right);
    }
    var largest = abs(diagonal);
    let own = diagonal * unknown(bases, row);
    var sum = given - own;
    var size = 0.125 * abs(given) + 0.125 * abs(own);
    if (has_left) {
        let term = before * unknown(bases, row_before(row));
        largest = max(largest, abs(before));
        sum -= term;
        size += 0.125 * abs(term);
    }
    if (has_right) {
        let term = behind * unknown(bases, row_behind(row));
        largest = max(largest, abs(behind));
        sum -= term;
        size += 0.125 * abs(term);
    }
    // Terms that overflow with opposite signs leave NaN, which maxima may drop: such a residual counts as the largest.
    sum = select(LARGE, sum, is_finite(size));
    let error = 0.125 * abs(sum) + ROUNDINGS * ROUNDOFF * size;
    let bounds = bounds_of(
        select(0.0, before, has_left),
        own_coefficient(system, row),
        select(0.0, behind, has_right),
        given,
        unknown(bases, row),
        error,
    );
    // Of a row of zeros nothing is left to divide.
    largest = select(largest, 1.0, largest == 0.0);
    sum = without_denormals(sum);
    size = without_denormals(size);
    let right = without_denormals(given);
    let scaled = vec3<real>(sum / largest, size / largest, right / largest);
    return ResidualRow(ResidualSums(vec2<real>(sum, right), scaled), bounds);
}

fn bounds_of(before: real, own: real, behind: real, given: real, x: real, error: real) -> Bounds {
    var excess = own;
    var along = given;
    var regular = before <= 0.0 && behind <= 0.0;
    if (!EXCESS) {
        excess = excess_of(before, own, behind);
        let is_negative = own < 0.0;
        regular = select(regular, before >= 0.0 && behind >= 0.0, is_negative);
        along = select(given, -given, is_negative);
    }
    let is_dominant = excess >= 0.0 && (EXCESS || own != 0.0);
    return Bounds(
        abs(x),
        select(LARGE, error / excess, excess > NORMAL),
        select(NOT_DOMINANT, select(IRREGULAR, REGULAR, regular), is_dominant),
        select(real(0.0), real(1.0), along > 0.0),
        select(real(0.0), real(1.0), along < 0.0),
    );
}

fn larger_bounds(one: Bounds, other: Bounds) -> Bounds {
    return Bounds(
        max(one.size, other.size),
        max(one.error, other.error),
        max(one.dominance, other.dominance),
        max(one.along, other.along),
        max(one.against, other.against),
    );
}

fn add_up_residuals(t: u32) {
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            shared_sums[t].plain += shared_sums[t + half].plain;
            shared_sums[t].scaled += shared_sums[t + half].scaled;
        }
    }
    workgroupBarrier();
}

fn run(w: u32, t: u32) {
    // `steps`: the first segment of this dispatch, where their norms need several buffers.
    let segment = params.steps + w;
    let problem = segment / params.slices;
    let bases = bases_of(problem, t);
    let start = (segment % params.slices) * SEGMENT;
    let stop = min(start + SEGMENT, bases.rows);
    var scale = ResidualSums(vec2<real>(0.0), vec3<real>(0.0));
    var bounds = Bounds(0.0, 0.0, REGULAR, 0.0, 0.0);
    for (var i = start + t; i < stop; i += WORKGROUP) {
        let row = residual_of(bases, i);
        scale.plain = max(scale.plain, abs(row.sums.plain));
        scale.scaled = max(scale.scaled, abs(row.sums.scaled));
        bounds = larger_bounds(bounds, row.bounds);
    }
    shared_sums[t] = scale;
    shared_bounds[t] = bounds;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            shared_sums[t].plain = max(shared_sums[t].plain, shared_sums[t + half].plain);
            shared_sums[t].scaled = max(shared_sums[t].scaled, shared_sums[t + half].scaled);
            shared_bounds[t] = larger_bounds(shared_bounds[t], shared_bounds[t + half]);
        }
    }
    workgroupBarrier();
    scale.plain = max(shared_sums[0].plain, vec2<real>(SMALLEST));
    scale.scaled = max(shared_sums[0].scaled, vec3<real>(SMALLEST));
    workgroupBarrier();
    var sum = ResidualSums(vec2<real>(0.0), vec3<real>(0.0));
    for (var i = start + t; i < stop; i += WORKGROUP) {
        let row = residual_of(bases, i).sums;
        let plain = select(row.plain / scale.plain, vec2<real>(0.0), row.plain == vec2<real>(0.0));
        let scaled = select(row.scaled / scale.scaled, vec3<real>(0.0), row.scaled == vec3<real>(0.0));
        sum.plain += plain * plain;
        sum.scaled += scaled * scaled;
    }
    shared_sums[t] = sum;
    add_up_residuals(t);
    if (t == 0u) {
        let sums = shared_sums[0];
        for (var i = 0u; i < 2u; i++) {
            norms[PARTIAL * w + 2u * i] = scale.plain[i];
            norms[PARTIAL * w + 2u * i + 1u] = sums.plain[i];
        }
        for (var i = 0u; i < 3u; i++) {
            norms[PARTIAL * w + 2u * i + 4u] = scale.scaled[i];
            norms[PARTIAL * w + 2u * i + 5u] = sums.scaled[i];
        }
        let found = shared_bounds[0];
        norms[PARTIAL * w + 10u] = found.size;
        norms[PARTIAL * w + 11u] = found.error;
        norms[PARTIAL * w + 12u] = found.dominance;
        norms[PARTIAL * w + 13u] = found.along;
        norms[PARTIAL * w + 14u] = found.against;
    }
}
