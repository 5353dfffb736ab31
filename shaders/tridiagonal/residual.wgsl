// Partial norms of d - A x, of |A| |x| + |d| and of d: each workgroup takes SEGMENT rows of one
// problem and writes scale and scaled sum of squares of each, so that no square overflows.
override WORKGROUP: u32 = 256u;

@group(0) @binding(6) var<storage, read> x: array<real>;
@group(0) @binding(7) var<storage, read_write> norms: array<real>;

var<workgroup> shared_sums: array<vec3<real>, WORKGROUP>;

fn unknown(problem: u32, row: u32) -> real {
    return x[rhs_base(problem) + row * params.element_stride];
}

// d - A x, an eighth of |A| |x| + |d| (so that the sum cannot overflow alone), and d of a row.
fn residual_of(problem: u32, row: u32) -> vec3<real> {
    let it = load_equation(problem, row);
    let own = it.b * unknown(problem, row);
    var sum = it.d - own;
    var size = 0.125 * abs(it.d) + 0.125 * abs(own);
    if (row > 0u) {
        let term = it.a * unknown(problem, row - 1u);
        sum -= term;
        size += 0.125 * abs(term);
    }
    if (row + 1u < params.n) {
        let term = it.c * unknown(problem, row + 1u);
        sum -= term;
        size += 0.125 * abs(term);
    }
    return vec3<real>(sum, size, it.d);
}

fn add_up(t: u32) {
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            shared_sums[t] += shared_sums[t + half];
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
    var scale = vec3<real>(0.0, 0.0, 0.0);
    for (var i = start + t; i < stop; i += WORKGROUP) {
        scale = max(scale, abs(residual_of(problem, i)));
    }
    shared_sums[t] = scale;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            shared_sums[t] = max(shared_sums[t], shared_sums[t + half]);
        }
    }
    workgroupBarrier();
    scale = max(shared_sums[0], vec3<real>(SMALLEST, SMALLEST, SMALLEST));
    workgroupBarrier();
    var sum = vec3<real>(0.0, 0.0, 0.0);
    for (var i = start + t; i < stop; i += WORKGROUP) {
        let scaled = residual_of(problem, i) / scale;
        sum += scaled * scaled;
    }
    shared_sums[t] = sum;
    add_up(t);
    if (t == 0u) {
        let sums = shared_sums[0];
        norms[6u * w] = scale.x;
        norms[6u * w + 1u] = sums.x;
        norms[6u * w + 2u] = scale.y;
        norms[6u * w + 3u] = sums.y;
        norms[6u * w + 4u] = scale.z;
        norms[6u * w + 5u] = sums.z;
    }
}
