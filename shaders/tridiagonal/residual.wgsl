// Partial norms of d - A x and of d; and, each row divided by its largest coefficient, of d - A x, of
// |A| |x| + |d| and of d: each workgroup takes SEGMENT rows of one problem and writes scale and scaled sum
// of squares of each, so that no square overflows.
override WORKGROUP: u32 = 256u;

@group(0) @binding(6) var<storage, read> x: array<real>;
@group(0) @binding(7) var<storage, read_write> norms: array<real>;

var<workgroup> shared_sums: array<Sums, WORKGROUP>;

// As the rows are, and scaled.
struct Sums {
    plain: vec2<real>,
    scaled: vec3<real>,
}

fn unknown(problem: u32, row: u32) -> real {
    return x[rhs_base(problem) + row * params.element_stride];
}

// Compilers make one quotient of two: x / row / scale = x / (row scale), and 0 / 0 where that product is below
// the normal numbers. It is above them where x is, no scale being below x / row: so what is not is 0, and of 0
// no quotient is taken.
fn without_denormals(x: real) -> real {
    return select(x, 0.0, abs(x) < NORMAL);
}

// d - A x and d of a row; scaled the same, with an eighth of |A| |x| + |d| (so that the sum cannot overflow
// alone) between them.
fn residual_of(problem: u32, row: u32) -> Sums {
    let base = matrix_base(problem);
    let given = rhs_entry(place_in(rhs_base(problem), row));
    let before = left_coefficient(base, row);
    let behind = right_coefficient(base, row);
    let has_left = row > 0u || PERIODIC;
    let has_right = row + 1u < params.n || PERIODIC;
    var diagonal = own_coefficient(base, row);
    if (EXCESS) {
        diagonal += select(0.0, abs(before), has_left) + select(0.0, abs(behind), has_right);
    }
    var largest = abs(diagonal);
    let own = diagonal * unknown(problem, row);
    var sum = given - own;
    var size = 0.125 * abs(given) + 0.125 * abs(own);
    if (has_left) {
        let term = before * unknown(problem, row_before(row));
        largest = max(largest, abs(before));
        sum -= term;
        size += 0.125 * abs(term);
    }
    if (has_right) {
        let term = behind * unknown(problem, row_behind(row));
        largest = max(largest, abs(behind));
        sum -= term;
        size += 0.125 * abs(term);
    }
    // Of a row of zeros nothing is left to divide.
    largest = select(largest, 1.0, largest == 0.0);
    sum = without_denormals(sum);
    size = without_denormals(size);
    let right = without_denormals(given);
    return Sums(vec2<real>(sum, right), vec3<real>(sum / largest, size / largest, right / largest));
}

fn add_up(t: u32) {
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
    let start = (segment % params.slices) * SEGMENT;
    let stop = min(start + SEGMENT, params.n);
    var scale = Sums(vec2<real>(0.0), vec3<real>(0.0));
    for (var i = start + t; i < stop; i += WORKGROUP) {
        let row = residual_of(problem, i);
        scale.plain = max(scale.plain, abs(row.plain));
        scale.scaled = max(scale.scaled, abs(row.scaled));
    }
    shared_sums[t] = scale;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            shared_sums[t].plain = max(shared_sums[t].plain, shared_sums[t + half].plain);
            shared_sums[t].scaled = max(shared_sums[t].scaled, shared_sums[t + half].scaled);
        }
    }
    workgroupBarrier();
    scale.plain = max(shared_sums[0].plain, vec2<real>(SMALLEST));
    scale.scaled = max(shared_sums[0].scaled, vec3<real>(SMALLEST));
    workgroupBarrier();
    var sum = Sums(vec2<real>(0.0), vec3<real>(0.0));
    for (var i = start + t; i < stop; i += WORKGROUP) {
        let row = residual_of(problem, i);
        let plain = select(row.plain / scale.plain, vec2<real>(0.0), row.plain == vec2<real>(0.0));
        let scaled = select(row.scaled / scale.scaled, vec3<real>(0.0), row.scaled == vec3<real>(0.0));
        sum.plain += plain * plain;
        sum.scaled += scaled * scaled;
    }
    shared_sums[t] = sum;
    add_up(t);
    if (t == 0u) {
        let sums = shared_sums[0];
        for (var i = 0u; i < 2u; i++) {
            norms[10u * w + 2u * i] = scale.plain[i];
            norms[10u * w + 2u * i + 1u] = sums.plain[i];
        }
        for (var i = 0u; i < 3u; i++) {
            norms[10u * w + 2u * i + 4u] = scale.scaled[i];
            norms[10u * w + 2u * i + 5u] = sums.scaled[i];
        }
    }
}
